/*
 * A question back to the user: buttons for one choice, boxes for several, fields for dates. Typing
 * the answer works as well, so nothing here is the only way on.
 */

import { h } from './dom.js';

const MANY_OPTIONS = 12;

function byGroup(options) {
  const groups = new Map();

  for (const option of options) {
    const key = option.group ?? '';

    groups.set(key, [...(groups.get(key) ?? []), option]);
  }
  return [...groups];
}

export class AskView {
  #ask;
  #onAnswer;
  #error = h('p', { class: 'ask-error', role: 'alert' });

  /* onAnswer(values, label): the chosen values and how they read as the user's words. */
  constructor(ask, onAnswer) {
    this.#ask = ask;
    this.#onAnswer = onAnswer;
    this.root = h('fieldset', { class: 'ask', part: 'ask' },
      h('legend', {}, ask.prompt),
      ...this.#fields(),
      ask.hint && h('p', { class: 'hint' }, ask.hint),
      this.#error,
      ask.skip && this.#button(ask.skip, 'chip quiet'));
  }

  close() {
    this.root.disabled = true;
  }

  #fields() {
    switch (this.#ask.input) {
    case 'multiple':
      return this.#multiple();
    case 'date':
      return this.#dates(['Date']);
    case 'date_range':
      return this.#dates(['From', 'To']);
    default:
      return this.#single();
    }
  }

  #answer(values, label) {
    this.close();
    this.#onAnswer(values, label);
  }

  #groups(draw) {
    return byGroup(this.#ask.options ?? []).map(([group, options]) =>
      h('div', { class: 'options', role: 'group', 'aria-label': group || this.#ask.prompt },
        group && h('span', { class: 'group' }, group),
        options.map(draw)));
  }

  #button({ value, label }, look) {
    const onclick = () => this.#answer([value], label);

    return h('button', { type: 'button', class: look, onclick }, label);
  }

  /* Many options are a list to choose from; few are buttons. */
  #dropdown() {
    const select = h('select', { 'aria-label': this.#ask.prompt },
      h('option', { value: '' }, 'Choose'),
      byGroup(this.#ask.options).map(([group, options]) => {
        const items = options.map(({ value, label }) => h('option', { value }, label));

        return group ? h('optgroup', { label: group }, items) : items;
      }));
    const confirm = () => {
      const option = this.#ask.options.find(({ value }) => String(value) === select.value);

      if (option)
        this.#answer([option.value], option.label);
      else
        this.#error.textContent = 'Please choose one.';
    };

    return [h('div', { class: 'options' }, select,
      h('button', { type: 'button', class: 'primary', onclick: confirm }, 'Continue'))];
  }

  #single() {
    if ((this.#ask.options?.length ?? 0) > MANY_OPTIONS)
      return this.#dropdown();
    return this.#groups((option) => this.#button(option, 'chip'));
  }

  #multiple() {
    const chosen = new Set();
    const { min = 1, max = Infinity } = this.#ask;
    const toggle = (option) => (event) =>
      (event.target.checked ? chosen.add(option) : chosen.delete(option));
    const confirm = () => {
      if (chosen.size < min || chosen.size > max) {
        this.#error.textContent = Number.isFinite(max)
          ? `Please choose ${min === max ? min : `${min} to ${max}`}.`
          : `Please choose at least ${min}.`;
        return;
      }
      const options = [...chosen];

      this.#answer(options.map((option) => option.value),
        options.map((option) => option.label).join(', '));
    };

    return [
      ...this.#groups((option) => h('label', { class: 'chip box' },
        h('input', { type: 'checkbox', onchange: toggle(option) }), option.label)),
      h('button', { type: 'button', class: 'primary', onclick: confirm }, 'Continue'),
    ];
  }

  #dates(labels) {
    const inputs = labels.map((label) => h('input', {
      type: 'date',
      'aria-label': label,
      min: this.#ask.min_date,
      max: this.#ask.max_date,
      required: true,
    }));
    const confirm = () => {
      const wrong = inputs.find((input) => !input.checkValidity());
      const values = inputs.map((input) => input.value);

      if (wrong || values.at(-1) < values[0]) {
        this.#error.textContent = wrong?.validationMessage ?? 'The end lies before the start.';
        (wrong ?? inputs[0]).focus();
        return;
      }
      this.#answer(values, values.join(' to '));
    };

    return [
      h('div', { class: 'options' }, inputs.map((input, i) =>
        h('label', { class: 'date' }, labels[i], input))),
      h('button', { type: 'button', class: 'primary', onclick: confirm }, 'Continue'),
    ];
  }
}
