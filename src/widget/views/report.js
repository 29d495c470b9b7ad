/*
 * A report that an answer links to: a card that links to Power BI, or embeds the report. The token is fetched
 * when the report is opened, renewed before it expires, and dropped when the report is closed.
 */

import { serverNow } from '../clock.js';
import { h, icon, isWebUrl } from '../dom.js';

const RENEW_BEFORE_MS = 2 * 60000;   /* the server issues a new token in the last five minutes */
const RENEW_AGAIN_MS = 15000;
const RENEW_LEAST_MS = 1000;          /* minimum, in case the clocks differ */
const LOAD_LIMIT_MS = 45000;
const WORDS = { 403: 'report_denied', 404: 'report_not_here', 429: 'report_busy' };
const LASTING = new Set([403, 404]);

class ReportFrame {
  #report;
  #actions;
  #locale;
  #onClose;
  #embedded = null;
  #endsAt = 0;
  #timer = 0;
  #limit = 0;
  #attempt = 0;
  #note = h('div', { class: 'report-note' });
  #box = h('div', { class: 'report-box' });
  #onVisible = () => document.visibilityState === 'visible' && this.#renewIfDue();

  constructor(report, { actions, locale, onClose }) {
    const { say } = locale;
    const name = report.report_name;

    Object.assign(this, { root: h('section', { class: 'card report-frame', part: 'report-frame', 'aria-label': name },
      h('header', {},
        h('h3', { class: 'card-title' }, name),
        h('a', { class: 'small', href: report.url, target: '_blank', rel: 'noopener noreferrer',
          'aria-label': say('report_open_there', { name }), title: say('report_in_power_bi') }, icon('open')),
        h('button', { type: 'button', class: 'small', 'aria-label': say('report_close', { name }),
          title: say('report_close_short'), onclick: () => onClose() }, icon('cross'))),
      h('div', { class: 'report-stage' }, this.#box, this.#note)) });
    this.#report = report;
    this.#actions = actions;
    this.#locale = locale;
    this.#onClose = onClose;
    document.addEventListener('visibilitychange', this.#onVisible);
  }

  async open() {
    const attempt = ++this.#attempt;

    this.#show('loading', h('p', { role: 'status' }, this.#locale.say('report_loading')));
    try {
      const [{ embed, filtersOf }, grant] = await Promise.all([import('./reports.js'),
        this.#actions.embedReport(this.#report.report_key)]);

      if (attempt !== this.#attempt)
        return;
      this.#limit = setTimeout(() => this.#fail(), LOAD_LIMIT_MS);
      this.#keepUntil(grant.expires_at);
      this.#embedded = embed(this.#box, { id: grant.report_id, url: grant.embed_url, token: grant.token,
        filters: filtersOf(this.#report.url), title: this.#report.report_name, language: this.#locale.tag },
      { onLoaded: () => this.#onLoaded(), onError: () => this.#onError() });
    } catch (error) {
      if (attempt === this.#attempt)
        this.#fail(error.status);
    }
  }

  close() {
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#drop();
    this.root.remove();
  }

  focus() {
    this.root.querySelector('button').focus();
  }

  #show(state, ...note) {
    this.root.dataset.state = state;
    this.#note.replaceChildren(...note.filter(Boolean));
  }

  #onLoaded() {
    clearTimeout(this.#limit);
    this.#show('shown');
  }

  /* A loaded report shows its own errors. */
  #onError() {
    if (this.root.dataset.state === 'loading')
      this.#fail();
  }

  #drop() {
    this.#attempt++;
    clearTimeout(this.#timer);
    clearTimeout(this.#limit);
    this.#embedded?.close();
    this.#embedded = null;
  }

  #fail(status) {
    const { say } = this.#locale;

    this.#drop();
    this.#show('failed', icon('alert'), h('p', { role: 'alert' }, say(WORDS[status] ?? 'report_failed')),
      !LASTING.has(status) && h('button', { type: 'button', class: 'chip', onclick: () => this.open() },
        icon('retry'), say('try_again')));
  }

  #keepUntil(time) {
    this.#endsAt = Date.parse(time);
    this.#renewIn(Math.max(RENEW_LEAST_MS, this.#endsAt - RENEW_BEFORE_MS - serverNow()));
  }

  #renewIn(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), ms);
  }

  /* After sleep, timers fire late. */
  #renewIfDue() {
    if (this.#embedded && serverNow() > this.#endsAt - RENEW_BEFORE_MS)
      this.#renew();
  }

  async #renew() {
    const embedded = this.#embedded;

    clearTimeout(this.#timer);
    try {
      const { token, expires_at: endsAt } = await this.#actions.embedReport(this.#report.report_key);

      if (embedded !== this.#embedded)
        return;
      await embedded.setToken(token);
      this.#keepUntil(endsAt);
    } catch {
      if (embedded !== this.#embedded || !embedded)
        return;
      if (serverNow() < this.#endsAt)
        this.#renewIn(RENEW_AGAIN_MS);
      else
        this.#end();
    }
  }

  #end() {
    const { say } = this.#locale;

    this.#drop();
    this.#show('failed', icon('alert'), h('p', { role: 'alert' }, say('report_ended')),
      h('button', { type: 'button', class: 'chip', onclick: () => this.open() }, icon('retry'), say('try_again')));
  }
}

export class ReportCards {
  #actions;
  #locale;
  #open = new Map();

  /* actions: {openReport(report): false if the page shows it itself, embedReport(key): promise of the embed data} */
  constructor(actions, locale) {
    this.#actions = actions;
    this.#locale = locale;
    this.root = h('div', { class: 'reports' });
  }

  show(links = []) {
    this.close();
    this.root.replaceChildren(...links.filter((link) => isWebUrl(link.url)).map((link) => this.#card(link)));
  }

  close() {
    for (const report of [...this.#open.keys()])
      this.#shut(report);
  }

  #card(report) {
    const { say } = this.#locale;
    const name = report.report_name;
    const button = h('button', { type: 'button', class: 'chip', 'aria-expanded': 'false',
      'aria-label': `${say('report_open_here')}: ${name}`, onclick: () => this.#toggle(report, button) },
    say('report_open_here'));

    return h('div', { class: 'card report', part: 'report' },
      icon('report'),
      h('div', {}, h('span', { class: 'card-title' }, name), h('span', { class: 'hint' }, say('report'))),
      button,
      h('a', { class: 'small', href: report.url, target: '_blank', rel: 'noopener noreferrer',
        'aria-label': say('report_open_there', { name }), title: say('report_in_power_bi'),
        onclick: (event) => this.#actions.openReport(report) || event.preventDefault() }, icon('open')));
  }

  #shut(report) {
    const { frame, button } = this.#open.get(report);

    frame.close();
    this.#open.delete(report);
    button.setAttribute('aria-expanded', 'false');
  }

  #toggle(report, button) {
    const shut = () => {
      this.#shut(report);
      button.focus();
    };

    if (this.#open.has(report)) {
      shut();
      return;
    }
    if (!this.#actions.openReport(report))
      return;
    const frame = new ReportFrame(report, { actions: this.#actions, locale: this.#locale, onClose: shut });

    this.#open.set(report, { frame, button });
    button.setAttribute('aria-expanded', 'true');
    this.root.append(frame.root);
    frame.open();
    frame.focus();
  }
}
