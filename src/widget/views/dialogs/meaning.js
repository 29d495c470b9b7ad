/* What the owner of a data source defines: labels and roles of its columns, joins with other tables, its expiry date; and
 * uploading its next version. Part of the dialog for the user's own data. */

import { h } from '../../dom.js';

const PATH = '/api/v1/data-sources';
const KEYS = '/api/v1/tools/find_join_keys';
const ROLES = { measure: 'source_role_measure', dimension: 'source_role_dimension', date: 'source_role_date', id: 'source_role_id', text: 'source_role_text',
  flag: 'source_role_flag' };
const CHOSEN = Object.keys(ROLES).filter((role) => role !== 'flag'); /* that one is found by code alone */
const FIELDS = ['label', 'unit', 'role', 'synonyms', 'description'];

const listOf = (text) => text.split(',').map((one) => one.trim()).filter(Boolean);
const shown = (column, field) => field === 'synonyms' ? column.synonyms.join(', ') : column[field] ?? '';

/* The changes of the columns, as a merge patch by column name. */
export function changesOf(columns, valueOf) {
  const changed = {};

  for (const column of columns)
    for (const field of FIELDS) {
      const value = valueOf(column.name, field).trim();

      if (value !== shown(column, field))
        (changed[column.name] ??= {})[field] = value === '' ? null : field === 'synonyms' ? listOf(value) : value;
    }
  return changed;
}

/* Pairs of columns for a join: the names of both columns, from the labels that the tool found. */
export function pairsOf(found, mine, theirs) {
  const nameOf = (columns, label) => columns.find((column) => column.label === label)?.name;
  const { Column: left = [], 'Other column': right = [], Cardinality: cardinality = [] } = found ?? {};

  return left.map((label, i) => ({ column: nameOf(mine, label), other: nameOf(theirs, right[i]), cardinality: cardinality[i] }))
    .filter((pair) => pair.column && pair.other && pair.cardinality !== 'n:m');
}

/* change(method, path, options): sends a change and redraws the source. */
export function meaningParts(source, { api, locale: { say }, change }) {
  const path = `${PATH}/${source.id}`;
  const chip = (text, onclick) => h('button', { type: 'button', class: 'chip', onclick }, text);

  return [version(), expiry(), meaning(), joins()];

  function version() {
    const input = h('input', { type: 'file', hidden: true, onchange: () => input.files[0]
      && change('PUT', `${path}/data`, { body: input.files[0], type: 'text/csv', headers: { 'if-match': '*' } }) });

    return [input, chip(say('source_version'), () => input.click())];
  }

  function expiry() {
    const input = h('input', { type: 'date', value: source.expires_on ?? '',
      onchange: () => change('PATCH', path, { json: { expires_at: input.value || null } }) });

    return h('label', {}, `${say('source_until')} `, input);
  }

  function meaning() {
    const { columns, entity_name: entity = '' } = source.semantic_profile;
    const inputs = new Map();
    const called = h('input', { value: entity, maxlength: 60 });
    const inputOf = (column, field, label) => {
      const own = { 'aria-label': `${column.label}: ${label}` };
      const input = field === 'role' ? h('select', own, [...new Set([column.role, ...CHOSEN])].map((role) =>
        h('option', { value: role, selected: role === column.role }, say(ROLES[role])))) : h('input', { ...own, value: shown(column, field) });

      inputs.set(`${column.name} ${field}`, input);
      return h('td', {}, input);
    };
    const save = (event) => {
      const changed = changesOf(columns, (name, field) => inputs.get(`${name} ${field}`).value);

      event.preventDefault();
      change('PATCH', path, { json: { semantic_profile: { columns: changed, ...(called.value !== entity && { entity_name: called.value || null }) } } });
    };
    const heads = say('source_mean_head').split('|');

    return h('details', { class: 'source-meaning' }, h('summary', {}, say('source_meaning')), h('form', { onsubmit: save },
      h('label', {}, `${say('source_entity')} `, called),
      h('div', { class: 'source-table' }, h('table', {}, h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
        h('tbody', {}, columns.map((column) => h('tr', {}, h('th', { scope: 'row' }, column.name),
          FIELDS.map((field, i) => inputOf(column, field, heads[i + 1]))))))),
      h('button', { class: 'chip' }, say('source_save'))));
  }

  function joins() {
    const list = h('div', { class: 'source-questions' });
    const own = source.joins.filter((join) => join.stated).map(({ to, on }) => ({ to, on }));
    const state = (joined) => change('PUT', `${path}/joins`, { json: { joins: joined } });

    list.append(...source.joins.map(({ to, name, on: [[column, other]], stated, in_use: used }) => h('span', {},
      `${say(used ? 'source_joined' : 'source_join_rests', { name, column, other })} `,
      stated ? chip(say('source_apart', { name }), () => state(own.filter((join) => join.to !== to))) : '')),
    chip(say('source_find_joins'), () => find(list, own, state)));
    return list;
  }

  async function find(list, own, state) {
    const { sources } = await api.get(`${PATH}?kind=table`);
    const others = sources.filter(({ id, is_owner: isOwner, state: now }) => isOwner && now === 'ready' && id !== source.id && !source.joins.some(({ to }) => to === id));
    const offers = (await Promise.all(others.map(async ({ id, name }) => {
      const [{ semantic_profile: theirs }, reply] = await Promise.all([api.get(`${PATH}/${id}`), api.fetch('POST', KEYS, { json: { source: source.id, other: id } })]);
      const { result } = await reply.json();

      return pairsOf(result?.sets?.rows?.data_dict, source.semantic_profile.columns, theirs.columns).map(({ column, other }) =>
        chip(say('source_join', { name, column, other }), () => state([...own, { to: id, on: [[column, other]] }])));
    }))).flat();

    list.append(...(offers.length > 0 ? offers : [h('span', { class: 'hint', role: 'status' }, say('source_no_joins'))]));
    list.querySelector('button:last-of-type')?.focus();
  }
}
