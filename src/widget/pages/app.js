/*
 * The page of a deployment. A user without a session is redirected to the identity provider, once, and returns to the same
 * conversation with the typed text. The access token is only in this module's memory; the refresh credential is in a cookie
 * that scripts cannot read (see include/vesper/signin.h). If the session expires while the page is open, a message appears
 * at the composer, and the page is not redirected.
 */

import { start, chat, translatePage } from './shell.js';

const SAVED_STATE_KEY = 'vesper.leaving';   /* {hash, draft, at}: restored after signing in */
const SIGNED_OUT_KEY = 'vesper.signed-out';
const RETURN_LIMIT_MS = 60000;              /* returning without a session within this time: the browser does not keep the cookie */
const EXPIRY_MARGIN_MS = 30000;
const REASON = /^#signin=(expired|denied|failed|unavailable)$/;

const tabs = new BroadcastChannel('vesper');
const notice = document.querySelector('#notice');
const signOut = document.querySelector('#sign-out');
const held = { token: null, until: 0 };
let isKnown = false;     /* a session existed on this page */
let reason = takeReason();
let locale;

function takeReason() {
  const match = REASON.exec(location.hash)?.[1];

  if (match)
    history.replaceState(null, '', location.pathname + location.search);
  return match ?? (sessionStorage.getItem(SIGNED_OUT_KEY) ? 'out' : null);
}

function savedState() {
  try {
    return JSON.parse(sessionStorage.getItem(SAVED_STATE_KEY)) ?? {};
  } catch {
    return {};
  }
}

function goToProvider() {
  sessionStorage.setItem(SAVED_STATE_KEY, JSON.stringify({ hash: location.hash, draft: chat.draft, at: Date.now() }));
  sessionStorage.removeItem(SIGNED_OUT_KEY);
  location.assign('/auth/login');
  return new Promise(() => {});
}

function post(path, body) {
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function showNotice(key) {
  notice.textContent = (await locale).say(`signin_${key}`);
  notice.hidden = false;
}

function onSession({ token, expires_in: seconds, name }) {
  const { draft } = savedState();

  Object.assign(held, { token, until: performance.now() + seconds * 1000 - EXPIRY_MARGIN_MS });
  sessionStorage.removeItem(SAVED_STATE_KEY);
  sessionStorage.removeItem(SIGNED_OUT_KEY);
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
function onNoSession(asked) {
  held.token = null;
  signOut.hidden = true;
  if (!isKnown && !reason && Math.abs(Date.now() - (savedState().at ?? 0)) < RETURN_LIMIT_MS)
    reason = 'cookies';
  if (asked || (!isKnown && !reason))
    return goToProvider();
  showNotice(reason ?? 'over');
  throw Object.assign(new Error('not signed in'), { status: 401 });
}

async function getToken({ fresh, asked } = {}) {
  if (held.token && !fresh && performance.now() < held.until)
    return held.token;
  const response = await post('/auth/token', { fresh: Boolean(fresh) });

  if (response.status === 401)
    return onNoSession(asked);
  if (!response.ok)
    throw Object.assign(new Error('no token now'), { status: response.status });
  return onSession(await response.json());
}

function forget() {
  held.token = null;
  isKnown = false;
  reason = 'out';
  sessionStorage.setItem(SIGNED_OUT_KEY, '1');
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
  history.replaceState(null, '', location.pathname + location.search + (savedState().hash ?? ''));
locale = translatePage();
start(getToken);
