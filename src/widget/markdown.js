/*
 * Markdown as a tree of elements, for text that nobody vouches for: a model's or a database cell's.
 * There is no HTML in it, so nothing has to be cleaned: what is not known is text. This file makes
 * blocks of lines, inline.js the text within them.
 */

import { h } from './dom.js';
import { cut, inline, verbatim } from './inline.js';

const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const QUOTE = /^ {0,3}> ?/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/* --- lines into blocks ------------------------------------------------------------------ */

function linesOf(text) {
  const lines = [];
  let start = 0;

  for (const line of text.split('\n')) {
    lines.push({ text: line.replace(/\r$/, ''), start });
    start += line.length + 1;
  }
  return lines;
}

function isBlank(line) {
  return line.text.trim() === '';
}

function isTable(lines, i) {
  return lines[i].text.includes('|') && i + 1 < lines.length &&
    lines[i + 1].text.includes('-') && DELIMITERS.test(lines[i + 1].text) &&
    cells(lines[i]).length === cells(lines[i + 1]).length;
}

function startsBlock(lines, i) {
  const { text } = lines[i];

  return FENCE.test(text) || HEADING.test(text) || RULE.test(text) || QUOTE.test(text) ||
    ITEM.test(text) || isTable(lines, i);
}

function takeFence(lines, i) {
  const fence = FENCE.exec(lines[i].text)[1];
  let end = i + 1;

  while (end < lines.length && !lines[end].text.trimStart().startsWith(fence))
    end++;
  return { kind: 'code', lines: lines.slice(i + 1, end), end: Math.min(end + 1, lines.length) };
}

function takeTable(lines, i) {
  let end = i + 2;

  while (end < lines.length && !isBlank(lines[end]) && lines[end].text.includes('|'))
    end++;
  return { kind: 'table', lines: lines.slice(i, end), end };
}

function takeQuote(lines, i) {
  let end = i;

  while (end < lines.length && QUOTE.test(lines[end].text))
    end++;
  const inner = lines.slice(i, end).map((line) => cut(line, QUOTE.exec(line.text)[0].length));

  return { kind: 'quote', lines: inner, end };
}

function isOrdered(marker) {
  return /\d/.test(marker);
}

/* An item owns the lines indented below it; a blank line ends it if nothing indented follows. */
function takeList(lines, i) {
  const first = ITEM.exec(lines[i].text);
  const ordered = isOrdered(first[2]);
  const items = [];
  let width = 0;
  let end = i;

  for (; end < lines.length; end++) {
    const line = lines[end];
    const item = RULE.test(line.text) ? null : ITEM.exec(line.text);
    const indent = line.text.length - line.text.trimStart().length;

    if (isBlank(line)) {
      const next = lines[end + 1];

      if (!next || isBlank(next) || !(ITEM.test(next.text) || /^ {2,}\S/.test(next.text)))
        break;
      items.at(-1).push(cut(line, line.text.length));
    } else if (item && (items.length === 0 || indent < width)) {
      if (isOrdered(item[2]) !== ordered)
        break;
      width = item[0].length;
      items.push([cut(line, width)]);
    } else if (indent >= 2) {
      items.at(-1).push(cut(line, Math.min(indent, width)));
    } else if (isBlank(lines[end - 1]) || startsBlock(lines, end)) {
      break;
    } else {
      items.at(-1).push(line);
    }
  }
  return { kind: ordered ? 'ol' : 'ul', start: parseInt(first[2], 10), items, end };
}

function takeParagraph(lines, i) {
  let end = i + 1;

  while (end < lines.length && !isBlank(lines[end]) && !startsBlock(lines, end))
    end++;
  return { kind: 'paragraph', lines: lines.slice(i, end), end };
}

function takeBlock(lines, i, depth) {
  const { text } = lines[i];

  if (depth >= MAX_DEPTH)
    return takeParagraph(lines, i);
  if (FENCE.test(text))
    return takeFence(lines, i);
  if (HEADING.test(text))
    return { kind: 'heading', level: HEADING.exec(text)[1].length, lines: [lines[i]], end: i + 1 };
  if (RULE.test(text))
    return { kind: 'rule', end: i + 1 };
  if (QUOTE.test(text))
    return takeQuote(lines, i);
  if (ITEM.test(text))
    return takeList(lines, i);
  if (isTable(lines, i))
    return takeTable(lines, i);
  return takeParagraph(lines, i);
}

function blocksOf(lines, depth) {
  const blocks = [];

  for (let i = 0; i < lines.length;) {
    if (isBlank(lines[i])) {
      i++;
      continue;
    }
    const block = takeBlock(lines, i, depth);

    block.first = i;
    blocks.push(block);
    i = block.end;
  }
  return blocks;
}

/* --- blocks into elements --------------------------------------------------------------- */

function cells(line) {
  const parts = [];
  const { text } = line;
  const last = text.trimEnd().length - 1;
  let from = text.length - text.trimStart().length;

  if (text[from] === '|')
    from++;
  for (let i = from; i <= last + 1; i++) {
    if (i <= last && (text[i] !== '|' || text[i - 1] === '\\'))
      continue;
    if (i <= last || from <= last)
      parts.push({ text: text.slice(from, i), start: line.start + from });
    from = i + 1;
  }
  return parts.map((part) => {
    const trimmed = cut(part, part.text.length - part.text.trimStart().length);

    return { text: trimmed.text.trimEnd(), start: trimmed.start };
  });
}

function alignment(text) {
  if (text.endsWith(':'))
    return text.startsWith(':') ? 'center' : 'end';
  return undefined;
}

function tableOf(lines, context) {
  const aligns = cells(lines[1]).map((cell) => alignment(cell.text));
  const row = (line, tag) => h('tr', {}, cells(line).slice(0, aligns.length).map((cell, i) =>
    h(tag, { class: aligns[i] && `align-${aligns[i]}`, scope: tag === 'th' && 'col' },
      ...inline([cell], context))));

  return h('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': 'Table' },
    h('table', {}, h('thead', {}, row(lines[0], 'th')),
      h('tbody', {}, lines.slice(2).map((line) => row(line, 'td')))));
}

function isLoose(item) {
  return item.some((line, i) => isBlank(line) && i > 0 && i < item.length - 1);
}

function itemOf(item, context, depth) {
  const blocks = blocksOf(item, depth);

  return h('li', {}, blocks.flatMap((block) =>
    block.kind === 'paragraph' && !isLoose(item)
      ? inline(block.lines, context)
      : [elementOf(block, context, depth)]));
}

/* A heading within a list or a quote is no landmark of the page, only a strong line. */
function headingOf(block, context) {
  const line = cut(block.lines[0], HEADING.exec(block.lines[0].text)[0].length);
  const title = { text: line.text.replace(/[ \t]+#+[ \t]*$/, ''), start: line.start };
  const words = inline([title], context);

  return block.rank ? h(`h${block.rank}`, {}, ...words) : h('p', {}, h('strong', {}, ...words));
}

/* An answer begins below its own h2, whatever level its author began with, and skips none. */
function rankHeadings(blocks) {
  const headings = blocks.filter((block) => block.kind === 'heading');
  let above = 2;

  for (const block of headings) {
    const wanted = 3 + block.level - headings[0].level;

    above = block.rank = Math.max(3, Math.min(wanted, above + 1, 6));
  }
}

function elementOf(block, context, depth) {
  switch (block.kind) {
  case 'code':
    return h('pre', { tabindex: '0' }, h('code', {}, ...verbatim(block.lines, context)));
  case 'heading':
    return headingOf(block, context);
  case 'rule':
    return h('hr');
  case 'quote':
    return h('blockquote', {}, ...elementsOf(block.lines, context, depth + 1));
  case 'ol':
  case 'ul':
    return h(block.kind, { start: block.start > 1 && block.start },
      block.items.map((item) => itemOf(item, context, depth + 1)));
  case 'table':
    return tableOf(block.lines, context);
  default:
    return h('p', {}, ...inline(block.lines, context));
  }
}

function elementsOf(lines, context, depth) {
  return blocksOf(lines, depth).map((block) => elementOf(block, context, depth));
}

/* --- the growing text ------------------------------------------------------------------- */

/* Shows a text that grows: blocks whose source is unchanged keep their elements. */
export class MarkdownView {
  #root;
  #options;
  #shown = [];

  /* options: {hosts(): allowed link hosts, renderMark(mark, text): element} */
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
  }

  /* marks: [{from, to, …}] in UTF-16 units of text; live: more may follow. */
  update(text, marks = [], live = false) {
    const lines = linesOf(text);
    const blocks = blocksOf(lines, 0);

    rankHeadings(blocks);
    blocks.forEach((block, i) => {
      const from = lines[block.first].start;
      const to = block.end < lines.length ? lines[block.end].start : text.length;
      const inside = marks.filter((mark) => mark.from < to && mark.to > from);
      const open = live && i === blocks.length - 1;
      const key = `${open}|${block.rank}|${inside.length}|${text.slice(from, to).trimEnd()}`;

      if (this.#shown[i]?.key === key && this.#shown[i].from === from)
        return;
      const node = elementOf(block, {
        marks: inside,
        live: open,
        hosts: this.#options.hosts(),
        renderMark: this.#options.renderMark,
      }, 0);

      if (this.#shown[i])
        this.#shown[i].node.replaceWith(node);
      else
        this.#root.append(node);
      this.#shown[i] = { key, from, node };
    });
    for (const stale of this.#shown.splice(blocks.length))
      stale.node.remove();
  }
}
