/*
 * Announces answers to screen readers, in a few whole sentences. The visible transcript is not a live
 * region, since announcing each token would overwhelm the user.
 */

import { h } from './dom.js';

const KEPT = 6;
const MAX_CHARS = 700;
const SENTENCE_END = /[.!?:](?=\s)|\n\s*\n/g;

export class Announcer {
  #region;
  #say;
  #saidTo = 0;

  constructor(region, { say }) {
    this.#region = region;
    this.#say = say;
  }

  /* Call before each new answer. */
  begin() {
    this.#saidTo = 0;
  }

  /* Announces the first whole sentences as soon as they are complete. */
  grow(text) {
    if (this.#saidTo > 0)
      return;
    this.#saidTo = sentenceEnd(text);
    this.say(spoken(text.slice(0, this.#saidTo)));
  }

  /* Announces the rest of the answer, its tables, and how it ended. */
  end(text, tables, ending = '') {
    const rest = spoken(text.slice(this.#saidTo));
    const words = rest.length > MAX_CHARS
      ? `${rest.slice(0, MAX_CHARS).replace(/\S*$/, '')}… ${this.#say('full_answer_there')}`
      : rest;

    this.say([words, ...tables.map((view) => this.#say('spoken_table', { n: view.row_count })), ending]
      .filter(Boolean).join(' '));
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

/* The end of the last whole sentence of a growing text; 0: none is complete. */
function sentenceEnd(text) {
  let end = 0;

  for (const match of text.matchAll(SENTENCE_END))
    end = match.index + match[0].length;
  return end;
}

/* Removes Markdown syntax. */
function spoken(markdown) {
  return markdown
    .replace(/^[ \t]*\|?[ \t:|-]+\|?[ \t]*$/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`|]+|(?<!\w)_|_(?!\w)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
