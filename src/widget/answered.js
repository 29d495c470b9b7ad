/*
 * How an answer came about: a line that says it shortly, and behind it what was understood, which
 * tools ran with which outcome, the statements where one may see them, who worded it, what it cost.
 */

import { count, h, humanize, icon } from './dom.js';

const OUTCOMES = {
  empty: 'nothing found',
  no_data: 'no data yet',
  out_of_window: 'outside the data',
  unknown_entity: 'unknown name',
  not_permitted: 'not permitted',
  timeout: 'took too long',
  error: 'failed',
};

function durationText(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function rowsRead({ outcomes, tables }) {
  const results = outcomes?.length
    ? outcomes.map(({ rows = 0, truncated }) => ({ rows, truncated }))
    : tables.map((view) => ({ rows: view.row_count, truncated: view.truncated }));

  if (results.length === 0)
    return null;
  const rows = results.reduce((sum, result) => sum + result.rows, 0);

  return count(rows, 'row') + (results.some((result) => result.truncated) ? ', cut off' : '');
}

function checkedText(checked) {
  if (!checked)
    return null;
  if (checked.unbound > 0)
    return `${count(checked.unbound, 'number')} not verified`;
  return checked.bound > 0 ? `${count(checked.bound, 'number')} verified` : null;
}

function byText({ provider, model }) {
  return provider === 'rules' ? 'rules (no model)' : [provider, model].filter(Boolean).join(' ');
}

/* "Answered by rules (no model)", "1 row", "2 numbers verified", "128 ms" */
function shortly(complete) {
  const by = byText(complete);

  return [by && `Answered by ${by}`, rowsRead(complete), checkedText(complete.checked),
    complete.latency_ms === undefined ? null : durationText(complete.latency_ms)].filter(Boolean);
}

function outcomeText({ outcome, rows, truncated }) {
  if (outcome !== 'rows')
    return OUTCOMES[outcome] ?? outcome;
  return `${count(rows, 'row')}${truncated ? ', cut off' : ''}`;
}

function stepsList(steps) {
  return h('ol', { class: 'steps' }, steps.map(({ words, state, rows }) =>
    h('li', { class: state === 'failed' ? 'step failed' : 'step' },
      icon(state === 'failed' ? 'cross' : 'check'),
      h('span', {}, words),
      rows !== undefined && h('span', { class: 'step-rows' }, count(rows, 'row')))));
}

function usageText(usage) {
  if (!usage?.calls)
    return null;
  const tokens = (usage.input_tokens ?? 0) + (usage.cache_read_tokens ?? 0) + (usage.cache_write_tokens ?? 0);
  const cost = usage.cost_usd === undefined ? '' : `, $${Number(usage.cost_usd).toFixed(4)}`;

  return `${count(usage.calls, 'call')}, ${count(tokens, 'token')} in, ${usage.output_tokens ?? 0} out${cost}`;
}

function facts({ complete, filters, tables }) {
  const statements = tables.filter((view) => view.source?.sql);

  return [
    ['Understood as', filters.map((f) => `${humanize(f.name)} ${f.label ?? f.value}`).join(', ')],
    ...(complete.outcomes ?? []).map((o) => [humanize(o.tool), outcomeText(o)]),
    ['Worded by', byText(complete)],
    ['Model', usageText(complete.usage)],
    ['Numbers', checkedText(complete.checked)],
    ['Receipt', complete.receipt_id],
    ...statements.map((view) => ['Statement', h('pre', { tabindex: '0' }, h('code', {}, view.source.sql))]),
  ].filter(([, value]) => value);
}

/* {complete: the closing frame's members, tables: data views, steps: [{words, state, rows}], filters} */
export function answeredPanel({ complete, tables, steps, filters }) {
  const line = shortly({ ...complete, tables }).map((text) => h('span', {}, text));
  const rows = facts({ complete, filters, tables });

  if (line.length === 0 && steps.length === 0)
    return null;
  if (steps.length === 0 && rows.length < 2)
    return h('p', { class: 'outcome' }, line);
  return h('details', { class: 'answered', part: 'answered' },
    h('summary', { class: 'outcome' }, line, icon('chevron')),
    h('div', { class: 'how' },
      steps.length > 0 && stepsList(steps),
      h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))));
}
