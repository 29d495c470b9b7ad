/* "What can I ask?": questions by domain and role that are asked with one click, and explanations of the company's terms. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDaemon } from '../e2e/harness.mjs';
import { assertAccessible, LOOKS } from './axe.mjs';
import { answered, launch, openPage } from './browser.mjs';
import { patient } from '../e2e/patience.mjs';

const LIMIT_MS = patient(60000);
let browser;
let daemon;

before(async () => {
  browser = await launch();
  daemon = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0' } });
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

async function opened(t, { role = 'analyst', query = '', name = 'What can I ask?', ...options } = {}) {
  const { page, context, pageErrors } = await openPage(browser, `${daemon.url}/${query}`, { bypassCSP: true, reducedMotion: 'reduce', ...options });

  t.after(() => context.close());
  page.setDefaultTimeout(LIMIT_MS);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await page.locator('#role').selectOption(role);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await page.getByRole('button', { name }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name });

  await dialog.getByRole('heading', { level: 3 }).first().waitFor();
  return { page, dialog, pageErrors };
}

test('each domain has questions that can be asked by keyboard and are answered', async (t) => {
  const { page, dialog, pageErrors } = await opened(t);
  const question = 'Which curves are available for HB_NORTH?';

  await dialog.getByText('Day-ahead power price forecasts of vendors').waitFor();
  await dialog.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Average annual day-ahead price').first().waitFor();
  await dialog.getByRole('button', { name: question }).focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const turn = await answered(page, LIMIT_MS);
  assert.equal(await page.locator('.question p').first().innerText(), question);
  assert.equal(await turn.locator('.error:not(.said)').count(), 0);
  assert.deepEqual(pageErrors, []);
});

test('nothing is offered that the reader may not ask', async (t) => {
  const { page, dialog } = await opened(t, { role: 'viewer' });

  assert.deepEqual((await dialog.getByRole('button').allInnerTexts()).filter((name) => /price|budget|curve|vendor/i.test(name)), []);
  await dialog.getByText('Renewable energy projects').waitFor();
  assert.equal(await dialog.getByText('Day-ahead power price').count(), 0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('the company\'s terms are explained and can be searched', async (t) => {
  const { dialog } = await opened(t);
  const entry = (text) => dialog.locator('dl > div:visible').filter({ hasText: text });

  await entry('Commercial Operation Date:').first().waitFor();
  assert.equal(await entry('The date of the price file').count(), 1, 'synonyms share one entry');
  assert.match(await entry('The date of the price file').innerText(), /^as-of date, as-of\n/);
  await dialog.getByRole('searchbox', { name: 'Find a term' }).fill('cod for short');
  assert.equal(await dialog.locator('dl > div:visible').count(), 1);
  await dialog.getByRole('searchbox').fill('xyzzy');
  await dialog.getByText('Nothing found.').waitFor();
});

test('in German it states that questions must be in English', async (t) => {
  const { dialog } = await opened(t, { query: '?locale=de', name: 'Was kann ich fragen?' });

  await dialog.getByText('Fragen werden auf Englisch gelesen.').waitFor();
});

for (const [look, options, direction] of LOOKS)
  test(`axe finds no violation, and everything fits, ${look}`, async (t) => {
    const { page, dialog } = await opened(t, options);

    await page.evaluate((dir) => { document.documentElement.dir = dir; }, direction);
    await dialog.locator('summary').first().click();
    await assertAccessible(page, look);
    assert.ok(await dialog.evaluate((node) => node.scrollWidth <= node.clientWidth), 'nothing overflows');
  });
