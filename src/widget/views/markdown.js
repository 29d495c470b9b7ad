/*
 * Renders untrusted Markdown, from a model or a database cell. marked parses it, and DOMPurify allows a
 * short list of elements. HTML is shown as text, images are named but not loaded, and links lead to
 * allowed hosts only. Private-use characters around each checked number carry its mark through the
 * rendering and are then replaced by elements.
 */

import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { h } from '../dom.js';

const OPEN = '\uE010';
const CLOSE = '\uE011';
const SIGNS = /[\uE010\uE011]/g;
const VERSION = /\b(Q\d|[A-Z][a-z]\w)_(?=\uE010?\d{4}(?!\w))/g; /* "Jan_2025" is shown as "Jan 2025", as in tables */
const TAGS = ['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'h1', 'h2', 'h3', 'h4',
  'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'a'];
const ATTRIBUTES = ['href', 'align', 'start'];
const LONG_CHARS = 32;   /* longer table cells may wrap */
const STABLE_BLOCKS = 2; /* new text can only change the last blocks */

function escaped(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/* Only absolute web addresses of allowed hosts are links; others are shown as text. */
function allowedUrl(address, hosts) {
  if (!URL.canParse(address))
    return null;
  const url = new URL(address);

  if (!/^https?:$/.test(url.protocol) || url.username || url.password)
    return null;
  return hosts.includes(url.host) ? url.href : null;
}

function readerFor(hosts) {
  return new Marked({
    gfm: true,
    async: false,
    renderer: {
      html: ({ text, block }) => (block ? `<p>${escaped(text)}</p>` : escaped(text)),
      checkbox: ({ checked }) => (checked ? '[x] ' : '[ ] '),
      image: ({ text, href }) => escaped(`${text} (${href})`),
      link({ href, text, tokens }) {
        const address = href.replace(SIGNS, '');
        const url = allowedUrl(address, hosts);

        if (url)
          return `<a href="${escaped(url)}">${this.parser.parseInline(tokens)}</a>`;
        return escaped(text.replace(SIGNS, '') === address ? address : `${text} (${address})`);
      },
    },
  });
}

/* --- elements --------------------------------------------------------------------------- */

function dressLinks(fragment) {
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer nofollow';
  }
}

function dressBoxes(fragment, label) {
  for (const cell of fragment.querySelectorAll('[align]')) {
    cell.classList.add({ right: 'align-end', center: 'align-center' }[cell.getAttribute('align')] ?? 'align-start');
    cell.removeAttribute('align');
  }
  for (const cell of fragment.querySelectorAll('td'))
    cell.classList.toggle('long', cell.textContent.length > LONG_CHARS);
  for (const table of fragment.querySelectorAll('table')) {
    const box = h('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': label });

    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of fragment.querySelectorAll('pre'))
    pre.tabIndex = 0;
}

/* Headings start below the answer's h2. In a list or a quotation, a heading becomes bold text. */
function dressHeadings(fragment, rank) {
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const words = [...heading.childNodes];

    heading.replaceWith(rank && heading.parentNode === fragment
      ? h(`h${rank}`, {}, ...words) : h('p', {}, h('strong', {}, ...words)));
  }
}

/* Wraps the text between mark characters in the mark's element; it may span several text nodes. */
function dressMarks(fragment, marks, renderMark) {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts = [];
  let next = 0;
  let mark = null;

  while (walker.nextNode())
    texts.push(walker.currentNode);
  for (const text of texts) {
    if (!text.parentNode.closest?.('code'))
      text.data = text.data.replace(VERSION, '$1 ');
    if (!mark && !text.data.includes(OPEN) && !text.data.includes(CLOSE))
      continue;
    const pieces = [];

    for (const piece of text.data.split(/([\uE010\uE011])/)) {
      if (piece === OPEN)
        mark = marks[next++] ?? null;
      else if (piece === CLOSE)
        mark = null;
      else if (piece !== '')
        pieces.push(mark ? renderMark(mark, piece) : document.createTextNode(piece));
    }
    text.replaceWith(...pieces);
  }
}

/* --- the growing text ------------------------------------------------------------------- */

/* Inserts mark characters around each mark; positions refer to the given text. */
function signed(text, marks) {
  const parts = [];
  let at = 0;

  for (const mark of marks) {
    parts.push(text.slice(at, mark.from), OPEN, text.slice(mark.from, mark.to), CLOSE);
    at = mark.to;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/* Closes unfinished markup in the last block, so that nothing flickers. */
function ended(raw) {
  if (/^ {0,3}(```|~~~)/.test(raw))
    return raw;
  const text = raw.replace(/\[([^\]]*)(?:\]\([^)]*)?$/, '$1').replace(/[*_`~]+$/, '');
  const open = (pattern) => (text.match(pattern)?.length ?? 0) % 2 === 1;

  if (open(/`/g))
    return `${text}\``;
  return open(/\*\*/g) ? `${text.trimEnd()}**` : text;
}

/* Maps heading levels to consecutive ones from 3 on. */
function rankOf(tokens) {
  let first = 0;
  let above = 2;

  return tokens.map((token) => {
    if (token.type !== 'heading')
      return 0;
    first ||= token.depth;
    above = Math.max(3, Math.min(3 + token.depth - first, above + 1, 6));
    return above;
  });
}

/* Shows a growing text; blocks with unchanged source keep their elements. */
export class MarkdownView {
  #root;
  #options;
  #reader;
  #shown = [];
  #stable = { source: '', tokens: [] };

  /* options: {hosts(): allowed link hosts, renderMark(mark, text): element,
     tableLabel: label of tables} */
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
  }

  /* marks: [{from, to, …}] in UTF-16 units of text, in order; live: more text may follow. */
  update(text, marks = [], live = false) {
    const source = signed(text.replace(SIGNS, '\uFFFD').replaceAll('\r', ' '), marks);
    const tokens = this.#read(source);
    const ranks = rankOf(tokens);
    let used = 0;

    tokens.forEach((token, i) => {
      const inside = marks.slice(used, used + (token.raw.match(/\uE010/g)?.length ?? 0));
      const open = live && i === tokens.length - 1;
      const key = `${open}|${ranks[i]}|${inside.map((mark) => mark.kind)}|${token.raw}`;

      used += inside.length;
      if (this.#shown[i]?.key === key)
        return;
      const nodes = this.#elements(token, ranks[i], inside, open);

      this.#replace(i, nodes);
      this.#shown[i] = { key, nodes };
    });
    for (const stale of this.#shown.splice(tokens.length))
      stale.nodes.forEach((node) => node.remove());
  }

  /* Parses the source into blocks. Blocks that later text cannot change are not parsed again. */
  #read(source) {
    this.#reader ??= readerFor(this.#options.hosts());
    let { source: kept, tokens } = this.#stable;

    if (!source.startsWith(kept))
      [kept, tokens] = ['', []];
    try {
      tokens = [...tokens, ...this.#reader.lexer(source.slice(kept.length))];
    } catch {
      tokens = [...tokens, { type: 'text', raw: source.slice(kept.length), plain: true }];
    }
    const stable = tokens.slice(0, -STABLE_BLOCKS);

    this.#stable = { tokens: stable, source: stable.map((token) => token.raw).join('') };
    return tokens;
  }

  #replace(i, nodes) {
    const old = this.#shown[i]?.nodes ?? [];
    const after = old.at(-1)?.nextSibling ?? null;

    old.forEach((node) => node.remove());
    for (const node of nodes)
      this.#root.insertBefore(node, after);
  }

  #elements(token, rank, marks, open) {
    const fragment = this.#fragment(token, open);

    dressHeadings(fragment, rank);
    dressBoxes(fragment, this.#options.tableLabel);
    dressLinks(fragment);
    dressMarks(fragment, marks, this.#options.renderMark);
    return [...fragment.children];
  }

  /* Extreme nesting overflows the parser's stack; the text is then shown unformatted. */
  #fragment(token, open) {
    try {
      if (!token.plain) {
        const tokens = open ? this.#reader.lexer(ended(token.raw)) : [token];
        const html = this.#reader.parser(tokens);

        return DOMPurify.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ATTRIBUTES, ALLOW_DATA_ATTR: false,
          ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true });
      }
    } catch { /* below */ }
    const fragment = document.createDocumentFragment();

    fragment.append(h('p', {}, token.raw));
    return fragment;
  }
}
