/*
 * A clarifying question: buttons for one choice, a dropdown for many options, checkboxes for several
 * choices, fields for dates. The user can also type the answer.
 */

import { serverNow } from '../clock.js';
import { h, icon } from '../dom.js';

const MANY_OPTIONS = 12;
const TIMER_MAX_MS = 2 ** 31 - 1;

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
  #locale;
  #onAnswer;
  #timer = 0;
  #error = h('p', { class: 'ask-error', role: 'alert' });

  /* onAnswer(values, label): the chosen values, and their text as the user's message. */
  constructor(ask, locale, onAnswer) {
    this.#ask = ask;
    this.#locale = locale;
    this.#onAnswer = onAnswer;
    this.root = h('fieldset', { class: 'ask', part: 'ask' },
      h('legend', {}, ask.prompt),
      ask.hint && h('p', { class: 'hint' }, ask.hint),
      ...this.#fields(),
      this.#error,
      ask.skip && this.#button(ask.skip, 'chip quiet'));
    this.#expireAt(Date.parse(ask.expires_at));
  }

  close() {
    clearTimeout(this.#timer);
    this.root.disabled = true;
  }

  /* After this time the server accepts no answer. */
  #expireAt(time) {
    const waitMs = time - serverNow();

    if (waitMs <= 0)
      this.#expire();
    else if (waitMs < TIMER_MAX_MS)
      this.#timer = setTimeout(() => this.#expire(), waitMs);
  }

  #expire() {
    if (this.root.disabled)
      return;
    this.close();
    this.root.append(h('p', { class: 'hint expired' }, this.#locale.say('ask_expired')));
  }

  #fields() {
    const { say } = this.#locale;

    switch (this.#ask.input) {
    case 'multiple':
      return this.#multiple();
    case 'date':
      return this.#dates([say('date')]);
    case 'date_range':
      return this.#dates([say('from'), say('to')]);
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
    const onclick = ({ currentTarget: button }) => {
      button.classList.add('taken');
      this.#answer([value], label);
    };

    return h('button', { type: 'button', class: look, onclick }, label);
  }

  #continue(onclick) {
    return h('button', { type: 'button', class: 'primary', onclick }, this.#locale.say('continue'));
  }

  /* --- one choice --------------------------------------------------------------------- */

  #single() {
    if ((this.#ask.options?.length ?? 0) > MANY_OPTIONS)
      return this.#dropdown();
    return this.#groups((option) => this.#button(option, 'chip'));
  }

  /* Many options are shown as a dropdown, few as buttons. */
  #dropdown() {
    const { say } = this.#locale;
    const select = h('select', { 'aria-label': this.#ask.prompt, onchange: () => { this.#error.textContent = ''; } },
      h('option', { value: '' }, say('choose')),
      byGroup(this.#ask.options).map(([group, options]) => {
        const items = options.map(({ value, label }) => h('option', { value }, label));

        return group ? h('optgroup', { label: group }, items) : items;
      }));
    const confirm = () => {
      const option = this.#ask.options.find(({ value }) => String(value) === select.value);

      if (option)
        this.#answer([option.value], option.label);
      else
        this.#error.textContent = say('choose_one');
    };

    return [h('div', { class: 'options' }, select, this.#continue(confirm))];
  }

  /* --- several choices ---------------------------------------------------------------- */

  #howMany(min, max) {
    const { say } = this.#locale;

    if (min === max)
      return say('choose_n', { n: min });
    return Number.isFinite(max) ? say('choose_from_to', { min, max }) : say('choose_least', { n: min });
  }

  #multiple() {
    const { say } = this.#locale;
    const { min = 1, max = Infinity, options = [] } = this.#ask;
    const chosen = new Map();
    const boxes = [];
    const note = h('span', { class: 'hint' });
    const confirm = this.#continue(() => {
      const picked = options.filter((option) => chosen.has(option));

      this.#answer(picked.map((option) => option.value), picked.map((option) => option.label).join(', '));
    });
    const draw = () => {
      const full = chosen.size >= max;

      confirm.disabled = chosen.size < min || chosen.size > max;
      note.textContent = [this.#howMany(min, max), chosen.size > 0 && say('chosen', { n: chosen.size })].filter(Boolean).join(' · ');
      for (const box of boxes)
        box.disabled = full && !box.checked;
    };
    const box = (option) => {
      const input = h('input', { type: 'checkbox', onchange: () => {
        if (input.checked)
          chosen.set(option, true);
        else
          chosen.delete(option);
        draw();
      } });

      boxes.push(input);
      return h('label', { class: 'chip box' }, input, h('span', {}, option.label));
    };
    const groups = this.#groups(box);

    draw();
    return [...(options.length > MANY_OPTIONS ? this.#searchable(groups) : groups),
      h('div', { class: 'options' }, confirm, note)];
  }

  /* A long list can be searched and scrolls in its box. */
  #searchable(groups) {
    const { say } = this.#locale;
    const nothing = h('p', { class: 'hint', hidden: true }, say('nothing_found'));
    const search = h('input', { type: 'search', class: 'find', placeholder: say('find_option'), 'aria-label': say('find_option'),
      oninput: () => {
        const words = search.value.trim().toLocaleLowerCase(this.#locale.tag);

        for (const group of groups) {
          for (const label of group.querySelectorAll('label'))
            label.hidden = !label.textContent.toLocaleLowerCase(this.#locale.tag).includes(words);
          group.hidden = !group.querySelector('label:not([hidden])');
        }
        nothing.hidden = groups.some((group) => !group.hidden);
      } });

    return [search, h('div', { class: 'long-list' }, groups, nothing)];
  }

  /* --- dates -------------------------------------------------------------------------- */

  #range() {
    const { min_date: first, max_date: last } = this.#ask;
    const [min, max] = [first, last].map((date) => date && this.#locale.date(date));
    const key = min && max ? 'date_between' : min ? 'date_since' : 'date_until';

    return (min || max) && this.#locale.say(key, { min, max });
  }

  /* The error in the entered dates, if any. */
  #wrongDate(inputs) {
    const { say } = this.#locale;
    const missing = inputs.find((input) => input.value === '');
    const outside = inputs.find((input) => input.validity.rangeUnderflow || input.validity.rangeOverflow);

    if (missing)
      return [missing, say('date_missing')];
    if (outside)
      return [outside, say('date_outside', { range: this.#range() })];
    return inputs.at(-1).value < inputs[0].value ? [inputs[0], say('date_order')] : null;
  }

  #dates(labels) {
    const { say } = this.#locale;
    const inputs = labels.map((label) => h('input', { type: 'date', 'aria-label': label, min: this.#ask.min_date,
      max: this.#ask.max_date, required: true, oninput: () => { this.#error.textContent = ''; } }));
    const confirm = () => {
      const [input, words] = this.#wrongDate(inputs) ?? [];

      if (input) {
        this.#error.textContent = words;
        input.focus();
        return;
      }
      const values = inputs.map(({ value }) => value);
      const [from, to] = values.map((value) => this.#locale.date(value));

      this.#answer(values, to ? say('date_span', { from, to }) : from);
    };
    const range = this.#range();

    return [
      h('div', { class: 'options' }, inputs.map((input, i) => h('label', { class: 'date' }, h('span', {}, labels[i]), input)),
        this.#continue(confirm)),
      range && h('p', { class: 'hint range' }, icon('calendar'), range),
    ];
  }
}
