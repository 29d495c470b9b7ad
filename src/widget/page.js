/*
 * The elements around the turns: the welcome screen, the list of conversations, the composer, the banner for a
 * lost connection, and refusals. It is rebuilt when the language changes.
 */

import { Announcer } from './announce.js';
import { Composer } from './composer.js';
import { h, icon } from './dom.js';
import { Follower } from './follow.js';
import { SessionList } from './sessions.js';

const SIDE_BY_SIDE_PX = 900;
const REFUSALS = { 4400: 'outdated', 4401: 'sign_in', 4403: 'not_permitted', 4404: 'no_conversation', 4409: 'elsewhere' };

export class Page {
  #actions;
  #locale;
  #parts;

  /* actions: {ask(question): true if it was accepted, stop(), open(sessionId or null), showData(), showHelp(),
     showAdmin()} */
  constructor(locale, api, actions) {
    const { say, language } = locale;
    const closeList = () => this.#closeList();

    this.#actions = actions;
    this.#locale = locale;
    this.#parts = {
      banner: h('div', { class: 'banner', role: 'status', hidden: true }),
      starters: h('div', { class: 'starters' }),
      saved: h('div'),
      turns: h('div', { class: 'turns' }),
      refusal: h('div', { class: 'refusal', hidden: true }),
      list: this.#tool('conversations', 'list', () => this.toggleList(), { 'aria-expanded': 'false' }),
      admin: this.#tool('administration', 'admin', actions.showAdmin, { hidden: true }),
      scrim: h('div', { class: 'scrim', hidden: true, onclick: closeList }),
      jump: h('button', { type: 'button', class: 'jump', hidden: true, 'aria-label': say('to_the_end'), title: say('to_the_end'),
        onclick: () => this.follower.toEnd() }, icon('down')),
      live: h('div', { class: 'sr-only', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'false' }),
    };
    const { admin, banner, saved, starters, turns, refusal, list, scrim, jump, live } = this.#parts;

    this.#parts.welcome = h('div', { class: 'welcome' },
      h('span', { class: 'avatar large' }, icon('star')),
      h('h2', {}, say('welcome')),
      h('p', {}, say('welcome_more')), starters, saved);
    const column = h('div', { class: 'column' }, this.#parts.welcome, turns, refusal);
    const scroll = h('div', { class: 'scroll', role: 'log', 'aria-live': 'off', 'aria-label': say('conversation'),
      tabindex: '0', part: 'transcript' }, column);

    this.#parts.scroll = scroll;
    this.sessions = new SessionList(api, locale, { open: (id) => this.#choose(id), close: closeList });
    this.composer = new Composer({ onSend: actions.ask, onStop: actions.stop, onData: actions.showData, locale });
    this.announcer = new Announcer(live, locale);
    this.follower = new Follower(scroll, column, (atEnd) => { jump.hidden = atEnd; });
    this.root = h('div', { class: 'frame', lang: language }, scrim, this.sessions.root,
      h('div', { class: 'chat' }, banner, h('div', { class: 'middle' },
        h('div', { class: 'tools' }, list, h('span', {}, this.#tool('what_can_i_ask', 'help', actions.showHelp), admin)), scroll, jump), this.composer.root, live));
  }

  /* --- the list of conversations ------------------------------------------------------ */

  #tool(word, symbol, onclick, more) {
    const label = this.#locale.say(word);

    return h('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick, ...more }, icon(symbol));
  }

  set mayAdminister(may) {
    this.#parts.admin.hidden = !may;
  }

  set hasList(hasList) {
    this.#parts.list.hidden = !hasList;
  }

  get #isNarrow() {
    return this.root.clientWidth < SIDE_BY_SIDE_PX;
  }

  toggleList(open) {
    const { sessions } = this;

    sessions.toggle(open);
    this.#parts.list.setAttribute('aria-expanded', String(sessions.isOpen));
    this.#parts.scrim.hidden = !sessions.isOpen;
    if (sessions.isOpen && this.#isNarrow)
      sessions.focus();
  }

  #closeList() {
    this.toggleList(false);
    this.#parts.list.focus();
  }

  #choose(sessionId) {
    this.#actions.open(sessionId);
    if (this.#isNarrow)
      this.toggleList(false);
    this.typeOn();
  }

  /* --- the conversation --------------------------------------------------------------- */

  /* Shows starter questions: those of the host page, then the server's for this user. */
  offer(questions, flows) {
    const ask = (question) => {
      this.#actions.ask(question);
      this.typeOn();
    };

    this.#parts.starters.replaceChildren(...[...new Set([...questions, ...flows])].map((question) =>
      h('button', { type: 'button', class: 'starter', onclick: () => ask(question) }, h('span', {}, question), icon('chevron'))));
  }

  /* The container of saved and shared results. */
  get saved() {
    return this.#parts.saved;
  }

  set isWelcoming(isWelcoming) {
    this.#parts.welcome.hidden = !isWelcoming;
  }

  set isBusy(isBusy) {
    this.#parts.scroll.setAttribute('aria-busy', String(isBusy));
  }

  add(node) {
    this.#parts.turns.append(node);
    this.isWelcoming = false;
  }

  clear() {
    this.#parts.turns.replaceChildren();
    this.isBusy = false;
    this.isWelcoming = true;
    this.hideRefusal();
    this.announcer.clear();
    this.follower.release();
  }

  /* Moves the focus to the composer, since the pressed button may have been removed. */
  typeOn() {
    if (matchMedia('(pointer: fine)').matches)
      this.composer.focus();
  }

  /* --- banner and refusals -------------------------------------------------------------- */

  showBanner(onTry) {
    const { say } = this.#locale;

    this.#parts.banner.replaceChildren(h('span', {}, say(navigator.onLine ? 'connection_lost' : 'offline')),
      h('button', { type: 'button', onclick: onTry }, say('try_now')));
    this.#parts.banner.hidden = false;
  }

  hideBanner() {
    this.#parts.banner.hidden = true;
  }

  /* code: the close code; then the label and the handler of the button. Returns the title. */
  showRefusal(code, [word, onclick]) {
    const { say } = this.#locale;
    const key = REFUSALS[code] ?? REFUSALS[4403];
    const title = say(key);

    this.isWelcoming = false;
    this.#parts.refusal.replaceChildren(h('div', { class: 'card refused', role: 'alert' },
      icon('alert'),
      h('div', {},
        h('p', { class: 'card-title' }, title), h('p', {}, say(`${key}_more`)),
        h('button', { type: 'button', class: 'primary', onclick }, say(word)))));
    this.#parts.refusal.hidden = false;
    return title;
  }

  hideRefusal() {
    this.#parts.refusal.hidden = true;
  }
}
