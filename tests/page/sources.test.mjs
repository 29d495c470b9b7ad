/*
 * A user's data sources on the page, by keyboard only: each control is reached with Tab. A file with ambiguous dates is
 * uploaded, its clarifying question answered; it is queried, shared, named, joined, replaced by a new version and deleted.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';

import { answered, launch, lastTurn } from './browser.mjs';
import { ROOT, startDaemon } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';

const LIMIT_MS = patient(60000);
const TABS_MAX = 150;
const ORDERS = join(ROOT, 'tests/upload/shapes/orders.csv');
const PARTIES = join(ROOT, 'tests/upload/parties.csv');
const file = (cents) => ({ name: 'visits.csv', mimeType: 'text/csv',
  buffer: Buffer.from(`Day,Region,Fee\n${Array.from({ length: 30 }, (_, i) => `0${1 + i % 9}/0${1 + i % 8}/2025,${['North', 'South'][i % 2]},${i}.${cents}`).join('\n')}\n`) });

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

/* Elements are never focused by script: Tab must reach them, or the test fails. */
async function openByKeyboard(t) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(`${d.url}/`);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  const reach = async (locator) => {
    await locator.waitFor();
    for (let i = 0; i < TABS_MAX; i++) {
      if (await locator.evaluate((node) => node.getRootNode().activeElement === node))
        return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to ${locator}`);
  };
  const press = async (locator, key = 'Enter') => {
    await reach(locator);
    await page.keyboard.press(key);
  };
  const choose = async (button, files) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(button)]);
    await chooser.setFiles(files);
  };

  await press(page.getByRole('button', { name: 'Your data' }));
  return { page, dialog: page.getByRole('dialog', { name: 'Your data' }), reach, press, choose };
}

test('a file is uploaded, queried, shared, replaced and deleted by keyboard', async (t) => {
  const { page, dialog, press, choose } = await openByKeyboard(t);
  await dialog.getByText('Choose a CSV, TSV or JSON lines file').waitFor();
  await choose(dialog.getByRole('button', { name: 'Choose a file' }), file(25));
  await dialog.getByText(/day or the month first/).waitFor();
  await press(dialog.getByRole('button', { name: /day first/i }));
  await dialog.getByText('visits is ready.').waitFor();

  /* The new source already has the focus. */
  await page.keyboard.press('Enter');
  await dialog.getByRole('row', { name: /^Day date date 0 \d+ 1 January 2025/ }).waitFor();
  await dialog.getByRole('row', { name: /^Fee number number 0 30 0\.25 29\.25 442\.5/ }).waitFor();
  const everybody = dialog.getByRole('checkbox', { name: /Everybody/ });
  await press(everybody, 'Space');
  assert.equal(await everybody.isChecked(), true);
  await press(dialog.getByRole('button', { name: 'Total Fee by Region' }));
  await answered(page, LIMIT_MS);
  await lastTurn(page).getByText('213.75').first().waitFor();

  await press(page.getByRole('button', { name: 'Your data' }));
  await press(dialog.locator('summary').first());
  await choose(dialog.getByRole('button', { name: 'New version' }), file(75));
  await dialog.getByText(/day or the month first/).waitFor();
  await press(dialog.getByRole('button', { name: /day first/i }));
  await dialog.getByText('visits is ready.').waitFor();
  await page.keyboard.press('Enter');
  await press(dialog.getByRole('button', { name: 'Total Fee by Region' }));
  await answered(page, LIMIT_MS);
  await lastTurn(page).getByText('221.25').first().waitFor();

  await press(page.getByRole('button', { name: 'Your data' }));
  await press(dialog.locator('summary').first());
  await press(dialog.getByRole('button', { name: 'Delete visits' }));
  await press(dialog.getByRole('button', { name: 'Delete for good?' }));
  await dialog.getByText('Choose a CSV, TSV or JSON lines file').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('two tables are joined, and their meaning and expiry are defined, by keyboard', async (t) => {
  const { page, dialog, reach, press, choose } = await openByKeyboard(t);
  await choose(dialog.getByRole('button', { name: 'Choose a file' }), [PARTIES, ORDERS]);
  await dialog.getByText('orders is ready.').waitFor();
  await page.keyboard.press('Enter');
  await press(dialog.getByRole('button', { name: 'Find what belongs to it' }));
  await press(dialog.getByRole('button', { name: 'Join with parties: customer = party' }));
  await dialog.getByText('Joined with parties: customer = party.').waitFor();

  await press(dialog.locator('.source-meaning summary'));
  await reach(dialog.getByRole('textbox', { name: /^Amount \(\$\): Called/ }));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Turnover');
  await press(dialog.getByRole('button', { name: 'Save' }));
  await press(dialog.getByRole('button', { name: 'Total Turnover by Region' }));
  await answered(page, LIMIT_MS);
  await lastTurn(page).getByText('1,580.25').first().waitFor();
  await reach(page.getByRole('textbox', { name: 'Your question' }));
  await page.keyboard.type('total turnover by segment');
  await page.keyboard.press('Enter');
  await answered(page, LIMIT_MS);
  await lastTurn(page).getByText('3,010.5').first().waitFor();

  await press(page.getByRole('button', { name: 'Your data' }));
  await press(dialog.locator('summary').filter({ hasText: 'orders' }));
  await reach(dialog.getByLabel('Delete on'));
  await page.keyboard.type('12312099');
  await dialog.getByText('Changed.').waitFor();
  assert.equal(await dialog.getByLabel('Delete on').inputValue(), '2099-12-31');
  await press(dialog.getByRole('button', { name: 'Separate from parties' }));
  await dialog.getByText('Joined with parties').waitFor({ state: 'detached' });
});

/* Lists one source per page instead of a hundred; everything else is unchanged. */
test('older sources are shown on request, by keyboard', async (t) => {
  const { page, dialog, reach, press, choose } = await openByKeyboard(t);
  await page.route(/data-sources\?limit=/, (route) => route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }));
  const names = () => dialog.locator('summary span:first-child').allTextContents();
  const older = dialog.getByRole('button', { name: 'Show older ones' });
  for (const name of ['first', 'second', 'third']) {
    await choose(dialog.getByRole('button', { name: 'Choose a file' }), { ...file('5'), name: `${name}.csv`, buffer: Buffer.from(`${name},n\na,1\nb,2\n`) });
    await dialog.locator('summary', { hasText: name }).waitFor();
  }
  const all = await names();
  assert.equal(all.at(-1), 'third');
  for (let shown = all.length + 1; await older.count() > 0; shown++) {
    await press(older);
    await dialog.locator('summary').nth(shown - 1).waitFor();
  }
  const fullList = await names();
  assert.deepEqual(fullList.slice(-3), ['first', 'second', 'third']);
  /* Changing an older source keeps the others in the list. */
  await press(dialog.locator('summary', { hasText: 'first' }));
  await reach(dialog.getByRole('checkbox').first());
  assert.deepEqual(await names(), fullList);
});
