/*
 * The list of the user's conversations: search, open, rename, archive, delete. It is beside the
 * conversation on wide screens, and covers it on narrow ones.
 */

import { h, icon } from './dom.js';

const SEARCH_DELAY_MS = 200;

/* Calendar days in the user's time zone. */
function dayText(iso, locale) {
  const day = new Date(iso);
  const { say } = locale;
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(iso).setHours(0, 0, 0, 0)) / 86400000);

  if (!(days >= 1))
    return say('today');
  return days === 1 ? say('yesterday') : locale.date(day.toLocaleDateString('sv'));
}

export class SessionList {
  #api;
  #actions;
  #locale;
  #current = null;
  #sessions = [];
  #archived = false;
  #timer = 0;
  #asked = 0;
  #cursor = null;
  #list = h('ul', { class: 'session-list' });
  #note = h('p', { class: 'hint', role: 'status' });
  #search;
  #put;
  #more;

  /* actions: {open(sessionId or null), close()} */
  constructor(api, locale, actions) {
    const { say } = locale;

    this.#api = api;
    this.#locale = locale;
    this.#actions = actions;
    this.#search = h('input', { type: 'search', placeholder: say('search_conversations'),
      'aria-label': say('search_conversations'), oninput: () => this.#later() });
    this.#put = h('button', { type: 'button', class: 'chip quiet', 'aria-pressed': 'false',
      onclick: () => this.#toggleArchived() }, icon('box'), say('archived'));
    this.#more = h('button', { type: 'button', class: 'chip quiet', hidden: true, onclick: () => this.#readMore() },
      say('more_conversations'));
    this.root = h('nav', { class: 'sessions', part: 'sessions', 'aria-label': say('conversations'), hidden: true,
      onkeydown: (event) => this.#onKey(event) },
      h('div', { class: 'sessions-head' },
        h('button', { type: 'button', class: 'chip new', onclick: () => actions.open(null) }, icon('plus'), say('new_conversation')),
        h('button', { type: 'button', class: 'small', 'aria-label': say('close_conversations'), title: say('close_conversations'),
          onclick: () => actions.close() }, icon('cross'))),
      this.#search, this.#list, this.#note, this.#more, this.#put);
  }

  get isOpen() {
    return !this.root.hidden;
  }

  toggle(open = this.root.hidden) {
    this.root.hidden = !open;
    if (open)
      this.refresh();
  }

  /* Esc closes an open editor first, then the list. It never stops an answer from here. */
  #onKey(event) {
    if (event.key !== 'Escape')
      return;
    event.stopPropagation();
    if (!event.defaultPrevented)
      this.#actions.close();
  }

  focus() {
    this.root.querySelector('button').focus();
  }

  /* Sets the conversation that is shown. */
  mark(sessionId) {
    this.#current = sessionId;
    this.#draw();
  }

  async refresh() {
    const asked = ++this.#asked;

    if (!this.isOpen)
      return;
    try {
      const page = await this.#read();

      if (asked !== this.#asked)
        return;
      this.#sessions = [];
      this.#take(page);
    } catch {
      this.#note.textContent = this.#locale.say('list_failed');
    }
  }

  #read(cursor) {
    return this.#api.sessions({ search: this.#search.value.trim(), archived: this.#archived, cursor });
  }

  async #readMore() {
    const asked = ++this.#asked;

    try {
      const page = await this.#read(this.#cursor);

      if (asked === this.#asked)
        this.#take(page);
    } catch {
      this.#note.textContent = this.#locale.say('list_failed');
    }
  }

  #take({ data, has_more: hasMore, next_cursor: cursor }) {
    const empty = this.#search.value ? 'nothing_found' : this.#archived ? 'none_archived' : 'no_conversations';

    this.#sessions.push(...data);
    this.#cursor = cursor;
    this.#more.hidden = !hasMore;
    this.#note.textContent = this.#sessions.length > 0 ? '' : this.#locale.say(empty);
    this.#draw();
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

  /* Does not redraw while an entry is edited, or while a button is pressed, whose click would be lost. */
  #draw() {
    if (this.#list.querySelector(':active'))
      setTimeout(() => this.#draw(), SEARCH_DELAY_MS);
    if (this.#list.querySelector('.session-edit, :active'))
      return;
    this.#list.replaceChildren(...this.#sessions.flatMap((session, i) => {
      const [before, day] = [this.#sessions[i - 1], session].map((one) => one && this.#dayOf(one));

      return [day !== before && h('li', { class: 'day hint' }, day), this.#item(session)].filter(Boolean);
    }));
  }

  #dayOf({ updated_at: updated, created_at: created }) {
    return dayText(updated ?? created, this.#locale);
  }

  #item(session) {
    const { say } = this.#locale;
    const { session_id: id } = session;
    const title = session.title || say('untitled');
    const put = this.#archived ? 'unarchive' : 'archive';
    const item = h('li', { class: id === this.#current ? 'session current' : 'session' },
      h('button', { type: 'button', class: 'session-title', 'aria-current': id === this.#current && 'page',
        onclick: () => this.#actions.open(id) },
      h('span', {}, title)),
      h('button', { type: 'button', class: 'small', 'aria-label': say('rename_this', { title }), title: say('rename'),
        onclick: () => this.#edit(item, this.#renaming(session)) }, icon('edit')),
      h('button', { type: 'button', class: 'small', 'aria-label': say(`${put}_this`, { title }), title: say(put),
        onclick: () => this.#change(id, { archived: !this.#archived }) }, icon('box')),
      h('button', { type: 'button', class: 'small', 'aria-label': say('delete_this', { title }), title: say('delete'),
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

  #escapeEdit(event) {
    if (event.key !== 'Escape')
      return;
    event.preventDefault();
    this.#endEdit();
  }

  #renaming(session) {
    const input = h('input', { type: 'text', value: session.title ?? '', 'aria-label': this.#locale.say('title'), maxlength: 200 });
    const onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim() === '' || input.value.trim() === session.title)
        this.#endEdit();
      else
        this.#change(session.session_id, { title: input.value.trim() });
    };

    return h('form', { class: 'session-edit', onsubmit, onkeydown: (event) => this.#escapeEdit(event) },
      input, h('button', { type: 'submit', class: 'small', 'aria-label': this.#locale.say('save_title') }, icon('check')));
  }

  #deleting(session) {
    const { say } = this.#locale;

    return h('div', { class: 'session-edit', role: 'group', 'aria-label': say('delete_for_good') },
      h('span', {}, say('delete_for_good')),
      h('button', { type: 'button', class: 'chip', onclick: () => this.#delete(session.session_id) }, say('delete')),
      h('button', { type: 'button', class: 'chip quiet', onclick: () => this.#endEdit() }, say('keep')));
  }

  async #change(id, change) {
    this.#endEdit();
    try {
      await this.#api.changeSession(id, change);
    } catch {
      this.#note.textContent = this.#locale.say('change_failed');
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
      this.#note.textContent = this.#locale.say('delete_failed');
    }
    await this.refresh();
  }
}
