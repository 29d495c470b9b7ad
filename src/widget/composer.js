/*
 * Where one types: a field that grows, and one button that sends or stops. One button, so that the
 * keyboard's place is not lost when the one turns into the other.
 */

import { h, icon } from './dom.js';

const HINTS = {
  idle: 'Enter sends, Shift+Enter starts a new line',
  running: 'Esc stops the answer',
  tooLong: 'This question is too long to be sent',
};

export class Composer {
  #input;
  #send;
  #hint;
  #onSend;
  #state = { running: false, stopping: false, blocked: false, waiting: false, maxBytes: Infinity };

  /* onSend(text): true if it was taken. */
  constructor({ onSend, onStop }) {
    this.#onSend = onSend;
    this.#input = h('textarea', {
      rows: 1,
      placeholder: 'Ask a question',
      'aria-label': 'Your question',
      autocomplete: 'off',
      enterkeyhint: 'send',
      part: 'input',
      onkeydown: (event) => this.#onKey(event),
      oninput: () => this.#draw(),
    });
    this.#send = h('button', {
      type: 'button',
      class: 'send',
      part: 'send',
      onclick: () => (this.#state.running ? onStop() : this.#submit()),
    });
    this.#hint = h('p', { class: 'hint' });
    this.root = h('div', { class: 'composer' },
      h('div', { class: 'field' }, this.#input, this.#send), this.#hint);
    this.#draw();
  }

  get placeholder() {
    return this.#input.placeholder;
  }

  set placeholder(text) {
    this.#input.placeholder = text;
  }

  /* A question to go on with, instead of what was typed. */
  fill(text) {
    this.#input.value = text;
    this.#draw();
    this.#input.focus();
  }

  focus() {
    this.#input.focus();
  }

  /*
   * running: an answer is coming; stopping: it was asked to stop; blocked: nobody may type;
   * waiting: one may type but not send yet; maxBytes: of a question.
   */
  update(state) {
    Object.assign(this.#state, state);
    this.#draw();
  }

  get #isTooLong() {
    return new TextEncoder().encode(this.#input.value).length > this.#state.maxBytes;
  }

  get #maySend() {
    const { running, blocked, waiting } = this.#state;

    return !running && !blocked && !waiting && !this.#isTooLong && this.#input.value.trim() !== '';
  }

  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing)
      return;
    event.preventDefault();
    this.#submit();
  }

  #submit() {
    if (!this.#maySend || !this.#onSend(this.#input.value))
      return;
    this.#input.value = '';
    this.#draw();
  }

  #draw() {
    const { running, stopping, blocked } = this.#state;
    const label = running ? 'Stop' : 'Send';

    this.#input.disabled = blocked;
    this.#input.style.height = 'auto';
    this.#input.style.height = `${this.#input.scrollHeight}px`;
    if (this.#send.getAttribute('aria-label') !== label) {
      this.#send.setAttribute('aria-label', label);
      this.#send.replaceChildren(icon(label.toLowerCase()));
    }
    this.#send.disabled = running ? stopping : !this.#maySend;
    this.#hint.classList.toggle('wrong', this.#isTooLong);
    this.#hint.textContent = HINTS[this.#isTooLong ? 'tooLong' : running ? 'running' : 'idle'];
  }
}
