/*
 * A conversation with the server: its connection, its turns, and what the server has stored. It asks questions,
 * resumes answers after a lost connection, and loads the history if an answer cannot be resumed.
 */

import { learnTime, timeOfId } from './clock.js';
import { Connection } from './connection.js';
import { newId } from './dom.js';
import { TurnView } from './views/turn.js';
import { Turns } from './views/turns.js';

const BANNER_DELAY_MS = 500;
const CLOSE_UNAUTHORIZED = 4401;
const CLOSE_UNKNOWN_SESSION = 4404;
const REFUSED_HISTORY = { 401: 4401, 403: 4403, 404: CLOSE_UNKNOWN_SESSION };
const SPOKEN_ENDINGS = { cancelled: 'stopped', partial: 'broke_off' };

export class Conversation {
  #host;
  #api;
  #page;
  #locale;
  #connection;
  #sessionId = null;
  #isStored = false;        /* the server has stored messages of the session */
  #needsHistory = false;
  #turns = new Turns((asked) => new TurnView(this.#actions, this.#locale, asked));
  #active = null;
  #selection = null;        /* a selection that the server has not acknowledged */
  #resuming = false;        /* a turn's frames were requested, none has arrived yet */
  #refused = 0;
  #maxBytes = Infinity;     /* limit of a question */
  #lost = new Set();        /* turns whose frames the server no longer has */
  #bannerTimer = 0;

  /*
   * host: {endpoint(), getToken({fresh}): promise, linkHosts(), emit(name, detail, cancelable): false if prevented,
   *   onState(state), onUser(user), onReady(): connected, without messages yet, onIdle(): no answer is running}
   */
  constructor(host, api) {
    this.#host = host;
    this.#api = api;
    this.#connection = new Connection({
      url: () => this.#socketUrl(),
      getToken: (how) => host.getToken(how),
      onFrame: (frame) => this.#onFrame(frame),
      onState: (state, detail) => this.#onState(state, detail),
      onTooBig: () => this.#onTooBig(),
    });
  }

  get sessionId() {
    return this.#sessionId;
  }

  get isAnswering() {
    return this.#active !== null;
  }

  /* Moves to this page and language; stored messages are loaded again. */
  showOn(page, locale) {
    this.#needsHistory = this.#isStored;
    this.#page = this.#turns.page = page;
    this.#locale = locale;
    this.#clear();
    page.sessions.mark(this.#sessionId);
    page.isWelcoming = !this.#needsHistory;
    if (this.#refused)
      this.#refuse(this.#refused);
    else if (this.#needsHistory && this.#connection.isReady)
      this.#showHistory();
  }

  /* Shows a stored conversation, or starts a new one. A running answer is abandoned. */
  open(sessionId) {
    this.#connection.stop();
    this.#sessionId = sessionId;
    this.#isStored = this.#needsHistory = sessionId !== null;
    this.#lost.clear();
    this.#refused = 0;
    this.#clear();
    this.#page.isWelcoming = sessionId === null;
    this.#page.sessions.mark(sessionId);
    this.#connection.start();
  }

  close() {
    this.#connection.stop();
  }

  pause() {
    this.#connection.pause();
  }

  resume() {
    this.#connection.resume();
  }

  /* Embedded frames do not survive when the element is moved. */
  closeReports() {
    this.#turns.closeReports();
  }

  /* filters: {name: value or null}, used instead of those in the question. */
  ask(question, filters, kept) {
    const content = question.trim();

    if (content === '' || this.#active || this.#refused || this.#needsHistory)
      return false;
    this.#begin({ question: content, clientId: newId(), filters, kept });
    this.#sendQuestion();
    this.#host.emit('vesper:message', { question: content });
    return true;
  }

  stop() {
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

  #clear() {
    this.#turns.clear();
    this.#active = this.#selection = null;
    this.#page.clear();
    this.#drawComposer();
  }

  #drawComposer() {
    this.#page.composer.update({
      running: this.#active !== null,
      stopping: this.#active?.stopping ?? false,
      blocked: this.#refused !== 0,
      waiting: this.#needsHistory,
      maxBytes: this.#maxBytes,
    });
  }

  /* --- the connection ----------------------------------------------------------------- */

  #socketUrl() {
    const url = new URL('/ws/v1/chat', this.#host.endpoint());

    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    if (this.#isStored)
      url.searchParams.set('session_id', this.#sessionId);
    return url.href;
  }

  #onState(state, { code }) {
    this.#host.onState(state);
    if (state === 'waiting') {
      this.#bannerTimer ||= setTimeout(() => this.#page.showBanner(() => this.#connection.retryNow()), BANNER_DELAY_MS);
    } else if (state !== 'connecting') {
      clearTimeout(this.#bannerTimer);
      this.#bannerTimer = 0;
      this.#page.hideBanner();
    }
    if (state === 'refused')
      this.#onRefused(code);
  }

  #onRefused(code) {
    /* Nothing was stored under this id yet, so the client connects with a new one. */
    if (code === CLOSE_UNKNOWN_SESSION && this.#isStored && !this.#turns.isKnown && !this.#needsHistory) {
      this.#isStored = false;
      this.#connection.retryNow();
      return;
    }
    this.#refuse(code);
  }

  #refuse(code) {
    const title = this.#page.showRefusal(code, code === CLOSE_UNKNOWN_SESSION
      ? ['start_anew', () => this.#startAnew()] : [code === CLOSE_UNAUTHORIZED ? 'sign_in_now' : 'try_again', () => this.#tryAgain()]);

    this.#refused = code;
    this.#drawComposer();
    this.#host.emit('vesper:error', { code, message: title });
  }

  #tryAgain() {
    this.#refused = 0;
    this.#page.hideRefusal();
    this.#page.isWelcoming = this.#turns.isEmpty && !this.#needsHistory;
    this.#drawComposer();
    this.#connection.retryNow();
  }

  #startAnew() {
    this.open(null);
    this.#host.emit('vesper:session', { sessionId: null });
    this.#page.typeOn();
  }

  /* A question that is too long is not sent again, since it would be refused again. */
  #onTooBig() {
    if (!this.#active || this.#active.acknowledged)
      return;
    this.#active.fail({ code: 'too_long', message: this.#locale.say('hint_too_long') });
    this.#endActive();
  }

  #onFrame(frame) {
    const isKnown = frame.seq !== undefined && this.#turns.of(frame.turn_id);

    if (frame.type === 'session.ready')
      this.#onReady(frame);
    else if (frame.type === 'chat.error' && !isKnown)
      this.#onRequestError(frame);
    else if (frame.turn_id !== undefined)
      this.#onTurnFrame(frame);
  }

  #onReady(frame) {
    this.#sessionId = frame.session_id;
    this.#maxBytes = frame.max_message_bytes ?? Infinity;
    this.#drawComposer();
    this.#host.onUser(frame.user ?? {});
    this.#host.emit('vesper:ready', { user: frame.user });
    if (!this.#needsHistory && this.#turns.isEmpty)
      this.#host.onReady();
    this.#needsHistory ||= this.#selection !== null && !this.#active?.acknowledged;
    if (this.#needsHistory)
      this.#showHistory();
    else if (this.#active?.acknowledged)
      this.#resume();
    else if (this.#active)
      this.#sendQuestion();
  }

  /* --- the history -------------------------------------------------------------------- */

  async #showHistory() {
    const sessionId = this.#sessionId;
    let messages;

    try {
      messages = await this.#api.messages(sessionId);
    } catch (error) {
      if (sessionId !== this.#sessionId)
        return;
      if (REFUSED_HISTORY[error.status])
        this.#refuse(REFUSED_HISTORY[error.status]);
      else
        this.#connection.cycle();
      return;
    }
    if (sessionId !== this.#sessionId || !this.#connection.isReady)
      return;
    this.#needsHistory = false;
    this.#clear();
    this.#isStored = messages.length > 0;
    this.#page.isWelcoming = !this.#isStored;
    this.#turns.restore(messages, this.#lost);
    this.#takeUp(this.#turns.latest);
  }

  #takeUp(latest) {
    if (!latest)
      return;
    if (latest.running) {
      this.#setActive(latest);
      this.#resume();
    }
    this.#page.follower.from(latest.root);
  }

  /* --- turns -------------------------------------------------------------------------- */

  #actions = {
    ask: (question) => {
      this.ask(question);
      this.#page.typeOn();
    },
    select: (ask, values, label) => {
      this.#select(ask, values, label);
      this.#page.typeOn();
    },
    edit: (question) => this.#page.composer.fill(question),
    values: (...of) => this.#api.values(...of),
    refilter: (...edited) => this.#refilter(...edited),
    retry: (turn) => this.#retry(turn),
    rate: (messageId, feedback) => this.#api.rate(messageId, feedback),
    openReport: (report) => this.#openReport(report),
    file: (...which) => this.#api.file(...which),
    saveView: (saved) => this.#api.saveView(saved),
    receipt: (receiptId) => this.#api.receipt(receiptId),
    components: () => this.#api.components(),
    embedReport: (key) => this.#api.embedReport(key),
    linkHosts: () => this.#host.linkHosts(),
    onText: (turn) => turn === this.#active && turn.running && this.#page.announcer.grow(turn.text),
  };

  #setActive(turn) {
    this.#active = turn;
    this.#page.isBusy = turn !== null;
    this.#drawComposer();
  }

  #begin(asked) {
    this.#turns.closeAsks();
    const turn = this.#turns.add(asked);

    this.#page.announcer.begin();
    this.#setActive(turn);
    this.#page.follower.from(turn.root);
  }

  #endActive() {
    this.#setActive(null);
    this.#selection = null;
    this.#page.sessions.mark(this.#sessionId);
    this.#page.sessions.refresh();
    this.#host.onIdle();
  }

  #sendQuestion() {
    const { question, clientId, filters } = this.#active;

    if (this.#connection.send({ type: 'chat.message', content: question, client_msg_id: clientId, filters }))
      this.#isStored = true;
  }

  /* Asks the same question with exactly these filters. */
  #refilter(turn, filters, kept) {
    const question = this.#turns.questionOf(turn);

    if (question)
      this.ask(question, filters, kept);
  }

  #select(ask, values, label) {
    if (this.#active)
      return;
    this.#selection = { type: 'chat.select', ask_id: ask.ask_id, values };
    this.#begin({ question: label });
    this.#connection.send(this.#selection);
  }

  #retry(turn) {
    if (this.#active)
      return;
    const question = this.#turns.questionOf(turn);

    if (!turn.acknowledged)
      this.#turns.remove(turn);
    if (question)
      this.ask(question, turn.filters);
    this.#page.typeOn();
  }

  #resume() {
    const { id, lastSeq, stopping } = this.#active;

    this.#resuming = true;
    this.#connection.send({ type: 'resume', turn_id: id, last_seq: lastSeq });
    if (stopping)
      this.#connection.send({ type: 'chat.cancel', turn_id: id });
  }

  #onTurnFrame(frame) {
    const turn = this.#turnOf(frame);

    this.#resuming = false;
    if (!turn?.running)
      return;
    if (!turn.apply(frame)) {
      /* Frames are missing: the whole turn is replayed on a new connection. */
      turn.reset();
      this.#connection.cycle();
      return;
    }
    if (turn.running || turn !== this.#active)
      return;
    this.#page.announcer.end(turn.text, turn.tables, [...turn.complaints, this.#spokenEnding(frame)].filter(Boolean).join(' '));
    this.#endActive();
  }

  #spokenEnding({ type, code, message, status }) {
    if (type === 'chat.error')
      return this.#locale.instead(code, message);
    return SPOKEN_ENDINGS[status] && this.#locale.say(SPOKEN_ENDINGS[status]);
  }

  #turnOf(frame) {
    const known = this.#turns.of(frame.turn_id);

    if (known || frame.type !== 'chat.thinking')
      return known;
    const isOurs = this.#active && !this.#active.acknowledged &&
      (frame.client_msg_id ?? this.#active.clientId) === this.#active.clientId;

    if (this.#active && !isOurs)
      return undefined;
    const turn = this.#active ?? this.#turns.add();

    turn.id = frame.turn_id;
    learnTime(timeOfId(turn.id));
    this.#selection = null;
    this.#setActive(turn);
    if (turn.stopping)
      this.#connection.send({ type: 'chat.cancel', turn_id: turn.id });
    this.#isStored = true;
    this.#host.emit('vesper:session', { sessionId: this.#sessionId });
    return turn;
  }

  /* The request was refused before its turn began, or the turn to resume no longer exists. */
  #onRequestError(frame) {
    const turn = this.#active;

    this.#host.emit('vesper:error', { code: frame.code, message: frame.message });
    if (!turn)
      return;
    if (!turn.acknowledged && frame.details?.turn_id) {
      /* The question was sent before on a lost connection: its frames or its stored answer exist. */
      turn.id = frame.details.turn_id;
      this.#resume();
    } else if (!turn.acknowledged) {
      turn.fail(frame);
      this.#page.announcer.say(this.#locale.instead(frame.code, frame.message));
      this.#endActive();
    } else if (this.#resuming && frame.code === 'expired') {
      this.#lost.add(turn.id);
      this.#showHistory();
    } else if (this.#resuming && frame.code === 'bad_frame') {
      /* The replica that sent the last frames has ended, and another one continues from an earlier frame. */
      turn.reset();
      this.#resume();
    } else if (this.#resuming && frame.retryable) {
      this.#connection.cycle();
    }
  }

  /* False: the host page handles it. */
  #openReport({ report_key: reportKey, url }) {
    return this.#host.emit('vesper:open-report', { reportKey, url }, true);
  }
}
