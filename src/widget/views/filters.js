/*
 * The filters of an answer, one chip each. An editable chip opens an editor. A changed or removed value asks
 * the question again with exactly these filters.
 */

import { h } from '../dom.js';

export class FilterBar {
  #filters = [];
  #onEdit;
  #valuesOf;
  #locale;

  /* onEdit(filters, kept): {name: value or null} of each filter shown; kept: {name: source} of the unchanged ones.
     valuesOf(name, text): a promise of the known values that match the text. */
  constructor(onEdit, valuesOf, locale) {
    this.#onEdit = onEdit;
    this.#valuesOf = valuesOf;
    this.#locale = locale;
    this.root = h('ul', { class: 'filters', 'aria-label': locale.say('understood'), hidden: true });
  }

  /* kept: sources of unchanged filters, since the server marks all filters of an edited question as edited. */
  show(filters, kept = {}) {
    this.#filters = filters.map((one) => (one.source === 'edited' && kept[one.name] ? { ...one, source: kept[one.name] } : one));
    this.#draw();
  }

  /* editor: the open editor, or undefined. */
  #draw(open, editor) {
    this.root.replaceChildren(...this.#filters.map((filter) => h('li', {}, filter === open ? editor : this.#chip(filter))));
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

  async #edit(filter) {
    const { filterEditor } = await import('./filter-editor.js');
    const editor = filterEditor({ filter, others: this.#filters, locale: this.#locale,
      values: (text) => this.#valuesOf(filter.name, text), apply: (value) => this.#apply(filter, value), close: () => this.#close(filter) });

    this.#draw(filter, editor.root);
    editor.begin();
  }

  #close(filter) {
    this.#draw();
    this.root.children[this.#filters.indexOf(filter)]?.firstElementChild.focus();
  }

  #apply(filter, value) {
    const filters = Object.fromEntries(this.#filters.map((one) => [one.name, one.value]));
    const kept = Object.fromEntries(this.#filters.filter((one) => one !== filter).map((one) => [one.name, one.source]));

    this.#draw();
    this.#onEdit({ ...filters, [filter.name]: value }, kept);
  }
}
