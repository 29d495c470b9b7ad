/*
 * The element in a frame of another page. Both exchange messages of the form
 * {source: "vesper", v: 1, type, …}. The frame accepts messages only from the page that embeds it, and the
 * server's policy defines which pages may embed it.
 *
 *   frame -> page   ready, need-token {fresh}, session {sessionId}, message {question},
 *                   error {code, message}, open-report {reportKey, url}
 *   page -> frame   token {token}, theme {theme}, locale {locale}, open {sessionId}, ask {question}, starters {questions}, focus
 */

import { browserTag } from './widget.js';

const chat = document.querySelector('vesper-chat');
const inFrame = parent !== window;
/* The sender of the first message is the embedding page; no other page can reach this window. */
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

/* Sent to any origin, since the request contains no secret. */
chat.getToken = ({ fresh } = {}) => new Promise((resolve, reject) => {
  waiting.push({ resolve, reject });
  tell('need-token', { fresh: Boolean(fresh) });
});
for (const [name, type] of [['vesper:session', 'session'], ['vesper:message', 'message'], ['vesper:error', 'error'],
  ['vesper:open-report', 'open-report']])
  chat.addEventListener(name, (event) => tell(type, event.detail));

chat.locale = browserTag();   /* until the embedding page sets another one */
tell('ready');
if (inFrame)
  chat.open(null);
