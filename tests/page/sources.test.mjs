/* A user's own data on the page, by keyboard alone: choose a file, see it typed, ask about it, share it, delete it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';

import { answered, launch, lastTurn } from './browser.mjs';
import { ROOT, startDaemon } from '../e2e/harness.mjs';

const LIMIT_MS = 60000;
const ORDERS = join(ROOT, 'tests/upload/shapes/orders.csv');

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

test('a file is chosen, asked about, shared and deleted with the keyboard', async (t) => {
  const context = await browser.newContext();
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
  await dialog.getByText('Choose a CSV, TSV or JSON lines file').waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(dialog.getByRole('button', { name: 'Choose a file' }))]);
  await chooser.setFiles(ORDERS);
  await dialog.getByText('orders is ready.').waitFor();

  /* The keyboard is on the new source already. */
  await page.keyboard.press('Enter');
  await dialog.getByRole('row', { name: /^Amount \(\$\) decimal measure/ }).waitFor();
  await dialog.getByRole('checkbox', { name: /Everybody/ }).focus();
  await page.keyboard.press('Space');
  assert.equal(await dialog.getByRole('checkbox', { name: /Everybody/ }).isChecked(), true);
  await press(dialog.getByRole('button', { name: /^Total Amount .* by Region$/ }));
  await answered(page, LIMIT_MS);
  await lastTurn(page).getByText('1,580.25').first().waitFor();

  await press(page.getByRole('button', { name: 'Your data' }));
  await press(dialog.locator('summary').first());
  await press(dialog.getByRole('button', { name: 'Delete orders' }));
  await press(dialog.getByRole('button', { name: 'Delete for good?' }));
  await dialog.getByText('Choose a CSV, TSV or JSON lines file').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
