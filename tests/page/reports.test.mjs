/*
 * Power BI reports in an answer: the real daemon, a mock of Power BI that issues tokens, and a frame in place
 * of app.powerbi.com that records what it receives. A token must only reach this frame.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';

import { startDaemon } from '../e2e/harness.mjs';
import { PowerBi, REPORT } from '../mock/powerbi.mjs';
import { reportFrame, reportFrames } from '../mock/report-frame.mjs';
import { answered, ask, launch, openPage } from './browser.mjs';
import { REFERENCE } from './scripts.mjs';

const SHORT_MS = 2 * 60000 + 2500;   /* the page renews tokens that expire within two minutes */
const REPORT_REQUEST = /^https:\/\/app\.powerbi\.com\//;
const FAILED = /Failed to load resource/;
let browser;
let open;
let behave;

before(async () => { browser = await launch(); });
after(() => browser.close());
afterEach(async () => {
  await open?.context.close();
  open = behave = undefined;
});

/* A page with an answer that links to a report. */
async function start(daemon) {
  open = await openPage(browser, daemon.url);
  open.page.setDefaultTimeout(12000);
  await reportFrames(open.context, () => behave);
  await open.page.locator('vesper-chat[data-state=ready]').waitFor();
  await ask(open.page, REFERENCE);
  return answered(open.page);
}

const openHere = (turn) => turn.getByRole('button', { name: 'Open here: Day-Ahead Curves Dashboard' });
const state = (turn, name) => turn.locator(`.report-frame[data-state=${name}]`);

async function messages(page, url, atLeast = 1) {
  const frame = await reportFrame(page);

  /* Polls by time: an invisible frame of another origin renders nothing, so polling per animation frame would never run. */
  await frame.waitForFunction(([path, n]) => window.messages.filter((m) => m.url === path).length >= n, [url, atLeast],
    { polling: 50 });
  return frame.evaluate((path) => window.messages.filter((m) => m.url === path), url);
}

/* Everything of a page that persists or that other code can read. */
function readable(page) {
  return page.evaluate(async () => {
    const found = [location.href, JSON.stringify(history.state), document.cookie, JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }), JSON.stringify(await indexedDB.databases()), JSON.stringify(await caches.keys()),
      ...performance.getEntries().map((entry) => entry.name)];
    const walk = (root) => {
      for (const node of root.querySelectorAll('*')) {
        found.push(...[...node.attributes].map((a) => a.value), node.textContent);
        if (node.shadowRoot)
          walk(node.shadowRoot);
      }
    };

    walk(document);
    return found.join('\n');
  });
}

function assertClean(...expected) {
  assert.deepEqual(open.pageErrors.filter((wrong) => ![REPORT_REQUEST, ...expected].some((one) => one.test(wrong))), []);
}

describe('a report of an answer', () => {
  let pbi;
  let daemon;

  before(async () => {
    pbi = await new PowerBi({ lifeMs: SHORT_MS }).start();
    daemon = await startDaemon({ env: pbi.env() });
  });
  after(async () => {
    await daemon?.stop();
    await pbi?.close();
  });
  afterEach(() => { pbi.behave = () => undefined; });

  test('is opened in place, with a token that only its frame gets, and closed again', async () => {
    const turn = await start(daemon);
    const { page } = open;
    const issuedCount = pbi.embedTokens.length;

    assert.equal(issuedCount, 0, 'an answer requests no token');
    await openHere(turn).click();
    await state(turn, 'shown').waitFor();
    const [load] = await messages(page, '/report/load');
    const { token } = pbi.embedTokens[issuedCount];

    assert.equal(load.body.accessToken, token);
    assert.equal(load.body.id, REPORT);
    assert.equal(load.body.tokenType, 1);
    assert.equal(load.origin, new URL(daemon.url).origin);
    assert.deepEqual(load.body.filters.map(({ target, operator, values }) => [target.table, target.column, operator, values]), [
      ['Vendor Files', 'Vendor', 'In', ['Ascend']], ['Vendor Files', 'HubZone', 'In', ['NP15']],
      ['Day Ahead', 'Year', 'In', [2025]], ['Vendor Files', 'Market', 'In', ['CAISO']]]);
    assert.equal(await turn.locator('iframe').getAttribute('title'), 'Day-Ahead Curves Dashboard');
    assert.ok(!(await readable(page)).includes(token), 'the token is not on the page');
    assert.equal(await page.evaluate(() => 'powerbi' in window), false);

    await turn.getByRole('button', { name: 'Close Day-Ahead Curves Dashboard' }).click();
    assert.equal(await turn.locator('iframe').count(), 0);
    assert.equal(await openHere(turn).getAttribute('aria-expanded'), 'false');
    assert.match(await page.evaluate(() => document.querySelector('vesper-chat').shadowRoot.activeElement.textContent), /^Open here/);
    assertClean();
  });

  test('gets a new token before the old one expires', async () => {
    const turn = await start(daemon);
    const { page } = open;

    await openHere(turn).click();
    const [load] = await messages(page, '/report/load');
    const [renewed] = await messages(page, '/report/token');
    const known = pbi.embedTokens.map(({ token }) => token);

    assert.ok(known.includes(renewed.body));
    assert.notEqual(renewed.body, load.body.accessToken);
    await messages(page, '/report/token', 2);
    const text = await readable(page);

    assert.ok(pbi.embedTokens.every(({ token }) => !text.includes(token)));
    assertClean();
  });

  test('is not renewed endlessly if the clock is hours ahead', async () => {
    const turn = await start(daemon);
    const { page } = open;
    const asked = [];

    page.on('request', (request) => request.url().endsWith('/embed') && asked.push(request.url()));
    await page.evaluate(() => {
      const now = Date.now.bind(Date);

      Date.now = () => now() + 3 * 3600000;
    });
    await openHere(turn).click();
    await state(turn, 'shown').waitFor();
    await page.waitForTimeout(1500);
    assert.ok(asked.length >= 1 && asked.length <= 3, `${asked.length} requests`);
    assertClean();
  });

  test('is not opened if the embedding page shows it itself', async () => {
    const turn = await start(daemon);
    const { page } = open;
    const issuedCount = pbi.embedTokens.length;

    await page.evaluate(() => addEventListener('vesper:open-report', (event) => {
      (window.openRequests ??= []).push(event.detail);
      event.preventDefault();
    }));
    await openHere(turn).click();
    await turn.getByRole('link', { name: 'Open Day-Ahead Curves Dashboard in Power BI' }).click();
    const openRequests = await page.evaluate(() => window.openRequests);

    assert.deepEqual(openRequests.map(({ reportKey }) => reportKey), ['dayahead_curve_report', 'dayahead_curve_report']);
    assert.match(openRequests[0].url, /^https:\/\/app\.powerbi\.com\/.*filter=/);
    assert.equal(await page.locator('iframe').count(), 0);
    assert.equal(open.context.pages().length, 1);
    assert.equal(pbi.embedTokens.length, issuedCount);
    assertClean();
  });

  test('that does not load is reported, and can be retried', async () => {
    const turn = await start(daemon);
    const { page } = open;
    const issuedCount = pbi.embedTokens.length;

    pbi.behave = ({ path }) => (path.endsWith('GenerateToken') ? { status: 500 } : undefined);
    await openHere(turn).click();
    await turn.getByText('Power BI does not answer').waitFor();
    pbi.behave = () => undefined;
    behave = 'fail';
    await turn.getByRole('button', { name: 'Try again' }).click();
    for (let i = 0; i < 200 && pbi.embedTokens.length === issuedCount; i++)
      await page.waitForTimeout(50);
    assert.equal(pbi.embedTokens.length, issuedCount + 1, 'a token is issued, and the frame rejects it');
    await state(turn, 'failed').waitFor();
    assert.equal(await turn.locator('iframe').count(), 0);
    behave = undefined;
    await turn.getByRole('button', { name: 'Try again' }).click();
    await state(turn, 'shown').waitFor();
    assertClean(FAILED);
  });

  test('that is still loading is shown as such, and is removed with its conversation', async () => {
    const turn = await start(daemon);
    const { page } = open;

    behave = 'mute';
    await openHere(turn).click();
    await turn.getByText('Loading the report').waitFor();
    await messages(page, '/report/load');
    assert.equal(await state(turn, 'loading').count(), 1);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.locator('.turn').waitFor({ state: 'detached' });
    assert.equal(page.frames().length, 1);
    assertClean();
  });
});

test('without Power BI a report is opened at its URL', async () => {
  const daemon = await startDaemon();
  const turn = await start(daemon);

  await openHere(turn).click();
  await turn.getByText('This report cannot be shown here. It can be opened in Power BI.').waitFor();
  assert.equal(await turn.getByRole('button', { name: 'Try again' }).count(), 0);
  assert.match(await turn.locator('.report-frame a').getAttribute('href'), /^https:\/\/app\.powerbi\.com\/.*filter=/);
  assertClean(FAILED);
  await open.context.close();
  open = undefined;
  await daemon.stop();
});
