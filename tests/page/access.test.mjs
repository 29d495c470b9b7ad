/* Accessibility checks by axe in every state of the page: light and dark, wide and narrow; and embedded in other pages. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { ROOT, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';
import { reportFrames } from '../mock/report-frame.mjs';
import { assertAccessible } from './axe.mjs';
import { answered, ask, lastTurn, launch, openPage } from './browser.mjs';
import { Fake } from './fake.mjs';
import { REFERENCE } from './scripts.mjs';

let browser;

before(async () => { browser = await launch(); });
after(() => browser.close());

async function open(url, options) {
  const opened = await openPage(browser, url, { bypassCSP: true, reducedMotion: 'reduce', ...options });

  await opened.page.locator('vesper-chat[data-state=ready]').waitFor();
  return opened;
}

describe('axe finds no violation', () => {
  let daemon;
  let fake;

  before(async () => {
    daemon = await startDaemon();
    fake = await new Fake().start();
  });
  after(async () => {
    await daemon?.stop();
    await fake?.stop();
  });

  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 780 }, hasTouch: true }]])
    test(`in answers, ${look}`, async () => {
      const { page, context } = await open(daemon.url, options);

      await assertAccessible(page, 'welcome');
      await ask(page, REFERENCE);
      await answered(page);
      await assertAccessible(page, 'an answer');
      await page.locator('.turn details.data summary').click();
      await page.getByRole('button', { name: 'Pin to the start page' }).waitFor();
      await assertAccessible(page, 'a table and its tools');
      await page.getByRole('button', { name: 'Pin to the start page' }).click();
      await page.getByText('It is on your start page now').waitFor();
      await page.goto('about:blank');
      await page.goto(daemon.url);
      await page.locator('.welcome .saved .data').first().waitFor();
      await assertAccessible(page, 'a start page with a pinned result');
      await ask(page, 'Show the hourly price distribution for SP15 in 2025 from Ascend');
      await answered(page);
      await page.locator('.chart-card[data-state=drawn]').waitFor();
      await lastTurn(page).locator('summary.outcome').click();
      await lastTurn(page).locator('.mark').first().focus();
      await assertAccessible(page, 'a chart, how it was answered, a source');
      await lastTurn(page).locator('button.filter').filter({ hasText: 'Ascend' }).click();
      await page.getByRole('option', { selected: true, name: 'Ascend' }).waitFor();
      await assertAccessible(page, 'a filter being edited');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Conversations', exact: true }).click();
      await page.locator('.session').first().waitFor();
      await assertAccessible(page, 'the list of conversations');
      await context.close();
    });

  for (const question of ['ERCOT', 'vendors', 'fail', 'partial', 'NP99', 'markdown', 'wide hourly', 'several', 'receipt', 'refusals',
    'long list', 'long boxes', 'range', 'expiring'])
    test(`in "${question}"`, async () => {
      const { page, context } = await open(fake.url);

      await ask(page, question);
      const turn = await answered(page);
      if (question === 'receipt')
        await turn.locator('summary.outcome').click();
      if (question === 'expiring')
        await turn.locator('.expired').waitFor();
      await assertAccessible(page, question);
      await context.close();
    });

  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }]])
    test(`in a report, ${look}, in German`, async () => {
      const { page, context } = await open(`${fake.url}/?locale=de`, options);
      const grants = [];

      await reportFrames(context);
      await context.route('**/api/v1/reports/**', (route) => new Promise((resolve) => grants.push((status) => resolve(route.fulfill({ status,
        json: { report_id: 'r', embed_url: 'https://app.powerbi.com/reportEmbed?x=1', token: 't', expires_at: '2090-01-01T00:00:00Z' } })))));
      const granted = async (status) => {
        while (grants.length === 0)
          await page.waitForTimeout(20);
        grants.shift()(status);
      };

      await page.locator('.frame[lang=de]').waitFor();
      await page.getByRole('textbox', { name: 'Ihre Frage' }).fill(REFERENCE);
      await page.keyboard.press('Enter');
      await (await answered(page)).getByRole('button', { name: /Hier öffnen/ }).click();
      await page.getByText('Der Bericht wird geladen').waitFor();
      await assertAccessible(page, 'a report is loading');
      await granted(503);
      await page.getByText('Power BI antwortet nicht').waitFor();
      await assertAccessible(page, 'a report that failed to load');
      await page.getByRole('button', { name: 'Noch einmal versuchen' }).click();
      await granted(200);
      await page.locator('.report-frame[data-state=shown]').waitFor();
      await assertAccessible(page, 'a report is shown');
      await context.close();
    });

  test('during an answer, and without a connection', async () => {
    const { page, context } = await open(fake.url);

    await ask(page, 'slow');
    await lastTurn(page).locator('.prose', { hasText: 'word3' }).waitFor();
    await assertAccessible(page, 'streaming');
    fake.paused = true;
    fake.cut();
    await page.locator('.banner:not([hidden])').waitFor();
    await assertAccessible(page, 'no connection');
    fake.paused = false;
    await context.close();
  });
});

/* A customer's page on another origin, with the element or with the frame. */
describe('in another page', () => {
  let daemon;
  let site;
  let html = '';

  before(async () => {
    site = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
    site.url = `http://localhost:${site.address().port}`;
    daemon = await startDaemon({ env: { VESPER_AUTH_ORIGINS: site.url } });
  });
  after(async () => {
    site.close();
    await daemon?.stop();
  });

  /* The example of docs/embedding.md, with this daemon's address and a token in place of the customer's. */
  function example(name) {
    const guide = readFileSync(`${ROOT}/docs/embedding.md`, 'utf8');
    const found = new RegExp(`<!-- ${name} -->\\s*\`\`\`html\\n([^]*?)\`\`\``).exec(guide);

    return found[1].replaceAll('https://vesper.example.com', daemon.url)
      .replace("await (await fetch('/my-token')).text()", JSON.stringify(mintToken()));
  }

  async function visit(page) {
    html = `<!doctype html><title>Intranet</title><body style="height:600px">${page}`;
    const context = await browser.newContext();
    const opened = await context.newPage();
    const pageErrors = [];

    opened.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
    opened.on('pageerror', (error) => pageErrors.push(String(error)));
    await opened.goto(site.url);
    return { page: opened, context, pageErrors };
  }

  test('the element of the example answers', async () => {
    const { page, context, pageErrors } = await visit(example('element'));

    await page.locator('vesper-chat[data-state=ready]').waitFor();
    await ask(page, REFERENCE);
    assert.match(await (await answered(page)).innerText(), /\$48\.73\/MWh/);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  test('the frame of the example answers, and asks its page for the token', async () => {
    const { page, context, pageErrors } = await visit(example('frame'));
    const frame = page.frameLocator('iframe');

    await frame.locator('vesper-chat[data-state=ready]').waitFor();
    await frame.getByRole('textbox', { name: 'Your question' }).fill(REFERENCE);
    await frame.getByRole('textbox', { name: 'Your question' }).press('Enter');
    await frame.locator('.prose', { hasText: '$48.73/MWh' }).waitFor();
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  test('a page that is not on the list may not hold the frame', async () => {
    const { page, context, pageErrors } = await visit('<p>There is no frame yet.</p>');
    const other = createServer((request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${daemon.url}/embed"></iframe>`));

    await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
    await page.goto(`http://127.0.0.1:${other.address().port}`);
    await page.waitForFunction(() => frames.length === 1);
    await page.waitForTimeout(500);
    assert.match(pageErrors.join(), /frame-ancestors/);
    other.close();
    await context.close();
  });
});
