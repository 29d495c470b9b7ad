/*
 * Numbers that the server has checked: each shows its source on hover or focus. One of them is in the tab
 * order, and arrow keys move between them, so that Tab does not stop at each number of a table.
 */

import { h, newId } from '../dom.js';
import { columnLabel } from './table.js';

export class Marks {
  #root;
  #viewOf;
  #locale;
  #marks = new WeakMap();
  #tip = h('div', { class: 'tip', role: 'tooltip', id: `tip-${newId()}`, hidden: true });
  #shown = null;

  /* root: contains the text; viewOf(call): the table of a call, or undefined. */
  constructor(root, viewOf, locale) {
    this.#root = root;
    this.#locale = locale;
    this.#viewOf = viewOf;
    root.addEventListener('pointerover', (event) => this.#show(event.target.closest('.mark')));
    root.addEventListener('pointerleave', () => this.#show(null));
    root.addEventListener('focusin', (event) => this.#focus(event.target.closest('.mark')));
    root.addEventListener('focusout', () => this.#show(null));
    root.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get tip() {
    return this.#tip;
  }

  render(mark, text) {
    const node = h('span', { class: `mark ${mark.kind}`, tabindex: this.#root.querySelector('.mark[tabindex="0"]') ? -1 : 0 },
      text, mark.kind === 'unbound' && h('span', { class: 'sr-only' }, ` (${this.#locale.say('not_verified')})`));

    this.#marks.set(node, mark);
    return node;
  }

  /* Call after each update: keeps exactly one mark in the tab order. */
  settle() {
    const all = this.#root.querySelectorAll('.mark');
    const tabbable = [...all].filter((node) => node.tabIndex === 0);

    for (const node of tabbable.slice(1))
      node.tabIndex = -1;
    if (tabbable.length === 0 && all.length > 0)
      all[0].tabIndex = 0;
    if (this.#shown && !this.#shown.isConnected)
      this.#show(null);
  }

  #text({ kind, why, ref }) {
    const { say } = this.#locale;

    if (kind !== 'bound' || !ref)
      return [`mark_${kind}`, `why_${why}`].map((key) => this.#locale.has(key) && say(key)).filter(Boolean).join(' ');
    const view = this.#viewOf(ref.call);

    return say('from_the_data', { source: [this.#locale.name(String(view?.source.tool ?? ref.call)), columnLabel(view, ref.column),
      ref.row !== undefined && say('row_n', { n: ref.row + 1 }), ref.formula && this.#locale.instead(ref.formula)].filter(Boolean).join(', ') }) + (why ? ` ${say(`why_${why}`)}` : '');
  }

  #show(node) {
    if (node === this.#shown)
      return;
    this.#shown?.removeAttribute('aria-describedby');
    this.#shown = node;
    this.#tip.hidden = !node;
    if (!node)
      return;
    this.#tip.textContent = this.#text(this.#marks.get(node));
    const frame = this.#tip.offsetParent.getBoundingClientRect();
    const at = node.getBoundingClientRect();

    this.#tip.style.left = `${Math.max(0, Math.min(at.left - frame.left, frame.width - this.#tip.offsetWidth))}px`;
    this.#tip.style.top = `${at.bottom - frame.top + 4}px`;
    node.setAttribute('aria-describedby', this.#tip.id);
  }

  #focus(node) {
    if (!node)
      return;
    for (const other of this.#root.querySelectorAll('.mark[tabindex="0"]'))
      other.tabIndex = -1;
    node.tabIndex = 0;
    this.#show(node);
  }

  #onKey(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...this.#root.querySelectorAll('.mark')];
    const next = all[all.indexOf(event.target) + step];

    if (!event.target.classList?.contains('mark') || !step || !next)
      return;
    event.preventDefault();
    next.focus();
  }
}
