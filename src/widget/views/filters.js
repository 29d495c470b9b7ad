/*
 * What the question was understood to mean, one chip a filter. A chip that may be edited opens into a
 * field: another value, or none at all, asks the question again with exactly these filters.
 */

import { h, icon } from '../dom.js';

/* What one edits: the value as the server knows it. */
function textOf({ label, value }) {
  return String(label ?? [value].flat().join(', '));
}

/* A typed value in the form the filter had: several, separated by commas, stay several. */
function valueOf(text, before) {
  const one = (part) => (/^-?\d+$/.test(part) ? Number(part) : part);

  return Array.isArray(before) ? text.split(',').map((part) => one(part.trim())).filter((part) => part !== '') : one(text);
}

export class FilterBar {
  #filters = [];
  #onEdit;
  #locale;
  #open = null;

  /* onEdit(filters, kept): {name: value or null} of every filter that is shown; kept: {name: source} of those that stay. */
  constructor(onEdit, locale) {
    this.#onEdit = onEdit;
    this.#locale = locale;
    this.root = h('ul', { class: 'filters', 'aria-label': locale.say('understood'), hidden: true });
  }

  /* kept: of a question that was asked again with another value of one filter; the server calls all of them edited. */
  show(filters, kept = {}) {
    this.#filters = filters.map((one) => (one.source === 'edited' && kept[one.name] ? { ...one, source: kept[one.name] } : one));
    this.#open = null;
    this.#draw();
  }

  #draw() {
    this.root.replaceChildren(...this.#filters.map((filter) =>
      h('li', {}, filter === this.#open ? this.#editor(filter) : this.#chip(filter))));
    this.root.hidden = this.#filters.length === 0;
  }

  #chip(filter) {
    const { say } = this.#locale;
    const why = this.#locale.has(`why_${filter.source}`) && say(`why_${filter.source}`);
    const look = ['default', 'carried'].includes(filter.source) ? 'filter assumed' : 'filter';
    const words = [h('span', { class: 'name' }, this.#locale.name(filter.name)), ' ',
      h('span', { class: 'value' }, this.#locale.valueText(filter)), why && ' ', why && h('span', { class: 'why' }, why)];

    if (!filter.editable)
      return h('span', { class: look }, words);
    return h('button', { type: 'button', class: look, title: say('change_this'), onclick: () => this.#edit(filter) }, words);
  }

  #edit(filter) {
    this.#open = filter;
    this.#draw();
    this.root.querySelector('input').select();
  }

  #close() {
    const at = this.#filters.indexOf(this.#open);

    this.#open = null;
    this.#draw();
    this.root.children[at]?.firstElementChild.focus();
  }

  #apply(filter, value) {
    const filters = Object.fromEntries(this.#filters.map((one) => [one.name, one.value]));
    const kept = Object.fromEntries(this.#filters.filter((one) => one !== filter).map((one) => [one.name, one.source]));

    this.#open = null;
    this.#draw();
    this.#onEdit({ ...filters, [filter.name]: value }, kept);
  }

  #editor(filter) {
    const { say } = this.#locale;
    const name = this.#locale.name(filter.name);
    const input = h('input', { type: 'text', value: textOf(filter), 'aria-label': name, autocomplete: 'off' });
    const submit = (event) => {
      event.preventDefault();
      if (input.value.trim() === textOf(filter) || input.value.trim() === '')
        this.#close();
      else
        this.#apply(filter, valueOf(input.value.trim(), filter.value));
    };
    const onkeydown = (event) => {
      if (event.key !== 'Escape')
        return;
      event.stopPropagation();
      this.#close();
    };

    return h('form', { class: 'filter editing', onsubmit: submit, onkeydown },
      h('span', { class: 'name' }, name), input,
      h('button', { type: 'submit', 'aria-label': say('ask_with_this'), title: say('ask_with_this') }, icon('check')),
      h('button', { type: 'button', 'aria-label': say('without', { name }), title: say('ask_without'),
        onclick: () => this.#apply(filter, null) }, icon('cross')));
  }
}
