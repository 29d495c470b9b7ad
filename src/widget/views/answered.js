/* Provenance of an answer: one summary line; the details are loaded when it is opened. */

import { h, icon } from '../dom.js';

const COPIED_MS = 1500;

export function copyButton(label, textOf) {
  const onclick = async ({ currentTarget: button }) => {
    await navigator.clipboard.writeText(textOf());
    button.replaceChildren(icon('check'));
    setTimeout(() => button.replaceChildren(icon('copy')), COPIED_MS);
  };

  /* Without TLS, pages have no clipboard API. */
  return navigator.clipboard && h('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick },
    icon('copy'));
}

/* "3 rows", "5 rows, truncated" */
function rowsText({ rows = 0, truncated }, { say }) {
  const text = say('rows', { n: rows });

  return truncated ? say('cut_off', { rows: text }) : text;
}

function rowsRead({ outcomes, tables }, locale) {
  const results = outcomes?.length ? outcomes.filter(({ outcome }) => outcome !== 'not_permitted')
    : tables.map((view) => ({ rows: view.row_count, truncated: view.truncated }));

  return results.length > 0 && rowsText({
    rows: results.reduce((sum, { rows = 0 }) => sum + rows, 0),
    truncated: results.some((result) => result.truncated),
  }, locale);
}

export function checkedText(checked, { say }) {
  if (checked?.unbound > 0)
    return say('numbers_unverified', { n: checked.unbound });
  return [checked?.bound > 0 && say('numbers_verified', { n: checked.bound }),
    checked?.unchecked > 0 && say('numbers_unchecked', { n: checked.unchecked })].filter(Boolean).join(', ');
}

export function byText({ provider, model, approved }, { say }) {
  return approved ? say('approved', { by: approved.approved_by }) : provider === 'rules' ? say('rules') : [provider, model].filter(Boolean).join(' ');
}

/* "2 numbers verified", "1 row": how reliable the answer is. Model and duration are in the details. */
function shortly(complete, locale) {
  const by = byText(complete, locale);
  const short = [complete.approved && locale.say('answered_by', { by }), checkedText(complete.checked, locale), rowsRead(complete, locale)]
    .filter(Boolean);

  return short.length > 0 ? short : [by && locale.say('answered_by', { by })].filter(Boolean);
}

export function outcomeText(result, locale) {
  const key = `outcome_${result.outcome}`;

  return result.outcome === 'rows' ? rowsText(result, locale) : locale.has(key) ? locale.say(key) : result.outcome;
}

/* {complete: members of the closing frame, tables: data views, steps: [{words, state, rows}], filters,
 * more: a promise of the receipt's content, for what is missing} */
export function answeredPanel(answer, locale) {
  const line = shortly({ ...answer.complete, tables: answer.tables }, locale).map((text) => h('span', {}, text));

  if (line.length === 0)
    return null;
  line.at(-1).append(icon('chevron'));
  const facts = h('dl', { class: 'card how' });
  const details = h('details', { class: 'answered', part: 'answered' }, h('summary', { class: 'outcome' }, line), facts);

  details.addEventListener('toggle', async () => {
    if (facts.childElementCount > 0)
      return;
    try {
      await (await import('./how.js')).showHow(facts, answer, locale);
    } catch {
      facts.textContent = locale.say('how_failed');  /* opening the panel again retries */
    }
  });
  return details;
}
