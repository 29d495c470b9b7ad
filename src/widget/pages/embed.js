/*
 * The element in a frame of another page. The two speak by messages of one form,
 * {source: "vesper", v: 1, type, …}; the frame answers only the page that holds it, and the server's
 * policy decides which pages may.
 *
 *   frame -> page   ready, need-token {fresh}, session {sessionId}, message {question},
 *                   error {code, message}, open-report {reportKey, url}
 *   page -> frame   token {token}, theme {theme}, locale {locale}, open {sessionId}, ask {question}, starters {questions}, focus
 */

import { browserTag } from './widget.js';

const chat = document.querySelector('vesper-chat');
const inFrame = parent !== window;
/* The first message's sender is the page that holds the frame; nobody else can reach its window. */
let host = null;
let waiting = [];

function tell(type, detail = {}) {
  if (inFrame)
    parent.postMessage({ source: 'vesper', v: 1, type, ...detail }, host ?? '*');
}

const HANDLERS = {
  token({ token, error }) {
    const settle = waiting;

    waiting = [];
    for (const { resolve, reject } of settle)
      token ? resolve(token) : reject(Object.assign(new Error(error ?? 'no token'), { status: 401 }));
  },
  theme: ({ theme }) => chat.setAttribute('theme', theme),
  locale: ({ locale }) => { chat.locale = locale; },
  open: ({ sessionId }) => chat.open(sessionId ?? null),
  ask: ({ question }) => chat.ask(String(question)),
  starters: ({ questions }) => { chat.starters = [questions ?? []].flat().map(String); },
  focus: () => chat.focusInput(),
};

addEventListener('message', (event) => {
  const { source, v, type } = event.data ?? {};

  if (event.source !== parent || source !== 'vesper' || v !== 1 || !Object.hasOwn(HANDLERS, type))
    return;
  host ??= event.origin;
  if (event.origin === host)
    HANDLERS[type](event.data);
});

/* Asked without naming an origin: the request holds nothing that is secret. */
chat.getToken = ({ fresh } = {}) => new Promise((resolve, reject) => {
  waiting.push({ resolve, reject });
  tell('need-token', { fresh: Boolean(fresh) });
});
for (const [name, type] of [['vesper:session', 'session'], ['vesper:message', 'message'], ['vesper:error', 'error'],
  ['vesper:open-report', 'open-report']])
  chat.addEventListener(name, (event) => tell(type, event.detail));

chat.locale = browserTag();   /* until the page that holds it says another one */
tell('ready');
if (inFrame)
  chat.open(null);
