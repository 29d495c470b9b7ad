/*
 * <vesper-chat>: a conversation with Vesper in one element. It is given a way to get a token and
 * does the rest: connects, asks, shows answers as they come, and takes up a conversation again
 * after a reload or a lost connection.
 *
 * Properties  endpoint, getToken({fresh}), starters[], placeholder, linkHosts[], theme, locale; sessionId (read only)
 * Attributes  endpoint, placeholder, theme (light, dark), locale (en, de, es-MX, …), sessions (the list of conversations)
 * Methods     open(sessionId or null), ask(question, filters?), focusInput(), toggleSessions(), close()
 * Events      vesper:ready {user}, vesper:session {sessionId}, vesper:message {question},
 *             vesper:error {code, message}, vesper:open-report {reportKey, url}
 *
 * Once it is in the page and has getToken it opens a new conversation by itself, unless open() was called.
 */

import { Announcer } from './announce.js';
import { Api } from './api.js';
import { learnTime, timeOfId } from './clock.js';
import { Composer } from './composer.js';
import { Connection } from './connection.js';
import { h, icon, newId } from './dom.js';
import { Follower } from './follow.js';
import { Locale, loadLocale } from './locale.js';
import { SessionList } from './sessions.js';
import { styles } from './styles.js';
import { TurnView } from './turn.js';

const BANNER_DELAY_MS = 500;
const SIDE_BY_SIDE_PX = 900;
const TOKEN_LIMIT_MS = 15000;
const CLOSE_UNKNOWN_SESSION = 4404;
const REFUSED_HISTORY = { 401: 4401, 403: 4403, 404: CLOSE_UNKNOWN_SESSION };

/* Words of locale.js. */
const SPOKEN_ENDINGS = { cancelled: 'stopped', partial: 'broke_off' };
const REFUSALS = { 4400: 'outdated', 4401: 'sign_in', 4403: 'not_permitted', 4404: 'no_conversation', 4409: 'elsewhere' };

const HERE = new URL(import.meta.url).origin;
const PROPERTIES = ['endpoint', 'getToken', 'linkHosts', 'starters', 'placeholder', 'theme', 'locale'];

export class VesperChat extends HTMLElement {
  static observedAttributes = ['endpoint', 'placeholder', 'locale', 'sessions'];

  #endpoint = HERE;
  #getToken = null;
  #linkHosts = [new URL(HERE).host, location.host, 'app.powerbi.com'];
  #opened = false;
  #placeholder = null;
  #localeTag = 'en';
  #locale = new Locale();
  #nextLocale = null;       /* waits for the end of the answer */

  #connection = new Connection({
    url: () => this.#socketUrl(),
    getToken: (how) => this.#token(how),
    onFrame: (frame) => this.#onFrame(frame),
    onState: (state, detail) => this.#onState(state, detail),
    onTooBig: () => this.#onTooBig(),
  });
  #starters = [];
  #sessionId = null;
  #isStored = false;        /* the server knows the session by more than its id */
  #needsHistory = false;
  #turns = [];
  #active = null;
  #selection = null;        /* an answered ask that the server has not acknowledged */
  #resuming = false;        /* asked for a turn's frames, none came yet */
  #refused = 0;
  #maxBytes = Infinity;     /* of a question */
  #lost = new Set();        /* turns whose frames the server does not have any more */
  #bannerTimer = 0;
  #api = new Api(() => this.#endpoint, (how) => this.#token(how));
  #parts;
  #sessions;
  #announcer;
  #follower;
  #composer;

  constructor() {
    super();
    /* What a page has set before this module was there. */
    const early = PROPERTIES.filter((name) => Object.hasOwn(this, name) && this[name] !== undefined)
      .map((name) => [name, this[name]]);
    const root = this.attachShadow({ mode: 'open' });

    root.adoptedStyleSheets = [styles];
    this.#build();
    root.addEventListener('keydown', (event) => event.key === 'Escape' && !event.isComposing && this.#stop());
    for (const [name, value] of early) {
      delete this[name];
      this[name] = value;
    }
  }

  connectedCallback() {
    this.#openSoon();
    if (this.#opened)
      this.#connection.resume();
  }

  attributeChangedCallback(name, before, value) {
    if (name === 'sessions')
      this.#parts.list.hidden = value === null;
    else
      this[name] = value;
  }

  get endpoint() {
    return this.#endpoint;
  }

  set endpoint(address) {
    this.#endpoint = new URL(address ?? HERE, location.href).origin;
  }

  get getToken() {
    return this.#getToken;
  }

  set getToken(getToken) {
    this.#getToken = getToken;
    this.#openSoon();
  }

  get linkHosts() {
    return this.#linkHosts;
  }

  set linkHosts(hosts) {
    this.#linkHosts = hosts;
  }

  get placeholder() {
    return this.#composer.placeholder;
  }

  set placeholder(text) {
    this.#placeholder = text ?? null;
    this.#composer.placeholder = text ?? this.#locale.say('ask_a_question');
  }

  get locale() {
    return this.#localeTag;
  }

  set locale(tag) {
    this.#localeTag = tag || 'en';
    this.#speak(this.#localeTag);
  }

  /* Without its words the page goes on in the language it has. */
  async #speak(tag) {
    const locale = await loadLocale(tag).catch(() => null);

    if (!locale || tag !== this.#localeTag || tag === this.#locale.tag)
      return;
    this.#nextLocale = locale;
    if (!this.#active)
      this.#changeLocale();
  }

  /* The page is built anew, and the conversation read again into it. */
  #changeLocale() {
    const { text } = this.#composer;
    const isListed = this.#sessions.isOpen;

    this.#locale = this.#nextLocale;
    this.#nextLocale = null;
    this.#needsHistory = this.#isStored;
    this.#clear();
    this.#build();
    this.#composer.text = text;
    this.toggleSessions(isListed);
    this.#parts.welcome.hidden = this.#needsHistory;
    if (this.#refused)
      this.#showRefusal(this.#refused);
    else if (this.#needsHistory && this.#connection.isReady)
      this.#showHistory();
  }

  get theme() {
    return this.getAttribute('theme');
  }

  set theme(theme) {
    this.toggleAttribute('theme', false);
    if (theme)
      this.setAttribute('theme', theme);
  }

  /* The page's own way to a token may throw, hang, or bring a line's end with it. */
  async #token(how) {
    const late = new Promise((_, reject) => setTimeout(reject, TOKEN_LIMIT_MS, new Error('no token in time')));
    const token = await Promise.race([this.#getToken(how), late]);

    if (typeof token !== 'string' || !/^[\w.~+-]+$/.test(token.trim()))
      throw Object.assign(new Error('no token'), { status: 401 });
    return token.trim();
  }

  #openSoon() {
    queueMicrotask(() => this.isConnected && this.#getToken && !this.#opened && this.open(null));
  }

  /* An element that is only moved is back at once, and its answer goes on; frames in it are gone. */
  disconnectedCallback() {
    for (const turn of this.#turns)
      turn.closeReports();
    queueMicrotask(() => this.isConnected || this.#connection.pause());
  }

  get sessionId() {
    return this.#sessionId;
  }

  get starters() {
    return this.#starters;
  }

  set starters(questions) {
    this.#starters = questions;
    this.#drawStarters();
  }

  #drawStarters() {
    this.#parts.starters.replaceChildren(...this.#starters.map((question) =>
      h('button', { type: 'button', class: 'starter', onclick: () => this.#actions.ask(question) },
        h('span', {}, question), icon('chevron'))));
  }

  /* Shows a stored conversation, or begins a new one. A running answer is left behind. */
  open(sessionId = null) {
    this.#opened = true;
    this.#connection.stop();
    this.#sessionId = sessionId;
    this.#isStored = this.#needsHistory = sessionId !== null;
    this.#lost.clear();
    this.#refused = 0;
    this.#clear();
    this.#parts.welcome.hidden = sessionId !== null;
    this.#sessions.mark(sessionId);
    this.#connection.start();
  }

  toggleSessions(open) {
    this.#sessions.toggle(open);
    this.#parts.list.setAttribute('aria-expanded', String(this.#sessions.isOpen));
    this.#parts.scrim.hidden = !this.#sessions.isOpen;
    if (this.#sessions.isOpen && this.clientWidth < SIDE_BY_SIDE_PX)
      this.#sessions.focus();
  }

  #closeSessions() {
    this.toggleSessions(false);
    this.#parts.list.focus();
  }

  #openFromList(sessionId) {
    this.open(sessionId);
    this.#emit('vesper:session', { sessionId });
    if (this.clientWidth < SIDE_BY_SIDE_PX)
      this.toggleSessions(false);
    this.#afterChip();
  }

  close() {
    this.#connection.stop();
  }

  focusInput() {
    this.#composer.focus();
  }

  /* filters: {name: value or null}, to be taken as they are instead of being read from the question. */
  ask(question, filters) {
    const content = question.trim();

    if (content === '' || this.#active || this.#refused || this.#needsHistory)
      return false;
    this.#begin(new TurnView(this.#actions, this.#locale, { question: content, clientId: newId(), filters }));
    this.#sendQuestion();
    this.#emit('vesper:message', { question: content });
    return true;
  }

  /* --- the page ----------------------------------------------------------------------- */

  #build() {
    const { say, language } = this.#locale;
    const parts = {
      banner: h('div', { class: 'banner', role: 'status', hidden: true }),
      welcome: h('div', { class: 'welcome' },
        h('span', { class: 'avatar large' }, icon('star')),
        h('h2', {}, say('welcome')),
        h('p', {}, say('welcome_more'))),
      starters: h('div', { class: 'starters' }),
      turns: h('div', { class: 'turns' }),
      refusal: h('div', { class: 'refusal', hidden: true }),
      list: h('button', { type: 'button', class: 'list small', 'aria-label': say('conversations'),
        title: say('conversations'), 'aria-expanded': 'false', hidden: !this.hasAttribute('sessions'), onclick: () => this.toggleSessions() }, icon('list')),
      scrim: h('div', { class: 'scrim', hidden: true, onclick: () => this.#closeSessions() }),
      jump: h('button', {
        type: 'button',
        class: 'jump',
        hidden: true,
        'aria-label': say('to_the_end'),
        title: say('to_the_end'),
        onclick: () => this.#follower.toEnd(),
      }, icon('down')),
      live: h('div', {
        class: 'sr-only',
        role: 'status',
        'aria-live': 'polite',
        'aria-atomic': 'false',
      }),
    };

    this.#parts = parts;
    this.#sessions = new SessionList(this.#api, this.#locale, { open: (id) => this.#openFromList(id),
      close: () => this.#closeSessions() });
    this.#sessions.mark(this.#sessionId);
    this.#composer = new Composer({ onSend: (text) => this.ask(text), onStop: () => this.#stop(), locale: this.#locale });
    this.#composer.placeholder = this.#placeholder ?? say('ask_a_question');
    parts.welcome.append(parts.starters);
    parts.column = h('div', { class: 'column' }, parts.welcome, parts.turns, parts.refusal);
    parts.scroll = h('div', { class: 'scroll', role: 'log', 'aria-live': 'off',
      'aria-label': say('conversation'), tabindex: '0', part: 'transcript' }, parts.column);
    parts.chat = h('div', { class: 'frame', lang: language }, parts.scrim, this.#sessions.root,
      h('div', { class: 'chat' }, parts.banner,
        h('div', { class: 'middle' }, parts.list, parts.scroll, parts.jump),
        this.#composer.root,
        parts.live));
    this.shadowRoot.replaceChildren(parts.chat);
    this.#announcer = new Announcer(parts.live, this.#locale);
    this.#follower = new Follower(parts.scroll, parts.column, (atEnd) => { parts.jump.hidden = atEnd; });
    this.#drawStarters();
    this.#drawComposer();
  }

  #clear() {
    for (const turn of this.#turns)
      turn.dispose();
    this.#turns = [];
    this.#active = this.#selection = null;
    this.#parts.turns.replaceChildren();
    this.#parts.refusal.hidden = true;
    this.#parts.welcome.hidden = false;
    this.#parts.scroll.setAttribute('aria-busy', 'false');
    this.#announcer.clear();
    this.#follower.release();
    this.#drawComposer();
  }

  #drawComposer() {
    this.#composer.update({
      running: this.#active !== null,
      stopping: this.#active?.stopping ?? false,
      blocked: this.#refused !== 0,
      waiting: this.#needsHistory,
      maxBytes: this.#maxBytes,
    });
  }

  /* A chip that was pressed may be gone by now; the keyboard goes on where one types. */
  #afterChip() {
    if (matchMedia('(pointer: fine)').matches)
      this.focusInput();
  }

  #showRefusal(code) {
    const { say } = this.#locale;
    const key = REFUSALS[code] ?? REFUSALS[4403];
    const title = say(key);
    const action = code === CLOSE_UNKNOWN_SESSION
      ? [say('start_anew'), () => this.#startAnew()]
      : [say('try_again'), () => this.#retryRefused()];

    this.#refused = code;
    this.#parts.welcome.hidden = true;
    this.#parts.refusal.replaceChildren(h('div', { class: 'card refused', role: 'alert' },
      icon('alert'),
      h('div', {},
        h('p', { class: 'card-title' }, title), h('p', {}, say(`${key}_more`)),
        h('button', { type: 'button', class: 'primary', onclick: action[1] }, action[0]))));
    this.#parts.refusal.hidden = false;
    this.#drawComposer();
    this.#emit('vesper:error', { code, message: title });
  }

  #retryRefused() {
    this.#refused = 0;
    this.#parts.refusal.hidden = true;
    this.#parts.welcome.hidden = this.#turns.length > 0 || this.#needsHistory;
    this.#drawComposer();
    this.#connection.retryNow();
  }

  #startAnew() {
    this.open(null);
    this.#emit('vesper:session', { sessionId: null });
    this.#afterChip();
  }

  /* --- the connection ----------------------------------------------------------------- */

  #socketUrl() {
    const url = new URL('/ws/v1/chat', this.endpoint);

    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.#isStored)
      url.searchParams.set('session_id', this.#sessionId);
    return url.href;
  }

  #onState(state, { code }) {
    const { banner } = this.#parts;

    this.dataset.state = state;
    if (state === 'waiting') {
      this.#bannerTimer ||= setTimeout(() => this.#showBanner(), BANNER_DELAY_MS);
    } else if (state !== 'connecting') {
      clearTimeout(this.#bannerTimer);
      this.#bannerTimer = 0;
      banner.hidden = true;
    }
    if (state === 'refused')
      this.#onRefused(code);
  }

  #showBanner() {
    const { say } = this.#locale;

    this.#parts.banner.replaceChildren(h('span', {}, say(navigator.onLine ? 'connection_lost' : 'offline')),
      h('button', { type: 'button', onclick: () => this.#connection.retryNow() }, say('try_now')));
    this.#parts.banner.hidden = false;
  }

  #onRefused(code) {
    /* Nothing was stored yet under this id, so a new one serves as well. */
    if (code === CLOSE_UNKNOWN_SESSION && this.#isStored && this.#turns.every((turn) => !turn.id) &&
        !this.#needsHistory) {
      this.#isStored = false;
      this.#connection.retryNow();
      return;
    }
    this.#showRefusal(code);
  }

  /* Sent again it would be refused again. */
  #onTooBig() {
    if (!this.#active || this.#active.acknowledged)
      return;
    this.#active.fail({ code: 'too_long', message: this.#locale.say('hint_too_long') });
    this.#endActive();
  }

  #onFrame(frame) {
    const isKnown = frame.seq !== undefined &&
      this.#turns.some((turn) => turn.id === frame.turn_id);

    if (frame.type === 'session.ready')
      this.#onReady(frame);
    else if (frame.type === 'chat.error' && !isKnown)
      this.#onRequestError(frame);
    else if (frame.turn_id !== undefined)
      this.#onTurnFrame(frame);
  }

  async #onReady(frame) {
    this.#sessionId = frame.session_id;
    this.#maxBytes = frame.max_message_bytes ?? Infinity;
    this.#drawComposer();
    this.#emit('vesper:ready', { user: frame.user });
    if (this.#selection && !this.#active?.acknowledged)
      this.#needsHistory = true;
    if (this.#needsHistory)
      await this.#showHistory();
    else if (this.#active?.acknowledged)
      this.#resume();
    else if (this.#active)
      this.#sendQuestion();
  }

  async #showHistory() {
    const sessionId = this.#sessionId;
    let messages;

    try {
      messages = await this.#api.messages(sessionId);
    } catch (error) {
      if (sessionId !== this.#sessionId)
        return;
      if (REFUSED_HISTORY[error.status])
        this.#showRefusal(REFUSED_HISTORY[error.status]);
      else
        this.#connection.cycle();
      return;
    }
    if (sessionId !== this.#sessionId || !this.#connection.isReady)
      return;
    this.#needsHistory = false;
    this.#clear();
    this.#isStored = messages.length > 0;
    this.#restore(messages);
  }

  #restore(messages) {
    this.#parts.welcome.hidden = messages.length > 0;
    for (const message of messages) {
      const last = this.#turns.at(-1);

      if (message.role === 'user') {
        this.#addTurn(new TurnView(this.#actions, this.#locale, { question: message.content }));
        this.#turns.at(-1).id = message.turn_id;
      } else {
        const turn = last?.running ? last : this.#addTurn(new TurnView(this.#actions, this.#locale));

        turn.restore(message);
      }
    }
    const latest = this.#turns.at(-1);

    for (const turn of this.#turns) {
      if (turn !== latest)
        turn.closeAsks();
      if (turn.running && (turn !== latest || this.#lost.has(turn.id)))
        turn.showEnding('interrupted');
    }
    if (latest?.running) {
      this.#setActive(latest);
      this.#resume();
    }
    if (latest)
      this.#follower.from(latest.root);
  }

  /* --- turns -------------------------------------------------------------------------- */

  #actions = {
    ask: (question) => {
      this.ask(question);
      this.#afterChip();
    },
    select: (ask, values, label) => {
      this.#select(ask, values, label);
      this.#afterChip();
    },
    edit: (question) => this.#composer.fill(question),
    refilter: (turn, filters) => this.#refilter(turn, filters),
    retry: (turn) => this.#retry(turn),
    rate: (messageId, feedback) => this.#api.rate(messageId, feedback),
    openReport: (report) => this.#openReport(report),
    wholeCsv: (messageId, viewId) => this.#api.csv(messageId, viewId),
    receipt: (receiptId) => this.#api.receipt(receiptId),
    embedReport: (key) => this.#api.embedReport(key),
    linkHosts: () => this.linkHosts,
    onText: (turn) => turn === this.#active && turn.running && this.#announcer.grow(turn.text),
  };

  #addTurn(turn) {
    this.#turns.push(turn);
    this.#parts.turns.append(turn.root);
    this.#parts.welcome.hidden = true;
    return turn;
  }

  #setActive(turn) {
    this.#active = turn;
    this.#parts.scroll.setAttribute('aria-busy', String(turn !== null));
    this.#drawComposer();
  }

  #begin(turn) {
    for (const earlier of this.#turns)
      earlier.closeAsks();
    this.#addTurn(turn);
    this.#announcer.begin();
    this.#setActive(turn);
    this.#follower.from(turn.root);
  }

  #sendQuestion() {
    const { question, clientId, filters } = this.#active;

    if (this.#connection.send({ type: 'chat.message', content: question, client_msg_id: clientId, filters }))
      this.#isStored = true;
  }

  /* The same question, with exactly these filters. */
  #refilter(turn, filters) {
    const question = this.#questionOf(turn);

    if (question)
      this.ask(question, filters);
  }

  #questionOf(turn) {
    return turn.question ?? this.#turns.slice(0, this.#turns.indexOf(turn)).findLast((other) => other.question)?.question;
  }

  #select(ask, values, label) {
    if (this.#active)
      return;
    this.#selection = { type: 'chat.select', ask_id: ask.ask_id, values };
    this.#begin(new TurnView(this.#actions, this.#locale, { question: label }));
    this.#connection.send(this.#selection);
  }

  #retry(turn) {
    if (this.#active)
      return;
    if (!turn.acknowledged) {
      turn.dispose();
      turn.root.remove();
      this.#turns = this.#turns.filter((other) => other !== turn);
    }
    const question = this.#questionOf(turn) ?? turn.question;

    if (question)
      this.ask(question, turn.filters);
    this.#afterChip();
  }

  #resume() {
    const { id, lastSeq, stopping } = this.#active;

    this.#resuming = true;
    this.#connection.send({ type: 'resume', turn_id: id, last_seq: lastSeq });
    if (stopping)
      this.#connection.send({ type: 'chat.cancel', turn_id: id });
  }

  #stop() {
    const turn = this.#active;

    if (!turn || turn.stopping)
      return;
    if (!turn.acknowledged && !this.#connection.isReady) {
      turn.showEnding('cancelled');
      this.#endActive();
      return;
    }
    turn.stopping = true;
    turn.say(this.#locale.say('stopping'));
    this.#connection.send({ type: 'chat.cancel', turn_id: turn.id ?? undefined });
    this.#drawComposer();
  }

  #endActive() {
    this.#setActive(null);
    this.#selection = null;
    this.#sessions.mark(this.#sessionId);
    this.#sessions.refresh();
    if (this.#nextLocale)
      this.#changeLocale();
  }

  #onTurnFrame(frame) {
    const turn = this.#turnOf(frame);

    this.#resuming = false;
    if (!turn?.running)
      return;
    if (!turn.apply(frame)) {
      /* Something is missing: the whole turn is replayed on a new connection. */
      turn.reset();
      this.#connection.cycle();
      return;
    }
    if (turn.running || turn !== this.#active)
      return;
    this.#announcer.end(turn.text, turn.tables, [...turn.complaints,
      frame.type === 'chat.error' ? this.#locale.instead(frame.code, frame.message) : this.#spokenEnding(frame.status)].filter(Boolean).join(' '));
    this.#endActive();
  }

  #spokenEnding(status) {
    const key = SPOKEN_ENDINGS[status];

    return key && this.#locale.say(key);
  }

  #turnOf(frame) {
    const known = this.#turns.find((turn) => turn.id === frame.turn_id);

    if (known || frame.type !== 'chat.thinking')
      return known;
    const ours = this.#active && !this.#active.acknowledged &&
      (frame.client_msg_id ?? this.#active.clientId) === this.#active.clientId;

    if (this.#active && !ours)
      return undefined;
    const turn = this.#active ?? this.#addTurn(new TurnView(this.#actions, this.#locale));

    turn.id = frame.turn_id;
    if (ours)
      learnTime(timeOfId(turn.id));
    this.#selection = null;
    this.#setActive(turn);
    if (turn.stopping)
      this.#connection.send({ type: 'chat.cancel', turn_id: turn.id });
    this.#isStored = true;
    this.#emit('vesper:session', { sessionId: this.#sessionId });
    return turn;
  }

  /* Refused before a turn of ours began, or a turn to resume is gone. */
  #onRequestError(frame) {
    const turn = this.#active;

    this.#emit('vesper:error', { code: frame.code, message: frame.message });
    if (!turn)
      return;
    if (!turn.acknowledged && frame.details?.turn_id) {
      /* Asked before, on a line that was lost: its frames or its stored answer are there. */
      turn.id = frame.details.turn_id;
      this.#resume();
    } else if (!turn.acknowledged) {
      turn.fail(frame);
      this.#announcer.say(this.#locale.instead(frame.code, frame.message));
      this.#endActive();
    } else if (this.#resuming && frame.code === 'not_found') {
      this.#lost.add(turn.id);
      this.#showHistory();
    }
  }

  /* False: the page has taken it over. */
  #openReport({ report_key: reportKey, url }) {
    return this.#emit('vesper:open-report', { reportKey, url }, true);
  }

  #emit(name, detail, cancelable = false) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
  }
}

customElements.define('vesper-chat', VesperChat);
