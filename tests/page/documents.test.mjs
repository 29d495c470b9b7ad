/* A document on the page, by keyboard only: it is uploaded and asked about, and its citation links to the quotation and back. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { join } from 'node:path';

import { assertAccessible } from './axe.mjs';
import { answered, launch, lastTurn } from './browser.mjs';
import { ROOT, startDaemon } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';

const LIMIT_MS = patient(60000);
const POLICY = join(ROOT, 'tests/documents/curtailment-policy.md');

let browser;
let d;
before(async () => {
  browser = await launch();
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0' } });
});
after(async () => {
  await browser?.close();
  await d?.stop();
});

test('a document is uploaded, asked about and cited, by keyboard', async (t) => {
  const context = await browser.newContext({ bypassCSP: true });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(`${d.url}/`);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  const press = async (locator) => {
    await locator.focus();
    await page.keyboard.press('Enter');
  };

  await press(page.getByRole('button', { name: 'Your data' }));
  const dialog = page.getByRole('dialog', { name: 'Your data' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(dialog.getByRole('button', { name: 'Choose a file' }))]);
  await chooser.setFiles(POLICY);
  await dialog.getByText('curtailment-policy is ready.').waitFor();
  await dialog.getByText(/^Document of \d+ passages$/).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('textbox').fill('What does the curtailment policy say about notice periods?');
  await page.keyboard.press('Enter');
  await answered(page, LIMIT_MS);
  const turn = lastTurn(page);
  const card = turn.getByRole('listitem', { name: /^Passage \d of curtailment-policy$/ }).filter({ hasText: 'ten business days ahead' });
  await card.waitFor();
  const [number] = /\[\d\]/.exec(await card.textContent());

  const mark = turn.locator('.mark.cite', { hasText: number }).first();
  await mark.focus();
  await page.keyboard.press('Enter');
  await card.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await mark.and(page.locator(':focus')).waitFor();

  await assertAccessible(page, 'cited passages');
});
