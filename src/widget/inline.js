/*
 * The text within a block of Markdown. Each character remembers its place in the whole answer, so
 * that a checked number can be found again and marked, whatever stands around it.
 */

import { h } from './dom.js';

const MAX_DEPTH = 8;
const LABEL_DEPTH = MAX_DEPTH - 1; /* a link's label holds no further links */
const BARE_URL = /https?:\/\/[^\s<>()[\]`*]*[^\s<>()[\]`*.,;:!?'"]/y;
const ANGLE_URL = /<(https?:\/\/[^\s<>]+)>/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const BREAKS = new Set(['\\', '`', '*', '_', '~', '[', '!', '<', '\n', 'h']);

/* Only absolute web addresses of hosts on the list are links; the rest stay readable as text. */
function allowedUrl(address, hosts) {
  let url;

  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return null;
  return url.username === '' && url.password === '' && hosts.includes(url.host) ? url.href : null;
}

function link(href, ...children) {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

/* A line without its first n characters. */
export function cut(line, n) {
  return { text: line.text.slice(n), start: line.start + n };
}

function join(lines) {
  const at = [];

  for (const line of lines) {
    for (let i = 0; i <= line.text.length; i++)
      at.push(line.start + i);
  }
  return { text: lines.map((line) => line.text).join('\n'), at };
}

/* Text without markup, as in a code block. */
export function verbatim(lines, context) {
  const source = join(lines);

  return new Inline(source, context).plain(0, source.text.length);
}

/* Text with emphasis, code and links; the lines of one block. */
export function inline(lines, context) {
  const trimmed = lines.map((line, i) => (i === 0 ? line : cut(line, line.text.search(/\S|$/))));
  const source = join(trimmed);

  return new Inline(source, context).parse(0, source.text.trimEnd().length, 0);
}

/* Reads one block's text; a mark of the answer is found by each character's place in it. */
class Inline {
  #text;
  #at;
  #context;
  #unclosed = new Map();

  constructor(source, context) {
    this.#text = source.text;
    this.#at = source.at;
    this.#context = context;
  }

  /* Characters as they are, cut where a mark begins or ends. */
  plain(from, to) {
    const nodes = [];

    for (let i = from; i < to;) {
      const mark = this.#markAt(i);
      let end = i + 1;

      while (end < to && this.#markAt(end) === mark)
        end++;
      const text = this.#text.slice(i, end);

      nodes.push(mark ? this.#context.renderMark(mark, text) : document.createTextNode(text));
      i = end;
    }
    return nodes;
  }

  parse(from, to, depth) {
    const nodes = [];
    let start = from;

    for (let i = from; i < to;) {
      const found = BREAKS.has(this.#text[i]) && depth < MAX_DEPTH
        ? this.#element(i, to, depth) : null;

      if (!found) {
        i++;
        continue;
      }
      nodes.push(...this.plain(start, i), ...found.nodes);
      i = start = found.end;
    }
    return [...nodes, ...this.plain(start, to)];
  }

  #markAt(i) {
    const { marks } = this.#context;

    if (marks.length === 0)
      return undefined;
    return marks.find((mark) => this.#at[i] >= mark.from && this.#at[i] < mark.to);
  }

  #element(i, to, depth) {
    const text = this.#text;

    if (depth >= LABEL_DEPTH && '[!<h'.includes(text[i]))
      return null;
    switch (text[i]) {
    case '\\':
      if (i + 1 < to && PUNCTUATION.test(text[i + 1]))
        return { nodes: this.plain(i + 1, i + 2), end: i + 2 };
      return i + 1 < to && text[i + 1] === '\n' ? { nodes: [h('br')], end: i + 2 } : null;
    case '\n':
      return text.startsWith('  ', i - 2) ? { nodes: [h('br')], end: i + 1 } : null;
    case '`':
      return this.#code(i, to);
    case '[':
      return this.#bracket(i, to);
    case '!':
      return text[i + 1] === '[' ? this.#bracket(i + 1, to) : null;
    case '<':
      return this.#address(ANGLE_URL, i, to);
    case 'h':
      return this.#address(BARE_URL, i, to);
    default:
      return this.#emphasis(i, to, depth);
    }
  }

  /* Text without an end to its delimiter is searched once only, however often it is repeated. */
  #find(delimiter, from, to, accepts) {
    const key = `${delimiter}:${to}`;

    if (this.#unclosed.get(key) <= from)
      return -1;
    for (let k = this.#text.indexOf(delimiter, from); k >= 0 && k < to;
      k = this.#text.indexOf(delimiter, k + 1)) {
      if (accepts(k))
        return k;
    }
    this.#unclosed.set(key, from);
    return -1;
  }

  #code(i, to) {
    const run = /`+/y;

    run.lastIndex = i;
    const fence = run.exec(this.#text)[0];
    const from = i + fence.length;
    let end = this.#find(fence, from, to, (k) =>
      this.#text[k + fence.length] !== '`' && this.#text[k - 1] !== '`');

    if (end < 0 && this.#context.live)
      end = to;
    if (end < 0)
      return { nodes: this.plain(i, from), end: from };
    return {
      nodes: [h('code', {}, ...this.plain(from, end))],
      end: Math.min(end + fence.length, to),
    };
  }

  #emphasis(i, to, depth) {
    const text = this.#text;
    const sign = text[i];
    const double = text[i + 1] === sign;
    const delimiter = double ? sign + sign : sign;
    const from = i + delimiter.length;
    const word = (k) => k >= 0 && k < text.length && /[\p{L}\p{N}]/u.test(text[k]);

    if (from >= to || /\s/.test(text[from]) || (sign === '_' && word(i - 1)) ||
        (sign === '~' && !double))
      return null;
    let end = this.#find(delimiter, from + 1, to, (k) => {
      if (/\s/.test(text[k - 1]) || text[k - 1] === '\\' || k + delimiter.length > to)
        return false;
      if (!double && (text[k + 1] === sign || text[k - 1] === sign))
        return false;
      return sign !== '_' || !word(k + delimiter.length);
    });

    /* A half-written bold text is shown bold, so that it does not jump when its end comes. */
    if (end < 0 && this.#context.live && delimiter === '**')
      end = to;
    if (end < 0)
      return { nodes: this.plain(i, from), end: from };
    const tag = { '*': 'em', _: 'em', '**': 'strong', __: 'strong', '~~': 'del' }[delimiter];

    return {
      nodes: [h(tag, {}, ...this.parse(from, end, depth + 1))],
      end: Math.min(end + delimiter.length, to),
    };
  }

  #bracket(i, to) {
    const text = this.#text;
    const close = this.#find('](', i + 1, to, (k) => text[k - 1] !== '\\');

    if (close < 0 || text.slice(i + 1, close).includes('['))
      return null;
    const target = /\]\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y;

    target.lastIndex = close;
    const match = target.exec(text);

    if (!match || target.lastIndex > to)
      return null;
    const href = text[i - 1] === '!' ? null : allowedUrl(match[1], this.#context.hosts);
    const label = this.parse(i + 1, close, LABEL_DEPTH);
    const nodes = href ? [link(href, ...label)] : [...label, ` (${match[1]})`];

    return { nodes, end: target.lastIndex };
  }

  #address(pattern, i, to) {
    pattern.lastIndex = i;
    const match = pattern.exec(this.#text);

    if (!match || pattern.lastIndex > to)
      return null;
    const href = allowedUrl(match[1] ?? match[0], this.#context.hosts);

    return href ? { nodes: [link(href, match[1] ?? match[0])], end: i + match[0].length } : null;
  }
}
