/*
 * The layout of one conversation: on a phone, a tablet and a desktop, light, dark, with forced colours and on paper. Checks
 * the boxes measured by the browser, and runs axe. VESPER_PICTURES names a folder for screenshots.
 */

import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { assertAccessible } from './axe.mjs';
import { answered, ask, launch, openPage } from './browser.mjs';
import { Fake } from './fake.mjs';
import { GIVEN, REFERENCE } from './scripts.mjs';
import { VESPERD, run } from '../e2e/harness.mjs';

const PICTURES = process.env.VESPER_PICTURES;
const QUESTIONS = [REFERENCE, 'markdown', 'wide hourly', 'price by hour', 'price by month', 'price by day', 'two charts', 'several',
  'receipt', 'refusals', 'ERCOT'];
const CHARTS = 5;
const WIDTHS = [360, 768, 1440];
const HEIGHT = 900;
const SCREEN_PX = 700; /* the height that such a window has for an answer */
const PAPER = 718; /* the width of A4 without margins */
const TEXT_CONTRAST = 4.5;

let browser;
let fake;

before(async () => {
  browser = await launch();
  fake = await new Fake().start();
});
after(async () => {
  await browser?.close();
  await fake?.stop();
});

/* Opens a conversation with every kind of content of an answer, and waits until every chart is drawn. */
async function conversation(width, options = {}) {
  const opened = await openPage(browser, fake.url, { bypassCSP: true, reducedMotion: 'reduce', viewport: { width, height: HEIGHT }, ...options });
  const { page } = opened;

  await page.locator('vesper-chat[data-state=ready]').waitFor();
  for (const question of QUESTIONS)
    await ask(page, question).then(() => answered(page));
  await drawn(page);
  return opened;
}

async function drawn(page, count = CHARTS) {
  await page.waitForFunction((n) => document.querySelector('vesper-chat').shadowRoot
    .querySelectorAll('.chart-card[data-state=drawn] svg.marks').length === n, count);
  /* Charts that adapt to the size of their box are redrawn in the next frames. */
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 300)));
}

/* Descriptions of all faults in the layout. */
const faultsOf = (page, { paper = false, height = HEIGHT } = {}) => page.evaluate(([isPaper, tallest]) => {
  const { shadowRoot } = document.querySelector('vesper-chat');
  const faults = [];
  const width = document.documentElement.clientWidth;
  const nodeText = (node) => `<${node.tagName.toLowerCase()} class="${node.getAttribute('class') ?? ''}">${(node.textContent ?? '').trim().slice(0, 40)}`;
  const isSeen = (node) => node.checkVisibility({ contentVisibilityAuto: false }) && !node.closest('.sr-only, [aria-hidden=true]:not(svg):not(:has(svg))');
  const scrolls = (node) => ['auto', 'scroll'].includes(getComputedStyle(node).overflowX);
  const scroller = (node) => {
    for (let at = node.parentElement; at && !at.matches('.scroll'); at = at.parentElement)
      if (scrolls(at))
        return at;
    return null;
  };

  for (const turn of shadowRoot.querySelectorAll('.turn'))
    turn.style.contentVisibility = 'visible';
  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} of ${width} wide: ${[...document.body.querySelectorAll('*')].filter((node) => node.getBoundingClientRect().right > width).map(nodeText)}`);
  for (const node of shadowRoot.querySelectorAll('.scroll, .scroll *')) {
    if (node.closest('svg') || !isSeen(node))
      continue;
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);

    if (box.width > 0 && (isPaper || !scroller(node)) && (box.left < -1 || box.right > width + 1))
      faults.push(`overflows, ${Math.round(box.left)} to ${Math.round(box.right)} of ${width}: ${nodeText(node)}`);
    const cuts = ['hidden', 'clip'].includes(style.overflowX) || (isPaper && scrolls(node));

    if (cuts && node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1)
      faults.push(`cut off, ${node.scrollWidth} in ${node.clientWidth}: ${nodeText(node)}`);
    /* Areas that scroll must be reachable by keyboard. */
    if (!isPaper && scrolls(node) && node.scrollWidth > node.clientWidth + 1 && node.tabIndex < 0 && !node.querySelector('button, a, [tabindex]'))
      faults.push(`cannot be scrolled by keyboard: ${nodeText(node)}`);
  }
  for (const name of shadowRoot.querySelectorAll('.report .card-title')) {
    const text = name.firstChild;

    for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      const range = new Range();

      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1)
        faults.push(`broken within a word: ${nodeText(name)}`);
    }
  }
  const middle = (node) => node.getBoundingClientRect().top + node.getBoundingClientRect().height / 2;
  const [plus, send] = ['.field > .small', '.send'].map((one) => shadowRoot.querySelector(one)).map((node) => node.checkVisibility() && middle(node));

  if (Math.abs(plus - send) > 1)
    faults.push(`two buttons of one line are misaligned by ${plus - send}`);
  for (const card of shadowRoot.querySelectorAll('.chart-card')) {
    const frame = card.getBoundingClientRect();
    const svg = card.querySelector('svg.marks');
    const picture = svg.getBoundingClientRect();
    const name = card.querySelector('[role=img]').getAttribute('aria-label').slice(0, 40);

    if (picture.height > tallest)
      faults.push(`a chart of ${picture.height} on a screen of ${tallest}: ${name}`);
    if (picture.left < frame.left - 1 || picture.right > frame.right + 1)
      faults.push(`a chart from ${picture.left} to ${picture.right} in a card from ${frame.left} to ${frame.right}: ${name}`);
    const seen = (selector) => [...svg.querySelectorAll(selector)].filter((text) => Number(getComputedStyle(text).opacity) > 0 && text.textContent)
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    const others = seen(':is(.role-axis-label:not(:has([transform*=rotate])), .role-legend-label) text');

    for (const { text, box } of seen(':is(.role-axis-title, .role-legend-title, .role-title) text'))
      for (const other of others)
        if (box.right > other.box.left + 1 && other.box.right > box.left + 1 && box.bottom > other.box.top + 1 && other.box.bottom > box.top + 1)
          faults.push(`a title over a label: ${text} and ${other.text}: ${name}`);
    for (const axis of card.querySelectorAll('.role-axis-label')) {
      const labels = [...axis.querySelectorAll('text')].filter((text) => Number(getComputedStyle(text).opacity) > 0 && text.textContent)
        .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));

      labels.forEach(({ text, box }, i) => {
        const next = labels[i + 1]?.box;

        if (box.left < picture.left - 1 || box.right > picture.right + 1 || box.top < picture.top - 1 || box.bottom > picture.bottom + 1)
          faults.push(`a label that is cut off: ${text}: ${name}`);
        if (next && box.right > next.left - 1 && next.right > box.left - 1 && box.bottom > next.top + 1 && next.bottom > box.top + 1 && !axis.querySelector('[transform*=rotate]'))
          faults.push(`labels over each other: ${text} and ${labels[i + 1].text}: ${name}`);
      });
    }
  }
  return faults;
}, [paper, height]);

/* The contrast of texts in charts, which axe does not check. */
const faintTexts = (page) => page.evaluate((minimum) => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;

    return { rgb: [r, g, b], a: a / 255 };
  };
  const luminance = (parts) => parts.map((v) => v / 255).map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const backgroundOf = (node) => {
    for (let at = node; at; at = at.parentNode?.host ?? at.parentNode) {
      const found = at instanceof Element && rgb(getComputedStyle(at).backgroundColor);

      if (found && found.a === 1)
        return found.rgb;
    }
    return [255, 255, 255];
  };
  const { shadowRoot } = document.querySelector('vesper-chat');
  const texts = [...shadowRoot.querySelectorAll('svg.marks text')].filter((text) => text.textContent && Number(getComputedStyle(text).opacity) > 0);

  return { checkedCount: texts.length, faint: texts.map((text) => {
    const style = getComputedStyle(text);
    const back = backgroundOf(text);
    const opacity = Number(style.opacity) * Number(style.fillOpacity);
    const ink = rgb(style.fill).rgb.map((v, i) => v * opacity + back[i] * (1 - opacity));
    const [low, high] = [luminance(ink), luminance(back)].sort((a, b) => a - b);

    return { text: text.textContent, ratio: (high + .05) / (low + .05) };
  }).filter(({ ratio }) => ratio < minimum) };
}, TEXT_CONTRAST);

async function assertLegible(page) {
  const { checkedCount, faint } = await faintTexts(page);

  assert.ok(checkedCount > 40, `${checkedCount} texts of charts were checked`);
  assert.deepEqual(faint, []);
}

const picture = (page, name) => PICTURES && page.screenshot({ path: `${PICTURES}/looks-${name}.png` });

describe('one conversation', () => {
  /* Starts at phone width, widens, and returns: content drawn at one width must fit at the others. */
  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['forced colours', { forcedColors: 'active' }]])
    test(`looks right at ${WIDTHS.join(', ')} pixels, ${look}`, async (t) => {
      const { page, context, pageErrors } = await conversation(WIDTHS[0], options);
      const faults = {};

      t.after(() => context.close());
      for (const width of [...WIDTHS, WIDTHS[0]]) {
        await page.setViewportSize({ width, height: HEIGHT });
        await drawn(page);
        faults[width] = [...faults[width] ?? [], ...await faultsOf(page)];
        await assertLegible(page);
        await picture(page, `${width}-${look.replace(' ', '-')}`);
        await assertAccessible(page, `${width} ${look}`);
      }
      assert.deepEqual(faults, Object.fromEntries(WIDTHS.map((width) => [width, []])));
      assert.deepEqual(pageErrors, []);
    });

  for (const colorScheme of ['light', 'dark'])
    test(`looks right in print, ${colorScheme}`, async (t) => {
      const { page, context } = await conversation(1440, { colorScheme });

      t.after(() => context.close());
      await page.setViewportSize({ width: PAPER, height: HEIGHT });
      await page.emulateMedia({ media: 'print', colorScheme });
      await drawn(page);
      assert.deepEqual(await faultsOf(page, { paper: true }), []);
      await assertLegible(page);
      await picture(page, `print-${colorScheme}`);
    });

  test('controls are recognizable with forced colours', async (t) => {
    const { page, context } = await conversation(768, { forcedColors: 'active' });

    t.after(() => context.close());
    await page.getByRole('textbox', { name: 'Your question' }).focus();
    /* Without backgrounds, controls must have a border or an underline, and the focused element an outline. */
    const flat = await page.evaluate(() => [...document.querySelector('vesper-chat').shadowRoot.querySelectorAll('.turn button, .composer button')]
      .filter((node) => node.checkVisibility() && node.textContent.trim()).filter((node) => {
        const style = getComputedStyle(node);

        return parseFloat(style.borderTopWidth) === 0 && parseFloat(style.borderBottomWidth) === 0 && style.textDecorationLine === 'none' &&
          style.outlineStyle === 'none' && !node.querySelector('svg');
      }).map((node) => node.outerHTML.slice(0, 120)));

    assert.deepEqual(flat, []);
  });
});

describe('the chart of every shape of result', () => {
  for (const width of [WIDTHS[0], WIDTHS.at(-1)])
    test(`lies on one screen, without overlapping texts, at ${width} pixels`, async (t) => {
      const { stdout } = await run(join(dirname(VESPERD), 'test_view_chart_shape'), ['--specs'], { maxBuffer: 1 << 26 });

      GIVEN.splice(0, GIVEN.length, ...stdout.trim().split('\n').map((line, i) => ({ ...JSON.parse(line), view_id: `v${i}` })));
      assert.ok(GIVEN.length >= 40, `${GIVEN.length} charts`);
      const { page, context } = await openPage(browser, fake.url, { viewport: { width, height: HEIGHT } });

      t.after(() => context.close());
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await ask(page, 'given charts').then(() => answered(page));
      await drawn(page, GIVEN.length);
      assert.deepEqual(await faultsOf(page, { height: SCREEN_PX }), []);
    });
});

describe('a month and a day', () => {
  for (const [language, tag, month, day] of [['English', 'en', /^Mar 2025$/, /^3 March 2025$/], ['German', 'de', /^Mär[.z]? 2025$/, /^3\. März? 2025$/]])
    test(`are written one way in ${language}, in tables and charts`, async (t) => {
      const { page, context } = await openPage(browser, `${fake.url}/?locale=${tag}`);
      const labels = async (question) => {
        await page.getByRole('textbox', { name: tag === 'de' ? 'Ihre Frage' : 'Your question' }).fill(question);
        await page.keyboard.press('Enter');
        const turn = await answered(page);

        await turn.locator('.chart-card[data-state=drawn]').waitFor();
        return turn.locator('.role-axis-label text').allTextContents();
      };

      t.after(() => context.close());
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await page.locator(`.frame[lang=${tag}]`).waitFor();
      assert.ok((await labels('price by month')).some((label) => month.test(label)), `${await labels('price by month')}`);
      assert.ok((await labels('price by day')).some((label) => day.test(label)), `${await labels('price by day')}`);
      await page.getByRole('textbox').fill(REFERENCE);
      await page.keyboard.press('Enter');
      const turn = await answered(page);

      assert.deepEqual(await turn.locator('details.data tbody tr > :first-child').allTextContents(), ['Jan 2025', 'Oct 2024', 'Jul 2024'], 'as in the sentence');
    });
});
