/*
 * The conversations one had: searched, opened, renamed, put away, deleted. It stands beside the
 * conversation where there is room, and over it where there is none.
 */

import { h, icon } from './dom.js';

const SEARCH_DELAY_MS = 200;

function dayText(iso) {
  const days = Math.floor((Date.now() - Date.parse(iso)) / 86400000);

  if (!(days >= 1))
    return 'Today';
  return days === 1 ? 'Yesterday' : new Date(iso).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}

export class SessionList {
  #api;
  #actions;
  #current = null;
  #sessions = [];
  #archived = false;
  #timer = 0;
  #asked = 0;
  #list = h('ul', { class: 'session-list' });
  #note = h('p', { class: 'hint', role: 'status' });
  #search = h('input', { type: 'search', placeholder: 'Search conversations', 'aria-label': 'Search conversations',
    oninput: () => this.#later() });
  #put = h('button', { type: 'button', class: 'chip quiet', 'aria-pressed': 'false', onclick: () => this.#toggleArchived() },
    'Archived');

  /* actions: {open(sessionId or null)} */
  constructor(api, actions) {
    this.#api = api;
    this.#actions = actions;
    this.root = h('nav', { class: 'sessions', part: 'sessions', 'aria-label': 'Conversations', hidden: true },
      h('button', { type: 'button', class: 'primary', onclick: () => actions.open(null) }, icon('plus'), 'New conversation'),
      this.#search, this.#list, this.#note, this.#put);
  }

  get isOpen() {
    return !this.root.hidden;
  }

  toggle(open = this.root.hidden) {
    this.root.hidden = !open;
    if (open)
      this.refresh();
  }

  /* Which conversation is shown now. */
  mark(sessionId) {
    this.#current = sessionId;
    this.#draw();
  }

  async refresh() {
    const asked = ++this.#asked;

    if (!this.isOpen)
      return;
    try {
      const { data } = await this.#api.sessions({ search: this.#search.value.trim(), archived: this.#archived });

      if (asked !== this.#asked)
        return;
      this.#sessions = data;
      this.#note.textContent = data.length > 0 ? '' : this.#search.value ? 'Nothing found.' : 'No conversations yet.';
      this.#draw();
    } catch {
      this.#note.textContent = 'The conversations could not be read.';
    }
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), SEARCH_DELAY_MS);
  }

  #toggleArchived() {
    this.#archived = !this.#archived;
    this.#put.setAttribute('aria-pressed', String(this.#archived));
    this.refresh();
  }

  /* A list that comes in while one of its lines is being edited waits. */
  #draw() {
    if (this.#list.querySelector('.session-edit'))
      return;
    this.#list.replaceChildren(...this.#sessions.map((session) => this.#item(session)));
  }

  #item(session) {
    const { session_id: id } = session;
    const title = session.title || 'Untitled';
    const item = h('li', { class: id === this.#current ? 'session current' : 'session' },
      h('button', { type: 'button', class: 'session-title', 'aria-current': id === this.#current && 'page',
        onclick: () => this.#actions.open(id) },
      h('span', {}, title), h('span', { class: 'hint' }, dayText(session.updated_at ?? session.created_at))),
      h('button', { type: 'button', class: 'small', 'aria-label': `Rename ${title}`, title: 'Rename',
        onclick: () => this.#edit(item, this.#renaming(session)) }, icon('edit')),
      h('button', { type: 'button', class: 'small', 'aria-label': `${this.#archived ? 'Take back' : 'Archive'} ${title}`,
        title: this.#archived ? 'Take back' : 'Archive',
        onclick: () => this.#change(id, { archived: !this.#archived }) }, icon('box')),
      h('button', { type: 'button', class: 'small', 'aria-label': `Delete ${title}`, title: 'Delete',
        onclick: () => this.#edit(item, this.#deleting(session)) }, icon('bin')));

    return item;
  }

  #edit(item, editor) {
    item.replaceChildren(editor);
    editor.querySelector('input, button').focus();
    editor.querySelector('input')?.select();
  }

  #endEdit() {
    this.#list.replaceChildren();
    this.#draw();
  }

  #renaming(session) {
    const input = h('input', { type: 'text', value: session.title ?? '', 'aria-label': 'Title', maxlength: 200 });
    const onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim() === '' || input.value.trim() === session.title)
        this.#endEdit();
      else
        this.#change(session.session_id, { title: input.value.trim() });
    };

    return h('form', { class: 'session-edit', onsubmit, onkeydown: (event) => event.key === 'Escape' && this.#endEdit() },
      input, h('button', { type: 'submit', class: 'small', 'aria-label': 'Save the title' }, icon('check')));
  }

  #deleting(session) {
    return h('div', { class: 'session-edit', role: 'group', 'aria-label': 'Delete for good?' },
      h('span', {}, 'Delete for good?'),
      h('button', { type: 'button', class: 'chip', onclick: () => this.#delete(session.session_id) }, 'Delete'),
      h('button', { type: 'button', class: 'chip quiet', onclick: () => this.#endEdit() }, 'Keep'));
  }

  async #change(id, change) {
    this.#endEdit();
    try {
      await this.#api.changeSession(id, change);
    } catch {
      this.#note.textContent = 'This could not be changed. Please try again.';
    }
    await this.refresh();
  }

  async #delete(id) {
    this.#endEdit();
    try {
      await this.#api.deleteSession(id);
      if (id === this.#current)
        this.#actions.open(null);
    } catch {
      this.#note.textContent = 'This could not be deleted. Please try again.';
    }
    await this.refresh();
  }
}
