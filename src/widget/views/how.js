/*
 * Details of how an answer was made: filters, tools with their outcomes, statements if the user may see them, model,
 * cost. Loaded when the panel is opened.
 */

import { h, icon } from '../dom.js';
import { byText, checkedText, copyButton, outcomeText } from './answered.js';
import { words } from '../words/how.js';

function durationText(ms, locale) {
  return ms < 1000 ? locale.say('milliseconds', { n: Math.round(ms) })
    : locale.say('seconds', { n: locale.number(ms / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

function stepsList(steps, { say }) {
  return h('ol', { class: 'steps' }, steps.map(({ words, state, rows }) =>
    h('li', { class: state === 'failed' ? 'step failed' : 'step' },
      icon(state === 'failed' ? 'cross' : 'check'),
      h('span', {}, words),
      rows !== undefined && h('span', { class: 'step-rows' }, say('rows', { n: rows })))));
}

function usageText(usage, { say }) {
  if (!usage?.calls)
    return null;
  const read = (usage.input_tokens ?? 0) + (usage.cache_read_tokens ?? 0) + (usage.cache_write_tokens ?? 0);

  return [say('calls', { n: usage.calls }), say('tokens_in', { n: read }), say('tokens_out', { n: usage.output_tokens ?? 0 })]
    .join(', ');
}

function costText(usage, locale) {
  return usage?.cost_usd !== undefined &&
    locale.number(Number(usage.cost_usd), { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
}

function understoodList(filters, locale) {
  return filters.length > 0 && h('ul', { class: 'plain' }, filters.map((filter) =>
    h('li', {}, h('span', { class: 'faint' }, locale.name(filter.name)), ' ', locale.valueText(filter))));
}

function outcomesList(outcomes = [], locale) {
  return outcomes.length > 0 && h('ul', { class: 'plain' }, outcomes.map((result) =>
    h('li', { class: result.outcome === 'rows' ? undefined : 'lacking' }, locale.name(result.tool), ' ',
      h('span', { class: 'faint' }, outcomeText(result, locale)))));
}

function statementsList(tables, { say }) {
  const statements = tables.filter((view) => view.source?.sql);

  return statements.length > 0 && statements.map(({ source }) => h('div', { class: 'statement' },
    h('pre', { tabindex: '0' }, h('code', {}, source.sql)), copyButton(say('copy_statement'), () => source.sql)));
}

function receipt(id, { say }) {
  return id && h('span', { class: 'receipt' }, h('code', {}, id), copyButton(say('copy_receipt'), () => id));
}

function facts({ complete, filters, steps, tables }, locale) {
  return [
    ['how_understood', understoodList(filters, locale)],
    ['how_steps', steps.length > 0 && stepsList(steps, locale)],
    ['how_data', outcomesList(complete.outcomes, locale)],
    ['how_statement', statementsList(tables, locale)],
    ['how_numbers', checkedText(complete.checked, locale)],
    ['how_worded', byText(complete, locale)],
    ['how_time', complete.latency_ms !== undefined && durationText(complete.latency_ms, locale)],
    ['how_model', usageText(complete.usage, locale)],
    ['how_cost', costText(complete.usage, locale)],
    ['how_receipt', receipt(complete.receipt_id, locale)],
  ].filter(([, value]) => value);
}

function factsList(answer, locale) {
  return facts(answer, locale).map(([key, value]) => h('div', {}, h('dt', {}, locale.say(key)), h('dd', {}, value)));
}

/* answer: as for answeredPanel. For a stored answer, the rest is in its receipt. */
export async function showHow(list, answer, locale) {
  locale.learn(words);
  const receipt = await answer.more?.().catch(() => null);
  const { filters = [], calls, usage } = receipt ?? {};

  list.replaceChildren(...factsList(receipt ? { ...answer, filters, complete: { ...answer.complete, outcomes: calls, usage } } : answer, locale));
}
