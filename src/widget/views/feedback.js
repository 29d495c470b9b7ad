/* Feedback on an answer: thumbs up, or thumbs down with an optional comment and correction. */

import { h, icon } from '../dom.js';

export class Feedback {
  #rate;
  #say;
  #form = h('form', { class: 'feedback', hidden: true, onsubmit: (event) => this.#submit(event) });
  #note = h('span', { class: 'hint', role: 'status' });
  #buttons;
  #comment;
  #correction;

  /* given: earlier feedback, or undefined; rate({rating, comment?, correction?}): promise */
  constructor(given, rate, { say }) {
    const field = (label, placeholder) => h('input', { type: 'text', 'aria-label': say(label), placeholder: say(placeholder) });
    const button = (rating, name, look) => h('button', { type: 'button', class: 'small', 'aria-label': look, title: look,
      'aria-pressed': String(given?.rating === rating), onclick: () => this.#choose(rating) }, icon(name));

    this.#rate = rate;
    this.#say = say;
    this.#comment = field('what_is_wrong', 'what_is_wrong');
    this.#correction = field('right_value', 'right_value_more');
    this.#buttons = { up: button('up', 'up', say('good_answer')), down: button('down', 'thumb', say('bad_answer')) };
    this.#comment.value = given?.comment ?? '';
    this.#correction.value = given?.correction ?? '';
    this.#form.append(this.#comment, this.#correction, h('button', { type: 'submit', class: 'chip' }, say('send')));
    this.thumbs = [this.#buttons.up, this.#buttons.down];
    this.rest = [this.#note, this.#form];
  }

  #choose(rating) {
    this.#form.hidden = rating === 'up';
    this.#send({ rating });
    if (rating === 'down')
      this.#comment.focus();
  }

  #submit(event) {
    event.preventDefault();
    const words = { comment: this.#comment.value.trim(), correction: this.#correction.value.trim() };

    this.#form.hidden = true;
    this.#send({ rating: 'down', ...Object.fromEntries(Object.entries(words).filter(([, text]) => text !== '')) });
  }

  async #send(feedback) {
    try {
      await this.#rate(feedback);
      for (const [rating, button] of Object.entries(this.#buttons))
        button.setAttribute('aria-pressed', String(rating === feedback.rating));
      this.#note.textContent = this.#say('thank_you');
    } catch {
      this.#note.textContent = this.#say('not_sent');
    }
  }
}
