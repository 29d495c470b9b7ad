/*
 * Edits one filter: from its known values if the server has some, otherwise as a number, a date or text. The values are a
 * list that typing narrows (combobox pattern); for a filter with several values, each can be selected. Loaded with the
 * first chip that is opened.
 */

import { h, icon, lookOf } from '../dom.js';
import css from './filter-editor.styles.css';
import { words } from '../words/filters.js';

const WAIT_MS = 150;      /* from a keystroke to the request for values */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dress = lookOf(css);
let made = 0;

const listOf = (value) => [value].flat();

/* The text to edit if no values are known. */
function textOf({ label, value }) {
  return DAY.test(value) ? value : String(label ?? listOf(value).join(', '));
}

/* Parses a typed value in the filter's form: a list stays a list, separated by commas. */
function valueOf(text, before) {
  const one = (part) => (/^-?\d+$/.test(part) ? Number(part) : part);

  return Array.isArray(before) ? text.split(',').map((part) => one(part.trim())).filter((part) => part !== '') : one(text);
}

/* Options of a parent in the other filters come first, such as the zones of the market. */
function ordered(options, others) {
  const said = new Set(others.flatMap(({ value }) => listOf(value)));
  const isNear = ({ group }) => (group && said.has(group) ? 0 : 1);

  return [...options].sort((a, b) => isNear(a) - isNear(b));
}

class Editor {
  #task;
  #several;
  #taken;
  #known = null;          /* known values; null: none */
  #hasMore = false;
  #shown = [];
  #active = -1;
  #asked = 0;
  #timer = 0;
  #typed = false;
  #input;
  #list;
  #note = h('p', { class: 'hint wrong', role: 'alert' });

  /* task: {filter, others, locale, values(text), apply(value or null), close()} */
  constructor(task) {
    const { filter, locale } = task;
    const { say } = locale;
    const id = `values-${++made}`;
    const label = locale.name(filter.name);

    this.#task = task;
    this.#several = Array.isArray(filter.value);
    this.#taken = new Set(listOf(filter.value).map(String));
    this.#input = h('input', { type: DAY.test(filter.value) ? 'date' : 'text', value: textOf(filter), 'aria-label': label, autocomplete: 'off',
      inputmode: typeof filter.value === 'number' && 'numeric', oninput: () => this.#type() });
    this.#list = h('ul', { id, class: 'values', role: 'listbox', 'aria-label': say('known_values', { name: label }),
      'aria-multiselectable': this.#several && 'true', hidden: true });
    this.root = h('form', { class: 'filter editing', onsubmit: (event) => this.#submit(event), onkeydown: (event) => this.#key(event) },
      h('span', { class: 'name' }, label), this.#input,
      h('button', { type: 'submit', 'aria-label': say('ask_with_this'), title: say('ask_with_this') }, icon('check')),
      h('button', { type: 'button', 'aria-label': say('without', { name: label }), title: say('ask_without'), onclick: () => task.apply(null) }, icon('cross')),
      this.#list, this.#note);
  }

  /* Call when it is in the document. */
  async begin() {
    dress(this.root);
    this.#input.select();
    const { data, has_more: hasMore } = await this.#task.values('').catch(() => ({ data: [] }));

    if (data.length === 0 || !this.root.isConnected)
      return;
    this.#known = ordered(data, this.#task.others);
    this.#hasMore = hasMore;
    for (const [name, value] of [['role', 'combobox'], ['aria-controls', this.#list.id], ['aria-autocomplete', 'list'], ['aria-expanded', 'true']])
      this.#input.setAttribute(name, value);
    if (this.#several && !this.#typed)
      this.#input.value = '';
    this.#show();
  }

  #type() {
    this.#typed = true;
    this.#note.textContent = '';
    if (!this.#known)
      return;
    this.#show();
    clearTimeout(this.#timer);
    if (this.#hasMore)
      this.#timer = setTimeout(() => this.#ask(this.#input.value.trim()), WAIT_MS);
  }

  /* Asks the server for values that were not among the first. */
  async #ask(text) {
    const asked = ++this.#asked;
    const { data } = await this.#task.values(text).catch(() => ({ data: [] }));

    if (asked !== this.#asked || !this.root.isConnected)
      return;
    this.#known = [...this.#known, ...data.filter(({ value, group }) => !this.#known.some((one) => one.value === value && one.group === group))];
    this.#show(data);
  }

  get #text() {
    return this.#typed ? this.#input.value.trim().toLocaleLowerCase(this.#task.locale.tag) : '';
  }

  /* found: the server's matches for the typed text. */
  #show(found = []) {
    const { locale } = this.#task;
    const text = this.#text;

    this.#shown = this.#known.filter((one) => found.includes(one) ||
      [one.value, one.label, one.group ?? ''].some((words) => words.toLocaleLowerCase(locale.tag).includes(text)));
    this.#list.replaceChildren(...this.#shown.map((option, i) => h('li', { id: `${this.#list.id}-${i}`, role: 'option',
      'aria-selected': String(this.#taken.has(option.value)), onclick: () => this.#take(option),
      onpointerdown: (event) => event.preventDefault() },
    icon('check'), h('span', {}, locale.date(option.label)), option.group && h('span', { class: 'hint' }, option.group))));
    if (this.#shown.length === 0)
      this.#list.replaceChildren(h('li', { role: 'option', 'aria-disabled': 'true', class: 'hint' }, locale.say('nothing_found')));
    this.#list.hidden = false;
    this.#move(this.#typed && text && this.#shown.length > 0 ? 0 : this.#shown.findIndex(({ value }) => this.#taken.has(value)));
  }

  #move(to) {
    const items = this.#list.children;

    items[this.#active]?.classList.remove('active');
    this.#active = to;
    const item = to >= 0 && items[to];

    if (item) {
      item.classList.add('active');
      item.scrollIntoView({ block: 'nearest' });
      this.#input.setAttribute('aria-activedescendant', item.id);
    } else {
      this.#input.removeAttribute('aria-activedescendant');
    }
  }

  #take({ value }) {
    if (!this.#several) {
      this.#end([value]);
      return;
    }
    if (!this.#taken.delete(value))
      this.#taken.add(value);
    this.#input.value = '';
    const at = this.#active;

    this.#show();
    this.#move(Math.min(at, this.#shown.length - 1));
  }

  /* Unchanged values ask nothing; numbers stay numbers. */
  #end(values) {
    const { filter, apply, close } = this.#task;
    const before = listOf(filter.value).map(String);
    const typed = values.map((value) => (typeof listOf(filter.value)[0] === 'number' ? Number(value) : value));

    if (values.length === 0 || (values.length === before.length && values.every((value) => before.includes(value))))
      close();
    else
      apply(this.#several ? typed : typed[0]);
  }

  #key(event) {
    const last = this.#shown.length - 1;
    const step = { ArrowDown: () => Math.min(this.#active + 1, last), ArrowUp: () => Math.max(this.#active - 1, 0) }[event.key];

    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#task.close();
    } else if (step && this.#known && event.target === this.#input) {
      event.preventDefault();
      this.#move(step());
    } else if (event.key === ' ' && this.#several && this.#active >= 0 && event.target === this.#input && this.#input.value === '') {
      event.preventDefault();
      this.#take(this.#shown[this.#active]);
    }
  }

  #submit(event) {
    const { filter, close, apply } = this.#task;
    const text = this.#input.value.trim();

    event.preventDefault();
    if (this.#known)
      this.#choose();
    else if (text === textOf(filter) || text === '')
      close();
    else
      apply(valueOf(text, filter.value));
  }

  /* For several values: those selected; for one value: the active option. */
  #choose() {
    if (this.#several && this.#text === '')
      this.#end([...this.#taken]);
    else if (this.#shown[this.#active])
      this.#take(this.#shown[this.#active]);
    else
      this.#note.textContent = this.#task.locale.say('choose_known');
  }
}

export function filterEditor(task) {
  task.locale.learn(words);
  return new Editor(task);
}
