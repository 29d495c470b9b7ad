/* Components and the steps of a plan on the page: every part, empty and hostile ones, by keyboard, with axe, dark and on a phone. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { VESPERD } from '../e2e/harness.mjs';
import { assertAccessible } from './axe.mjs';
import { answered, ask, launch, openPage } from './browser.mjs';
import { DEFINITIONS } from './component-scripts.mjs';
import { Fake } from './fake.mjs';

const WIDGET = join(dirname(VESPERD), 'widget');
const PICTURES = process.env.VESPER_PICTURES; /* a folder for screenshots */
let browser;
let fake;

before(async () => {
  browser = await launch();
  fake = await new Fake().start();
});
after(async () => {
  await browser.close();
  await fake.stop();
});

async function open(options) {
  const opened = await openPage(browser, fake.url, { bypassCSP: true, reducedMotion: 'reduce', ...options });

  await opened.page.locator('vesper-chat[data-state=ready]').waitFor();
  return opened;
}

async function showComponent(page, question) {
  await ask(page, question);
  const turn = await answered(page);

  await turn.locator('.component[data-state=drawn]').first().waitFor();
  return turn;
}

const picture = (page, name) => PICTURES && page.screenshot({ path: `${PICTURES}/${name}.png` });

describe('a component', () => {
  test('shows each of its parts', async () => {
    const { page, context, pageErrors } = await open();
    const turn = await showComponent(page, 'every part');
    const card = turn.locator('.component');

    assert.deepEqual(await card.locator('.fact').evaluateAll((facts) => facts.map((f) => f.innerText.replace(/\s+/g, ' '))),
      ['Stage Stage 3 Late Dev', 'Due 15 August 2028', 'Ready No', 'Average price $48.73/MWh', 'Budget $182.4M']);
    assert.equal(await card.locator('.lead').innerText(), 'Sierra Wind');
    assert.equal((await card.locator('.state').textContent()), 'Status: Off track');
    assert.ok(await card.locator('.badge').evaluate((badge) => badge.classList.contains('critical')));
    assert.equal(await card.locator('.progress-row strong').innerText(), '112.4%');
    assert.equal(await card.locator('progress').getAttribute('value'), '100');
    await card.locator('.chart-card[data-state=drawn]').waitFor();
    assert.equal(await card.locator('table tbody tr').count(), 2);
    assert.ok(await turn.evaluate((t) => t.querySelector('.component').compareDocumentPosition(t.querySelector('.prose')) & Node.DOCUMENT_POSITION_FOLLOWING));
    await picture(page, 'every-part');
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  test('omits parts without a value, and states that there is no data', async () => {
    const { page, context } = await open();
    const turn = await showComponent(page, 'empty parts');

    await turn.locator('.component[data-state=drawn]').nth(1).waitFor();
    const [first, second] = await turn.locator('.component').all();

    assert.match(await first.innerText(), /Projects off track\s+0\s+No project is off track\./);
    assert.equal(await second.innerText(), 'Sierra Wind');
    assert.equal(await second.locator('.fact, progress, table, .badge').count(), 0);
    await context.close();
  });

  test('shows hostile props as text', async () => {
    const { page, context, pageErrors } = await open();
    const turn = await showComponent(page, 'bad props');

    await turn.locator('table').first().waitFor();
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await turn.locator('.component img, .component script, .component iframe, .component a').count(), 0);
    assert.match(await turn.locator('.component .lead').innerText(), /<img src=x/);
    assert.ok(await turn.locator('.badge').evaluate((badge) => badge.classList.contains('neutral')));
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  test('of a newer server: definitions are loaded again, and unknown components are shown as text', async () => {
    const { page, context } = await open();

    await showComponent(page, 'weekly');
    const before = fake.listed;

    fake.components = DEFINITIONS.map((d) => (d.name === 'Everything' ? { ...d, props: { ...d.props, later: { type: 'integer', label: 'Later' } } } : d));
    await ask(page, 'newer server');
    const turn = await answered(page);

    await turn.locator('.component[data-state=plain]').waitFor();
    await turn.locator('.component[data-state=drawn]').waitFor();
    assert.equal(await turn.locator('.component[data-state=plain]').innerText(), 'What an older page says instead.');
    assert.ok(fake.listed > before);
    fake.components = DEFINITIONS;
    await context.close();
  });

  test('shows five hundred rows', async () => {
    const { page, context } = await open();
    const turn = await showComponent(page, 'five hundred');

    assert.equal(await turn.locator('.component tbody tr').count(), 500);
    await context.close();
  });

  test('is restored after a reload', async () => {
    const { page, context } = await open();

    await showComponent(page, 'weekly');
    await page.reload();
    await page.locator('.component[data-state=drawn]').waitFor();
    assert.match(await page.locator('.component').innerText(), /Projects off track\s+2/);
    await context.close();
  });
});

describe('the steps of a plan', () => {
  test('are drawn on request, and are a list for screen readers', async () => {
    const { page, context, pageErrors } = await open();
    const turn = await showComponent(page, 'weekly');

    assert.equal(await turn.locator('.plan-box svg').count(), 0);
    await turn.locator('.plan summary').focus();
    await page.keyboard.press('Enter');
    await turn.locator('.plan-box svg').waitFor();
    assert.equal(await turn.locator('.plan-box .node').count(), 5);
    assert.equal(await turn.locator('.arrow').count(), 4);
    assert.deepEqual(await turn.locator('.plan-box .node').evaluateAll((steps) => steps.map((s) => s.getAttribute('class').replace('node ', ''))),
      ['completed', 'completed', 'failed', 'skipped', 'completed']);
    const words = await turn.locator('.plan-box li').allTextContents();

    assert.equal(words[2], 'Task risks, Per, Failed, after Recent changes');
    assert.deepEqual(await turn.locator('.plan-box .node').nth(2).locator('text').allTextContents(), ['Per', 'Task risks', 'Failed'], 'the agent of the step');
    assert.match(words[3], /^<img src=x/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    await page.keyboard.press('Tab');
    assert.ok(await turn.locator('.plan-scroll').evaluate((box) => box.getRootNode().activeElement === box), 'the picture can be scrolled by keyboard');
    await picture(page, 'plan');
    assert.deepEqual(pageErrors, []);
    await context.close();
  });

  test('run from right to left in right-to-left languages, and a repeated dependency is one arrow', async () => {
    const { page, context } = await open();
    const turn = await showComponent(page, 'weekly');
    const positions = () => turn.locator('.plan-box .node').evaluateAll((steps) => steps.map((step) => Number(step.querySelector('rect').getAttribute('x'))));

    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    await turn.locator('.plan summary').click();
    await turn.locator('.plan-box svg').waitFor();
    const [first, , second, , last] = await positions();
    assert.ok(first > second && second > last, `${first} > ${second} > ${last}`);
    for (const path of await turn.locator('.plan-box .arrow').evaluateAll((arrows) => arrows.map((one) => one.getAttribute('d')))) {
      const numbers = path.match(/-?[\d.]+/g).map(Number);
      assert.ok(numbers.at(-2) < numbers[0], `an arrow goes to the left: ${path}`);
    }
    assert.equal(await turn.locator('.plan-box .arrow').count(), 4);
    await assertAccessible(page, 'a plan from right to left');
    await context.close();
  });
});

describe('axe finds no violation', () => {
  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 390, height: 780 }, hasTouch: true }]])
    test(`in components and plans, ${look}`, async () => {
      const { page, context } = await open(options);
      const turn = await showComponent(page, 'weekly');

      await picture(page, `weekly-${look}`);
      await turn.locator('.plan summary').click();
      await turn.locator('.plan-box svg').waitFor();
      await assertAccessible(page, 'a briefing and its plan');
      const every = await showComponent(page, 'every part');

      await every.locator('.chart-card[data-state=drawn]').waitFor();
      await assertAccessible(page, 'every part');
      await every.locator('.component').scrollIntoViewIfNeeded();
      await picture(page, `parts-${look}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'nothing is wider than the page');
      await context.close();
    });
});

test('the page and the code that draws components stay small', async () => {
  const size = async (name) => gzipSync(await readFile(join(WIDGET, name)), { level: 9 }).length;
  const parts = await readdir(join(WIDGET, 'assets'));
  const first = (await Promise.all(['index.html', 'app.css', 'app.js', 'widget.js'].map(size))).reduce((a, b) => a + b);

  assert.ok(first <= 60 * 1024, `${first} bytes before the first component`);
  assert.ok(await size(`assets/${parts.find((name) => name.startsWith('components-'))}`) <= 12 * 1024);
});
