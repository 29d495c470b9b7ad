/*
 * Help: by domain, the available data and starter questions that the user is permitted to ask, and a glossary of the
 * company's terms. Loaded when the dialog is opened.
 */

import { h, icon, lookOf } from '../../dom.js';
import { openDialog } from './dialog.js';
import css from './help.styles.css';
import { words } from '../../words/help.js';

const QUESTIONS_MAX = 4;
const SEARCH_FROM = 8;     /* number of terms from which a search field is shown */
const dress = lookOf(css);

/* Starter questions that this user may ask; without any, examples of a domain that the user may use. */
function questionsOf({ starters = [], examples = [] }) {
  return (starters.length > 0 ? starters : examples).slice(0, QUESTIONS_MAX);
}

function domain(agent, { say, name }, ask) {
  const { agent: id, about, capabilities = [] } = agent;

  return h('section', { class: 'domain', 'aria-label': name(id) },
    h('h3', {}, name(id)), h('p', {}, about),
    h('div', { class: 'suggestions' }, questionsOf(agent).map((question) =>
      h('button', { type: 'button', class: 'chip', onclick: () => ask(question) }, question))),
    capabilities.length > 0 && h('details', {}, h('summary', {}, icon('chevron'), say('what_is_known', { n: capabilities.length })),
      h('ul', {}, capabilities.map(({ tool, about: known }) => h('li', {}, h('b', {}, name(tool)), ' ', known)))));
}

/* Groups terms with the same meaning. */
function byMeaning(terms) {
  const meanings = new Map();

  for (const { term, about } of terms)
    meanings.set(about, [...(meanings.get(about) ?? []), term]);
  return [...meanings].map(([about, names]) => ({ about, names: names.join(', ') }));
}

function glossary(terms, { say, tag }) {
  const entries = byMeaning(terms).map(({ about, names }) => h('div', {}, h('dt', {}, names), h('dd', {}, about)));
  const nothing = h('p', { class: 'hint', role: 'status', hidden: true }, say('nothing_found'));
  const search = h('input', { type: 'search', class: 'find', placeholder: say('find_term'), 'aria-label': say('find_term'), oninput: () => {
    const text = search.value.trim().toLocaleLowerCase(tag);

    for (const entry of entries)
      entry.hidden = !entry.textContent.toLocaleLowerCase(tag).includes(text);
    nothing.hidden = entries.some((entry) => !entry.hidden);
  } });

  return h('section', { class: 'glossary', 'aria-label': say('glossary') }, h('h3', {}, say('glossary')),
    entries.length >= SEARCH_FROM && search, h('dl', {}, entries), nothing);
}

/* {frame, api, locale, ask(question)} */
export async function showHelp({ frame, api, locale, ask }) {
  locale.learn(words);
  dress(frame);
  const { say, language } = locale;
  const box = h('div', { class: 'help', 'aria-busy': 'true' }, h('p', { class: 'hint' }, say('help_reading')));
  const dialog = openDialog(frame, { name: 'help-dialog', title: say('what_can_i_ask') }, locale, box);
  const askThis = (question) => {
    dialog.close();
    ask(question);
  };

  try {
    const [{ data: agents }, { data: terms }] = await Promise.all([api.get('/api/v1/agents'), api.get('/api/v1/glossary')]);

    box.replaceChildren(...agents.map((agent) => domain(agent, { say, name: (name) => locale.name(name) }, askThis)),
      ...terms.length > 0 ? [glossary(terms, locale)] : []);
    if (language !== 'en')
      box.prepend(h('p', { class: 'hint' }, say('help_english')));
  } catch {
    box.replaceChildren(h('p', { role: 'alert' }, say('help_failed')));
  }
  box.removeAttribute('aria-busy');
}
