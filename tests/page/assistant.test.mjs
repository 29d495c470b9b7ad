/*
 * assistant-ui in Chromium against the daemon, from another origin and under a policy without inline scripts: a streamed
 * answer, a reload during an answer, a stop, and a clarifying question that is answered in its component.
 */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';

import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';
import { mintToken } from '../e2e/token.mjs';
import { launch } from './browser.mjs';

const UNCLEAR = 'What was the average day-ahead price in 2025 from Ascend for CAISO?';
const SLOW = { token_ms: 60 };
const answerWith = (rule) => [{ when: { kind: 'answer' }, ...rule }, { reply: 'demo' }];

const { build } = createRequire(new URL('../../src/widget/', import.meta.url))('esbuild');

let browser, mock, model, rules, site, script, context, page, pageErrors;

async function bundle() {
  const { outputFiles } = await build({ entryPoints: [fileURLToPath(new URL('assistant/page.jsx', import.meta.url))], bundle: true, write: false,
    format: 'esm', jsx: 'automatic', minify: true, define: { 'process.env.NODE_ENV': '"production"' }, logLevel: 'error' });
  return outputFiles[0].text;
}

/* The site that uses assistant-ui. */
function serve() {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html',
        'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${model?.url} ${rules?.url}` });
      response.end(isScript ? script : '<!doctype html><html lang="en"><title>Team</title><link rel="icon" href="data:,"><main id="page"></main><script type="module" src="/page.js"></script>');
    }).listen(0, '127.0.0.1', () => resolve(server));
  });
}

before(async () => {
  [script, browser, mock, site] = await Promise.all([bundle(), launch(), startMock(), serve()]);
  const env = { VESPER_AUTH_ORIGINS: origin(), VESPER_LIMITS_GRACE_S: '30' };
  [model, rules] = await Promise.all([startDaemon({ mock, env }), startDaemon({ env })]);
});
after(async () => {
  await browser?.close();
  await model?.stop();
  await rules?.stop();
  await mock?.close();
  site?.close();
});
beforeEach(async () => {
  mock.use('demo');
  pageErrors = [];
  context = await browser.newContext();
  page = await context.newPage();
  page.setDefaultTimeout(patient(10000));
  page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
  page.on('pageerror', (error) => pageErrors.push(String(error)));
});
afterEach(async () => {
  await context.close();
  assert.deepEqual(pageErrors, [], 'no error occurred, and the policy blocked nothing');
});

const origin = () => `http://127.0.0.1:${site.address().port}`;
const answer = (text) => page.locator('[data-role=assistant]').filter({ hasText: text });

const open = (d) => page.goto(`${origin()}/#${new URLSearchParams({ api: `${d.url}/ai/chat`, token: mintToken({ sub: randomUUID() }), chat: randomUUID() })}`);

async function ask(question) {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question);
  await page.keyboard.press('Enter');
}

/* The answer has ended when the stop button is disabled. */
const ended = () => page.waitForFunction(() => [...document.querySelectorAll('button')].find((b) => b.textContent === 'Stop').disabled);

test('an answer is streamed together with its step', async () => {
  await open(model);
  await ask(REFERENCE);
  await answer('48.73').waitFor();
  await ended();
  assert.equal(await page.locator('[data-tool=get_average_annual_price]').textContent(), 'rows');
});

test('a page that is reloaded during an answer shows the whole answer', async () => {
  await open(model);
  mock.use(answerWith({ fault: SLOW }));
  await ask(REFERENCE);
  await page.locator('[data-role=assistant]').filter({ hasText: /\w/ }).waitFor(); /* before this, the question may not have been sent */
  const calls = mock.count;
  await page.reload();
  await answer('48.73').waitFor();
  await ended();
  assert.ok(mock.count <= Math.max(calls, 2), 'no model is called again');
});

test('the stop button cancels the answer', async () => {
  await open(model);
  mock.use(answerWith({ fault: { token_ms: 400 } }));
  await ask(REFERENCE);
  await page.locator('[data-tool]').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended();
  assert.equal(await answer('8,760').count(), 0);
});

test('a clarifying question is answered in its component', async () => {
  await open(rules);
  await ask(UNCLEAR);
  await page.getByRole('button', { name: /^NP15/ }).click();
  await answer('48.73').waitFor();
  await ended();
});
