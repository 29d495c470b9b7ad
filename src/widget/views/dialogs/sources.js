/*
 * The user's own data: uploads with their progress and clarifying questions; each source with its columns, starter
 * questions, sharing and deletion. Loaded with the first file or click.
 */

import { h, lookOf } from '../../dom.js';
import { openDialog } from './dialog.js';
import { meaningParts } from './meaning.js';
import css from './sources.styles.css';
import { words } from '../../words/sources.js';

const PATH = '/api/v1/data-sources';
const LOOK_MS = 400;
const PAGE = 100; /* sources shown at first; older ones on request */
const TYPES = { csv: 'text/csv', tsv: 'text/tab-separated-values', tab: 'text/tab-separated-values', jsonl: 'application/x-ndjson', ndjson: 'application/x-ndjson' };
const DOCUMENTS = '/api/v1/documents';
const DOCUMENT_TYPES = { md: 'text/markdown', markdown: 'text/markdown', txt: 'text/plain', html: 'text/html', htm: 'text/html' };
const QUESTIONS_MAX = 3;
const dress = lookOf(css);

const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const isOver = ({ state, load }) => !load ? state === 'ready' || state === 'empty' : ['failed', 'asking'].includes(load.state);

/* "Total amount by region": the first summable columns by the first columns with few values. */
export function questionsOf({ columns }, { say }) {
  const of = (role) => columns.filter((column) => column.role === role).map((column) => column.spoken);
  const [measures, dimensions] = [of('measure'), of('dimension')];

  return measures.flatMap((measure) => dimensions.map((dimension) => say('source_question', { measure, dimension }))).slice(0, QUESTIONS_MAX);
}

class Sources {
  #api;
  #locale;
  #ask;
  #list = h('div', { class: 'sources' });
  #note = h('p', { class: 'hint', role: 'status' });
  #input;
  #choose;
  #pages = 1; /* number of pages shown */

  /* ask(question): asks it in the conversation. */
  constructor({ frame, api, locale, ask }) {
    const { say } = locale;

    this.#api = api;
    this.#locale = locale;
    this.#ask = ask;
    this.#input = h('input', { type: 'file', hidden: true, multiple: true, accept: Object.keys({ ...TYPES, ...DOCUMENT_TYPES }).map((end) => `.${end}`).join(','),
      onchange: () => this.upload([...this.#input.files]) });
    this.#choose = h('button', { type: 'button', class: 'chip', onclick: () => this.#input.click() }, say('source_choose'));
    this.root = openDialog(frame, { name: 'own-data', title: say('own_data'), tools: [this.#choose] }, locale, this.#input, this.#note, this.#list);
  }

  async show() {
    const { say } = this.#locale;
    const shown = [];
    let cursor = '';

    try {
      for (let n = 0; n < this.#pages && cursor !== undefined; n++) {
        const { sources, next_cursor: next } = await this.#api.get(`${PATH}?${new URLSearchParams({ limit: PAGE, ...(cursor && { cursor }) })}`);

        shown.unshift(...sources);
        cursor = next;
      }
      this.#note.textContent = shown.length > 0 ? '' : say('no_sources');
      this.#list.replaceChildren(...(cursor ? [h('button', { type: 'button', class: 'chip', onclick: () => this.#older() }, say('source_older'))] : []),
        ...shown.map((source) => this.#entry(source)));
    } catch {
      this.#note.textContent = say('sources_failed');
    }
  }

  async #older() {
    this.#pages++;
    await this.show();
    this.#list.querySelector('button, summary')?.focus();
  }

  async upload(files) {
    const { say } = this.#locale;

    for (const file of files) {
      const end = file.name.split('.').at(-1).toLowerCase();
      const type = TYPES[end] ?? DOCUMENT_TYPES[end] ?? file.type;

      try {
        this.#note.textContent = say('source_sending', { name: file.name });
        const reply = await this.#api.fetch('POST', `${DOCUMENT_TYPES[end] ? DOCUMENTS : PATH}?${new URLSearchParams({ name: file.name })}`, { body: file, type });

        await this.#follow((await reply.json()).id);
      } catch ({ status }) {
        this.#note.textContent = say(status === 415 ? 'source_wrong_type' : status === 403 ? 'source_denied' : 'source_not_sent', { name: file.name });
      }
    }
    this.#input.value = '';
  }

  async #follow(id) {
    const { say } = this.#locale;

    for (;;) {
      const source = await this.#api.get(`${PATH}/${id}`);

      if (isOver(source) || !this.root.isConnected) {
        await this.show();
        this.#note.textContent = source.load ? '' : say('source_ready', { name: source.name });
        this.#list.querySelector(`[data-id="${id}"] summary`)?.focus();
        return;
      }
      this.#note.textContent = say('source_loading', { n: source.load?.rows ?? 0 });
      await sleep(LOOK_MS);
    }
  }

  #entry(source) {
    const { say } = this.#locale;
    const facts = h('div', { class: 'source-facts' });
    const state = source.load?.state === 'failed' ? say('source_fault', { why: source.load.fault?.message ?? source.load.fault?.code ?? '' })
      : source.state !== 'ready' ? say('source_waits')
        : source.kind === 'document' ? say('document_size', { n: source.rows }) : say('source_size', { n: source.rows, columns: source.columns, quality: source.quality });

    const details = h('details', { class: 'source', 'data-id': source.id, open: source.load?.state === 'asking' },
      h('summary', {}, h('span', {}, source.name), h('span', { class: 'hint' }, state)), facts);

    if (source.load?.state === 'asking')
      facts.append(this.#question(source));
    details.addEventListener('toggle', () => details.open && this.#open(source, facts), { once: true });
    return details;
  }

  #question({ id, load: { ask } }) {
    const answer = async (value) => {
      await this.#api.fetch('POST', `${PATH}/${id}/answer`, { json: { ask_id: ask.ask_id, values: [value] } });
      await sleep(LOOK_MS);
      await this.#follow(id);
    };

    return h('div', { class: 'source-ask', role: 'group', 'aria-label': ask.prompt }, h('p', {}, ask.prompt),
      [...ask.options, ask.skip].map(({ value, label }) => h('button', { type: 'button', class: 'chip', onclick: () => answer(value) }, label)));
  }

  async #open({ id, kind, is_owner: isOwner, visibility, name, load }, facts) {
    const source = await this.#api.get(`${PATH}/${id}`);
    const { profile, semantic_profile: meaning } = source;

    if (profile && kind !== 'document')
      facts.append(this.#questions(meaning), this.#profile(profile));
    if (isOwner && profile && kind !== 'document')
      facts.append(...meaningParts(source, { api: this.#api, locale: this.#locale, change: (...what) => this.#change(id, ...what) }).flat());
    if (isOwner)
      facts.append(this.#sharing(id, visibility), this.#removal(id, name));
    if (load?.fault?.line)
      facts.prepend(h('p', { class: 'hint' }, this.#locale.say('source_line', { n: load.fault.line })));
  }

  /* Redraws the source and restores the keyboard focus. */
  async #change(id, method, path, options) {
    const { say } = this.#locale;

    try {
      await this.#api.fetch(method, path, options);
      if (method === 'PUT' && path.endsWith('/data'))
        await this.#follow(id);
      else
        await this.show();
      this.#note.textContent = say('source_changed');
    } catch {
      this.#note.textContent = say('change_failed');
      return;
    }
    const details = this.#list.querySelector(`[data-id="${id}"]`);

    if (!details)
      return;
    details.open = true;
    details.querySelector('summary').focus();
  }

  #questions(meaning) {
    const ask = (question) => {
      this.root.close();
      this.#ask(question);
    };

    return h('div', { class: 'source-questions' }, questionsOf(meaning, this.#locale).map((question) =>
      h('button', { type: 'button', class: 'chip', onclick: () => ask(question) }, question)));
  }

  #profile({ columns }) {
    const locale = this.#locale;
    const { say } = locale;
    const word = (kind, name) => (locale.has(`source_${kind}_${name}`) ? say(`source_${kind}_${name}`) : name);
    /* A sum is formatted from text, so that it keeps all digits. */
    const written = (cell = '') => (/^-?\d+(\.\d+)?$/.test(cell) ? locale.number(cell, { maximumFractionDigits: 20 })
      : locale[String(cell).includes('T') ? 'dateTime' : 'date'](cell));
    const row = ({ label, type, role, nulls, distinct, min, max, sum, misfits }) => h('tr', {}, h('th', { scope: 'row' }, label),
      [word('type', type), word('role', role), ...[nulls, distinct, min, max, sum, misfits].map(written)].map((cell) => h('td', {}, cell)));

    return h('div', { class: 'source-table', tabindex: '0' }, h('table', {}, h('thead', {}, h('tr', {}, say('source_head').split('|').map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, columns.map(row))));
  }

  #sharing(id, visibility) {
    const { say } = this.#locale;
    const share = async ({ target: box }) => {
      try {
        await this.#api.fetch('PATCH', `${PATH}/${id}`, { json: { visibility: box.checked ? 'tenant' : 'private' } });
      } catch {
        box.checked = !box.checked;
        this.#note.textContent = say('change_failed');
      }
    };

    return h('label', {}, h('input', { type: 'checkbox', checked: visibility !== 'private', onchange: share }), say('source_share'));
  }

  #removal(id, name) {
    const { say } = this.#locale;
    const button = h('button', { type: 'button', class: 'chip' }, say('delete_this', { title: name }));

    button.addEventListener('click', async () => {
      if (button.dataset.sure === undefined) {
        button.dataset.sure = '';
        button.textContent = say('delete_for_good');
        return;
      }
      await this.#api.fetch('DELETE', `${PATH}/${id}`).catch(() => { this.#note.textContent = say('delete_failed'); });
      await sleep(LOOK_MS);
      await this.show();
      this.#choose.focus();
    });
    return button;
  }
}

/* Opens the dialog in this frame; files are uploaded at once. */
export async function showSources(place, files = []) {
  place.locale.learn(words);
  dress(place.frame);
  const sources = new Sources(place);

  await sources.show();
  await sources.upload(files);
}
