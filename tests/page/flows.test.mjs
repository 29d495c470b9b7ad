/*
 * Flows on the page of the real daemon: the first screen offers those that the user may run, a pick list is used by
 * keyboard, axe finds no violation, and the approver of an answer's plan is shown again after a reload.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startDaemon } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';
import { mintToken } from '../e2e/token.mjs';
import { assertAccessible } from './axe.mjs';
import { answered, ask, launch, openPage } from './browser.mjs';

const TAB_MAX = 60;
const SEEN_LIMIT_MS = patient(10000);
const QUESTION = 'What are the task risks of Nazareth Solar?';
let browser;
let daemon;

before(async () => {
  browser = await launch();
  daemon = await startDaemon();
});
after(async () => {
  await browser.close();
  await daemon.stop();
});

async function open(options) {
  const opened = await openPage(browser, daemon.url, { bypassCSP: true, reducedMotion: 'reduce', ...options });

  await opened.page.locator('vesper-chat[data-state=ready]').waitFor();
  return opened;
}

const starter = (page, name) => page.getByRole('button', { name, exact: true });
const focusedText = (page) => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.innerText?.trim());

/* Presses Tab until the focused element has this text. */
async function tabTo(page, text) {
  const visited = [];

  for (let i = 0; i < TAB_MAX; i++) {
    await page.keyboard.press('Tab');
    visited.push(await focusedText(page));
    if (visited.at(-1) === text)
      return;
  }
  throw new Error(`Tab does not reach "${text}": ${visited.join(', ')}`);
}

async function selectRole(page, role) {
  await page.locator('#role').selectOption(role);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
}

describe('the first screen', () => {
  test('offers what the reader may ask, by role, and the flows behind it', async () => {
    const { page, context, pageErrors } = await open();

    await starter(page, 'Vendor audit').waitFor();
    assert.match(await page.locator('.starter').first().innerText(), /^What was the average day-ahead price/);
    await selectRole(page, 'viewer');
    await starter(page, 'Weekly briefing').waitFor();
    await starter(page, 'Vendor audit').waitFor({ state: 'detached' });
    const names = await page.locator('.starter').allInnerTexts();
    assert.equal(new Set(names).size, names.length, 'no duplicates');
    assert.deepEqual(names.slice(0, 2), ['What is the health status of Nazareth Solar?', 'Which projects are at risk?']);
    assert.deepEqual(names.filter((name) => /price|budget|curve/i.test(name)), [], 'no question beyond the permissions of a viewer');
    const { data } = await (await fetch(`${daemon.url}/api/v1/agents`, { headers: { authorization: `Bearer ${mintToken({ role: 'viewer' })}` } })).json();
    const offered = data.flatMap((agent) => agent.starters);
    assert.deepEqual(names, offered);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 390, height: 780 }, hasTouch: true }]])
    test(`and the pick list of a flow pass axe, ${look}`, async () => {
      const { page, context } = await open(options);

      await starter(page, 'Project check').waitFor();
      await assertAccessible(page, 'welcome with flows');
      await starter(page, 'Project check').click();
      await answered(page);
      await page.locator('fieldset.ask').waitFor();
      await assertAccessible(page, 'a pick list');
      await context.close();
    });

  test('starts a flow and answers its pick list by keyboard', async () => {
    const { page, context, pageErrors } = await open();

    await starter(page, 'Project check').waitFor();
    await page.locator('body').focus();
    await tabTo(page, 'Project check');
    await page.keyboard.press('Enter');
    const asked = await answered(page);
    await asked.locator('fieldset.ask').waitFor();
    const choice = await asked.locator('fieldset.ask button, fieldset.ask select').first();
    assert.ok(await choice.isVisible());
    await page.locator('body').focus();
    if (await asked.locator('fieldset.ask select').count() > 0) {
      await choice.focus();
      await page.keyboard.press('ArrowDown');
      await tabTo(page, 'Continue');
    } else {
      await choice.focus();
    }
    await page.keyboard.press('Enter');
    await page.locator('.turn').nth(1).waitFor();
    const turn = await answered(page);
    await turn.locator('.component[data-state=drawn]').waitFor();
    assert.match(await turn.locator('.prose').innerText(), /\w/);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
});

describe('an approved answer', () => {
  const call = async (path, body) => {
    const res = await fetch(`${daemon.url}/api/v1${path}`, { method: 'POST', body: JSON.stringify(body),
      headers: { authorization: `Bearer ${mintToken({ role: 'admin' })}`, 'content-type': 'application/json' } });
    return { status: res.status, body: await res.json() };
  };

  test('states who approved its plan, also after a reload; an answer to "Hello" does not', async () => {
    const first = await daemon.ask(QUESTION, { token: mintToken({ role: 'admin' }) });
    const approved = await call(`/messages/${first.complete.message_id}/approve`, { name: 'risks_of_project' });
    assert.equal(approved.status, 201, JSON.stringify(approved.body));
    for (const end = Date.now() + SEEN_LIMIT_MS; ; await sleep(50)) {
      const turn = await daemon.ask(QUESTION);
      if (turn.complete.approved)
        break;
      assert.ok(Date.now() < end, 'the answer is not marked as approved');
    }
    const { page, context, pageErrors } = await open();
    await ask(page, QUESTION);
    await answered(page);
    await ask(page, 'Hello');
    await page.locator('.turn').nth(1).waitFor();
    await answered(page);
    const badges = () => page.locator('.turn .outcome').allInnerTexts();
    const outcomes = await badges();
    assert.match(outcomes[0], /plan approved by \w/);
    assert.doesNotMatch(outcomes[1] ?? '', /approved/);
    await page.reload();
    await page.locator('.turn').nth(1).waitFor();
    const afterReload = await badges();
    assert.match(afterReload[0], /plan approved by \w/);
    assert.doesNotMatch(afterReload[1] ?? '', /approved/);
    assert.deepEqual(pageErrors, []);
    await context.close();
  });
});
