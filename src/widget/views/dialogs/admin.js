/*
 * Administration of a tenant: permissions, tools and their switches, costs and budgets, outcomes of answers and unanswered
 * questions, feedback and its evaluation cases, and the receipt chain. Each part is fetched when it is opened. Loaded only
 * for users with the permission, which the server checks on each request.
 */

import { h, humanize, icon, lookOf } from '../../dom.js';
import { openDialog } from './dialog.js';
import css from './admin.styles.css';
import { words } from '../../words/admin.js';

const PATH = '/api/v1/admin';
const PERIODS = [7, 30, 90, 365];
const PERIOD = 30;
const dress = lookOf(css);

/* columns: [[key of the heading, cell(row), isNumber?]] */
function grid(title, rows, columns, { say }) {
  return h('div', { class: 'grid', tabindex: '0', role: 'group', 'aria-label': title },
    h('table', {}, h('caption', {}, title),
      h('thead', {}, h('tr', {}, columns.map(([word, , isNumber]) => h('th', { scope: 'col', class: isNumber && 'number' }, say(word))))),
      h('tbody', {}, rows.map((row) => h('tr', {}, columns.map(([, cell, isNumber], i) =>
        h(i === 0 ? 'th' : 'td', { scope: i === 0 && 'row', class: isNumber && 'number' }, cell(row))))))),
    rows.length === 0 && h('p', { class: 'hint' }, say('admin_none')));
}

const left = (limit, spent = 0) => (limit === undefined ? undefined : Math.max(0, limit - spent));

class Admin {
  #api;
  #locale;
  #days = PERIOD;
  #note = h('p', { class: 'hint', role: 'status' });

  constructor({ frame, api, locale }) {
    const { say } = locale;
    const period = h('select', { 'aria-label': say('admin_period'), onchange: () => this.#setPeriod(Number(period.value)) },
      PERIODS.map((n) => h('option', { value: n, selected: n === PERIOD }, say('admin_days', { n }))));

    this.#api = api;
    this.#locale = locale;
    this.root = h('div', { class: 'admin' }, this.#note,
      [['admin_access', () => this.#access()], ['admin_tools', () => this.#tools()], ['admin_usage', () => this.#usage()], ['admin_budgets', () => this.#budgets()],
        ['admin_quality', () => this.#quality()], ['admin_unanswered', () => this.#unanswered()], ['admin_feedback', () => this.#feedback()],
        ['admin_receipts', () => this.#receipts()]].map(([name, read]) => this.#part(name, read)));
    openDialog(frame, { name: 'admin-dialog', title: say('administration'), tools: [period] }, locale, this.root);
  }

  #get(path) {
    return this.#api.get(`${PATH}/${path}`);
  }

  get #period() {
    return `?days=${this.#days}`;
  }

  #part(name, read) {
    const { say } = this.#locale;
    const box = h('div');
    const part = h('details', { 'data-part': name, ontoggle: () => part.open && box.childElementCount === 0 && fill() },
      h('summary', {}, icon('chevron'), h('h3', {}, say(name))), box);
    const fill = async () => {
      box.setAttribute('aria-busy', 'true');
      try {
        box.replaceChildren(...[await read()].flat());
      } catch {
        box.replaceChildren(h('p', { role: 'alert' }, say('admin_failed')));
      }
      box.removeAttribute('aria-busy');
    };

    part.addEventListener('again', () => (part.open ? fill() : box.replaceChildren()));
    return part;
  }

  #setPeriod(days) {
    this.#days = days;
    for (const name of ['admin_usage', 'admin_quality', 'admin_unanswered'])
      this.root.querySelector(`[data-part=${name}]`).dispatchEvent(new Event('again'));
  }

  /* --- permissions ---------------------------------------------------------------------- */

  async #access() {
    const { say } = this.#locale;
    const { roles, tools } = await this.#get('access');
    const permissions = [...new Set(roles.flatMap((role) => role.permissions))].sort();
    const head = ['admin_permission', (row) => h('code', {}, row)];
    const table = grid(say('admin_roles'), permissions, [head], this.#locale);

    /* One column per role. Role names come from the tenant and are not translated. */
    table.querySelector('thead tr').append(...roles.map(({ role }) => h('th', { scope: 'col' }, role)));
    [...table.querySelectorAll('tbody tr')].forEach((row, i) => row.append(...roles.map((role) => {
      const may = role.permissions.includes(permissions[i]);

      return h('td', {}, may && icon('check'), h('span', { class: 'sr-only' }, say(may ? 'yes' : 'no')));
    })));
    return [table, grid(say('admin_tool_permissions'), tools, [['admin_tool', ({ tool }) => this.#locale.name(tool)],
      ['admin_permission', ({ permission }) => h('code', {}, permission)]], this.#locale)];
  }

  async #tools() {
    const { data } = await this.#get('tools');
    const agents = [...new Set(data.map(({ agent }) => agent))];

    return agents.map((agent) => [agent, data.filter((one) => one.agent === agent)]).map(([agent, tools]) => h('fieldset', {}, h('legend', {}, this.#locale.name(agent)),
      tools.map((tool) => this.#switch(tool))));
  }

  #switch({ agent, tool, enabled }) {
    const { say } = this.#locale;
    const name = this.#locale.name(tool);
    const box = h('input', { type: 'checkbox', checked: enabled, onchange: async () => {
      const isOn = box.checked;

      try {
        await this.#api.fetch('PUT', `${PATH}/tools/${encodeURIComponent(agent)}/${encodeURIComponent(tool)}`, { json: { enabled: isOn } });
        this.#note.textContent = say(isOn ? 'admin_on' : 'admin_off', { name });
      } catch {
        box.checked = !isOn;
        this.#note.textContent = say('admin_not_changed', { name });
      }
    } });

    return h('label', {}, box, h('span', {}, name));
  }

  /* --- money ---------------------------------------------------------------------------- */

  #cost(usd) {
    return usd === undefined ? '' : this.#locale.number(Number(usd), { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
  }

  async #usage() {
    const { say } = this.#locale;
    const { users, models, days } = await this.#get(`usage${this.#period}`);
    const count = (name) => (row) => this.#locale.number(row[name]);
    const sums = [['admin_calls', count('calls'), true], ['admin_tokens_in', count('input_tokens'), true],
      ['admin_tokens_out', count('output_tokens'), true], ['admin_cost', ({ cost_usd: usd }) => this.#cost(usd), true]];
    const total = days.reduce((sum, { cost_usd: usd }) => sum + Number(usd), 0);

    return [h('p', {}, say('admin_total', { cost: this.#cost(total) })),
      grid(say('admin_by_user'), users, [['admin_user', ({ user }) => user], ...sums], this.#locale),
      grid(say('admin_by_model'), models, [['admin_model', ({ provider, model }) => `${provider} ${model}`], ...sums], this.#locale),
      grid(say('admin_by_day'), days, [['admin_day', ({ day }) => this.#locale.date(day)], ...sums], this.#locale)];
  }

  async #budgets() {
    const { say } = this.#locale;
    const { data } = await this.#get('budgets');

    return grid(say('admin_limits'), data, [['admin_scope', ({ scope, only }) => only ?? say(`scope_${scope}`)],
      ['admin_per', ({ period }) => say(`period_${period}`)],
      ['admin_tokens', ({ tokens }) => this.#tokens(tokens), true],
      ['admin_cost', ({ cost_usd: usd }) => this.#cost(usd), true],
      ['admin_nearest', ({ most_spent: most }) => most?.who ?? ''],
      ['admin_tokens_left', ({ tokens, most_spent: most }) => this.#tokens(left(tokens, most?.tokens)), true],
      ['admin_cost_left', ({ cost_usd: usd, most_spent: most }) => this.#cost(left(usd, most?.cost_usd)), true]], this.#locale);
  }

  #tokens(n) {
    return n === undefined ? '' : this.#locale.number(n);
  }

  /* --- quality -------------------------------------------------------------------------- */

  #ending(status) {
    return this.#locale.has(`status_${status}`) ? this.#locale.say(`status_${status}`) : humanize(status);
  }

  async #quality() {
    const { say } = this.#locale;
    const { numbers, statuses, providers, ratings } = await this.#get(`quality${this.#period}`);
    const count = ['admin_answers', ({ answers }) => this.#locale.number(answers), true];

    return [h('dl', {}, [['admin_answers', numbers.answers], ['admin_unverified', numbers.unverified], ['admin_without_data', numbers.without_data],
      ['admin_failed_over', numbers.failed_over]]
      .map(([word, n]) => h('div', {}, h('dt', {}, say(word)), h('dd', {}, this.#locale.number(n))))),
    grid(say('admin_endings'), statuses, [['admin_ending', ({ status }) => this.#ending(status)], count], this.#locale),
    grid(say('admin_providers'), providers, [['admin_provider', ({ provider }) => (provider === 'rules' ? say('rules') : provider)], count], this.#locale),
    grid(say('admin_ratings'), ratings, [['admin_rating', ({ rating }) => say(rating === 'up' ? 'good_answer' : 'bad_answer')], count], this.#locale)];
  }

  async #unanswered() {
    const { unanswered } = await this.#get(`quality${this.#period}`);

    return grid(this.#locale.say('admin_unanswered'), unanswered, [['admin_question', ({ question }) => question],
      ['admin_ending', ({ status }) => this.#ending(status === 'complete' ? 'without_data' : status)],
      ['admin_times', ({ times }) => this.#locale.number(times), true],
      ['admin_last', ({ last_at: at }) => this.#locale.dateTime(at)]], this.#locale);
  }

  /* --- feedback ------------------------------------------------------------------------- */

  async #feedback(cursor) {
    const { say } = this.#locale;
    const { data, next_cursor: next } = await this.#get(`feedback?${new URLSearchParams({ limit: 20, ...(cursor && { cursor }) })}`);
    const more = next && h('button', { type: 'button', class: 'chip', onclick: async () => more.replaceWith(...await this.#feedback(next)) }, say('admin_more'));

    if (data.length === 0)
      return [h('p', { class: 'hint' }, say('admin_none'))];
    return [h('ul', { class: 'feedback-list' }, data.map((one) => this.#rated(one))), ...more ? [more] : []];
  }

  #rated({ message_id: id, user_id: user, rating, comment, correction, updated_at: at }) {
    const { say } = this.#locale;
    const place = h('div', { role: 'status' });
    const read = h('button', { type: 'button', class: 'chip', onclick: async () => {
      try {
        const line = await this.#get(`feedback/${encodeURIComponent(id)}/case`);

        place.replaceChildren(h('p', {}, h('b', {}, say('admin_question')), ' ', line.content),
          h('button', { type: 'button', class: 'chip', onclick: () => this.#saveCase(line, correction) }, icon('save'), say('admin_save_case')));
        read.remove();
      } catch {
        place.replaceChildren(h('p', {}, say('admin_no_case')));
      }
    } }, say('admin_show_question'));

    return h('li', {}, h('p', { class: 'hint' }, say(rating === 'up' ? 'good_answer' : 'bad_answer'), ' · ', user, ' · ', this.#locale.dateTime(at)),
      comment && h('p', {}, comment), correction && h('p', {}, h('b', {}, say('right_value')), ' ', correction), place, read);
  }

  /* Saves the case in the format of vesperctl eval. */
  #saveCase(line, correction) {
    const text = `${JSON.stringify({ ...line, expect: { ...line.expect, ...(correction && { correction }) } })}\n`;
    const link = h('a', { href: URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' })), download: `${line.message_id}.case.jsonl` });

    link.click();
    URL.revokeObjectURL(link.href);
  }

  /* --- receipts ------------------------------------------------------------------------- */

  async #receipts(after = 0, last = undefined) {
    const { say } = this.#locale;
    const { data, has_more: hasMore } = await this.#get(`receipts?after=${after}`);
    const broken = data.find(({ previous_hash: before }, i) => (i > 0 ? data[i - 1].hash : last ?? before) !== before);
    const end = data.at(-1);
    const more = hasMore && h('button', { type: 'button', class: 'chip', onclick: async () =>
      more.replaceWith(...[await this.#receipts(end.number, end.hash)].flat()) }, say('admin_more'));

    return [h('p', { role: 'status', class: broken && 'wrong' }, broken ? say('admin_broken', { n: broken.number }) : say('admin_unbroken', { n: data.length })),
      grid(say('admin_receipts'), data, [['admin_number', ({ number }) => this.#locale.number(number)],
        ['admin_made', ({ created_at: at }) => this.#locale.dateTime(at)], ['admin_user', ({ user }) => user ?? ''],
        ['admin_hash', ({ hash }) => h('code', { title: hash }, hash.slice(0, 12))]], this.#locale), ...more ? [more] : []];
  }
}

/* {frame, api, locale} */
export async function showAdmin(place) {
  place.locale.learn(words);
  dress(place.frame);
  new Admin(place);
}
