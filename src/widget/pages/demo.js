/* The demo page: signs in as one of the demo users and remembers which one. */

import { begin, beginAnew, chat, speak } from './shell.js';

const USER_KEY = 'vesper.demo-user';

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
speak();
begin(getToken);
