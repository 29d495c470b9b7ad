/*
 * Unusual conditions: a wrong clock, a machine that slept, a connection that only seems alive, text that is too
 * long, input methods with composition, conversations that another tab changes or deletes; and printing.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { startMock } from '../mock/anthropic.mjs';
import { startDaemon } from '../e2e/harness.mjs';
import { answered, ask, lastTurn, launch, openPage } from './browser.mjs';
import { Fake } from './fake.mjs';
import { REFERENCE } from './scripts.mjs';

const HOUR_MS = 3600000;
const SLOW = Array.from({ length: 80 }, (_, i) => `word${i + 1}`).join(' ');

let browser;
let open;

before(async () => { browser = await launch(); });
after(() => browser.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
});

const field = (page) => page.getByRole('textbox', { name: 'Your question' });
const ready = (page) => page.locator('vesper-chat[data-state=ready]').waitFor();
const shown = (page, text) => lastTurn(page).locator('.prose', { hasText: text }).waitFor();
const becomeVisible = (page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

describe('against a scripted server', () => {
  let fake;

  beforeEach(async () => { fake = await new Fake().start(); });
  afterEach(() => fake.stop());

  async function start(options) {
    open = await openPage(browser, fake.url, options);
    open.page.setDefaultTimeout(10000);
    await ready(open.page);
    return open.page;
  }

  for (const hours of [3, -3])
    test(`a clock that is ${hours} hours off does not change when a clarifying question expires`, async () => {
      open = await openPage(browser, 'about:blank');
      const { page } = open;

      await page.clock.install({ time: Date.now() + hours * HOUR_MS });
      await page.goto(fake.url);
      await ready(page);
      await page.clock.resume();
      await ask(page, 'expiring');
      const turn = await answered(page);
      assert.ok(await turn.getByRole('button', { name: 'Project 1' }).isEnabled());
      await turn.getByText('This question has expired').waitFor();
    });

  test('a machine that slept for an hour detects its dead connection, and reads the answer from the history', async () => {
    const page = await start();

    await ask(page, 'slow');
    await shown(page, 'word5 ');
    const [turn] = fake.turns.values();

    /* The connection is dead without a close, the answer is finished, and its frames have expired. */
    fake.deaf = true;
    turn.watchers.clear();
    for (let i = 0; i < 200 && !turn.ended; i++)
      await page.waitForTimeout(20);
    fake.turns.delete(turn.id);
    await becomeVisible(page);
    await page.waitForTimeout(200);
    assert.equal(fake.received.at(-1).type, 'ping', 'the connection is probed');
    fake.deaf = false;
    assert.equal((await (await answered(page)).locator('.prose').innerText()).trim(), SLOW);
    assert.equal(await page.locator('.turn').count(), 1);
  });

  test('returning to the page reconnects at once', async () => {
    const page = await start();

    fake.paused = true;
    fake.cut();
    await page.getByText('The connection is lost').waitFor();
    await page.waitForTimeout(2500); /* by now the pauses between attempts are long */
    fake.paused = false;
    await becomeVisible(page);
    await ready(page);
  });

  test('a question that exceeds the frame limit is refused once, and not sent again', async () => {
    const page = await start();

    for (const socket of fake.sockets)
      socket.prependListener('message', () => socket.close(1009));
    await ask(page, 'too much');
    await page.getByText('The question is too long', { exact: true }).waitFor();
    await ready(page);
    await page.waitForTimeout(300);
    assert.equal(fake.received.filter((frame) => frame.type === 'chat.message').length, 1);
    await ask(page, 'hello');
    await shown(page, 'You said: hello.');
  });

  test('100 KB of text are pasted without delay, and not sent', async () => {
    const page = await start();

    await field(page).fill('short');
    /* Measures CPU time of the thread, so that the load of the machine does not matter. */
    const browser = await page.context().newCDPSession(page);
    await browser.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await browser.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
    const before = await spent();
    await page.evaluate(() => {
      const input = document.querySelector('vesper-chat').shadowRoot.querySelector('textarea');

      input.value = 'A line of text that somebody copied.\n'.repeat(2800);
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    const ms = (await spent() - before) * 1000;

    await page.getByText('This question is too long to be sent').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
    assert.ok((await field(page).boundingBox()).height <= 200);
    await page.keyboard.press('Enter');
    assert.equal(fake.received.length, 0);
    assert.ok(ms > 0 && ms < 1000, `${ms} ms`);
  });

  test('Enter and Esc during a composition only end the composition', async () => {
    const page = await start();
    const press = (key, init) => field(page).evaluate((node, [name, rest]) => node.dispatchEvent(new KeyboardEvent('keydown',
      { key: name, bubbles: true, composed: true, cancelable: true, ...rest })), [key, init]);

    await field(page).fill('にほんご');
    await press('Enter', { isComposing: true });
    await press('Enter', { keyCode: 229 });
    assert.equal(await field(page).inputValue(), 'にほんご');
    assert.equal(fake.received.length, 0);
    await ask(page, 'slow');
    await shown(page, 'word3 ');
    await field(page).fill('にほん');
    await press('Escape', { isComposing: true });
    assert.equal((await (await answered(page)).locator('.prose').innerText()).trim(), SLOW);
    assert.equal(fake.received.filter((frame) => frame.type === 'chat.cancel').length, 0);
  });

  test('the first page of a small frame starts at its top', async () => {
    const page = await start({ viewport: { width: 420, height: 480 } });

    await page.waitForTimeout(200);
    assert.equal(await page.locator('.scroll').evaluate((node) => node.scrollTop), 0);
  });

  test('a long question is collapsed, so that its answer is visible', async () => {
    const page = await start();
    const question = 'A line of a long question about prices.\n'.repeat(60).trim();

    await ask(page, question);
    const turn = await answered(page);
    const height = async () => (await turn.locator('.question p').boundingBox()).height;
    const folded = await height();

    assert.ok(folded < 300, `${folded} high`);
    await turn.getByRole('button', { name: 'Show all' }).click();
    assert.ok(await height() > 1000);
    await turn.getByRole('button', { name: 'Show less' }).click();
    assert.equal(await height(), folded);
    assert.equal(await turn.locator('.question p').textContent(), question);
  });

  test('every control is large enough for touch', async () => {
    const page = await start({ viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
    const small = () => page.evaluate(() => [...document.querySelector('vesper-chat').shadowRoot
      .querySelectorAll('button, summary, select, input:not([type=checkbox]), textarea, .box')]
      .filter((node) => node.checkVisibility())
      .map((node) => [node.className || node.tagName, node.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && Math.min(box.width, box.height) < 30)
      .map(([name, box]) => `${name}: ${box.width} x ${box.height}`));

    for (const question of [REFERENCE, 'ERCOT', 'vendors', 'long boxes', 'range', 'fail']) {
      await ask(page, question);
      await answered(page);
      assert.deepEqual((await small()).filter((one) => !/^(sort|outcome)/.test(one)), [], question);
    }
  });

  test('the Tab key follows the reading order of an answer, with a visible focus', async () => {
    const page = await start();

    await ask(page, REFERENCE);
    await answered(page);
    await page.getByRole('button', { name: 'New conversation' }).focus();
    await page.evaluate(() => { window.stops = []; });
    const step = () => page.evaluate(() => {
      const node = document.activeElement.shadowRoot?.activeElement;
      const before = window.stops.at(-1);

      window.stops.push(node);
      return { tag: node?.tagName, words: node?.getAttribute('aria-label') ?? node?.textContent,
        follows: !before || Boolean(before.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING),
        isSeen: node && (node.tagName === 'TEXTAREA' || getComputedStyle(node).outlineStyle !== 'none') };
    });
    const seen = [];

    do {
      await page.keyboard.press('Tab');
      seen.push(await step());
    } while (seen.at(-1).tag !== 'TEXTAREA' && seen.length < 60);
    assert.deepEqual(seen.filter(({ follows, isSeen }) => !follows || !isSeen), []);
    const words = seen.map((one) => one.words).join(' | ');

    assert.match(words, new RegExp(['Conversations', 'Conversation', 'Edit this question', 'Vendor Ascend', '48.73', 'Average annual price',
      'Save the table', 'Open here', 'Copy the answer', 'Good answer', 'And for SP15', 'Your question'].join('[^]*')));
  });

  test('a conversation is printed whole, without its controls', async () => {
    const page = await start();

    for (const question of [REFERENCE, 'markdown', 'wide hourly'])
      await ask(page, question).then(() => answered(page));
    await page.emulateMedia({ media: 'print' });
    const cut = await page.evaluate(() => [...document.querySelector('vesper-chat').shadowRoot.querySelectorAll('.frame, .chat, .scroll, .turn')]
      .filter((node) => node.scrollHeight > node.clientHeight + 1).map((node) => node.className));

    assert.deepEqual(cut, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) > 900);
    for (const selector of ['.composer', '.suggestions', '.data-tools', '.acts', '.tools', '.report button', '.report a'])
      assert.equal(await page.locator(selector).first().isVisible(), false, selector);
  });
});

describe('against the real server', () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i + 1}`).join(' ');
  let mock;
  let daemon;

  before(async () => {
    mock = await startMock();
    mock.use([{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 60 } }, { reply: 'demo' }]);
    daemon = await startDaemon({ mock });
  });
  after(async () => {
    await daemon?.stop();
    await mock?.close();
  });

  /* Opens two tabs of one conversation that has an answer. */
  async function twoTabs() {
    open = await openPage(browser, daemon.url);
    const { page, context } = open;

    await ready(page);
    await ask(page, REFERENCE);
    await answered(page);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('.turn').waitFor();
    await ready(other);
    return [page, other];
  }

  test('two tabs of one conversation that both ask: one is answered, one must wait, nothing is lost', async () => {
    const [page, other] = await twoTabs();

    await ask(page, 'and for SP15?');
    await shown(page, 'word3');
    await other.bringToFront();
    await ask(other, 'and for ZP26?');
    const refused = await answered(other);
    assert.match(await refused.innerText(), /Another question is still being answered/);
    await page.bringToFront();
    assert.match(await (await answered(page)).locator('.prose').innerText(), /word40/);
    await other.bringToFront();
    await refused.getByRole('button', { name: 'Try again' }).click();
    await shown(other, 'word40');
    await answered(other);
    await other.reload();
    await other.locator('.turn').nth(2).waitFor();
    assert.deepEqual(await other.locator('.question p').allInnerTexts(), [REFERENCE, 'and for SP15?', 'and for ZP26?']);
  });

  test('a conversation that another tab deletes disappears, and the next question starts a new one', async () => {
    const [page, other] = await twoTabs();
    const list = other.getByRole('navigation', { name: 'Conversations' });

    await other.bringToFront();
    await other.getByRole('button', { name: 'Conversations', exact: true }).click();
    await list.locator('.session.current').hover();
    await list.locator('.session.current').getByRole('button', { name: /^Delete/ }).click();
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await other.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
    await page.bringToFront();
    await ask(page, 'and for SP15?');
    await shown(page, 'word40');
    await answered(page);
    await page.reload();
    await page.locator('.turn').waitFor();
    assert.deepEqual(await page.locator('.question p').allInnerTexts(), ['and for SP15?']);
    assert.match(await (await answered(page)).locator('.prose').innerText(), /word40/);
  });
});
