/*
 * The element in other pages: pages with intrusive styles and strict policies, failing token functions, an element
 * that is moved, removed and inserted again, two elements, and frames that get messages from other windows.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { answered, ask, lastTurn, launch } from './browser.mjs';
import { Fake } from './fake.mjs';
import { REFERENCE } from './scripts.mjs';

const SLOW = Array.from({ length: 80 }, (_, i) => `word${i + 1}`).join(' ');
const TOKEN = '<script type="module">document.querySelectorAll("vesper-chat").forEach((c) => { c.getToken = async () => "v.analyst.t"; });</script>';
const ELEMENT = `<script type="module" src="/widget.js"></script><vesper-chat sessions></vesper-chat>${TOKEN}`;

let browser;
let fake;
let context;
let pageErrors;

before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => { fake = await new Fake().start(); });
afterEach(async () => {
  await context?.close();
  await fake.stop();
});

/* Opens a page of the same origin with this HTML around the element. */
async function visit(html, { headers = {}, ...options } = {}) {
  context = await browser.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: 'reduce', ...options });
  pageErrors = [];
  fake.host = { headers, html: `<!doctype html><html lang="en"><title>Intranet</title><link rel="icon" href="/favicon.svg"><meta name="viewport" content="width=device-width">${html}` };
  const page = await context.newPage();

  page.setDefaultTimeout(8000);

  page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  await page.goto(`${fake.url}/host`, { timeout: 60000 });
  return page;
}

const ready = (page) => page.locator('vesper-chat[data-state=ready]').first().waitFor();
const shown = (page, text) => lastTurn(page).locator('.prose', { hasText: text }).waitFor();

/* The computed styles of texts and controls. */
function computedStyles(page) {
  return page.evaluate(() => {
    const root = document.querySelector('vesper-chat').shadowRoot;
    const names = ['display', 'font-size', 'font-weight', 'line-height', 'color', 'background-color', 'text-transform', 'letter-spacing',
      'white-space', 'cursor', 'padding-top', 'border-top-width', 'visibility', 'text-align'];

    return Object.fromEntries(['.frame', '.welcome h2', '.welcome p', '.starter', 'textarea', '.send', '.question p', '.prose', '.filter',
      'th', 'td', '.chip', '.outcome'].map((selector) => {
      const style = getComputedStyle(root.querySelector(selector));

      return [selector, names.map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ')];
    }));
  });
}

test('intrusive styles of the embedding page change nothing', async () => {
  const styles = ['', `html { font-size: 10px } * { all: unset; text-transform: uppercase !important; letter-spacing: 3px; line-height: 3;
    color: red; white-space: pre; cursor: wait; text-align: center } p, button, td { padding: 40px !important; border: 9px solid }`];
  const seen = [];

  for (const css of styles) {
    const page = await visit(`<style>${css}</style><body><div style="display: block; height: 600px">${ELEMENT}</div>`);

    await ready(page);
    await page.evaluate(() => { document.querySelector('vesper-chat').starters = ['One?']; });
    await ask(page, REFERENCE);
    await answered(page);
    const box = await page.locator('.frame').boundingBox();

    assert.ok(Math.abs(box.height - 600) < 2, `${box.height} high`);
    seen.push(await computedStyles(page));
    await context.close();
  }
  assert.deepEqual(seen[1], seen[0]);
});

test('in a narrow column of a wide page it has the narrow layout', async () => {
  const page = await visit(`<body><div style="width: 420px; height: 640px">${ELEMENT}</div>`);

  await ready(page);
  await page.evaluate(() => { document.querySelector('vesper-chat').starters = ['One question?', 'Another one?']; });
  assert.equal(await page.locator('.starters').evaluate((node) => getComputedStyle(node).gridTemplateColumns.split(' ').length), 1);
  await ask(page, REFERENCE);
  const turn = await answered(page);
  assert.equal(await turn.locator('.answer').evaluate((node) => getComputedStyle(node).gridTemplateColumns.split(' ').length), 1);
  const list = await page.getByRole('button', { name: 'Conversations', exact: true }).boundingBox();
  const question = await turn.locator('.question p').boundingBox();

  assert.ok(list.y + list.height <= question.y, 'the button of the list is above the conversation and does not cover it');
});

test('it is mirrored in a page with text from right to left', async () => {
  const page = await visit(`<body dir="rtl"><div style="height: 600px">${ELEMENT}</div>`);

  await ready(page);
  await page.evaluate(() => document.querySelector('vesper-chat').toggleSessions(true));
  await ask(page, 'ما هو السعر؟ SP15');
  const turn = await answered(page);
  const [list, frame, send, question] = await Promise.all(['.sessions', '.frame', '.send', '.question p']
    .map((selector) => page.locator(selector).first().boundingBox()));

  assert.ok(Math.abs(list.x + list.width - frame.x - frame.width) < 2, 'the list is on the right');
  assert.ok(send.x < frame.x + frame.width / 2 && question.x < frame.x + frame.width / 2);
  assert.equal(await turn.locator('.question p').evaluate((node) => getComputedStyle(node).unicodeBidi), 'plaintext');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test('at 200 % zoom everything can still be reached', async () => {
  const page = await visit(`<body style="margin: 0"><div style="height: 100vh">${ELEMENT}</div>`, { viewport: { width: 640, height: 400 } });

  await ready(page);
  await ask(page, REFERENCE);
  const turn = await answered(page);
  assert.ok((await page.locator('.scroll').boundingBox()).height > 200);
  await turn.getByRole('button', { name: 'Good answer' }).scrollIntoViewIfNeeded();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test('an element that is moved continues its answer', async () => {
  const page = await visit(`<body><div id="a" style="height: 500px">${ELEMENT}</div><div id="b" style="height: 500px"></div>`);

  await ready(page);
  await ask(page, 'slow');
  await shown(page, 'word5 ');
  await page.evaluate(() => document.querySelector('#b').append(document.querySelector('vesper-chat')));
  assert.equal(await (await answered(page)).locator('.prose').innerText(), SLOW);
  assert.equal(fake.received.filter((frame) => frame.type === 'resume').length, 0, 'its connection stays open');
  assert.deepEqual(pageErrors, []);
});

test('an element that is removed closes its connection, and restores its state when inserted again', async () => {
  const page = await visit(`<body style="height: 600px">${ELEMENT}`);

  await ready(page);
  await ask(page, 'hello');
  await answered(page);
  await page.evaluate(() => { window.chat = document.querySelector('vesper-chat'); window.chat.remove(); });
  for (let i = 0; i < 100 && fake.sockets.size > 0; i++)
    await page.waitForTimeout(20);
  assert.equal(fake.sockets.size, 0);
  await page.evaluate(() => document.body.append(window.chat));
  await ready(page);
  assert.equal(await page.locator('.turn').count(), 1);
  await ask(page, 'again');
  await shown(page, 'You said: again.');
  assert.equal(fake.sessions.size, 1, 'it is the same conversation');
  await page.evaluate(() => { window.chat.close(); window.chat.remove(); document.body.append(window.chat); });
  await page.waitForTimeout(300);
  assert.equal(fake.sockets.size, 0, 'a closed element stays closed');
  assert.deepEqual(pageErrors, []);
});

test('two elements of a page are two conversations', async () => {
  const page = await visit(`<body><div style="height: 400px">${ELEMENT}</div><div style="height: 400px"><vesper-chat></vesper-chat></div>${TOKEN}`);
  const [one, two] = [page.locator('vesper-chat').nth(0), page.locator('vesper-chat').nth(1)];

  for (const chat of [one, two])
    await chat.and(page.locator('[data-state=ready]')).waitFor();
  for (const chat of [one, two]) {
    await chat.getByRole('textbox', { name: 'Your question' }).fill('slow');
    await page.keyboard.press('Enter');
  }
  await two.locator('.prose', { hasText: 'word3 ' }).waitFor();
  await page.keyboard.press('Escape');
  await two.locator('.notice').waitFor();
  await one.locator('.prose', { hasText: 'word80' }).waitFor();
  assert.equal(await one.locator('.notice').count(), 0);
  assert.equal(fake.sessions.size, 2);
  assert.deepEqual(pageErrors, []);
});

test('it works under the strictest policy of a page', async () => {
  const policy = "default-src 'none'; script-src 'self' 'nonce-n'; style-src 'none'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "trusted-types dompurify; require-trusted-types-for 'script'";
  const page = await visit(`<body>${ELEMENT.replaceAll('<script ', '<script nonce="n" ')}`, { headers: { 'content-security-policy': policy } });

  await ready(page);
  for (const question of ['markdown', 'hostile']) {
    await ask(page, question);
    await answered(page);
  }
  assert.equal(await page.locator('.prose h3').count(), 1, 'Markdown is rendered');
  await ask(page, 'wide hourly');
  await answered(page);
  assert.deepEqual(pageErrors, []);
});

test('an invalid token or a failing token function is retried or reported', async () => {
  const tokenFunctions = [
    ['async () => "v.analyst.t\\n"', 'ready'],
    ['() => "v.analyst.t"', 'ready'],
    ['async () => null', 'Sign in needed'],
    ['async () => "<!doctype html><title>Log in</title>"', 'Sign in needed'],
    ['() => Promise.reject(Object.assign(new Error("x"), { status: 401 }))', 'Sign in needed'],
    ['() => { throw new Error("not yet"); }', 'The connection is lost'],
    ['() => Promise.reject()', 'The connection is lost'],
  ];

  for (const [tokenFunction, expected] of tokenFunctions) {
    const page = await visit(`<body style="height: 600px"><script type="module" src="/widget.js"></script><vesper-chat></vesper-chat>
      <script type="module">document.querySelector('vesper-chat').getToken = ${tokenFunction};</script>`);

    if (expected === 'ready')
      await ready(page);
    else
      await page.getByText(expected).waitFor();
    assert.deepEqual(pageErrors, [], tokenFunction);
    await context.close();
  }
});

test('a token function that never resolves times out and is called again', async () => {
  const page = await visit('<body style="height: 600px">');

  await page.clock.install();
  await page.setContent(`<body style="height: 600px"><vesper-chat></vesper-chat>`);
  await page.addScriptTag({ url: '/widget.js', type: 'module' });
  await page.evaluate(() => {
    window.calls = 0;
    document.querySelector('vesper-chat').getToken = () => (window.calls++ === 0 ? new Promise(() => {}) : 'v.analyst.t');
  });
  await page.waitForFunction(() => window.calls === 1);
  const asked = Promise.all([/\/api\/v1\/agents$/, /\/api\/v1\/saved-views$/].map((address) => page.waitForResponse(address)));
  await page.clock.runFor(20000);
  await page.clock.resume();
  await ready(page);
  await asked;
  /* The call that never resolved, one for the socket, and one for each of the two later requests. */
  assert.equal(await page.evaluate(() => window.calls), 4);
});

test('a token that expires during an answer, without a new one at once, loses nothing', async () => {
  const page = await visit(`<body style="height: 600px"><script type="module" src="/widget.js"></script><vesper-chat></vesper-chat>
    <script type="module">let calls = 0;
    document.querySelector('vesper-chat').getToken = async ({ fresh }) => {
      if (calls++ === 0) return 'v.analyst.t1';
      if (calls < 4) throw new Error('the company is asleep');
      return 'v.analyst.t2';
    };</script>`);

  await ready(page);
  await ask(page, 'slow');
  await shown(page, 'word5 ');
  fake.broadcast({ type: 'auth.expiring', expires_in: 1 });
  await shown(page, 'word9 ');
  for (const socket of fake.sockets)
    socket.close(4401, 'expired');
  assert.equal(await (await answered(page)).locator('.prose').innerText(), SLOW);
  assert.equal(await page.locator('.turn').count(), 1);
});

test('a frame speaks the first language of the browser that it knows, until its page sets another', async () => {
  const page = await visit('<body><iframe src="/embed.html" title="Vesper" width="480" height="500"></iframe>', { locale: 'de-AT' });
  const frame = page.frameLocator('iframe');

  await frame.getByRole('heading', { name: 'Was möchten Sie wissen?' }).waitFor();
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ source: 'vesper', v: 1, type: 'locale', locale: 'es' }, '*'));
  await frame.getByRole('heading', { name: '¿Qué quiere saber?' }).waitFor();
});

test('a frame hears its page only, and sends nothing to others', async () => {
  const page = await visit(`<body><iframe src="/embed.html" title="Vesper" width="480" height="500"></iframe>
    <script>
      window.got = [];
      addEventListener('message', (event) => window.got.push(event.data));
    </script>`);

  await page.waitForFunction(() => window.got.some(({ type }) => type === 'need-token'));
  const frame = page.frames()[1];

  /* Messages from a script in the frame's own window, from another frame, and invalid ones from the page. */
  await frame.evaluate(() => postMessage({ source: 'vesper', v: 1, type: 'token', token: 'stolen.admin.t' }, '*'));
  await page.evaluate(async () => {
    const stranger = document.createElement('iframe');

    document.body.append(stranger);
    stranger.contentWindow.eval('parent.frames[0].postMessage({ source: "vesper", v: 1, type: "token", token: "stolen.admin.t" }, "*")');
    for (const data of [null, 7, 'token', { source: 'vesper' }, { source: 'vesper', v: 2, type: 'token', token: 'x' },
      { source: 'vesper', v: 1, type: 'constructor' }, { source: 'vesper', v: 1, type: '__proto__' }])
      frames[0].postMessage(data, '*');
  });
  await page.waitForTimeout(300);
  assert.equal(fake.sockets.size, 0);
  await page.evaluate(() => {
    for (const data of [{ type: 'token', token: 'v.analyst.t' }, { type: 'starters' }, { type: 'locale', locale: {} }, { type: 'theme' }])
      frames[0].postMessage({ source: 'vesper', v: 1, ...data }, location.origin);
  });
  await frame.locator('vesper-chat[data-state=ready]').waitFor();
  await page.evaluate(() => frames[0].postMessage({ source: 'vesper', v: 1, type: 'ask', question: 'hello' }, location.origin));
  await frame.locator('.prose', { hasText: 'You said: hello.' }).waitFor();
  assert.ok(!JSON.stringify(await page.evaluate(() => window.got)).includes('analyst'), 'no token is sent to the page');
  assert.deepEqual(pageErrors, []);
});

test('without a height it uses a default, and it is light or dark like the page', async () => {
  for (const [scheme, colorScheme, isDark] of [['', 'dark', false], ['html { color-scheme: dark }', 'light', true],
    ['html { color-scheme: light dark }', 'dark', true]]) {
    const page = await visit(`<style>${scheme}</style><body>${ELEMENT}`, { colorScheme });

    page.setDefaultTimeout(60000);
    await ready(page);
    const box = await page.locator('.composer').boundingBox();
    const frame = await page.locator('.frame').boundingBox();
    assert.ok(frame.height >= 380 && frame.height <= 800 && box.y + box.height <= frame.y + frame.height + 1, JSON.stringify(frame));
    const [red] = (await page.locator('.frame').evaluate((node) => getComputedStyle(node).backgroundColor)).match(/\d+/);
    assert.equal(Number(red) < 100, isDark, scheme);
    await context.close();
  }
});
