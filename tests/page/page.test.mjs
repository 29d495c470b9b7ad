/*
 * The page as the real daemon serves it, in a real browser. VESPER_URL names a demo that is already
 * running; without it the test starts daemons. VESPER_SCREENSHOT=1 also writes docs/*.png.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { answered, ask, lastTurn, launch, openPage } from './browser.mjs';
import { Cable } from './cable.mjs';
import { HOSTILE, REFERENCE } from './scripts.mjs';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const CUT = /WebSocket connection to|net::ERR_|Failed to load resource/;
const STARTERS = [
  [REFERENCE, /\$48\.73\/MWh/],
  ['Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025', /52\.14[^]*54\.80/],
  ['Show the hourly price distribution for SP15 in 2025 from Ascend', /SP15/],
  ['Which curves are available for HB_NORTH?', /curves match[^]*Hitachi[^]*Ascend/],
];

const givenUrl = process.env.VESPER_URL;
let browser;
let open;

before(async () => { browser = await launch(); });
after(() => browser.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
});

async function start(url, options) {
  open = await openPage(browser, url, options);
  await open.page.locator('vesper-chat[data-state=ready]').waitFor();
  return open.page;
}

/* Saves a screenshot of a main state of the page, for the documentation. */
async function picture(page, name) {
  if (!process.env.VESPER_SCREENSHOT)
    return;
  await page.mouse.move(0, 0);
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${DOCS}${name}.png` });
}

function assertClean(expected = /^$/) {
  assert.deepEqual(open.pageErrors.filter((wrong) => !expected.test(wrong)), []);
}

const prose = (turn) => turn.locator('.prose').innerText();

describe('by rules', () => {
  let daemon;
  let cable;
  let url;

  before(async () => {
    if (!givenUrl) {
      const { startDaemon } = await import('../e2e/harness.mjs');

      daemon = await startDaemon();
    }
    url = givenUrl ?? daemon.url;
    cable = await Cable.to(url);
  });
  after(async () => {
    await cable?.close();
    await daemon?.stop();
  });

  test('the reference question is answered, with its table', async () => {
    const page = await start(url);

    await page.getByRole('button', { name: REFERENCE }).click();
    const turn = await answered(page);

    assert.match(await prose(turn), /\$48\.73\/MWh/);
    assert.match(await prose(turn), /8,760/);
    assert.ok(await turn.locator('.data').count() >= 1);
    assert.match(await turn.locator('.data').first().textContent(), /48\.73/);
    assert.match(await turn.locator('.filters').innerText(), /Ascend[^]*NP15|NP15[^]*Ascend/);
    assert.match(await turn.locator('.outcome').innerText(), /verified/);
    assertClean();
    await picture(page, 'page');
  });

  test('every starter question is answered', async () => {
    const page = await start(url);

    for (const [question, expected] of STARTERS) {
      await ask(page, question);
      const turn = await answered(page);

      assert.match(await prose(turn), expected, question);
      assert.equal(await turn.locator('.error:not(.said)').count(), 0, question);
    }
    assert.equal(await page.locator('.turn').count(), STARTERS.length);
    assertClean();
  });

  test('an answer along the hours has a chart, drawn under the strict policy', async () => {
    const page = await start(url);

    await ask(page, 'Show the hourly price distribution for SP15 in 2025 from Ascend');
    const turn = await answered(page);
    const chart = turn.locator('.chart-card');
    await turn.locator('.chart-card[data-state=drawn] svg.marks').waitFor();
    assert.match(await chart.locator('[role=img]').first().getAttribute('aria-label'), /^Line chart with the range/);
    assert.ok(await chart.locator('svg path').count() > 5);
    assert.equal(await turn.locator('details.data').getAttribute('open'), null, 'the table is collapsed');
    await chart.locator('svg .mark-symbol path').nth(12).hover();
    await chart.locator('.chart-tip').waitFor();
    assert.match(await chart.locator('.chart-tip').innerText(), /Hour beginning: \d+/);
    await page.reload();
    await page.locator('.chart-card[data-state=drawn] svg.marks').waitFor();
    assertClean();
  });

  for (const [name, question, options] of [
    ['chart-dark', 'Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025', { colorScheme: 'dark' }],
    ['phone', 'What is the health status of Nazareth Solar?', { viewport: { width: 390, height: 780 }, hasTouch: true }]])
    test(`an answer fits the page: ${name}`, async () => {
      const page = await start(url, options);

      await ask(page, question);
      const turn = await answered(page);
      if (name === 'chart-dark') {
        await turn.locator('.chart-card[data-state=drawn] svg.marks').waitFor();
        await page.getByRole('button', { name: 'Conversations', exact: true }).click();
        await page.locator('.session').first().waitFor();
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing overflows');
      await picture(page, name);
      assertClean();
    });

  test('two tabs show two conversations', async () => {
    const page = await start(url);
    const other = await open.context.newPage();

    await other.goto(url);
    await other.locator('vesper-chat[data-state=ready]').waitFor();
    await Promise.all([ask(page, REFERENCE), ask(other, 'Which curves are available for HB_NORTH?')]);
    await Promise.all([answered(page), answered(other)]);
    /* A background tab is not rendered, so this reads textContent instead of innerText. */
    assert.match(await page.locator('.prose').textContent(), /48\.73/);
    assert.match(await other.locator('.prose').textContent(), /HB_NORTH/);
    assert.notEqual(page.url(), other.url());
  });

  test('two tabs use one conversation, one after the other', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    await answered(page);
    const other = await open.context.newPage();
    await other.goto(page.url());
    await other.locator('.turn').waitFor();
    await ask(other, 'and for SP15?');
    assert.match(await (await answered(other)).locator('.prose').textContent(), /SP15/);
    await other.close();
    await ask(page, 'and for ZP26?');
    assert.match(await prose(await answered(page)), /ZP26/);
    await page.reload();
    await page.locator('.turn').nth(2).waitFor();
    const questions = await page.locator('.question p').allInnerTexts();

    assert.deepEqual(questions, [REFERENCE, 'and for SP15?', 'and for ZP26?']);
    assertClean();
  });

  test('a question for two agents has a panel for each', async () => {
    const page = await start(url);

    await ask(page, 'What is the health of Nazareth Solar and what was the average NP15 price for 2025 from Ascend?');
    const turn = await answered(page);

    assert.deepEqual(await turn.locator('.panel h3').allInnerTexts(), ['Projects', 'Day-ahead prices']);
    assert.ok(await turn.locator('.panel .data').count() >= 2);
    await turn.locator('.panel .chart-card[data-state=drawn]').waitFor();
    await turn.locator('.panel').first().evaluate((node) => node.scrollIntoView());
    await picture(page, 'agents');
    await page.reload();
    await page.locator('.panel').nth(1).waitFor();
    assert.ok(await page.locator('.mark.bound').count() > 3, 'numbers show their source after a reload too');
    assertClean();
  });

  test('an unclear question leads to a clarifying question, and the choice is answered', async () => {
    const page = await start(url);

    await ask(page, 'What is the health of Sierra?');
    await (await answered(page)).getByRole('button', { name: 'Sierra Wind' }).click();
    await page.locator('.turn').nth(1).waitFor();
    assert.match(await prose(await answered(page)), /Sierra Wind/);
    assert.ok(await page.locator('.turn').first().getByRole('button', { name: 'Sierra Wind' }).isDisabled());
    assertClean();
  });

  test('two options are chosen if two are requested', async () => {
    const page = await start(url);

    await ask(page, 'Compare hub-zones in CAISO for 2025 from Ascend');
    const turn = await answered(page);
    for (const name of ['NP15', 'SP15'])
      await turn.getByLabel(name, { exact: true }).check();
    assert.ok(await turn.getByLabel('ZP26', { exact: true }).isDisabled());
    await turn.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.turn').nth(1).waitFor();
    assert.match(await prose(await answered(page)), /NP15[^]*SP15|SP15[^]*NP15/);
    assert.equal(await page.locator('.question p').last().innerText(), 'NP15, SP15');
    assertClean();
  });

  test('dates outside the recorded range are rejected, and others can be chosen', async () => {
    const page = await start(url);

    await ask(page, 'What changed between 2020-01-01 and 2020-01-10?');
    const turn = await answered(page);
    await turn.getByLabel('From', { exact: true }).fill('2020-01-01');
    await turn.getByLabel('To', { exact: true }).fill('2026-02-25');
    await turn.getByRole('button', { name: 'Continue' }).click();
    await turn.getByText('Please choose a date in this range').waitFor();
    await turn.getByLabel('From', { exact: true }).fill('2026-02-20');
    await turn.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.turn').nth(1).waitFor();
    assert.match(await prose(await answered(page)), /\d+ changes?/);
    assertClean();
  });

  test('the policy of the page is as strict as it can be', async () => {
    const response = await fetch(`${url}/`);
    const policy = response.headers.get('content-security-policy');

    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for 'script'"])
      assert.ok(policy?.includes(rule), policy);
    assert.doesNotMatch(policy, /unsafe/);
  });

  test('a reload shows the same conversation', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    const before = await prose(await answered(page));

    await page.reload();
    assert.equal(await prose(await answered(page)), before);
    assert.equal(await lastTurn(page).locator('.question p').innerText(), REFERENCE);
    assert.ok(await lastTurn(page).locator('.data').count() >= 1);
    await ask(page, 'and for SP15?');
    await page.locator('.turn').nth(1).waitFor();
    assert.match(await prose(await answered(page)), /SP15/);
    assertClean();
  });

  test('conversations are listed, searched, renamed, opened and deleted', async () => {
    const page = await start(url);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const titles = list.locator('.session-title span:first-child');

    await ask(page, 'Which curves are available for ZP26?');
    await answered(page);
    await page.getByRole('button', { name: 'Conversations', exact: true }).click();
    await list.getByRole('searchbox').fill('ZP26');
    await list.locator('.session', { hasText: 'ZP26' }).first().hover();
    /* Reloads the list while the button is pressed. */
    await list.getByRole('button', { name: /Rename .*ZP26/ }).first().hover();
    await page.mouse.down();
    const read = page.waitForResponse((response) => response.url().includes('q=ZP26'));
    await list.getByRole('searchbox').dispatchEvent('input');
    await (await read).finished();
    await page.waitForTimeout(100);
    await page.mouse.up();
    await list.getByRole('textbox', { name: 'Title' }).fill('Curves of ZP26, renamed');
    await page.keyboard.press('Enter');
    await list.getByText('Curves of ZP26, renamed').waitFor();
    await list.getByRole('button', { name: 'New conversation' }).click();
    await page.locator('.turn').waitFor({ state: 'detached' });
    await list.locator('.session-title', { hasText: 'renamed' }).click();
    await page.locator('.question', { hasText: 'Which curves are available for ZP26?' }).waitFor();
    await list.locator('.session', { hasText: 'renamed' }).hover();
    await list.getByRole('button', { name: 'Archive Curves of ZP26, renamed' }).click();
    await list.getByText('Nothing found.').waitFor();
    await list.getByRole('button', { name: 'Archived' }).click();
    await list.locator('.session', { hasText: 'renamed' }).hover();
    await list.getByRole('button', { name: 'Take back Curves of ZP26, renamed' }).click();
    await list.getByRole('button', { name: 'Archived' }).click();
    await list.locator('.session', { hasText: 'renamed' }).hover();
    await list.getByRole('button', { name: 'Delete Curves of ZP26, renamed' }).click();
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.turn').waitFor({ state: 'detached' });
    await list.getByRole('searchbox').fill('renamed');
    await list.getByText('Nothing found.').waitFor();
    assert.equal(await titles.count(), 0);
    assertClean();
  });

  test('on a phone the list of conversations covers the page and can be closed', async () => {
    const page = await start(url, { viewport: { width: 390, height: 780 }, hasTouch: true });
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const button = page.getByRole('button', { name: 'Conversations', exact: true });
    const isFocused = () => button.evaluate((node) => node.getRootNode().activeElement === node);

    for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(380, 500),
      () => list.getByRole('button', { name: 'Close the list' }).click()]) {
      await button.click();
      await list.waitFor();
      await close();
      await list.waitFor({ state: 'hidden' });
      assert.ok(await isFocused());
    }
    assertClean();
  });

  test('an answer is rated, with a correction', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    const turn = await answered(page);
    await turn.getByRole('button', { name: 'Bad answer' }).click();
    await turn.getByRole('textbox', { name: 'The right value' }).fill('48.74');
    await turn.getByRole('button', { name: 'Send', exact: true }).click();
    await turn.getByText('Thank you.').waitFor();
    await page.reload();
    await page.locator('.turn').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed'), 'true');
    assertClean();
  });

  test('an edited filter reruns the question', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    await (await answered(page)).getByRole('button', { name: /Hub zone NP15/ }).click();
    await page.getByRole('combobox', { name: 'Hub zone' }).fill('SP15');
    await page.keyboard.press('Enter');
    await page.locator('.turn').nth(1).waitFor();
    const turn = await answered(page);
    assert.match(await prose(turn), /SP15[^]*\$52\.14/);
    assert.match(await turn.locator('.filters').innerText(), /SP15\s*edited/);
    assertClean();
  });

  test('another user starts a new conversation and sees only permitted data', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    await answered(page);
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
    await page.locator('vesper-chat[data-state=ready]').waitFor();
    await ask(page, REFERENCE);
    assert.doesNotMatch(await (await answered(page)).innerText(), /48\.73/);
    await page.getByLabel('Tenant').selectOption('acme');
    await page.getByLabel('Role').selectOption('analyst');
    await page.locator('.turn').waitFor({ state: 'detached' });
    await page.locator('vesper-chat[data-state=ready]').waitFor();
    await ask(page, REFERENCE);
    assert.doesNotMatch(await (await answered(page)).innerText(), /48\.73/);
    assertClean();
  });

  test('the details of an answer are shown, with its statement for permitted users', async () => {
    const page = await start(url);

    for (const [role, statements] of [['analyst', 0], ['manager', 1]]) {
      await page.getByLabel('Role').selectOption(role);
      await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await ask(page, REFERENCE);
      const turn = await answered(page);
      await turn.locator('summary.outcome').click();
      await turn.locator('.how dt').first().waitFor();
      const how = await turn.locator('.how').innerText();

      assert.match(how, /Vendor Ascend/);
      assert.match(how, /Average annual price\s+3 rows/);
      assert.match(how, /rules \(no model\)/);
      assert.equal(await turn.locator('.statement').count(), statements, role);
    }
    assert.match(await page.locator('.statement').innerText(), /^SELECT/);
    await page.reload();
    await page.locator('summary.outcome').click();
    await page.locator('.how').getByText('Vendor Ascend').waitFor();
    assert.match(await page.locator('.how').innerText(), /Average annual price\s+3 rows/, 'the details come from the receipt');
    await page.locator('.answered').evaluate((node) => node.scrollIntoView());
    await picture(page, 'answered');
    assertClean();
  });

  test('another user cannot open a conversation by its URL', async () => {
    const page = await start(url);

    await ask(page, REFERENCE);
    await answered(page);
    const address = page.url();

    await page.evaluate(() => sessionStorage.setItem('vesper.demo-user', 'acme/admin'));
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('alert').getByText('This conversation is not available').waitFor();
    assert.equal(await page.locator('.turn').count(), 0);
  });

  test('a lost connection is restored, and the next question is answered', async () => {
    const page = await start(cable.url);

    await ask(page, REFERENCE);
    const uncut = await prose(await answered(page));

    assert.match(uncut, /\$48\.73\/MWh/);
    for (let i = 0; i < 3; i++) {
      cable.cut();
      await ask(page, REFERENCE);
      assert.equal(await prose(await answered(page)), uncut);
    }
    assert.equal(await page.locator('.turn').count(), 4);
    assertClean(CUT);
  });

  test('hostile questions execute nothing', async () => {
    const page = await start(url);

    for (const text of HOSTILE) {
      await ask(page, `What was the price for ${text} in 2025 from Ascend?`);
      const turn = await answered(page);

      assert.equal(await turn.locator('img, script, iframe, a:not(.report a)').count(), 0, text);
      assert.ok((await turn.locator('.question p').textContent()).includes(text));
    }
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assertClean();
  });
});

describe('with a slow model', { skip: givenUrl && 'VESPER_URL names the daemon' }, () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i + 1}`).join(' ');
  const answering = (rule) => [{ when: { kind: 'answer' }, ...rule }, { reply: 'demo' }];
  let mock;
  let daemon;
  let cable;

  before(async () => {
    const { startMock } = await import('../mock/anthropic.mjs');
    const { startDaemon } = await import('../e2e/harness.mjs');

    mock = await startMock();
    daemon = await startDaemon({ mock });
    cable = await Cable.to(daemon.url);
  });
  after(async () => {
    await cable?.close();
    await daemon?.stop();
    await mock?.close();
  });
  beforeEach(() => mock.use(answering({ reply: { text: words }, fault: { token_ms: 60 } })));

  const answerStarted = (page) => lastTurn(page).locator('.prose', { hasText: 'word' }).waitFor();

  test('the stop button stops the answer', async () => {
    const page = await start(daemon.url);

    await ask(page, REFERENCE);
    await answerStarted(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    const turn = await answered(page, 3000);

    assert.match(await turn.innerText(), /Stopped/);
    assert.doesNotMatch(await prose(turn), /word60/);
    await page.reload();
    await page.locator('.turn').waitFor();
    assert.match(await (await answered(page)).innerText(), /Stopped/);
    assertClean();
  });

  test('lost connections and reloads at any point of an answer lose and duplicate nothing', async () => {
    const page = await start(cable.url);
    const cut = () => cable.cut();
    const reload = () => page.reload();
    const disturbances = [[[null, cut]], [['word1', cut]], [['word7', cut], ['word25', cut]], [['word50', cut]],
      [['word7', reload]], [['word25', cut], ['word40', reload]]];

    for (const points of disturbances) {
      await page.getByRole('button', { name: 'New conversation' }).click();
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await ask(page, REFERENCE);
      for (const [word, disturb] of points) {
        if (word)
          await lastTurn(page).locator('.prose', { hasText: new RegExp(`\\b${word}\\b`) }).waitFor();
        await disturb();
      }
      await answerStarted(page);
      assert.equal((await prose(await answered(page))).replace(/\s+/g, ' ').trim(), words, String(points));
      assert.equal(await page.locator('.turn').count(), 1);
    }
    assertClean(CUT);
  });

  test('an answer requested in one tab also appears in another', async () => {
    const page = await start(daemon.url);

    await ask(page, REFERENCE);
    await answerStarted(page);
    const other = await open.context.newPage();
    await other.goto(page.url());
    await other.locator('.prose', { hasText: 'word' }).waitFor();
    for (const tab of [page, other]) {
      await tab.bringToFront();
      assert.equal((await prose(await answered(tab))).replace(/\s+/g, ' ').trim(), words);
    }
    assertClean();
  });

  test('a hostile answer executes nothing, loads nothing, and contains no links', async () => {
    mock.use(answering({ reply: { text: HOSTILE.join('\n\n') } }));
    const page = await start(daemon.url);

    await ask(page, REFERENCE);
    const turn = await answered(page);

    assert.equal(await turn.locator('.prose').locator('a, img, script, iframe, svg').count(), 0);
    /* Ignores marks of unverified numbers, which are not tested here. */
    assert.match((await prose(turn)).replace(/\s*\(not verified\)\s*/g, ''), /< ?script>window\.pwned=1< ?\/script>/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assertClean();
  });
});

describe('when the server is restarted', { skip: givenUrl && 'VESPER_URL names the daemon' }, () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i + 1}`).join(' ');
  let mock;
  let daemon;

  const restart = async () => {
    const { startDaemon } = await import('../e2e/harness.mjs');

    daemon = await startDaemon({ mock, port: daemon?.port, dataDir: daemon?.dataDir });
  };

  before(async () => {
    const { startMock } = await import('../mock/anthropic.mjs');

    mock = await startMock();
    mock.use([{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 60 } }, { reply: 'demo' }]);
    await restart();
  });
  after(async () => {
    await daemon?.stop();
    await mock?.close();
  });

  test('between two questions, the conversation continues', async () => {
    const page = await start(daemon.url);

    await ask(page, REFERENCE);
    assert.equal((await prose(await answered(page))).trim(), words);
    await daemon.stop();
    await page.getByText('The connection is lost').waitFor();
    await restart();
    await page.getByText('The connection is lost').waitFor({ state: 'hidden' });
    await ask(page, 'and for SP15?');
    await page.locator('.turn').nth(1).waitFor();
    await answered(page);
    assert.match(await lastTurn(page).locator('.filters').innerText(), /SP15/);
    assert.deepEqual((await page.locator('.prose').allInnerTexts()).map((text) => text.trim()), [words, words]);
    assertClean(CUT);
  });

  test('during an answer, the shown text stays, and the question can be repeated', async () => {
    const page = await start(daemon.url);

    await ask(page, REFERENCE);
    await lastTurn(page).locator('.prose', { hasText: 'word5' }).waitFor();
    await daemon.stop();
    await restart();
    const turn = await answered(page);
    const text = (await prose(turn)).trim();

    assert.ok(text.length > 20 && words.startsWith(text), text);
    assert.match(await turn.innerText(), /Interrupted/);
    await turn.getByRole('button', { name: 'Ask again' }).click();
    await page.locator('.turn').nth(1).waitFor();
    assert.equal((await prose(await answered(page))).trim(), words);
    await page.reload();
    await page.locator('.turn').nth(1).waitFor();
    assert.deepEqual((await page.locator('.prose').allInnerTexts()).map((one) => one.trim()), [text, words]);
    assertClean(CUT);
  });
});
