/*
 * The page of a deployment: a reader without a session is sent to the identity provider, once, and returns to the same
 * conversation with what was typed. The access token is in this module's memory only; what renews it is in a cookie
 * that no script reads (include/vesper/signin.h says why). A session that ends while one reads is said where one types,
 * so that nothing moves away from under the reader.
 */

import { begin, chat, speak } from './shell.js';

const LEAVING_KEY = 'vesper.leaving';   /* {hash, draft, at}: what to come back to */
const OUT_KEY = 'vesper.signed-out';
const BACK_WITHIN_MS = 60000;           /* back without a session so soon: it can't be kept here */
const SPARE_MS = 30000;
const REASON = /^#signin=(expired|denied|failed|unavailable)$/;

const tabs = new BroadcastChannel('vesper');
const notice = document.querySelector('#notice');
const signOut = document.querySelector('#sign-out');
const held = { token: null, until: 0 };
let isKnown = false;     /* there was a session on this page */
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

/* There is no session: the provider is visited at once where nothing was said or shown yet, else when the reader says so. */
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
/* Another tab has signed out: what this one shows is not for the next reader. */
tabs.addEventListener('message', () => {
  forget();
  chat.open(null);
});

if (!location.hash)
  history.replaceState(null, '', location.pathname + location.search + (leaving().hash ?? ''));
locale = speak();
begin(getToken);
