/*
 * The page of a deployment. A user without a session is redirected to the identity provider, once, and returns to the same
 * conversation with the typed text. The access token is only in this module's memory; the refresh credential is in a cookie
 * that scripts cannot read (see include/vesper/signin.h). If the session expires while the page is open, a message appears
 * at the composer, and the page is not redirected.
 */

import { begin, chat, speak } from './shell.js';

const LEAVING_KEY = 'vesper.leaving';   /* {hash, draft, at}: restored after signing in */
const OUT_KEY = 'vesper.signed-out';
const BACK_WITHIN_MS = 60000;           /* returning without a session within this time: the browser does not keep the cookie */
const SPARE_MS = 30000;
const REASON = /^#signin=(expired|denied|failed|unavailable)$/;

const tabs = new BroadcastChannel('vesper');
const notice = document.querySelector('#notice');
const signOut = document.querySelector('#sign-out');
const held = { token: null, until: 0 };
let isKnown = false;     /* a session existed on this page */
let reason = takeReason();
let locale;

function takeReason() {
  const said = REASON.exec(location.hash)?.[1];

  if (said)
    history.replaceState(null, '', location.pathname + location.search);
  return said ?? (sessionStorage.getItem(OUT_KEY) ? 'out' : null);
}

function leaving() {
  try {
    return JSON.parse(sessionStorage.getItem(LEAVING_KEY)) ?? {};
  } catch {
    return {};
  }
}

function goToProvider() {
  sessionStorage.setItem(LEAVING_KEY, JSON.stringify({ hash: location.hash, draft: chat.draft, at: Date.now() }));
  sessionStorage.removeItem(OUT_KEY);
  location.assign('/auth/login');
  return new Promise(() => {});
}

function post(path, body) {
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function say(key) {
  notice.textContent = (await locale).say(`signin_${key}`);
  notice.hidden = false;
}

function onSession({ token, expires_in: seconds, name }) {
  const { draft } = leaving();

  Object.assign(held, { token, until: performance.now() + seconds * 1000 - SPARE_MS });
  sessionStorage.removeItem(LEAVING_KEY);
  sessionStorage.removeItem(OUT_KEY);
  if (!isKnown && draft)
    chat.draft = draft;
  isKnown = true;
  reason = null;
  notice.hidden = true;
  document.querySelector('#name').textContent = name;
  signOut.hidden = false;
  return token;
}

/* No session: redirects at once if there was none on this page before, otherwise when the user asks for it. */
function onNone(asked) {
  held.token = null;
  signOut.hidden = true;
  if (!isKnown && !reason && Math.abs(Date.now() - (leaving().at ?? 0)) < BACK_WITHIN_MS)
    reason = 'cookies';
  if (asked || (!isKnown && !reason))
    return goToProvider();
  say(reason ?? 'over');
  throw Object.assign(new Error('not signed in'), { status: 401 });
}

async function getToken({ fresh, asked } = {}) {
  if (held.token && !fresh && performance.now() < held.until)
    return held.token;
  const response = await post('/auth/token', { fresh: Boolean(fresh) });

  if (response.status === 401)
    return onNone(asked);
  if (!response.ok)
    throw Object.assign(new Error('no token now'), { status: response.status });
  return onSession(await response.json());
}

function forget() {
  held.token = null;
  isKnown = false;
  reason = 'out';
  sessionStorage.setItem(OUT_KEY, '1');
}

signOut.addEventListener('click', async () => {
  signOut.disabled = true;
  chat.close();
  forget();
  const { location: next } = await post('/auth/logout', {}).then((response) => response.json()).catch(() => ({}));

  tabs.postMessage('signed-out');
  location.assign(next ?? '/');
});
/* Another tab has signed out: the next user must not see what this tab shows. */
tabs.addEventListener('message', () => {
  forget();
  chat.open(null);
});

if (!location.hash)
  history.replaceState(null, '', location.pathname + location.search + (leaving().hash ?? ''));
locale = speak();
begin(getToken);
