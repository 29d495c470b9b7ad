/* Regressions reported by business users, and what can be exported from an answer: tables and images. */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { answered, ask, lastTurn, launch, openPage } from './browser.mjs';
import { Fake } from './fake.mjs';
import { REFERENCE } from './scripts.mjs';
import { typesOf, withType } from '../../src/widget/views/takeaway/types.js';
import { patient } from '../e2e/patience.mjs';

const LIMIT_MS = patient(60000);

let browser;
let fake;
let open;

before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => { fake = await new Fake().start(); });
afterEach(async () => {
  await open?.context.close();
  await fake.stop();
});

async function openAnswer(question, options) {
  open = await openPage(browser, fake.url, options);
  open.page.setDefaultTimeout(LIMIT_MS);
  await open.page.locator('vesper-chat[data-state=ready]').waitFor();
  await ask(open.page, question);
  return answered(open.page, LIMIT_MS);
}

const text = async (download) => Buffer.concat(await (await download.createReadStream()).toArray()).toString();

async function saved(turn, name) {
  const [download] = await Promise.all([open.page.waitForEvent('download'), turn.getByRole('button', { name }).first().click()]);

  return { name: download.suggestedFilename(), text: await text(download) };
}

test('a clarifying question with many options and no groups lists them', async () => {
  const turn = await openAnswer('flat list');

  assert.equal(await turn.locator('select option').count(), 31);
  await turn.getByRole('combobox').selectOption('p17');
  await turn.getByRole('button', { name: 'Continue' }).click();
  await lastTurn(open.page).locator('.prose', { hasText: 'You said: p17.' }).waitFor();
});

test('a report that cannot be opened shows only this message', async () => {
  open = null;
  const turn = await openAnswer(REFERENCE);

  await open.context.route('**/api/v1/reports/**', (route) => route.fulfill({ status: 403, json: {} }));
  await turn.getByRole('button', { name: /Open here/ }).click();
  await turn.getByText('You may not open this report.').waitFor();
  assert.doesNotMatch(await turn.locator('.report-note').innerText(), /false|undefined|null/);
});

test('after one filter was edited only that one is called edited', async () => {
  await openAnswer('markdown');
  const { page } = open;

  /* Imitates the daemon's reply to filters in the request. */
  await page.routeWebSocket(/\/ws\//, (socket) => {
    const server = socket.connectToServer();
    let hasFilters = false;

    socket.onMessage((message) => {
      hasFilters = Boolean(JSON.parse(message).filters);
      server.send(message);
    });
    server.onMessage((message) => {
      const frame = JSON.parse(message);

      for (const filter of hasFilters ? frame.filters ?? [] : [])
        filter.source = 'edited';
      socket.send(JSON.stringify(frame));
    });
  });
  await page.goto(fake.url);
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await ask(page, REFERENCE);
  await (await answered(page, LIMIT_MS)).getByRole('button', { name: /Hub zone NP15/ }).click();
  await page.getByRole('textbox', { name: 'Hub zone' }).fill('SP15');
  await page.keyboard.press('Enter');
  await page.locator('.turn').nth(1).waitFor();
  await answered(page, LIMIT_MS);
  const words = await lastTurn(page).locator('.filters li').allInnerTexts();

  assert.deepEqual(words.filter((one) => /edited/.test(one)).length, 1, words.join(' | '));
  assert.match(words.find((one) => /edited/.test(one)), /Hub zone/);
  assert.match(words.find((one) => /Base/.test(one)), /assumed/);
});

test('a name has one colour on all charts, and codes and units are read as words', async () => {
  const turn = await openAnswer('two charts');

  await turn.locator('.chart-card[data-state=drawn]').nth(1).waitFor();
  const colours = await turn.locator('.chart-card').evaluateAll((cards) => cards.map((card) => Object.fromEntries(
    [...card.querySelectorAll('.mark-rect path')].map((path) => [/vendor: (\w+)/.exec(path.getAttribute('aria-label'))?.[1], path.getAttribute('fill')]))));
  assert.equal(colours[0].Hitachi, colours[1].Hitachi);
  assert.equal(new Set([...Object.values(colours[0]), ...Object.values(colours[1])]).size, 4);
  assert.deepEqual(await turn.locator('.data th').allInnerTexts(), ['Status', 'Hours', 'Note']);
  assert.equal(await turn.locator('.data td').first().innerText(), 'At risk');
});

test('the last line of an answer says whether one may rely on it, not the model or the latency', async () => {
  const line = (await openAnswer('markdown')).locator('.outcome');

  assert.equal((await line.innerText()).trim(), '1 number not verified');
  await line.click();
  await open.page.getByText('anthropic claude-sonnet-5-5').waitFor();
});

test('a refusal is no result of no rows', async () => {
  assert.equal((await (await openAnswer('not mine')).locator('.outcome').innerText()).trim(), 'Answered by rules (no model)');
});

test('a wide table takes the margin that is empty', async () => {
  const turn = await openAnswer('wide hourly', { viewport: { width: 1440, height: 900 } });
  const [table, column] = await Promise.all(['.data', '.prose'].map((part) => turn.locator(part).boundingBox()));

  assert.ok(table.width > column.width + 200, `${table.width} next to ${column.width}`);
});

test('a chart is saved as an image, a table with the displayed headers', async () => {
  const turn = await openAnswer('two charts', { acceptDownloads: true });

  await turn.locator('.chart-card[data-state=drawn]').nth(1).waitFor();
  const svg = await saved(turn, 'Save the chart as SVG');
  assert.equal(svg.name, 'Hourly price distribution.svg');
  assert.match(svg.text, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*Ascend[^]*<\/svg>$/);
  const png = await saved(turn, 'Save the chart as PNG');
  assert.equal(png.name, 'Hourly price distribution.png');
  assert.match(png.text, /^.PNG/);
  const csv = await saved(turn, 'Save the table as CSV');
  assert.equal(csv.name, 'Project health.csv');
  assert.equal(csv.text, '\uFEFFStatus,Hours,Note\r\nat_risk,8760,\'=1+1\r\non_track,24,<b>a</b>');
  assert.deepEqual(open.pageErrors, []);
});

test('a table is downloaded as a workbook from the server, with the displayed name', async () => {
  const turn = await openAnswer('two charts', { acceptDownloads: true });
  const xlsx = await saved(turn, 'Save all rows as XLSX for Excel');

  assert.equal(xlsx.name, 'Project health.xlsx');
  assert.match(fake.files.at(-1), /^\/api\/v1\/messages\/[^/]+\/views\/v3\/xlsx$/);
  await open.context.route('**/xlsx', (route) => route.fulfill({ status: 503, json: {} }));
  await turn.getByRole('button', { name: 'Save all rows as XLSX for Excel' }).click();
  await turn.getByText('This file could not be made. Please try again.').waitFor();
});

test('a chart changes to the types that its data allows, with matching texts', async () => {
  const turn = await openAnswer('price by hour');
  const card = turn.locator('.chart-card[data-state=drawn]').first();
  const type = card.getByRole('combobox', { name: 'Type of the chart' });

  await type.waitFor();
  assert.deepEqual(await type.locator('option').allInnerTexts(), ['Lines', 'Bars', 'Area', 'Points']);
  for (const [value, words, marks] of [['bar', 'Bars', '.mark-rect path'], ['area', 'Area', '.mark-area path'], ['point', 'Points', '.mark-symbol path'], ['line', 'Lines', '.mark-line path']]) {
    await type.focus();
    await type.selectOption(value);
    await card.locator(marks).first().waitFor();
    await card.getByRole('img', { name: new RegExp(`^${words}: `) }).waitFor();
    assert.equal(await card.locator('svg').count() > 0, true);
  }
  assert.deepEqual(open.pageErrors, []);
});

test('no type is offered that would misrepresent the data', () => {
  const spec = (rows, encoding, mark = 'bar') => ({ mark, data: { values: rows }, encoding: { x: { field: 'x', type: 'ordinal' }, y: { field: 'y', type: 'quantitative' }, ...encoding } });
  const hours = Array.from({ length: 24 }, (_, x) => ({ x, y: x + 1 }));

  assert.deepEqual(typesOf(spec(hours)), ['bar', 'line', 'area', 'point']);
  assert.deepEqual(typesOf(spec(hours, { x: { field: 'x', type: 'nominal' } })), ['bar', 'point']);
  assert.deepEqual(typesOf(spec(hours.map(({ x, y }) => ({ x, y: y - 5 })))), ['bar', 'line', 'point']);
  assert.deepEqual(typesOf(spec([...hours, ...hours], {}, 'point')), ['point']);
  const two = ['a', 'b'].flatMap((series) => hours.map((row) => ({ ...row, series })));
  const by = { color: { field: 'series', type: 'nominal' } };

  assert.deepEqual(typesOf(spec(two, by, 'line')), ['line', 'bar', 'point']);
  assert.deepEqual(withType(spec(two, by, 'line'), 'bar').encoding.xOffset, { field: 'series' });
  assert.equal(withType(spec(hours, {}, 'line'), 'bar').encoding.y.scale.zero, true);
  assert.equal(withType(spec(hours), 'line').encoding.y.scale.zero, false);
  assert.deepEqual(typesOf(spec(Array.from({ length: 201 }, (_, x) => ({ x, y: 1 })), {}, 'line')), ['line', 'area', 'point']);
  assert.deepEqual(typesOf({ layer: [], data: { values: hours } }), []);
  assert.deepEqual(typesOf({ mark: 'rect', data: { values: [] }, encoding: {} }), []);
});

test('a copied table works in Word and Excel, and contains no formula', async () => {
  const turn = await openAnswer('two charts', { permissions: ['clipboard-read', 'clipboard-write'] });

  await turn.getByRole('button', { name: 'Copy the table' }).click();
  await turn.getByText('Copied', { exact: true }).waitFor();
  const [html, plain] = await open.page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();

    return Promise.all(['text/html', 'text/plain'].map(async (type) => (await item.getType(type)).text()));
  });
  assert.match(html, /<table>.*<th>Status<\/th><th>Hours<\/th>.*<td>'=1\+1<\/td>.*&lt;b&gt;a&lt;\/b&gt;/s);
  assert.match(plain.replaceAll('\r', ''), /^Status\tHours\tNote\nat_risk\t8760\t'=1\+1\n/);
});

test('a pinned result is on the start page, refreshed, until it is removed', async () => {
  const turn = await openAnswer('two charts');
  const { page } = open;

  await turn.getByRole('button', { name: 'Pin to the start page' }).click();
  await turn.getByText('It is on your start page now').waitFor();
  assert.deepEqual(fake.saved.map(({ title, shared }) => [title, shared]), [['Project health', false]]);
  for (const [address, read, price] of [[fake.url, 'Read on', '48.73'], [`${fake.url}/?locale=de`, 'Gelesen am', '48,73']]) {
    await page.goto('about:blank');
    await page.goto(address);
    const saved = page.locator('.welcome .saved');

    await saved.getByText(read).waitFor();
    assert.equal(await saved.locator('td').last().innerText(), price);
    assert.equal(await saved.count(), 1);
  }
  await page.getByRole('button', { name: 'Project health entfernen' }).press('Enter');
  await page.locator('.saved').waitFor({ state: 'detached' });
  assert.deepEqual(fake.saved, []);
  assert.deepEqual(open.pageErrors, []);
});

test('what a pressed button says is read whole on a phone', async () => {
  const turn = await openAnswer('two charts', { viewport: { width: 360, height: 800 } });

  await turn.getByRole('button', { name: 'Pin to the start page' }).click();
  await turn.getByText('It is on your start page now').waitFor();
  const [hint, card] = await Promise.all(['.data-tools .hint:not(:empty)', '.data'].map((part) => turn.locator(part).last().boundingBox()));

  assert.ok(hint.x >= card.x && hint.x + hint.width <= card.x + card.width, `${hint.x} to ${hint.x + hint.width} in a card from ${card.x}`);
});

test('a link shares a result; without permission it is reported as nonexistent', async () => {
  const turn = await openAnswer('two charts', { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = open;

  await turn.getByRole('button', { name: 'Copy a link for colleagues' }).click();
  await turn.getByText('Link copied.').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${fake.url}/#shared=${fake.saved[0].saved_id}`);
  assert.equal(fake.saved[0].shared, true);
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('Shared with you, read on').waitFor();
  assert.equal(await page.locator('.welcome .saved .data').count(), 1);
  assert.deepEqual(open.pageErrors, []);
  await page.goto(`${fake.url}/#shared=0193b0a0-0000-7000-8000-000000000009`); /* no page load: only the hash changes */
  await page.getByText('This result does not exist.').waitFor();
});

test('a failure to pin is reported', async () => {
  const turn = await openAnswer('two charts');

  await open.context.route('**/saved-views', (route) => route.fulfill({ status: 503, json: {} }));
  await turn.getByRole('button', { name: 'Pin to the start page' }).click();
  await turn.getByText('This could not be saved. Please try again.').waitFor();
});
