/*
 * The composer: an input field that grows, and one button that sends or stops. A single button keeps the
 * keyboard focus when its function changes.
 */

import { h, icon } from './dom.js';

const CODE_COMPOSING = 229;

export class Composer {
  #input;
  #send;
  #hint;
  #onSend;
  #say;
  #state = { running: false, stopping: false, blocked: false, waiting: false, maxBytes: Infinity };

  /* onSend(text): true if it was accepted; onData(): shows the user's own data. */
  constructor({ onSend, onStop, onData, locale: { say } }) {
    this.#onSend = onSend;
    this.#say = say;
    this.#input = h('textarea', {
      rows: 1,
      placeholder: say('ask_a_question'),
      'aria-label': say('your_question'),
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
      h('div', { class: 'field' }, h('button', { type: 'button', class: 'small', 'aria-label': say('own_data'), title: say('own_data'), onclick: onData },
        icon('plus')), this.#input, this.#send), this.#hint);
    this.#draw();
  }

  get placeholder() {
    return this.#input.placeholder;
  }

  set placeholder(text) {
    this.#input.placeholder = text;
  }

  get text() {
    return this.#input.value;
  }

  set text(text) {
    this.#input.value = text;
    this.#draw();
  }

  /* Replaces the typed text by a question to edit. */
  fill(text) {
    this.text = text;
    this.#input.focus();
  }

  focus() {
    this.#input.focus();
  }

  /*
   * running: an answer is arriving; stopping: its cancellation was requested; blocked: input is disabled;
   * waiting: the user can type but not send yet; maxBytes: limit of a question.
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

  /* Safari ends a composition before it reports the Enter that ended it; that event has this key code. */
  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === CODE_COMPOSING)
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
    const button = running ? 'stop' : 'send';

    this.#input.disabled = blocked;
    this.#input.style.height = 'auto';
    this.#input.style.height = `${this.#input.scrollHeight}px`;
    if (this.#send.dataset.button !== button) {
      this.#send.dataset.button = button;
      this.#send.setAttribute('aria-label', this.#say(button));
      this.#send.title = this.#say(button);
      this.#send.replaceChildren(icon(button));
    }
    this.#send.disabled = running ? stopping : !this.#maySend;
    this.#hint.classList.toggle('wrong', this.#isTooLong);
    this.#hint.textContent = this.#say(this.#isTooLong ? 'hint_too_long' : running ? 'hint_running' : 'hint_idle');
  }
}
