/*
 * What a screen reader hears of an answer: whole sentences, few of them. The visible transcript is
 * silent, because reading every token as it comes would bury the reader.
 */

import { h } from './dom.js';

const KEPT = 6;
const SENTENCE_END = /[.!?:](?=\s)|\n\s*\n/g;

export class Announcer {
  #region;

  constructor(region) {
    this.#region = region;
  }

  say(text) {
    if (text === '')
      return;
    this.#region.append(h('p', {}, text));
    while (this.#region.children.length > KEPT)
      this.#region.firstElementChild.remove();
  }

  clear() {
    this.#region.replaceChildren();
  }
}

/* Where the last whole sentence of a growing text ends; 0 if none does. */
export function sentenceEnd(text) {
  let end = 0;

  for (const match of text.matchAll(SENTENCE_END))
    end = match.index + match[0].length;
  return end;
}

/* Markdown's signs are for the eye. */
export function spoken(markdown) {
  return markdown
    .replace(/^[ \t]*\|?[ \t:|-]+\|?[ \t]*$/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/[*`|]+|(?<!\w)_|_(?!\w)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
