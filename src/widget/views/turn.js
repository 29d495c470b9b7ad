/*
 * One question and its answer on the page. Frames are applied exactly once, in the order of their seq, so
 * a replay after a lost connection neither loses nor repeats text.
 */

import { answeredPanel, copyButton } from './answered.js';
import { AskView } from './ask.js';
import { chartCard } from './chart.js';
import { componentCard, planPanel } from './component.js';
import { h, icon } from '../dom.js';
import { Feedback } from './feedback.js';
import { FilterBar } from './filters.js';
import { MarkdownView } from './markdown.js';
import { Marks } from './marks.js';
import { Panels } from './panels.js';
import { errorCard, errorViewCard, questionBox, suggestionChips } from './parts.js';
import { ReportCards } from './report.js';
import { dataTable } from './table.js';

const DRAW_EVERY_MS = 60;

/* Converts positions from code points to UTF-16 units: [{start, len}] in order becomes [{from, to}]. */
function placedMarks(text, items = []) {
  const units = [];
  let unit = 0;

  for (const point of text) {
    units.push(unit);
    unit += point.length;
  }
  units.push(unit);
  let end = 0;

  return items.map((item) => ({ ...item, from: units[item.start], to: units[item.start + item.len] }))
    .filter(({ from, to }) => from >= end && to > from && (end = to));
}

export class TurnView {
  #actions;
  #locale;
  #text = '';
  #marks = [];
  #results;
  #reports;
  #asks = new Map();
  #steps = new Map();
  #plan;
  #planStates = new Map(); /* states of its tasks, by id */
  #frame = 0;
  #timer = 0;
  #drawnAt = 0;
  #folded = false;
  #understood = [];
  #messageId;
  #filters;
  #kept;
  #markdown;
  #marksView;
  #parts;

  id = null;
  lastSeq = 0;
  running = true;
  stopping = false;

  /* actions: {ask(question), edit(question), refilter(turn, filters, kept), values(name, text), select(ask, values, label), retry(turn),
     rate(messageId, feedback), file(messageId, viewId, kind), saveView(saved), openReport(report), embedReport(key), linkHosts(), onText(turn)} */
  constructor(actions, locale, { question, clientId, filters, kept } = {}) {
    const { say } = locale;

    this.#actions = actions;
    this.#locale = locale;
    this.#filters = new FilterBar((...edited) => actions.refilter(this, ...edited), (...of) => actions.values(...of), locale);
    this.#kept = kept;
    this.#results = new Panels(locale);
    this.#reports = new ReportCards(actions, locale);
    this.question = question;
    this.clientId = clientId;
    this.filters = filters;
    this.#parts = {
      filters: this.#filters.root,
      progress: h('p', { class: 'progress' }, say('sending')),
      components: h('div', { class: 'views' }),
      prose: h('div', { class: 'prose', part: 'answer' }),
      results: this.#results.root,
      notices: h('div', { class: 'notices' }),
      asks: h('div', { class: 'asks' }),
      reports: this.#reports.root,
      foot: h('div', { class: 'foot' }),
      suggestions: h('div', { class: 'suggestions', role: 'group', 'aria-label': say('ask_next') }),
    };
    this.root = h('article', { class: 'turn running' },
      question && questionBox(question, actions, locale),
      h('div', { class: 'answer' },
        h('h2', { class: 'sr-only' }, say('answer')),
        h('span', { class: 'avatar' }, icon('star')),
        h('div', { class: 'body' }, Object.values(this.#parts))));
    this.#marksView = new Marks(this.#parts.prose, (call) => this.#viewOf(call), locale);
    this.#parts.foot.before(this.#marksView.tip);
    this.#markdown = new MarkdownView(this.#parts.prose, {
      hosts: () => actions.linkHosts(),
      tableLabel: say('table'),
      renderMark: (mark, text) => this.#marksView.render(mark, text),
    });
  }

  get acknowledged() {
    return this.id !== null;
  }

  get text() {
    return this.#text;
  }

  get tables() {
    return this.#results.shown.map(({ view }) => view).filter((view) => view.view_type === 'data');
  }

  /* Problems that the text does not mention. */
  get complaints() {
    return this.#results.shown.filter(({ view }) => view.view_type === 'error' && !this.#text.includes(view.text.trim()))
      .map(({ view }) => view.text);
  }

  /* False: frames before this one are missing. */
  apply(frame) {
    if (frame.seq <= this.lastSeq)
      return true;
    if ((frame.seq_first ?? frame.seq) !== this.lastSeq + 1)
      return false;
    this.lastSeq = frame.seq;
    this.#handle(frame);
    return true;
  }

  /* Removes all but the question, before a replay from the first frame. */
  reset() {
    this.lastSeq = 0;
    this.#text = '';
    this.#marks = [];
    this.#folded = false;
    this.#asks.clear();
    this.#steps.clear();
    this.#results.clear();
    this.#plan = undefined;
    this.#planStates.clear();
    for (const part of [this.#parts.components, this.#parts.notices, this.#parts.asks, this.#parts.foot, this.#parts.suggestions])
      part.replaceChildren();
    this.#reports.show([]);
    this.#showFilters([]);
    this.#draw();
  }

  /* Shows a stored answer from the history. */
  restore(message) {
    this.#text = message.content ?? '';
    this.#marks = placedMarks(this.#text, message.checked?.items);
    for (const view of message.views ?? [])
      this.#showView(view);
    this.#results.showOutcomes(message.tools);
    this.#reports.show(message.pbi_deep_links);
    this.#showEnding(message.status);
    this.#showFoot({ ...message, outcomes: message.tools },
      message.receipt_id && (() => this.#actions.receipt(message.receipt_id)));
    this.finish();
  }

  /* Request-level errors have no seq: the turn never began, or is no longer known. */
  fail(error) {
    this.#showError(error);
    this.finish();
  }

  say(progress) {
    this.#parts.progress.textContent = progress;
  }

  finish() {
    this.running = false;
    this.root.classList.remove('running');
    this.#hideRepeated();
    this.#draw();
  }

  showEnding(status) {
    this.#showEnding(status);
    this.finish();
  }

  /* Stops the timers of reports and clarifying questions. */
  dispose() {
    this.closeReports();
    this.closeAsks();
  }

  closeReports() {
    this.#reports.close();
  }

  closeAsks() {
    for (const ask of this.#asks.values())
      ask.close();
  }

  #handle(frame) {
    switch (frame.type) {
    case 'chat.thinking':
      this.say(this.#locale.say('thinking'));
      break;
    case 'chat.status':
      this.#showStatus(frame);
      break;
    case 'chat.plan':
      this.#plan = frame;
      break;
    case 'chat.filters':
      this.#showFilters(frame.filters);
      break;
    case 'chat.token':
      this.#addToken(frame);
      break;
    case 'chat.view':
      this.#showView(frame.view, frame.agent);
      break;
    case 'chat.ask':
      this.#showAsk(frame);
      break;
    case 'chat.complete':
      this.#complete(frame);
      break;
    case 'chat.error':
      this.#fail(frame);
      break;
    default:
      /* Unknown frames are ignored, since later versions may send more types. */
    }
  }

  #showStatus({ item_id: item, phase, state, text, rows, tool: named, task }) {
    if (task)
      this.#planStates.set(task, state);
    const key = item ?? phase;
    const before = this.#steps.get(key);
    const tool = named ?? before?.tool;
    const word = `phase_${phase}`;
    const own = [this.#locale.has(word) ? this.#locale.say(word) : phase, tool && this.#locale.name(tool)];
    const words = this.#locale.ownOr(text, own.filter(Boolean).join(': '));

    this.#steps.set(key, { ...before, words, state, rows, tool });
    this.say(words);
  }

  #showFilters(filters) {
    this.#understood = filters;
    this.#filters.show(filters, this.#kept);
  }

  #viewOf(call) {
    return this.tables.find(({ source }) => source && (source.call === call || source.tool === call));
  }

  /* Suggestions without those that a card of this answer already offers. */
  #furtherSuggestions(suggestions = []) {
    const offered = this.#results.shown.flatMap(({ view }) => (view.view_type === 'error' && view.suggestions) || []);

    return suggestions.filter(({ label, question = label }) => !offered.includes(question));
  }

  #addToken({ token, mark }) {
    const offset = this.#text.length;

    for (const { from, to, ...rest } of mark ? placedMarks(token, [mark]) : [])
      this.#marks.push({ ...rest, from: from + offset, to: to + offset });
    this.#text += token;
    this.#scheduleDraw();
  }

  /* Draws at intervals, since tokens arrive faster than needed and drawing would block the page. */
  #scheduleDraw() {
    if (this.#frame || this.#timer)
      return;
    const waitMs = Math.max(0, this.#drawnAt + DRAW_EVERY_MS - performance.now());

    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#frame = requestAnimationFrame(() => this.#draw());
    }, waitMs);
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = this.#timer = 0;
    this.#drawnAt = performance.now();
    this.#markdown.update(this.#text, this.#marks, this.running);
    this.#marksView.settle();
    this.root.classList.toggle('has-text', this.#text !== '');
    this.#foldTables();
    this.#actions.onText(this);
  }

  /* If the answer text contains a table, the result table is folded. A chart is moved between the
     direct answer and its table. */
  #foldTables() {
    const table = this.#parts.prose.querySelector(':scope > .table-box');

    if (this.#folded || !table)
      return;
    this.#folded = true;
    if (this.#results.charts)
      table.before(this.#results.charts);
    for (const card of this.#parts.results.querySelectorAll('details.data'))
      card.open = false;
  }

  /* Folds the table behind a chart. */
  #foldTable(call) {
    for (const { view, node } of this.#results.shown) {
      if (view.view_type === 'data' && view.source?.call === call)
        node.open = false;
    }
  }

  #showView(view, agent) {
    const node = this.#viewNode(view);

    if (view.view_type === 'component')
      this.#parts.components.append(node);
    else if (node)
      this.#results.show(view, node, agent);
  }

  #storedOf(view_id) {
    return {
      file: (kind) => this.#messageId && this.#actions.file(this.#messageId, view_id, kind),
      save: (how) => this.#actions.saveView({ message_id: this.#messageId, view_id, ...how }),
    };
  }

  #viewNode(view) {
    switch (view.view_type) {
    case 'data':
      return dataTable(view, this.#locale, this.#storedOf(view.view_id));
    case 'chart':
      this.#foldTable(view.source?.call);
      return chartCard(view, this.#locale);
    case 'component':
      return componentCard(view, this.#kit, () => this.#actions.components());
    case 'error':
      return errorViewCard(view, this.#cardPlace);
    case 'selection':
      this.#showAsk(view);
      return null;
    case 'plan':
      return null;
    default:
      /* Hidden until the end, when it is known whether the answer contains this text. */
      return h('p', { class: 'base', hidden: true }, view.text ?? view.alt ?? '');
    }
  }

  /* Hides texts of views that the answer already contains. */
  #hideRepeated() {
    for (const { view, node } of this.#results.shown) {
      const said = !view.text || this.#text.includes(view.text.trim());

      if (view.view_type === 'error')
        node.classList.toggle('said', said);
      else if (view.view_type === 'base')
        node.hidden = said;
    }
  }

  #showAsk(ask) {
    if (this.#asks.has(ask.ask_id))
      return;
    const said = this.#text.includes(ask.prompt);
    const view = new AskView(ask, this.#locale, (values, label) => this.#actions.select(ask, values, label));

    view.root.classList.toggle('said', said);
    this.#asks.set(ask.ask_id, view);
    this.#parts.asks.append(view.root);
  }

  /* Helpers for the module that draws components. */
  get #kit() {
    return { h, locale: this.#locale, dataTable, chartCard };
  }

  get #cardPlace() {
    return { actions: this.#actions, locale: this.#locale, turn: this };
  }

  #showEnding(status, error) {
    const { say } = this.#locale;
    const isSaid = status === 'failed' && this.#results.shown.some(({ view }) => view.view_type === 'error');

    if (isSaid || !this.#locale.has(`end_${status}`))
      return;
    const words = [say(`end_${status}`), this.#locale.ownOr(error?.message, '')];

    this.#parts.notices.append(h('div', { class: 'card notice' },
      h('p', {}, words.filter(Boolean).join(' ')),
      h('button', { type: 'button', class: 'chip', onclick: () => this.#actions.retry(this) },
        icon('retry'), say('ask_again'))));
  }

  #complete(frame) {
    this.#showEnding(frame.status, frame.error);
    this.#results.showOutcomes(frame.outcomes);
    this.#reports.show(frame.pbi_deep_links);
    this.#showFoot(frame);
    this.#parts.suggestions.replaceChildren(
      ...suggestionChips(this.#furtherSuggestions(frame.suggestions), (question) => this.#actions.ask(question)));
    this.finish();
  }

  #fail({ view, ...error }) {
    if (view && view.view_type !== 'error')
      this.#showView(view);
    this.fail({ ...error, suggestions: error.suggestions ?? view?.suggestions });
  }

  #showError(error) {
    this.#parts.notices.replaceChildren(errorCard(error, this.#cardPlace));
  }

  #showFoot(complete, more) {
    this.#messageId = complete.message_id;
    const panel = answeredPanel({ complete, tables: this.tables, steps: [...this.#steps.values()], filters: this.#understood, more },
      this.#locale);
    const copy = this.#text !== '' && copyButton(this.#locale.say('copy_answer'), () => this.#text);
    const feedback = complete.message_id && complete.status !== 'ask' &&
      new Feedback(complete.feedback, (rating) => this.#actions.rate(complete.message_id, rating), this.#locale);
    const acts = h('div', { class: 'acts' }, copy, feedback && feedback.thumbs);

    const plan = this.#plan && planPanel(this.#plan, this.#planStates, this.#kit);

    this.#parts.foot.replaceChildren(...[panel, plan, acts, ...(feedback ? feedback.rest : [])].filter(Boolean));
    if (complete.checked?.sources?.length)
      import('./cites.js').then(({ showCites }) => showCites(this.#parts.prose, this.#parts.foot, complete.checked.sources, this.#locale), () => {});
  }
}
