/*
 * The page against a scripted server: every frame of the protocol, a lost connection after
 * any of them, refusals, and hostile text. page.test.mjs tests the same page with the real daemon.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { answered, ask, lastTurn, launch, openPage } from './browser.mjs';
import { Fake } from './fake.mjs';
import { HOSTILE, REFERENCE, scriptFor } from './scripts.mjs';

const ANSWER = 'The average day-ahead price for NP15 in CAISO for 2025 (Ascend forecast, as of Jan 2025) was ' +
  '$48.73/MWh based on 8,760 hourly data points. Earlier files: Oct 2024 and Jul 2024.';
const REPORT_LINK = 'https://app.powerbi.com/groups/g/reports/r';
const SLOW = Array.from({ length: 80 }, (_, i) => `word${i + 1}`).join(' ');

let browser;
let fake;
let open;

before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => {
  fake = await new Fake().start();
  open = undefined;
});
afterEach(async () => {
  await open?.context.close();
  await fake.stop();
});

async function start(options) {
  open = await openPage(browser, fake.url, options);
  await open.page.locator('vesper-chat[data-state=ready]').waitFor();
  return open.page;
}

const prose = (turn) => turn.locator('.prose').innerText();
const shown = (page, text) => lastTurn(page).locator('.prose', { hasText: text }).waitFor();
const tables = (turn) => turn.locator('details.data');

/* The console may report connections that a test cut on purpose, and nothing else. */
function assertClean(expected = /^$/) {
  assert.deepEqual(open.pageErrors.filter((wrong) => !expected.test(wrong)), []);
}
const CUT = /WebSocket connection to|net::ERR_|Failed to load resource/;

test('the reference question: text, table, filters, report, outcome', async () => {
  const page = await start();

  await ask(page, REFERENCE);
  const turn = await answered(page);

  assert.equal(await prose(turn), ANSWER);
  assert.equal(await turn.locator('.filter').count(), 5);
  assert.match(await turn.locator('.filter.assumed').innerText(), /Reference Base\s*assumed/);
  assert.equal(await turn.locator('.mark.bound').first().innerText(), '$48.73/MWh');
  await turn.locator('.mark.bound').first().hover();
  assert.match(await turn.locator('.tip').innerText(), /From the data: Average annual price, Average price, row 1/);
  assert.deepEqual(await turn.locator('.data th').allInnerTexts(), ['As of', 'Average price $/MWh', 'Hours', 'Year']);
  assert.deepEqual(await turn.locator('.data tbody tr').first().locator('td').allInnerTexts(), ['Jan 2025', '48.730', '8,760', '2025']);
  assert.equal(await turn.locator('.data td').nth(1).evaluate((cell) => getComputedStyle(cell).textAlign), 'end');
  assert.match(await turn.locator('.outcome').innerText(), /2 numbers verified.*3 rows/s);
  assert.equal(await turn.locator('.report a').getAttribute('href'), REPORT_LINK);
  assert.equal(await turn.locator('.suggestions .chip').count(), 3);
  assertClean();
});

test('checked numbers show their source, also by keyboard', async () => {
  const page = await start();

  await ask(page, REFERENCE);
  const turn = await answered(page);
  const marks = turn.locator('.mark');

  assert.equal(await turn.locator('.mark[tabindex="0"]').count(), 1, 'one stop of the Tab key');
  await marks.first().focus();
  assert.match(await turn.getByRole('tooltip').innerText(), /Average price, row 1/);
  await page.keyboard.press('ArrowRight');
  assert.match(await turn.getByRole('tooltip').innerText(), /Hours, row 1/);
  assert.equal(await marks.nth(1).getAttribute('aria-describedby'), await turn.getByRole('tooltip').getAttribute('id'));
  assertClean();
});

test('a filter is edited or removed, and the question is asked again with it', async () => {
  const page = await start();

  await ask(page, REFERENCE);
  await (await answered(page)).getByRole('button', { name: /Hub zone NP15/ }).click();
  await page.getByRole('textbox', { name: 'Hub zone' }).fill('SP15'); /* without known values in this test */
  await page.keyboard.press('Enter');
  await page.locator('.turn').nth(1).waitFor();
  await answered(page);
  const sent = () => fake.received.filter((frame) => frame.type === 'chat.message').at(-1);
  assert.equal(sent().content, REFERENCE);
  assert.deepEqual(sent().filters, { vendor: 'Ascend', market: 'CAISO', hub_zone: 'SP15', year: 2025, reference: 'Base' });

  await lastTurn(page).getByRole('button', { name: /Year 2025/ }).click();
  await page.getByRole('textbox', { name: 'Year' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await lastTurn(page).locator('.editing').count(), 0);
  assert.equal(await page.evaluate(() => document.querySelector('vesper-chat').shadowRoot.activeElement.textContent), 'Year 2025');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Without Year' }).click();
  await answered(page);
  assert.equal(sent().filters.year, null);
  assertClean();
});

test('a filter is edited by its known values, with the keyboard, and accepts no others', async () => {
  fake.values = {
    hub_zone: [...['NORTH', 'SOUTH'].map((value) => ({ value, group: 'ERCOT' })), ...['NP15', 'SP15', 'ZP26'].map((value) => ({ value, group: 'CAISO' }))],
    year: ['2024', '2025', '2026'].map((value) => ({ value })),
  };
  const page = await start();
  const sent = () => fake.received.filter((frame) => frame.type === 'chat.message').at(-1);
  const options = () => page.getByRole('option').locator('span:first-of-type').allInnerTexts();
  const focused = () => page.evaluate(() => document.querySelector('vesper-chat').shadowRoot.activeElement?.textContent);

  await ask(page, REFERENCE);
  await (await answered(page)).getByRole('button', { name: /Hub zone NP15/ }).press('Enter');
  const field = page.getByRole('combobox', { name: 'Hub zone' });
  await field.waitFor();
  assert.deepEqual(await options(), ['NP15', 'SP15', 'ZP26', 'NORTH', 'SOUTH'], 'values of the market in the question come first');
  assert.equal(await page.locator('.values [aria-selected=true]').innerText(), 'NP15\nCAISO');
  await page.keyboard.type('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('Please choose one of the known values.').waitFor();
  await field.fill('sp');
  assert.deepEqual(await options(), ['SP15']);
  assert.equal(await page.getByRole('alert').filter({ hasText: 'known values' }).count(), 0, 'the message is removed');
  await field.fill('');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`).innerText(), /^ZP26/);
  await page.keyboard.press('Escape');
  assert.equal(await focused(), 'Hub zone NP15');
  await page.keyboard.press('Enter');
  await field.waitFor();
  await page.getByRole('option', { name: /^SP15/ }).click();
  await page.locator('.turn').nth(1).waitFor();
  await answered(page);
  assert.deepEqual(sent().filters, { vendor: 'Ascend', market: 'CAISO', hub_zone: 'SP15', year: 2025, reference: 'Base' });

  await lastTurn(page).getByRole('button', { name: /Year 2025/ }).click();
  await page.locator('.values').getByRole('option', { name: '2026' }).click();
  await page.locator('.turn').nth(2).waitFor();
  await answered(page);
  assert.equal(sent().filters.year, 2026, 'a number stays a number');
  assert.equal(fake.received.filter((frame) => frame.type === 'chat.message').length, 3, 'unknown values are not sent');
  assertClean();
});

test('more known values than one reply contains are found by typing', async () => {
  fake.values = { vendor: Array.from({ length: 60 }, (_, i) => ({ value: `Vendor ${i}` })) };
  const page = await start();

  await ask(page, REFERENCE);
  await (await answered(page)).getByRole('button', { name: /Vendor Ascend/ }).click();
  await page.getByRole('option', { name: 'Vendor 39' }).waitFor();
  await page.getByRole('combobox', { name: 'Vendor' }).fill('dor 57');
  await page.getByRole('option', { name: 'Vendor 57' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.turn').nth(1).waitFor();
  await answered(page);
  assert.equal(fake.received.filter((frame) => frame.type === 'chat.message').at(-1).filters.vendor, 'Vendor 57');
  assertClean();
});

test('a table is sorted by its headers and saved without formulas', async () => {
  const page = await start({ acceptDownloads: true });

  await ask(page, REFERENCE);
  const turn = await answered(page);
  const first = () => turn.locator('.data tbody tr').first().locator('td').first().innerText();
  await turn.getByRole('button', { name: 'Average price' }).click();
  assert.equal(await first(), 'Jul 2024');
  await turn.getByRole('button', { name: 'Average price' }).click();
  assert.equal(await first(), 'Jan 2025');
  assert.equal(await turn.locator('th[aria-sort=descending]').count(), 1);

  await ask(page, 'hostile');
  const hostile = await answered(page);
  if (await hostile.locator('details.data').getAttribute('open') === null)
    await hostile.locator('details.data summary').click();
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 5000 }),
    hostile.getByRole('button', { name: 'Save the table as CSV' }).click()]);
  const text = (await (await download.createReadStream()).toArray()).join('');
  assert.doesNotMatch(text, /(^|,|\n)"?[=@]/);
  assertClean();
});

test('the last line of an answer opens its details', async () => {
  const page = await start();

  await ask(page, REFERENCE);
  const turn = await answered(page);
  await turn.locator('summary.outcome').click();
  const how = turn.locator('.how');
  await how.locator('dt').first().waitFor();
  assert.match(await how.innerText(), /Understood as\s+Vendor Ascend\s+Market CAISO\s+Hub zone NP15/);
  assert.match(await how.innerText(), /Average annual price\s+3 rows/);
  assert.match(await how.innerText(), /Worded by\s+rules \(no model\)/);
  assertClean();
});

test('a question is edited and asked again', async () => {
  const page = await start();

  await ask(page, 'slow please');
  await page.getByRole('button', { name: 'Stop' }).click();
  await answered(page);
  await page.locator('.question').hover();
  await page.getByRole('button', { name: 'Edit this question' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Your question' }).inputValue(), 'slow please');
});

test('every tenant of the demo can be chosen', async () => {
  const page = await start();
  const script = await readFile(new URL('../../run', import.meta.url), 'utf8');
  const tenants = /^demo_tenants\(\) \{.*?'END'\n(.*?)^\tEND$/ms.exec(script)[1];

  assert.deepEqual(await page.getByLabel('Tenant').locator('option').allInnerTexts(), Object.keys(JSON.parse(tenants)));
});

test('signs in as the chosen demo user', async () => {
  const page = await start();

  assert.deepEqual(fake.logins, [{ tenant: 'vesper', role: 'analyst' }]);
  await ask(page, REFERENCE);
  await answered(page);
  await page.getByLabel('Role').selectOption('manager');
  await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  assert.deepEqual(fake.logins.at(-1), { tenant: 'vesper', role: 'manager' });
  assert.equal(await page.locator('.turn').count(), 0);
  assert.equal(new URL(page.url()).hash, '');
  await ask(page, 'hello');
  await answered(page);
  await page.reload();
  await shown(page, 'You said: hello.');
  assert.equal(await page.getByLabel('Role').inputValue(), 'manager');
  assertClean();
});

test('states that a sign-in is required if there are no demo users', async () => {
  fake.signIn = false;
  open = await openPage(browser, fake.url);
  await open.page.getByRole('alert').getByText('Sign in needed').waitFor();
  fake.signIn = true;
  await open.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await open.page.locator('vesper-chat[data-state=ready]').waitFor();
  assertClean(CUT);
});

test('a reload shows the conversation again', async () => {
  const page = await start();

  await ask(page, REFERENCE);
  await answered(page);
  await ask(page, 'wide hourly');
  await answered(page);
  assert.match(new URL(page.url()).hash, /^#session=/);
  await page.reload();
  await page.locator('.turn').nth(1).waitFor();
  assert.equal(await prose(page.locator('.turn').first()), ANSWER);
  assert.equal(await tables(page.locator('.turn').first()).count(), 1);
  assert.equal(await page.locator('.question').nth(1).locator('p').innerText(), 'wide hourly');
  assert.match(await lastTurn(page).locator('.data-rows').innerText(), /First 48 of 8,760 rows, the rest is left out$/);
  assert.equal(await page.locator('.running').count(), 0);
  assertClean();
});

test('a reload during an answer resumes it', async () => {
  const page = await start();

  await ask(page, 'slow');
  await shown(page, 'word9 ');
  await page.reload();
  const turn = await answered(page);

  assert.equal(await prose(turn), SLOW);
  assert.equal(await page.locator('.turn').count(), 1);
  assertClean(CUT);
});

test('a connection cut after any frame loses and duplicates nothing', async () => {
  const page = await start();
  const frames = scriptFor(REFERENCE).filter((step) => typeof step !== 'number').length + 1;
  const cuts = [1, 2, 3, 5, 6, 7, 8, 12, 20, 24, 25, 26, 27, frames - 1, frames];

  for (const seq of cuts) {
    let done = false;

    fake.onSend = (frame, socket) => {
      if (frame.seq === seq && !done) {
        done = true;
        socket.terminate();
      }
    };
    /* A new conversation, so that the pauses between attempts do not grow from cut to cut. */
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.locator('vesper-chat[data-state=ready]').waitFor();
    await ask(page, REFERENCE);
    const turn = await answered(page);

    assert.ok(done, `nothing was cut at ${seq}`);
    assert.equal(await prose(turn), ANSWER, `cut at ${seq}`);
    assert.equal(await tables(turn).count(), 1);
    assert.equal(await turn.locator('.filter').count(), 5);
  }
  assert.equal(fake.turns.size, cuts.length);
  assertClean(CUT);
});

test('a question whose acknowledgement was lost is asked once', async () => {
  const page = await start();
  let cut = 0;

  fake.onSend = (frame, socket) => {
    if (frame.seq === 1 && cut++ < 1)
      socket.terminate();
  };
  await ask(page, 'slow');
  assert.equal(await prose(await answered(page)), SLOW);
  assert.equal(fake.turns.size, 1);
  const messages = fake.received.filter((frame) => frame.type === 'chat.message');

  assert.equal(new Set(messages.map((frame) => frame.client_msg_id)).size, 1);
});

test('an answer whose frames have expired is read from the history, or reported as lost', async () => {
  const page = await start();

  for (const stored of [true, false]) {
    await ask(page, 'slow');
    await shown(page, 'word9 ');
    const turn = [...fake.turns.values()].at(-1);

    fake.paused = true;
    fake.cut();
    fake.turns.delete(turn.id);
    turn.store = () => {};
    if (stored)
      turn.session.messages.push({ turn_id: turn.id, role: 'assistant', content: 'from the history', status: 'complete' });
    fake.paused = false;
    await page.locator('.turn.running').waitFor({ state: 'detached' });
  }
  assert.equal(await prose(page.locator('.turn').first()), 'from the history');
  assert.match(await lastTurn(page).innerText(), /Interrupted/);
  assertClean(CUT);
});

test('an answer that another server continues is read from its start', async () => {
  const page = await start();

  fake.moved = true;
  await ask(page, 'slow');
  await shown(page, 'word9 ');
  fake.cut();
  await page.locator('.turn.running').waitFor({ state: 'detached' });
  const resumedFrom = fake.received.filter(({ type }) => type === 'resume').map(({ last_seq: seq }) => seq);

  assert.equal(resumedFrom.length, 2);
  assert.ok(resumedFrom[0] > 0 && resumedFrom[1] === 0, `${resumedFrom}`);
  assert.equal((await prose(lastTurn(page))).split('word9 ').length, 2, 'the text is not repeated');
  assertClean(CUT);
});

test('duplicate frames change nothing, a missing one is fetched', async () => {
  const page = await start();
  let dropped = false;

  await ask(page, 'slow');
  await shown(page, 'word9 ');
  const [turn] = fake.turns.values();

  fake.broadcast(turn.frames[3]);
  fake.broadcast(turn.frames[4]);
  for (const watcher of [...turn.watchers]) {
    turn.watchers.delete(watcher);
    turn.watchers.add((frame) => {
      if (!dropped)
        dropped = true;
      else
        watcher(frame);
    });
  }
  assert.equal(await prose(await answered(page)), SLOW);
  assert.ok(dropped);
});

test('the stop button and Esc stop an answer, and the focus stays in the field', async () => {
  const page = await start();

  for (const stop of [() => page.getByRole('button', { name: 'Stop' }).click(), () => page.keyboard.press('Escape')]) {
    await ask(page, 'slow');
    await shown(page, 'word3 ');
    await stop();
    const turn = await answered(page);

    assert.match(await turn.innerText(), /Stopped/);
    assert.doesNotMatch(await turn.innerText(), /word80/);
  }
  assert.equal(fake.received.filter((frame) => frame.type === 'chat.cancel').length, 2);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.tagName), 'TEXTAREA');
  assertClean();
});

test('the focus stays in the field after a starter, a chip, or a switch of conversation', async () => {
  fake.starters = { analyst: [REFERENCE] };
  const page = await start();
  const focused = () => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.tagName);

  await page.getByRole('button', { name: REFERENCE }).click();
  await answered(page);
  assert.equal(await focused(), 'TEXTAREA');
  await page.getByRole('button', { name: 'And for SP15?' }).click();
  await answered(page);
  assert.equal(await focused(), 'TEXTAREA');
  await page.getByRole('button', { name: 'New conversation' }).click();
  assert.equal(await focused(), 'TEXTAREA');
});

test('Shift+Enter starts a line, Enter sends, an empty question is not sent', async () => {
  const page = await start();
  const field = page.getByRole('textbox');

  await field.fill('   ');
  await page.keyboard.press('Enter');
  await field.fill('one');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('two');
  assert.ok((await field.boundingBox()).height > 50);
  await page.keyboard.press('Enter');
  await answered(page);
  assert.deepEqual(fake.received.map((frame) => frame.content), ['one\ntwo']);
  assert.equal(await field.inputValue(), '');
  await field.fill('ü'.repeat(8193));
  await page.getByText('too long').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
});

test('a clarifying question is answered by its buttons', async () => {
  const page = await start();

  await ask(page, 'SP15 in ERCOT');
  await answered(page);
  await page.getByRole('button', { name: 'SP15 in CAISO' }).click();
  await shown(page, 'You said: CAISO.');
  assert.deepEqual(fake.received.at(-1).values, ['CAISO']);
  assert.equal(await page.locator('.question').last().locator('p').innerText(), 'SP15 in CAISO');
  assert.ok(await page.getByRole('button', { name: 'SP15 in CAISO' }).isDisabled());
  await ask(page, 'vendors');
  await answered(page);
  await page.getByLabel('Ascend').check();
  await page.getByText('Choose 2 · 1 chosen').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Continue' }).isDisabled());
  await page.getByLabel('Hitachi').check();
  assert.ok(await page.getByLabel('Realized').isDisabled(), 'a third option cannot be selected');
  await page.getByRole('button', { name: 'Continue' }).click();
  await shown(page, 'You said: Ascend Hitachi.');
  await answered(page);
  assertClean();
});

test('an error is shown, with suggestions and a retry', async () => {
  const page = await start();

  await ask(page, 'fail');
  const turn = await answered(page);

  assert.match(await turn.locator('.error').innerText(), /That took too long\s+The data source did not answer in 10 s\./);
  await turn.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.turn').nth(1).waitFor();
  await answered(page);
  assert.equal(fake.received.filter((frame) => frame.content === 'fail').length, 2);
  await ask(page, 'partial');
  assert.match(await (await answered(page)).innerText(), /The first half of[^]*broke off[^]*The model broke off\./);
  await ask(page, 'price for NP99');
  const unknown = await answered(page);

  assert.equal((await unknown.innerText()).match(/There is no hub-zone NP99/g).length, 1);
  await unknown.getByRole('button', { name: 'SP15' }).click();
  await shown(page, 'You said: SP15.');
  assertClean();
});

test('a refused question keeps its place and can be retried', async () => {
  const page = await start();

  fake.busy = true;
  await ask(page, 'busy');
  const turn = await answered(page);

  assert.match(await turn.innerText(), /Another question is still being answered/);
  fake.busy = false;
  await turn.getByRole('button', { name: 'Try again' }).click();
  await shown(page, 'You said: busy.');
  assert.equal(await page.locator('.turn').count(), 1);
});

test('close codes: a new token, an unknown session, no permission', async () => {
  const page = await start();

  fake.closeWith = [4401, 'expired'];
  fake.cut();
  await page.getByRole('alert').getByText('Sign in needed').waitFor();
  assert.equal(fake.logins.length, 2);
  fake.closeWith = null;
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('vesper-chat[data-state=ready]').waitFor();

  fake.closeWith = [4403, 'no'];
  fake.cut();
  await page.getByRole('alert').getByText('Not permitted').waitFor();
  fake.closeWith = null;
  await page.goto(`${fake.url}/#session=0192f0c1-0000-7000-8000-00000000dead`);
  await page.reload();
  await page.getByRole('alert').getByText('This conversation is not available').waitFor();
  await page.getByRole('button', { name: 'Start a new conversation' }).click();
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await ask(page, 'hello');
  await shown(page, 'You said: hello.');
});

test('an expiring token is renewed on the open connection', async () => {
  const page = await start();

  fake.broadcast({ type: 'auth.expiring', expires_in: 60 });
  for (let i = 0; i < 50 && !fake.received.length; i++)
    await page.waitForTimeout(20);
  assert.deepEqual(fake.received, [{ type: 'auth', token: 'vesper.analyst.t2' }]);
});

test('a long loss of connection is shown, and the typed question is sent after it', async () => {
  const page = await start();

  fake.paused = true;
  fake.cut();
  await page.getByText('The connection is lost').waitFor();
  await ask(page, 'hello');
  await page.getByText('Sending').waitFor();
  fake.paused = false;
  /* The button is missing if the page has just retried automatically. */
  await page.getByRole('button', { name: 'Try now' }).click({ timeout: 2000 }).catch(() => {});
  await shown(page, 'You said: hello.');
  await page.getByText('The connection is lost').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('.turn').count(), 1);
  assertClean(CUT);
});

test('the question stays visible at the top while its answer grows', async () => {
  const page = await start({ viewport: { width: 390, height: 700 }, reducedMotion: 'reduce' });

  for (const question of ['SP15 in ERCOT', REFERENCE, 'price for NP99', 'SP15 in ERCOT', 'wide hourly', REFERENCE]) {
    await ask(page, question);
    const turn = await answered(page);
    const [top, rest] = await turn.evaluate((node) => {
      const box = node.closest('.scroll');

      return [node.getBoundingClientRect().top - box.getBoundingClientRect().top, box.scrollHeight - box.scrollTop - box.clientHeight];
    });

    /* Short answers are shown completely. */
    assert.ok(rest < 2 ? top >= 0 : Math.abs(top - 20) < 2, `${question}: ${top} from the top, ${rest} below`);
  }
});

test('the page does not scroll for a user who has scrolled up', async () => {
  const page = await start({ viewport: { width: 800, height: 420 } });

  await ask(page, 'markdown');
  await answered(page);
  await ask(page, 'slow');
  await shown(page, 'word5 ');
  await page.locator('.scroll').evaluate((box) => { box.scrollTop = 0; });
  await page.getByRole('button', { name: 'To the end' }).waitFor();
  await answered(page);
  assert.equal(await page.locator('.scroll').evaluate((box) => box.scrollTop), 0);
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'hidden' });
});

test('a screen reader gets complete sentences, at most three times per turn', async () => {
  const page = await start();
  const region = page.locator('[aria-live=polite]');

  await ask(page, REFERENCE);
  await answered(page);
  const announcements = await region.locator('p').allInnerTexts();

  assert.ok(announcements.length >= 1 && announcements.length <= 3, String(announcements.length));
  for (const text of announcements)
    assert.match(text, /[.!?:]$/);
  assert.equal(announcements.join(' '), `${ANSWER} Table with 3 rows.`);
  assert.equal(await page.getByRole('log', { name: 'Conversation' }).getAttribute('aria-live'), 'off');
});

test('any answer is announced at most three times', async () => {
  const page = await start();

  /* Records text added to any live region, of the page and of cards. */
  await page.evaluate(() => {
    const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
    const regionOf = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest?.(live);

    window.announced = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) {
          const regions = regionOf(node) ? [node] : [...node.querySelectorAll?.(live) ?? []];

          window.announced.push(...regions.map((one) => one.textContent).filter((text) => text.trim() !== ''));
        }
    }).observe(document.querySelector('vesper-chat').shadowRoot, { childList: true, subtree: true, characterData: true });
  });
  for (const question of [REFERENCE, 'several', 'receipt', 'refusals', 'range', 'long boxes', 'fail', 'partial', 'markdown', 'wide hourly']) {
    await page.evaluate(() => { window.announced = []; });
    await ask(page, question);
    await answered(page);
    await page.waitForTimeout(100);
    const announced = await page.evaluate(() => window.announced);

    assert.ok(announced.length >= 1 && announced.length <= 3, `${question}: ${JSON.stringify(announced)}`);
  }
});

test('markdown is shown as what it means', async () => {
  const page = await start();

  await ask(page, 'markdown');
  const turn = await answered(page);
  const inside = (selector) => turn.locator(`.prose ${selector}`);

  assert.equal(await inside('h3').innerText(), 'Curves for HB_NORTH');
  assert.equal(await inside('strong').innerText(), 'HB_NORTH');
  assert.equal(await inside('em').innerText(), 'ERCOT');
  assert.equal(await inside('p code').innerText(), 'Stage.mc_vendor_files');
  assert.equal(await inside('a').getAttribute('href'), 'https://app.powerbi.com/groups/x');
  assert.equal(await inside('a').getAttribute('rel'), 'noopener noreferrer nofollow');
  assert.equal(await inside('ol > li').count(), 2);
  assert.equal(await inside('ol ul > li').count(), 2);
  assert.deepEqual(await inside('td.align-end').allInnerTexts(), ['$41.20', '$43.05']);
  assert.deepEqual(await inside('td.align-center').allInnerTexts(), ['Jan 2025', 'Q1 2025'], 'as in the data table');
  assert.equal(await inside('blockquote').innerText(), 'Base case only.');
  assert.equal(await inside('hr').count(), 1);
  assert.match(await inside('pre').innerText(), /^SELECT "vendor" FROM/);
  assert.match(await inside('> p').first().innerText(), /get_average_price stay whole, 2 \* 3 \* 4 too/);
  assert.match(await inside('.mark.unbound').innerText(), /^99\.9/);
  assert.match(await turn.locator('.outcome').innerText(), /1 number not verified/);
});

test('hostile text executes nothing, loads nothing, and contains no links', async () => {
  const page = await start();

  for (const reload of [false, true]) {
    if (reload)
      await page.reload();
    else
      await ask(page, 'hostile');
    await page.locator('.turn').waitFor();
    const turn = await answered(page);

    assert.equal(await turn.locator('a, img, script, iframe, .prose svg').count(), 0);
    for (const text of HOSTILE)
      assert.ok((await turn.locator('details.data').textContent()).includes(text), text);
    assert.match(await prose(turn), /<script>window\.pwned=1<\/script>/);
    assert.match(await prose(turn), /click \(javascript:window\.pwned=1\)/);
  }
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assertClean();
});

test('hostile charts and reports execute nothing and load nothing', async () => {
  const page = await start();
  const posts = [];

  await open.context.route('**/api/v1/reports/**', (route) => {
    posts.push(new URL(route.request().url()).pathname);
    return route.fulfill({ json: { report_id: 'x', embed_url: 'https://evil.example/reportEmbed', token: 't', expires_at: '2090-01-01T00:00:00Z' } });
  });
  await ask(page, 'hostile data');
  const turn = await answered(page);

  await page.waitForFunction(() => [...document.querySelector('vesper-chat').shadowRoot.querySelectorAll('.chart-card')]
    .every((card) => card.dataset.state), null, { timeout: 15000 });
  assert.ok(await turn.locator('.chart-card[data-state=drawn]').count() >= 2, 'harmless charts are drawn');
  assert.equal(await turn.locator('.chart-card a, .vega-actions, iframe, img').count(), 0);
  await turn.locator('.report button').click();
  await turn.locator('.report-frame[data-state=failed]').waitFor();
  assert.equal(await turn.locator('iframe').count(), 0);
  assert.deepEqual(posts, ['/api/v1/reports/..%2F..%2Fadmin/embed']);
  assert.equal(await turn.locator('.report .card-title').textContent(), HOSTILE[1]);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assertClean();
});

test('many delimiters are parsed quickly', async () => {
  const page = await start();

  await ask(page, 'delimiters');
  const turn = await answered(page, 5000);
  assert.ok((await turn.locator('.prose').innerText()).includes('The end.'));
  assertClean();
});

test('fits a phone', async () => {
  const page = await start({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  for (const question of [REFERENCE, 'markdown', 'wide hourly', 'hostile']) {
    await ask(page, question);
    await answered(page);
  }
  const widths = await page.evaluate(() => {
    const scroll = document.querySelector('vesper-chat').shadowRoot.querySelector('.scroll');

    return [document.documentElement.scrollWidth, scroll.scrollWidth - scroll.clientWidth];
  });

  assert.deepEqual(widths, [390, 0]);
});

/* --- clarifying questions ---------------------------------------------------------------- */

const selected = () => fake.received.filter((frame) => frame.type === 'chat.select').at(-1)?.values;

test('a clarifying question with many options is a grouped list', async () => {
  const page = await start();

  await ask(page, 'long list');
  const turn = await answered(page);
  assert.equal(await turn.locator('select optgroup').count(), 2);
  await turn.getByRole('button', { name: 'Continue' }).click();
  await turn.getByText('Please choose one.').waitFor();
  await turn.getByRole('combobox').selectOption('p17');
  await turn.getByRole('button', { name: 'Continue' }).click();
  await shown(page, 'You said: p17.');
  assert.equal(await page.locator('.question').last().locator('p').innerText(), 'Project 17');
  assertClean();
});

test('several of many options are found by search, at most as many as allowed', async () => {
  const page = await start();

  await ask(page, 'long boxes');
  const turn = await answered(page);
  const next = turn.getByRole('button', { name: 'Continue' });
  assert.ok(await next.isDisabled());
  await turn.getByRole('searchbox', { name: 'Find' }).fill('project 1');
  assert.equal(await turn.locator('.box:visible').count(), 11);
  for (const name of ['Project 1', 'Project 12', 'Project 13'])
    await turn.getByLabel(name, { exact: true }).check();
  assert.ok(await turn.getByLabel('Project 14').isDisabled());
  await turn.getByText('Choose 1 to 3 · 3 chosen').waitFor();
  await turn.getByRole('searchbox').fill('nothing like it');
  await turn.getByText('Nothing found.').waitFor();
  await next.click();
  await shown(page, 'You said: p1 p12 p13.');
  assert.deepEqual(selected(), ['p1', 'p12', 'p13']);
  assertClean();
});

test('dates are checked against their range before they are sent', async () => {
  const page = await start();

  await ask(page, 'range');
  let turn = await answered(page);
  const next = () => turn.getByRole('button', { name: 'Continue' });
  await turn.getByText('From 1 October 2025 to 27 February 2026').waitFor();
  await turn.getByText('Activity is known for these days.').waitFor();
  await next().click();
  await turn.getByText('Please give a date.').waitFor();
  await turn.getByLabel('From', { exact: true }).fill('2025-09-30');
  await turn.getByLabel('To', { exact: true }).fill('2025-12-31');
  await next().click();
  await turn.getByText('Please choose a date in this range').waitFor();
  await turn.getByLabel('From', { exact: true }).fill('2026-01-31');
  await next().click();
  await turn.getByText('The end lies before the start.').waitFor();
  await turn.getByLabel('From', { exact: true }).fill('2025-12-01');
  await next().click();
  await shown(page, 'You said: 2025-12-01 2025-12-31.');
  assert.equal(await page.locator('.question').last().locator('p').innerText(), '1 December 2025 to 31 December 2025');

  await ask(page, 'which day');
  turn = await answered(page);
  await turn.getByLabel('Date').fill('2026-02-01');
  await next().click();
  await shown(page, 'You said: 2026-02-01.');
  await ask(page, 'range');
  await (await answered(page)).getByRole('button', { name: 'All days' }).click();
  await shown(page, 'You said: all.');
  assert.deepEqual(selected(), ['all']);
  assertClean();
});

test('a clarifying question expires', async () => {
  const page = await start();

  await ask(page, 'expiring');
  const turn = await answered(page);
  await turn.getByText('This question has expired. Please ask again.').waitFor();
  assert.ok(await turn.getByRole('button', { name: 'Project 1' }).isDisabled());
  await page.reload();
  await page.locator('.turn').waitFor();
  await (await answered(page)).getByText('This question has expired').waitFor();
  assertClean();
});

/* --- results ----------------------------------------------------------------------------- */

test('several agents have a panel each, also after a reload', async () => {
  const page = await start();

  await ask(page, 'several');
  for (const reload of [false, true]) {
    if (reload)
      await page.reload();
    await page.locator('.panel').nth(2).waitFor();
    const turn = await answered(page);
    const panel = (name) => turn.getByRole('group', { name, exact: true });

    assert.deepEqual(await turn.locator('.panel h3').allInnerTexts(), ['Projects', 'Day-ahead prices', 'Report usage']);
    assert.equal(await panel('Projects').locator('.data').count(), 2);
    assert.equal(await panel('Day-ahead prices').locator('.data').count(), 1);
    assert.match(await panel('Projects').innerText(), /2 rows · 1 row/);
    assert.match(await panel('Report usage').innerText(), /no data yet/);
    assert.equal(await turn.locator('.data').count(), 3);
  }
  assertClean();
});

test('sources, statement, receipt and cost of an answer are shown, also after a reload', async () => {
  const page = await start();

  await ask(page, 'receipt');
  const cost = [/Model\s+2 calls, 2,100 tokens in, 85 out/, /Cost\s+\$0\.0042/];

  for (const reload of [false, true]) {
    if (reload)
      await page.reload();
    await page.locator('summary.outcome').waitFor();
    const turn = await answered(page);
    const how = turn.locator('.how');

    assert.equal(await turn.locator('.mark.bound').innerText(), '48.73');
    assert.equal(await turn.locator('.mark.withheld').innerText(), '[unverified]');
    assert.equal(await turn.locator('.mark.unbound').evaluate((node) => node.firstChild.data), '12');
    await turn.locator('.mark.withheld').hover();
    assert.match(await turn.getByRole('tooltip').innerText(), /left out because the data does not support it/);
    await turn.locator('summary.outcome').click();
    await how.getByText('$0.0042').waitFor(); /* after the reload, from its receipt */
    for (const expected of [/SQL\s+SELECT AVG\(price\)\s+FROM Stage\.mc_dayahead/, /Numbers\s+2 numbers not verified/,
      /Data read\s+Average annual price\s+3 rows, cut off/, /Worded by\s+anthropic/, /Receipt\s+0192f0c1-0000-7000-8000-00000000feed/,
      ...cost])
      assert.match(await how.innerText(), expected);
  }
  assertClean();
});

test('a failure is shown as a card with alternatives', async () => {
  const page = await start();

  await ask(page, 'refusals');
  await answered(page);
  const turn = page.locator('.turn').first();
  const [late, unclear] = [turn.locator('.error').nth(0), turn.locator('.error').nth(1)];

  assert.match(await late.innerText(), /That took too long\s+The database did not answer\.\s+Ask for a shorter time/);
  assert.match(await unclear.innerText(), /This can mean several things\s+It is not clear/);
  assert.equal(await unclear.getByRole('button', { name: 'Try again' }).count(), 0);
  await unclear.getByRole('button', { name: 'What is the health of Sierra Wind?' }).click();
  await shown(page, 'You said: What is the health of Sierra Wind?');
  await late.getByRole('button', { name: 'Try again' }).click();
  await answered(page);
  assert.equal(fake.received.filter((frame) => frame.content === 'refusals').length, 2);
  assertClean();
});

test('all rows of a truncated table are downloaded from the server', async () => {
  const page = await start({ acceptDownloads: true });

  await ask(page, 'wide hourly');
  const turn = await answered(page);
  const [download] = await Promise.all([page.waitForEvent('download'),
    turn.getByRole('button', { name: 'Save all rows as CSV' }).click()]);

  assert.equal(download.suggestedFilename(), 'Hourly price distribution.csv');
  assert.match((await (await download.createReadStream()).toArray()).join(''), /^\uFEFFHour(,[^\r]*)?\r\n0\r\n1\r\n$/i);
  assert.match(fake.files[0], /^\/api\/v1\/messages\/[\w-]+\/views\/v1\/csv$/);
  assertClean();
});

/* --- languages --------------------------------------------------------------------------- */

test('the page uses the language of its locale, and changes it without losing anything', async () => {
  open = await openPage(browser, `${fake.url}/?locale=de`);
  const { page } = open;
  const setLocale = (tag) => page.evaluate((locale) => { document.querySelector('vesper-chat').locale = locale; }, tag);

  await page.getByRole('heading', { name: 'Was möchten Sie wissen?' }).waitFor();
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await page.getByRole('textbox', { name: 'Ihre Frage' }).fill(REFERENCE);
  await page.keyboard.press('Enter');
  const turn = await answered(page);
  assert.deepEqual(await turn.locator('.data tbody tr').first().locator('td').allInnerTexts(), ['Jan 2025', '48,730', '8.760', '2025']);
  assert.match(await turn.locator('.outcome').innerText(), /2 Zahlen geprüft.*3 Zeilen/s);
  assert.match(await turn.locator('.filter.assumed').innerText(), /Fall Base\s*angenommen/);

  await page.getByRole('textbox', { name: 'Ihre Frage' }).fill('noch nicht gefragt');
  await setLocale('es-MX');
  await page.getByText('2 números verificados').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Su pregunta' }).inputValue(), 'noch nicht gefragt');
  assert.equal(await page.locator('.turn').count(), 1);
  assert.equal(await page.locator('.frame').getAttribute('lang'), 'es');
  await setLocale('en');
  let continueAnswer;
  fake.hold = { after: 'word20 ', until: new Promise((resolve) => { continueAnswer = resolve; }) };
  await page.getByRole('textbox', { name: 'Your question' }).fill('slow');
  await page.keyboard.press('Enter');
  await shown(page, 'word5 ');
  await setLocale('de');
  await shown(page, 'word20 ');
  assert.equal(await page.locator('.frame').getAttribute('lang'), 'en', 'an answer is not interrupted');
  continueAnswer();
  await page.locator('.frame[lang=de]').waitFor();
  assert.equal(await prose(await answered(page)), SLOW);
  assert.equal(fake.turns.size, 2);
  assertClean();
});

test('in another language the page says itself what the server says in English', async () => {
  open = await openPage(browser, `${fake.url}/?locale=de`);
  const { page } = open;
  const asked = async (question) => {
    await page.getByRole('textbox', { name: 'Ihre Frage' }).fill(question);
    await page.keyboard.press('Enter');
    return (await answered(page)).innerText();
  };

  await page.locator('.frame[lang=de]').waitFor();
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  const failed = await asked('fail');
  assert.match(failed, /Das hat zu lange gedauert\s+Die Antwort wurde nicht rechtzeitig fertig\./);
  assert.doesNotMatch(failed, /did not answer/);
  assert.doesNotMatch(await asked('partial'), /broke off/);
  assert.match(await asked('wide hourly'), /Preise nach Stunden[^]*Die ersten 48 von 8\.760 Zeilen, der Rest fehlt/);
  await asked(REFERENCE);
  await lastTurn(page).locator('summary.outcome').click();
  await lastTurn(page).locator('.how dt').first().waitFor();
  assert.match(await lastTurn(page).locator('.how').innerText(), /Liest die Daten: Durchschnittlicher Jahrespreis/);
  assert.doesNotMatch(await lastTurn(page).locator('.how').innerText(), /Reading|Read the/);
  fake.busy = true;
  assert.match(await asked('busy'), /In dieser Unterhaltung wird noch eine Antwort geschrieben/);
  assertClean();
});

test('the page is 60 KB or less before the first chart', async () => {
  const files = ['', 'app.css', 'demo.js', 'widget.js'];
  const bodies = await Promise.all(files.map(async (name) => Buffer.from(await (await fetch(`${fake.url}/${name}`)).arrayBuffer())));
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);

  assert.ok(bytes > 1000 && bytes <= 60 * 1024, `${bytes} bytes`);
});
