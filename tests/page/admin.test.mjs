/* The administration area with a real daemon: what each part shows, what can be changed there, and who may see it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';
import { assertAccessible, LOOKS } from './axe.mjs';
import { launch, openPage } from './browser.mjs';
import { patient } from '../e2e/patience.mjs';

const LIMIT_MS = patient(60000);
const NONSENSE = 'blorb the frobnicator';
let browser;
let mock;
let daemon;

before(async () => {
  [browser, mock] = await Promise.all([launch(), startMock()]);
  daemon = await startDaemon({ mock, env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LLM_BUDGETS: JSON.stringify([{ scope: 'user', period: 'day', tokens: 500000 }]) } });
  const ann = daemon.rest(mintToken({ sub: 'ann' }));
  const { body } = await ann.post('/api/v1/chat', { content: REFERENCE });

  await ann.post(`/api/v1/messages/${body.message_id}/feedback`, { rating: 'down', comment: 'The newest file is missing.', correction: '48.90' });
  for (let i = 0; i < 2; i++)
    await ann.post('/api/v1/chat', { content: NONSENSE });
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
  await mock?.close();
});

/* Elements that extend beyond the dialog, except inside areas that scroll. */
const overflowing = (dialog) => dialog.evaluate((node) => [...node.querySelectorAll('*')].filter((one) => !one.closest('.grid') || one.matches('.grid'))
  .filter((one) => one.getBoundingClientRect().right > node.getBoundingClientRect().right + 1).map((one) => one.outerHTML.slice(0, 100)));

async function visit(t, { role = 'admin', query = '', ...options } = {}) {
  const { page, context, pageErrors } = await openPage(browser, `${daemon.url}/${query}`, { bypassCSP: true, reducedMotion: 'reduce', ...options });

  t.after(() => context.close());
  page.setDefaultTimeout(LIMIT_MS);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await page.locator('#role').selectOption(role);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  return { page, pageErrors };
}

async function opened(t, { name = 'Administration', ...options } = {}) {
  const { page, pageErrors } = await visit(t, options);

  await page.getByRole('button', { name }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name });
  const part = async (title) => {
    const summary = dialog.locator('summary').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

    await summary.focus();
    await page.keyboard.press('Enter');
    const box = dialog.locator('details').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

    await box.locator('[aria-busy]').waitFor({ state: 'detached' });
    await box.locator('div > *').first().waitFor();
    return box;
  };

  await dialog.waitFor();
  return { page, dialog, part, pageErrors };
}

test('it is available to administrators only', async (t) => {
  const { page } = await visit(t, { role: 'manager' });

  await page.getByRole('button', { name: 'What can I ask?' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Administration' }).count(), 0);
  await page.locator('#role').selectOption('admin');
  await page.getByRole('button', { name: 'Administration' }).waitFor();
  await page.locator('#role').selectOption('viewer');
  await page.getByRole('button', { name: 'Administration' }).waitFor({ state: 'hidden' });
});

test('permissions are shown, and tools are switched off and on, by keyboard', async (t) => {
  const { page, dialog, part, pageErrors } = await opened(t);
  const access = await part('Who may do what');

  assert.deepEqual(await access.locator('table').first().locator('thead th').allInnerTexts(), ['Permission', 'viewer', 'analyst', 'manager', 'admin']);
  assert.deepEqual(await access.getByRole('row', { name: /^chat:read_budget/ }).locator('td').allInnerTexts(), ['No', 'No', 'Yes', 'Yes']);
  await access.getByRole('row', { name: /^Budget overview chat:read_budget/ }).waitFor();

  const tools = await part('Tools and switches');
  const box = tools.getByRole('group', { name: 'Projects', exact: true }).getByRole('checkbox', { name: 'Task risks' });
  const isListed = async () => (await daemon.rest(mintToken()).get('/api/v1/tools')).body.data.some(({ name }) => name === 'get_task_risks');

  assert.equal(await isListed(), true);
  for (const [words, isOn] of [['Task risks is off for all users.', false], ['Task risks is on.', true]]) {
    await box.focus();
    await page.keyboard.press('Space');
    await dialog.getByText(words).waitFor();
    assert.equal(await isListed(), isOn);
  }
  assert.deepEqual(pageErrors, []);
});

test('usage, budgets, quality and questions without an answer are shown', async (t) => {
  const { page, dialog, part, pageErrors } = await opened(t);
  const usage = await part('Usage and cost');
  const users = usage.getByRole('group', { name: 'By user' });

  await users.getByRole('row', { name: /^ann / }).waitFor();
  assert.match(await usage.getByRole('group', { name: 'By model' }).innerText(), /anthropic/);
  await (await part('Budgets')).getByRole('row', { name: /^Each user Day 500,000 ann 4\d\d,\d{3}$/ }).waitFor();
  const quality = await part('Quality');
  await quality.getByText('With a number that the data do not support').waitFor();
  assert.equal(await quality.locator('div').filter({ has: page.getByText('The first provider of models did not answer', { exact: true }) }).last().locator('dd').innerText(), '0');
  await quality.getByRole('row', { name: /^Answered \d/ }).waitFor();
  const open = await part('Questions without an answer');
  await open.getByRole('row', { name: new RegExp(`^${NONSENSE} .* 2 `) }).waitFor();
  await dialog.getByRole('combobox', { name: 'Period' }).selectOption('7');
  await users.getByRole('row', { name: /^ann / }).waitFor();
  assert.deepEqual(pageErrors, []);
});

test('feedback becomes an evaluation case, and receipts are chained', async (t) => {
  const { page, part, pageErrors } = await opened(t, { acceptDownloads: true });
  const feedback = await part('Feedback');

  await feedback.getByText('The newest file is missing.').waitFor();
  await feedback.getByText('48.90').waitFor();
  await feedback.getByRole('button', { name: 'Show the question' }).click();
  await feedback.getByText(REFERENCE).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), feedback.getByRole('button', { name: 'Save as an evaluation case' }).click()]);
  const line = JSON.parse((await (await download.createReadStream()).toArray()).join(''));
  assert.match(download.suggestedFilename(), /\.case\.jsonl$/);
  assert.equal(line.format, 'vesper-case/1');
  assert.equal(line.content, REFERENCE);
  assert.deepEqual(line.expect, { correction: '48.90' });
  assert.deepEqual(line.permissions, ['chat:use', 'chat:read_market_data']);

  const receipts = await part('Receipts');
  await receipts.getByText(/^\d+ receipts; each follows the one before it\.$/).waitFor();
  assert.ok(await receipts.locator('tbody tr').count() >= 1);
  assert.deepEqual(pageErrors, []);
});

test('it is translated into German', async (t) => {
  const { part } = await opened(t, { query: '?locale=de', name: 'Verwaltung' });
  const quality = await part('Qualität');

  await quality.getByText('Wie Antworten endeten').waitFor();
  assert.doesNotMatch(await quality.innerText(), /Answered|Refused|Answers/);
});

for (const [look, options, direction] of LOOKS)
  test(`axe finds no violation, and everything fits, ${look}`, async (t) => {
    const { page, dialog, part } = await opened(t, options);

    await page.evaluate((dir) => { document.documentElement.dir = dir; }, direction);
    for (const title of ['Who may do what', 'Tools and switches', 'Usage and cost', 'Budgets', 'Quality', 'Questions without an answer', 'Feedback', 'Receipts'])
      await part(title);
    await assertAccessible(page, look);
    assert.deepEqual(await overflowing(dialog), []);
  });
