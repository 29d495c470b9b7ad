/*
 * The demo page around the element: signs in as one of the demo users, remembers which, and keeps
 * the conversation's id in the address, so that a reload or a copied link finds it again.
 */

import './widget.js';

const USER_KEY = 'vesper.demo-user';
const HASH = /^#session=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

const STARTERS = [
  'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?',
  'Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025',
  'Show the hourly price distribution for SP15 in 2025 from Ascend',
  'Which curves are available for HB_NORTH?',
];

const chat = document.querySelector('vesper-chat');
const tenant = document.querySelector('#tenant');
const role = document.querySelector('#role');
const login = { token: null };

async function getToken({ fresh } = {}) {
  if (login.token && !fresh)
    return login.token;
  const response = await fetch('/api/v1/demo/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tenant: tenant.value, role: role.value }),
  });

  if (!response.ok)
    throw Object.assign(new Error('sign-in failed'), { status: response.status });
  login.token = (await response.json()).token;
  return login.token;
}

function sessionInAddress() {
  return HASH.exec(location.hash)?.[1] ?? null;
}

function showInAddress(sessionId) {
  const hash = sessionId ? `#session=${sessionId}` : '';

  if (location.hash !== hash)
    history.replaceState(null, '', location.pathname + location.search + hash);
}

function beginAnew() {
  showInAddress(null);
  chat.open(null);
}

function restoreUser() {
  const [savedTenant, savedRole] = (sessionStorage.getItem(USER_KEY) ?? '').split('/');
  const choose = (select, value) => {
    if ([...select.options].some((option) => option.value === value))
      select.value = value;
  };

  choose(tenant, savedTenant);
  choose(role, savedRole);
}

function switchUser() {
  sessionStorage.setItem(USER_KEY, `${tenant.value}/${role.value}`);
  login.token = null;
  beginAnew();
}

restoreUser();
tenant.addEventListener('change', switchUser);
role.addEventListener('change', switchUser);
document.querySelector('#new').addEventListener('click', () => {
  beginAnew();
  chat.focusInput();
});
addEventListener('hashchange', () => {
  if (sessionInAddress() !== chat.sessionId)
    chat.open(sessionInAddress());
});

chat.addEventListener('vesper:session', (event) => showInAddress(event.detail.sessionId));
chat.locale = new URLSearchParams(location.search).get('locale') ?? 'en';
chat.getToken = getToken;
chat.starters = STARTERS;
chat.open(sessionInAddress());
if (matchMedia('(pointer: fine)').matches)
  chat.focusInput();
