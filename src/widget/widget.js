/*
 * <vesper-chat>: a conversation with Vesper in one element. The host page provides tokens. The element
 * connects, asks questions, streams answers, and resumes a conversation after a reload or a lost
 * connection.
 *
 * Properties  endpoint, getToken({fresh}), starters[], placeholder, linkHosts[], theme, locale, draft (typed text
 *             that is not sent); sessionId (read only)
 * Attributes  endpoint, placeholder, theme (light, dark), locale (en, de, es-MX, …), sessions (the list of conversations)
 * Methods     open(sessionId or null), ask(question, filters?), focusInput(), toggleSessions(), close()
 * Events      vesper:ready {user}, vesper:session {sessionId}, vesper:message {question},
 *             vesper:error {code, message}, vesper:open-report {reportKey, url}
 *
 * Once it is in the page and has getToken, it opens a new conversation, unless open() was called.
 */

import { Api } from './api.js';
import { Conversation } from './conversation.js';
import { browserTag, Locale, loadLocale } from './locale.js';
import { Page } from './page.js';
import { dataTable } from './views/table.js';
import { styles } from './styles.js';

export { browserTag, loadLocale };

const TOKEN_LIMIT_MS = 15000;
const HERE = new URL(import.meta.url).origin;
const PROPERTIES = ['endpoint', 'getToken', 'linkHosts', 'starters', 'placeholder', 'theme', 'locale'];

export class VesperChat extends HTMLElement {
  static observedAttributes = ['endpoint', 'placeholder', 'locale', 'sessions'];

  #endpoint = HERE;
  #linkHosts = [new URL(HERE).host, location.host, 'app.powerbi.com'];
  #getToken = null;
  #starters = [];
  #flows = [];              /* questions that run the user's flows */
  #asked = null;            /* the latest request for flows */
  #placeholder = null;
  #localeTag = 'en';
  #locale = new Locale();
  #nextLocale = null;       /* applied when the running answer ends */
  #opened = false;
  #mayAdminister = false;
  #page;
  #api = new Api(() => this.#endpoint, (how) => this.#token(how));
  #conversation = new Conversation({
    endpoint: () => this.#endpoint,
    getToken: (how) => this.#token(how),
    linkHosts: () => this.#linkHosts,
    emit: (...event) => this.#emit(...event),
    onUser: ({ permissions = [] }) => {
      this.#page.mayAdminister = this.#mayAdminister = permissions.includes('chat:admin');
    },
    onState: (state) => { this.dataset.state = state; },
    onReady: () => {
      this.#readFlows();
      this.#showSaved();
    },
    onIdle: () => this.#nextLocale && this.#changeLocale(),
  }, this.#api);

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });

    root.adoptedStyleSheets = [styles];
    root.addEventListener('keydown', (event) => event.key === 'Escape' && !event.isComposing && this.#conversation.stop());
    root.addEventListener('dragover', (event) => event.dataTransfer.types.includes('Files') && event.preventDefault());
    root.addEventListener('drop', (event) => this.#drop(event));
    this.#build();
    this.#takeUp();
  }

  #drop(event) {
    if (event.dataTransfer.files.length === 0)
      return;
    event.preventDefault();
    this.#showData([...event.dataTransfer.files]);
  }

  /* The context of dialogs over the conversation. */
  get #place() {
    return { frame: this.#page.root, api: this.#api, locale: this.#locale, ask: (question) => this.ask(question) };
  }

  async #showData(files) {
    await (await import('./views/dialogs/sources.js')).showSources(this.#place, files);
  }

  async #showHelp() {
    await (await import('./views/dialogs/help.js')).showHelp(this.#place);
  }

  async #showAdmin() {
    await (await import('./views/dialogs/admin.js')).showAdmin(this.#place);
  }

  /* Applies properties that the page set before this module was loaded. */
  #takeUp() {
    for (const name of PROPERTIES.filter((one) => Object.hasOwn(this, one))) {
      const value = this[name];

      delete this[name];
      if (value !== undefined)
        this[name] = value;
    }
  }

  /* --- in the page ---------------------------------------------------------------------- */

  connectedCallback() {
    this.#openSoon();
    if (this.#opened)
      this.#conversation.resume();
  }

  /* An element that is only moved is reconnected at once, and its answer continues. */
  disconnectedCallback() {
    this.#conversation.closeReports();
    queueMicrotask(() => this.isConnected || this.#conversation.pause());
  }

  attributeChangedCallback(name, before, value) {
    if (name === 'sessions')
      this.#page.hasList = value !== null;
    else
      this[name] = value;
  }

  #openSoon() {
    queueMicrotask(() => this.isConnected && this.#getToken && !this.#opened && this.open(null));
  }

  #build() {
    this.#page = new Page(this.#locale, this.#api, {
      ask: (question) => this.ask(question),
      stop: () => this.#conversation.stop(),
      showData: () => this.#showData(),
      showHelp: () => this.#showHelp(),
      showAdmin: () => this.#showAdmin(),
      open: (sessionId) => {
        this.open(sessionId);
        this.#emit('vesper:session', { sessionId });
      },
    });
    this.#page.hasList = this.hasAttribute('sessions');
    this.#page.mayAdminister = this.#mayAdminister;
    this.placeholder = this.#placeholder;
    this.#offer();
    this.shadowRoot.replaceChildren(this.#page.root);
    this.#conversation.showOn(this.#page, this.#locale);
  }

  #emit(name, detail, cancelable = false) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
  }

  /* --- properties ----------------------------------------------------------------------- */

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

  /* The host page's getToken may throw, hang, or return a token with a line end. */
  async #token(how) {
    const late = new Promise((_, reject) => setTimeout(reject, TOKEN_LIMIT_MS, new Error('no token in time')));
    const token = await Promise.race([this.#getToken(how), late]);

    if (typeof token !== 'string' || !/^[\w.~+-]+$/.test(token.trim()))
      throw Object.assign(new Error('no token'), { status: 401 });
    return token.trim();
  }

  get linkHosts() {
    return this.#linkHosts;
  }

  set linkHosts(hosts) {
    this.#linkHosts = hosts;
  }

  get starters() {
    return this.#starters;
  }

  set starters(questions) {
    this.#starters = questions;
    this.#offer();
  }

  #offer() {
    this.#page.offer(this.#starters, this.#flows);
  }

  /* If this fails, the welcome screen shows only the host page's starters. */
  async #readFlows() {
    const asked = this.#asked = {};
    const { data = [] } = await this.#api.get('/api/v1/agents').catch(() => ({}));
    const flows = data.flatMap(({ starters = [] }) => starters);

    if (asked !== this.#asked || flows.join('\n') === this.#flows.join('\n'))
      return;   /* another conversation was opened, or the buttons are unchanged and keep the focus */
    this.#flows = flows;
    this.#offer();
  }

  /* If this fails, the welcome screen still allows questions. */
  #showSaved() {
    import('./views/saved.js').then(({ showSaved }) =>
      showSaved({ box: this.#page.saved, api: this.#api, locale: this.#locale, dataTable })).catch(() => {});
  }

  get placeholder() {
    return this.#page.composer.placeholder;
  }

  set placeholder(text) {
    this.#placeholder = text ?? null;
    this.#page.composer.placeholder = text ?? this.#locale.say('ask_a_question');
  }

  get draft() {
    return this.#page.composer.text;
  }

  set draft(text) {
    this.#page.composer.text = text;
  }

  get theme() {
    return this.getAttribute('theme');
  }

  set theme(theme) {
    this.toggleAttribute('theme', false);
    if (theme)
      this.setAttribute('theme', theme);
  }

  get locale() {
    return this.#localeTag;
  }

  set locale(tag) {
    this.#localeTag = tag || 'en';
    this.#speak(this.#localeTag);
  }

  /* If the texts cannot be loaded, the page keeps its language. */
  async #speak(tag) {
    const locale = await loadLocale(tag).catch(() => null);

    if (!locale || tag !== this.#localeTag || tag === this.#locale.tag)
      return;
    this.#nextLocale = locale;
    if (!this.#conversation.isAnswering)
      this.#changeLocale();
  }

  /* Rebuilds the page and loads the conversation again. */
  #changeLocale() {
    const { composer: { text }, sessions: { isOpen } } = this.#page;

    this.#locale = this.#nextLocale;
    this.#nextLocale = null;
    this.#build();
    this.#page.composer.text = text;
    this.toggleSessions(isOpen);
    if (this.#asked)
      this.#showSaved();
  }

  /* --- the conversation ----------------------------------------------------------------- */

  get sessionId() {
    return this.#conversation.sessionId;
  }

  open(sessionId = null) {
    this.#opened = true;
    this.#asked = null;
    this.#conversation.open(sessionId);
  }

  close() {
    this.#conversation.close();
  }

  ask(question, filters) {
    return this.#conversation.ask(question, filters);
  }

  focusInput() {
    this.#page.composer.focus();
  }

  toggleSessions(open) {
    this.#page.toggleList(open);
  }
}

customElements.define('vesper-chat', VesperChat);
