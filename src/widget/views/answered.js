/*
 * How an answer came about: a line that says it shortly, and behind it what was understood, which
 * tools ran with which outcome, the statements where one may see them, who worded it, what it cost.
 */

import { h, icon } from '../dom.js';

const COPIED_MS = 1500;

export function copyButton(label, textOf) {
  const onclick = async ({ currentTarget: button }) => {
    await navigator.clipboard.writeText(textOf());
    button.replaceChildren(icon('check'));
    setTimeout(() => button.replaceChildren(icon('copy')), COPIED_MS);
  };

  /* Pages that are not served over TLS have no clipboard. */
  return navigator.clipboard && h('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick },
    icon('copy'));
}

function durationText(ms, locale) {
  return ms < 1000 ? locale.say('milliseconds', { n: Math.round(ms) })
    : locale.say('seconds', { n: locale.number(ms / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

/* "3 rows", "5 rows, cut off" */
function rowsText({ rows = 0, truncated }, { say }) {
  const text = say('rows', { n: rows });

  return truncated ? say('cut_off', { rows: text }) : text;
}

function rowsRead({ outcomes, tables }, locale) {
  const results = outcomes?.length ? outcomes
    : tables.map((view) => ({ rows: view.row_count, truncated: view.truncated }));

  return results.length > 0 && rowsText({
    rows: results.reduce((sum, { rows = 0 }) => sum + rows, 0),
    truncated: results.some((result) => result.truncated),
  }, locale);
}

function checkedText(checked, { say }) {
  if (checked?.unbound > 0)
    return say('numbers_unverified', { n: checked.unbound });
  return [checked?.bound > 0 && say('numbers_verified', { n: checked.bound }),
    checked?.unchecked > 0 && say('numbers_unchecked', { n: checked.unchecked })].filter(Boolean).join(', ');
}

function byText({ provider, model, approved }, { say }) {
  return approved ? say('approved', { by: approved.approved_by }) : provider === 'rules' ? say('rules') : [provider, model].filter(Boolean).join(' ');
}

/* "Answered by rules (no model)", "1 row", "2 numbers verified", "128 ms" */
function shortly(complete, locale) {
  const by = byText(complete, locale);

  return [by && locale.say('answered_by', { by }), rowsRead(complete, locale), checkedText(complete.checked, locale),
    complete.latency_ms !== undefined && durationText(complete.latency_ms, locale)].filter(Boolean);
}

export function outcomeText(result, locale) {
  const key = `outcome_${result.outcome}`;

  return result.outcome === 'rows' ? rowsText(result, locale) : locale.has(key) ? locale.say(key) : result.outcome;
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
    ['how_model', usageText(complete.usage, locale)],
    ['how_cost', costText(complete.usage, locale)],
    ['how_receipt', receipt(complete.receipt_id, locale)],
  ].filter(([, value]) => value);
}

function factsList(answer, locale) {
  return facts(answer, locale).map(([key, value]) => h('div', {}, h('dt', {}, locale.say(key)), h('dd', {}, value)));
}

/* A stored answer tells the rest by its receipt, once somebody wants to know. */
function readMore(details, answer, locale) {
  const ontoggle = async () => {
    const content = await answer.more().catch(() => null);
    const { filters = [], calls, usage } = content ?? {};

    if (content)
      details.querySelector('.how').replaceChildren(
        ...factsList({ ...answer, filters, complete: { ...answer.complete, outcomes: calls, usage } }, locale));
  };

  details.addEventListener('toggle', ontoggle, { once: true });
}

/* {complete: the closing frame's members, tables: data views, steps: [{words, state, rows}], filters,
 * more: a promise of the receipt's content for what is not here} */
export function answeredPanel(answer, locale) {
  const line = shortly({ ...answer.complete, tables: answer.tables }, locale).map((text) => h('span', {}, text));
  const rows = factsList(answer, locale);

  if (line.length === 0)
    return null;
  if (rows.length < 2)
    return h('p', { class: 'outcome' }, line);
  line.at(-1).append(icon('chevron'));
  const details = h('details', { class: 'answered', part: 'answered' },
    h('summary', { class: 'outcome' }, line), h('dl', { class: 'card how' }, rows));

  if (answer.more)
    readMore(details, answer, locale);
  return details;
}
