/*
 * One question and its answer on the page. Frames of the turn are applied in the order of their
 * seq, exactly once each, so a replay after a lost connection can neither lose nor double a word.
 */

import { answeredPanel } from './answered.js';
import { AskView } from './ask.js';
import { chartCard } from './chart.js';
import { h, icon } from './dom.js';
import { Feedback } from './feedback.js';
import { FilterBar } from './filters.js';
import { MarkdownView } from './markdown.js';
import { Marks } from './marks.js';
import { errorCard, isWebUrl, reportCard, suggestionChips } from './parts.js';
import { dataTable } from './table.js';

const PHASES = {
  understanding: 'Understanding the question',
  planning: 'Planning',
  running: 'Reading the data',
  writing: 'Writing the answer',
  checking: 'Checking the numbers',
  recovering: 'Trying another way',
};

const ENDINGS = {
  cancelled: 'Stopped. The answer above may be incomplete.',
  interrupted: 'Interrupted. The answer above may be incomplete.',
  partial: 'The answer broke off and may be incomplete.',
  failed: 'This question could not be answered.',
};

const COPIED_MS = 1500;
const DRAW_EVERY_MS = 60;

export class TurnView {
  #actions;
  #text = '';
  #marks = [];
  #codePoints = 0;
  #views = new Map();
  #asks = new Map();
  #steps = new Map();
  #frame = 0;
  #timer = 0;
  #drawnAt = 0;
  #folded = false;
  #understood = [];
  #filters = new FilterBar((filters) => this.#actions.refilter(this, filters));
  #markdown;
  #marksView;
  #parts;

  id = null;
  lastSeq = 0;
  running = true;
  stopping = false;

  /* actions: {ask(question), edit(question), refilter(turn, filters), select(ask, values, label), retry(turn),
     rate(messageId, feedback), openReport(report), linkHosts(), onText(turn)} */
  constructor(actions, { question, clientId, filters } = {}) {
    this.#actions = actions;
    this.question = question;
    this.clientId = clientId;
    this.filters = filters;
    this.#parts = {
      filters: this.#filters.root,
      progress: h('p', { class: 'progress' }, 'Sending'),
      prose: h('div', { class: 'prose', part: 'answer' }),
      charts: h('div', { class: 'views' }),
      views: h('div', { class: 'views' }),
      notices: h('div', { class: 'notices' }),
      asks: h('div', { class: 'asks' }),
      reports: h('div', { class: 'reports' }),
      foot: h('div', { class: 'foot' }),
      suggestions: h('div', { class: 'suggestions', role: 'group', 'aria-label': 'Ask next' }),
    };
    this.root = h('article', { class: 'turn running' },
      question && h('div', { class: 'question', part: 'question' },
        h('h2', { class: 'sr-only' }, 'You asked'), h('p', {}, question),
        h('button', { type: 'button', class: 'small', 'aria-label': 'Edit this question', title: 'Edit and ask again',
          onclick: () => this.#actions.edit(question) }, icon('edit'))),
      h('div', { class: 'answer' },
        h('h2', { class: 'sr-only' }, 'Answer'),
        h('span', { class: 'avatar' }, icon('star')),
        h('div', { class: 'body' }, Object.values(this.#parts))));
    this.#marksView = new Marks(this.#parts.prose, (call) => this.#toolOf(call));
    this.#parts.foot.before(this.#marksView.tip);
    this.#markdown = new MarkdownView(this.#parts.prose, {
      hosts: () => actions.linkHosts(),
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
    return [...this.#views.values()].map((shown) => shown.view)
      .filter((view) => view.view_type === 'data');
  }

  /* False if frames between the last one and this one are missing. */
  apply(frame) {
    if (frame.seq <= this.lastSeq)
      return true;
    if ((frame.seq_first ?? frame.seq) !== this.lastSeq + 1)
      return false;
    this.lastSeq = frame.seq;
    this.#handle(frame);
    return true;
  }

  /* Back to the question alone, to be replayed from its first frame. */
  reset() {
    this.lastSeq = this.#codePoints = 0;
    this.#text = '';
    this.#marks = [];
    for (const map of [this.#views, this.#asks, this.#steps])
      map.clear();
    for (const part of Object.values(this.#parts)) {
      if (![this.#parts.progress, this.#parts.prose, this.#parts.filters].includes(part))
        part.replaceChildren();
    }
    this.#showFilters([]);
    this.#draw();
  }

  /* A stored answer, from the history. */
  restore(message) {
    this.#text = message.content ?? '';
    for (const view of message.views ?? [])
      this.#showView(view);
    this.#showReports(message.pbi_deep_links);
    this.#showEnding(message.status);
    this.#showFoot({ provider: message.provider, message_id: message.message_id, feedback: message.feedback,
      checked: message.checked });
    this.finish();
  }

  /* Request-level refusals have no seq: the turn never began, or is not known any more. */
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

  closeAsks() {
    for (const ask of this.#asks.values())
      ask.close();
  }

  #handle(frame) {
    switch (frame.type) {
    case 'chat.thinking':
      this.say('Thinking');
      break;
    case 'chat.status':
      this.#showStatus(frame);
      break;
    case 'chat.filters':
      this.#showFilters(frame.filters);
      break;
    case 'chat.token':
      this.#addToken(frame);
      break;
    case 'chat.view':
      this.#showView(frame.view);
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
      /* Later versions may send more; what is not known changes nothing. */
    }
  }

  #showStatus({ item_id: item, phase, state, text, rows }) {
    const words = text ?? PHASES[phase] ?? phase;
    const key = item ?? phase;

    this.#steps.set(key, { ...this.#steps.get(key), words, state, rows });
    this.say(words);
  }

  #showFilters(filters) {
    this.#understood = filters;
    this.#filters.show(filters);
  }

  #toolOf(call) {
    return this.tables.find((view) => view.source?.call === call)?.source.tool;
  }

  /* Marks count code points within their token; the page counts UTF-16 units of the whole text. */
  #addToken({ token, mark }) {
    if (mark) {
      const points = [...token];
      const offset = this.#text.length;
      const from = offset + points.slice(0, mark.start).join('').length;
      const to = offset + points.slice(0, mark.start + mark.len).join('').length;

      this.#marks.push({ ...mark, from, to });
    }
    this.#text += token;
    this.#scheduleDraw();
  }

  /* Words come faster than anyone reads; between two drawings the page is free for other work. */
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

  /* An answer with a table of its own says the same rows; the full result stays a click away. A
     picture comes between the direct answer and its rows. */
  #foldTables() {
    const table = this.#parts.prose.querySelector(':scope > .table-box');

    if (this.#folded || !table)
      return;
    this.#folded = true;
    table.before(this.#parts.charts);
    for (const card of this.#parts.views.querySelectorAll('details'))
      card.open = false;
  }

  /* A chart stands for its rows; they stay a click away. */
  #foldTable(call) {
    for (const { view, node } of this.#views.values()) {
      if (view.view_type === 'data' && view.source?.call === call)
        node.open = false;
    }
  }

  #showView(view) {
    const node = this.#viewNode(view);

    if (!node)
      return;
    this.#views.get(view.view_id)?.node.remove();
    this.#views.set(view.view_id, { view, node });
    this.#placeOf(view).append(node);
  }

  #placeOf({ view_type: type }) {
    return { error: this.#parts.notices, chart: this.#parts.charts }[type] ?? this.#parts.views;
  }

  #viewNode(view) {
    switch (view.view_type) {
    case 'data':
      return dataTable(view);
    case 'chart':
      this.#foldTable(view.source?.call);
      return chartCard(view);
    case 'error':
      this.#parts.notices.replaceChildren();
      return errorCard({ message: view.text, suggestions: view.suggestions }, this.#actions);
    case 'selection':
      this.#showAsk(view);
      return null;
    default:
      /* Plain text waits for the end, when it is known whether the answer says it. */
      return h('p', { class: 'base', hidden: true }, view.text ?? view.alt ?? '');
    }
  }

  /* What a view says may already stand in the answer; it is not said twice. */
  #hideRepeated() {
    for (const { view, node } of this.#views.values()) {
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
    const view = new AskView(ask, (values, label) => this.#actions.select(ask, values, label));

    view.root.classList.toggle('said', said);
    this.#asks.set(ask.ask_id, view);
    this.#parts.asks.append(view.root);
  }

  #showReports(links = []) {
    this.#parts.reports.replaceChildren(
      ...links.filter((link) => isWebUrl(link.url)).map((link) => reportCard(link, this.#actions.openReport)));
  }

  #showEnding(status, error) {
    const words = ENDINGS[status];

    if (words)
      this.#parts.notices.append(h('div', { class: 'card notice' },
        h('p', {}, error?.message ? `${words} ${error.message}` : words),
        h('button', { type: 'button', class: 'chip', onclick: () => this.#actions.retry(this) },
          icon('retry'), 'Ask again')));
  }

  #complete(frame) {
    this.#showEnding(frame.status, frame.error);
    this.#showReports(frame.pbi_deep_links);
    this.#showFoot(frame);
    this.#parts.suggestions.replaceChildren(
      ...suggestionChips(frame.suggestions, (question) => this.#actions.ask(question)));
    this.finish();
  }

  #fail({ view, ...error }) {
    if (view && view.view_type !== 'error')
      this.#showView(view);
    this.fail({ ...error, suggestions: error.suggestions ?? view?.suggestions });
  }

  #showError(error) {
    this.#parts.notices.replaceChildren(errorCard(error, this.#actions, this));
  }

  #showFoot(complete) {
    const panel = answeredPanel({ complete, tables: this.tables, steps: [...this.#steps.values()], filters: this.#understood });
    const copy = navigator.clipboard && this.#text !== '' && h('button', { type: 'button', class: 'small',
      'aria-label': 'Copy the answer', title: 'Copy', onclick: (event) => this.#copy(event.currentTarget) }, icon('copy'));

    const rate = complete.message_id && complete.status !== 'ask' &&
      new Feedback(complete.feedback, (feedback) => this.#actions.rate(complete.message_id, feedback)).root;

    this.#parts.foot.replaceChildren(...[panel, copy, rate].filter(Boolean));
  }

  async #copy(button) {
    await navigator.clipboard.writeText(this.#text);
    button.replaceChildren(icon('check'));
    setTimeout(() => button.replaceChildren(icon('copy')), COPIED_MS);
  }
}
