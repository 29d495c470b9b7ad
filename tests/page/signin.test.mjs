/* The page of a deployment in a browser: real sign-ins at a real OpenID provider, and their failures. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort, REFERENCE, refusedStart, startDaemon } from '../e2e/harness.mjs';
import { startMock } from '../mock/anthropic.mjs';
import { TestProvider } from '../mock/provider.mjs';
import { answered, ask, lastTurn, launch } from './browser.mjs';

const QUESTION = 'What is the health status of Nazareth Solar?';

let browser;
let provider;
let daemon;
let context;

before(async () => {
  browser = await launch();
  const port = await freePort();
  provider = await new TestProvider(`http://127.0.0.1:${port}`).start();
  daemon = await startDaemon({ port, demo: false, env: { VESPER_JWT_SECRET: undefined, ...provider.environment({ VESPER_AUTH_LEEWAY_S: '1' }) } });
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
  await provider?.stop();
});
afterEach(async () => {
  await context?.close();
  context = null;
  Object.assign(provider, { delayMs: 0, failWith: 0, isUnavailable: false, tokenLifeS: 300 });
});

async function visit(path = '/', options = {}) {
  context ??= await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();

  page.pageErrors = [];
  page.on('pageerror', (error) => page.pageErrors.push(String(error)));
  page.on('console', (message) => /Content Security|Trusted/.test(message.text()) && page.pageErrors.push(message.text()));
  await page.goto(daemon.url + path);
  return page;
}

async function enter(page, user) {
  await page.locator('input[name=login]').fill(user);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
}

const ready = (page) => page.locator('vesper-chat[data-state=ready]').waitFor();

async function signedIn(user = 'ann', path = '/', options = {}) {
  const page = await visit(path, options);

  await enter(page, user);
  await ready(page);
  return page;
}

/* The daemon's cookies, selected by name: the provider has the same host, and cookies ignore ports. */
const cookies = async () => Object.fromEntries((await context.cookies(daemon.url)).filter(({ name }) => name.startsWith('vesper'))
  .map((cookie) => [cookie.name, cookie]));
const token = (page, fresh = false) => page.evaluate(async (fresh) => {
  const response = await fetch('/auth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ fresh }) });

  return { status: response.status, ...await response.json() };
}, fresh);

describe('a user', () => {
  test('is redirected to the provider and back, asks, reloads, and signs out', async () => {
    const page = await signedIn('ann');

    assert.equal(await page.locator('#name').innerText(), 'Ann Analyst');
    await ask(page, QUESTION);
    const turn = await answered(page);
    assert.match(await turn.locator('.prose').innerText(), /Nazareth Solar/);
    const { 'vesper-session': session, ...others } = await cookies();
    assert.deepEqual([session.httpOnly, session.sameSite, Object.keys(others).length], [true, 'Strict', 0]);
    assert.equal(await page.evaluate(() => document.cookie), '');
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])), /eyJ/, 'no token is stored');

    const before = provider.requests.length;
    await page.reload();
    await ready(page);
    await page.locator('.prose', { hasText: 'Nazareth Solar' }).waitFor();
    assert.equal(provider.requests.length, before, 'a reload needs no visit to the provider');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('button', { hasText: /yes/i }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.deepEqual(Object.keys(await cookies()), []);
    assert.ok(provider.requests.includes('POST /token/revocation'));
    assert.equal(await page.locator('.prose').count(), 0, 'nothing of the conversation is left');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('input[name=login]').waitFor();
    assert.deepEqual(page.pageErrors, []);
  });

  test('returns to the opened address, with the typed text', async () => {
    const page = await signedIn('ann');

    await ask(page, QUESTION);
    await answered(page);
    const { hash } = new URL(page.url());
    assert.match(hash, /^#session=/);
    await context.clearCookies({ name: 'vesper-session' });
    const again = await visit(`/${hash}`);
    await ready(again);
    await again.locator('.prose', { hasText: 'Nazareth Solar' }).waitFor();
    assert.equal(new URL(again.url()).hash, hash);
  });

  test('without a role gets an explanation, and so does an unknown user', async () => {
    const page = await visit();

    await enter(page, 'stranger');
    await page.getByText('your account may not use this service').waitFor();
    assert.deepEqual(Object.keys(await cookies()), []);
  });

  test('whose browser rejects cookies gets an explanation instead of a redirect loop', async () => {
    const page = await visit();

    await page.route('**/auth/token', (route) => route.fulfill({ status: 401, json: {} }));
    await enter(page, 'ann');
    await page.getByText('this browser keeps no cookie').waitFor();
  });

  test('reads German where the browser does', async () => {
    const page = await signedIn('ann', '/', { locale: 'de-DE' });

    await page.getByRole('button', { name: 'Abmelden' }).waitFor();
    await page.getByText('Was möchten Sie wissen?').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  });
});

describe('a token', () => {
  test('is renewed during an answer, which continues', async () => {
    provider.tokenLifeS = 12;
    const page = await signedIn('ann');
    const renewals = () => provider.requests.filter((one) => one === 'POST /token').length;
    const before = renewals();

    for (let i = 0; i < 100 && renewals() < before + 2; i++)
      await sleep(200);
    assert.ok(renewals() >= before + 2, 'renewed while the page is open');
    await ask(page, QUESTION);
    assert.match(await (await answered(page)).locator('.prose').innerText(), /Nazareth Solar/);
    assert.equal(await page.locator('.refusal:not([hidden])').count(), 0);
  });

  test('is renewed once for any number of simultaneous requests', async () => {
    const page = await signedIn('ann');

    await sleep(2100);
    const before = provider.requests.filter((one) => one === 'POST /token').length;
    const tokens = await page.evaluate(() => Promise.all(Array.from({ length: 8 }, async () => {
      const response = await fetch('/auth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"fresh":true}' });

      return (await response.json()).token;
    })));
    assert.equal(new Set(tokens).size, 1);
    assert.equal(provider.requests.filter((one) => one === 'POST /token').length, before + 1);
    assert.equal((await token(page)).status, 200, 'the rotated refresh token is stored');
  });

  test('is still renewed if the client that requested it has disconnected', async () => {
    const page = await signedIn('ann');

    await sleep(2100);
    provider.delayMs = 600;
    await page.evaluate(() => {
      const controller = new AbortController();

      fetch('/auth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"fresh":true}', signal: controller.signal }).catch(() => {});
      setTimeout(() => controller.abort(), 200);
    });
    await sleep(1200);
    provider.delayMs = 0;
    await sleep(2100);
    assert.equal((await token(page, true)).status, 200);
  });

  test('signed by new keys is accepted as soon as they are fetched', async () => {
    provider.roll();
    const page = await signedIn('max');

    await ask(page, QUESTION);
    assert.match(await (await answered(page)).locator('.prose').innerText(), /Nazareth Solar/);
  });
});

describe('a session that ends', () => {
  test('during an answer is reported, and after signing in again the answer continues', async () => {
    const words = ['alpha', ...Array.from({ length: 90 }, (_, i) => `w${'abcdefghij'[i % 10]}`), 'omega'];
    const mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: words.join(' ') }, fault: { token_ms: 100 } }] });
    const port = await freePort();
    const other = await new TestProvider(`http://127.0.0.1:${port}`).start();
    const slow = await startDaemon({ port, demo: false, mock, env: { VESPER_JWT_SECRET: undefined,
      ...other.environment({ VESPER_AUTH_LEEWAY_S: '0', VESPER_CHECKS_NUMBERS: 'flag' }) } });

    context = await browser.newContext();
    const page = await context.newPage();
    other.tokenLifeS = 8;
    await page.goto(slow.url);
    await enter(page, 'ann');
    await ready(page);
    await ask(page, REFERENCE);
    await lastTurn(page).locator('.prose', { hasText: 'alpha' }).waitFor();
    await page.getByRole('textbox', { name: 'Your question' }).fill('what I was about to ask');
    other.revokeAll();
    await page.getByText('Your sign-in has ended').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    other.tokenLifeS = 300;
    await enter(page, 'ann');
    await ready(page);
    await lastTurn(page).locator('.prose', { hasText: 'omega' }).waitFor();
    assert.equal((await (await answered(page)).locator('.prose').innerText()).split(/\s+/).length, words.length);
    assert.equal(await page.getByRole('textbox', { name: 'Your question' }).inputValue(), 'what I was about to ask');
    await slow.stop();
    await other.stop();
    await mock.close();
  });

  test('by signing out in one tab ends in all tabs', async () => {
    const page = await signedIn('ann');
    const other = await visit();

    await ready(other);
    await ask(other, QUESTION);
    await answered(other);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You are signed out.').waitFor();
    assert.equal(await other.locator('.prose').count(), 0);
  });
});

describe('a provider', () => {
  test('that is unavailable, slow or failing is reported, and then retried', async () => {
    provider.failWith = 500;
    const page = await visit();

    await enter(page, 'ann');
    await page.getByText('The sign-in service does not answer').waitFor();
    provider.failWith = 0;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await ready(page);

    await sleep(2100);
    provider.isUnavailable = true;
    assert.equal((await token(page, true)).status, 503);
    assert.equal((await token(page)).status, 200, 'the current token is still valid');
    provider.isUnavailable = false;
    provider.delayMs = 700;
    assert.equal((await token(page, true)).status, 200);
  });

  test('that declines is reported', async () => {
    const page = await visit();
    await page.locator('input[name=login]').waitFor(); /* the page redirects to the provider */
    const state = new URL(await loginAddress()).searchParams.get('state');

    await page.goto(`${daemon.url}/auth/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`);
    await page.getByText('The sign-in took too long').waitFor();
  });
});

async function loginAddress() {
  return (await fetch(`${daemon.url}/auth/login`, { redirect: 'manual' })).headers.get('location');
}

describe('an attacker', () => {
  const call = (path, headers = {}) => fetch(daemon.url + path, { redirect: 'manual', headers });
  const begin = async () => {
    const reply = await call('/auth/login');
    const [cookie] = reply.headers.get('set-cookie').split(';');

    return { cookie, query: new URL(reply.headers.get('location')).searchParams };
  };
  const finish = (query, cookie) => call(`/auth/callback?${new URLSearchParams({ iss: provider.issuer, ...query })}`, cookie ? { cookie } : {});
  const locationOf = (reply) => reply.headers.get('location');

  /* Gets an authorization code as a user, without the page. */
  async function codeFor(query) {
    const page = await (context ??= await browser.newContext()).newPage();
    const returned = page.waitForRequest((request) => request.url().startsWith(`${daemon.url}/auth/callback`));

    /* This browser has not started a sign-in, so the daemon does not accept the code. */
    await page.goto(`${provider.issuer}/auth?${query}`);
    await enter(page, 'ann');
    const back = new URL((await returned).url());

    await page.close();
    await context.clearCookies();
    return Object.fromEntries(back.searchParams);
  }

  test('has nothing of a state of another browser, changed, or used', async () => {
    const { cookie, query } = await begin();
    const other = await begin();
    const back = await codeFor(query);

    assert.equal(locationOf(await finish(back)), '/#signin=expired', 'without the cookie of the browser that started the sign-in');
    assert.equal(locationOf(await finish(back, other.cookie)), '/#signin=expired');
    assert.equal(locationOf(await finish({ ...back, state: `${back.state.slice(0, -1)}x` }, cookie)), '/#signin=expired');
    assert.equal(locationOf(await finish(back, `${cookie.slice(0, -2)}xx`)), '/#signin=expired');
    assert.equal(locationOf(await finish({ ...back, iss: 'https://evil.example' }, cookie)), '/#signin=expired');
    const good = await finish(back, cookie);
    assert.equal(locationOf(good), '/');
    assert.match(good.headers.getSetCookie().join('\n'), /^vesper-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/m);
    const again = await finish(back, cookie);
    assert.equal(locationOf(again), '/#signin=expired', 'a state is valid once');
    assert.doesNotMatch(again.headers.getSetCookie().join(), /vesper-session/);
  });

  test('cannot use a code of another sign-in', async () => {
    const victim = await begin();
    const back = await codeFor(victim.query);
    const own = await begin();
    const reply = await finish({ ...back, state: own.query.get('state') }, own.cookie);

    assert.match(locationOf(reply), /^\/#signin=(expired|failed)$/, 'its verifier does not match');
    assert.doesNotMatch(reply.headers.getSetCookie().join(), /vesper-session/);
  });

  test('on another site gets no token with the user\'s cookie', async () => {
    const page = await signedIn('ann');
    const { 'vesper-session': session } = await cookies();
    const cookie = `vesper-session=${session.value}`;
    const post = (headers, path = '/auth/token') => fetch(daemon.url + path, { method: 'POST', body: '{}',
      headers: { cookie, 'content-type': 'application/json', ...headers } });

    assert.equal((await post({ origin: daemon.url })).status, 200);
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }, { origin: daemon.url.replace('127.0.0.1', 'localhost') }])
      for (const path of ['/auth/token', '/auth/logout'])
        assert.equal((await post(headers, path)).status, 403, JSON.stringify(headers));
    assert.equal((await post({ origin: daemon.url, 'content-type': 'text/plain' })).status, 415);
    assert.equal((await fetch(`${daemon.url}/api/v1/sessions`, { headers: { cookie } })).status, 401, 'the API accepts no cookie');
    assert.equal((await post({ origin: daemon.url, cookie: 'vesper-session=x' })).status, 401);
    assert.equal((await token(page)).status, 200);
  });

  test('finds no token in the daemon\'s output', () => {
    assert.doesNotMatch(daemon.output, /eyJ[\w-]{20}/);
    assert.doesNotMatch(daemon.output, /secret of the test provider/);
  });
});

test('the files of the page and of the frame are served, without those of the demo', async () => {
  const status = async (path, method = 'GET') => (await fetch(daemon.url + path, { method, ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }) })).status;

  for (const path of ['/', '/app.js', '/app.css', '/embed', '/embed.js', '/widget.js', '/favicon.svg'])
    assert.equal(await status(path), 200, path);
  assert.equal(await status('/demo.js'), 404);
  assert.equal(await status('/api/v1/demo/login', 'POST'), 404);
});

test('invalid settings are refused and named', async () => {
  const start = (more) => ({ demo: false, env: { VESPER_JWT_SECRET: undefined, ...provider.environment(more) } });

  await refusedStart(start({ VESPER_SERVER_PUBLIC_URL: 'http://vesper.example.com' }), /server\.public_url: must be an https address/);
  await refusedStart(start({ VESPER_SERVER_PUBLIC_URL: 'https://vesper.example.com/chat' }), /server\.public_url: must be scheme and host only/);
  await refusedStart(start({ VESPER_SIGNIN_SCOPES: 'profile' }), /signin\.scopes: must include openid/);
  await refusedStart(start({ VESPER_SIGNIN_PARAMETERS: '{"state":"x"}' }), /signin\.parameters: state/);
  await refusedStart(start({ VESPER_AUTH_JWKS_URL: `${provider.issuer}/jwks` }), /signin\.client_id: .*openid-configuration/);
});
