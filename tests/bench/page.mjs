/*
 * Figures of the page: node tests/bench/page.mjs. Sizes of the built files, and times on this machine in Debian's
 * Chromium.
 */

import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { VESPERD } from '../e2e/harness.mjs';
import { answered, ask, launch, openPage } from '../page/browser.mjs';
import { Fake } from '../page/fake.mjs';

const WIDGET = join(dirname(VESPERD), 'widget');
const MESSAGES = 2000;

async function gzipBytes(names) {
  const files = await Promise.all(names.map((name) => readFile(join(WIDGET, name))));

  return files.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
}

/* Records the duration of animation frame callbacks and of long tasks. */
async function watch(page) {
  await page.evaluate(() => {
    window.tasks = [];
    window.frames = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => e.duration)))
      .observe({ type: 'longtask', buffered: false });
    const real = window.requestAnimationFrame.bind(window);

    window.requestAnimationFrame = (callback) => real((now) => {
      const began = performance.now();

      callback(now);
      window.frames.push(performance.now() - began);
    });
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const row = (what, value, target) => console.log(`| ${what} | ${value} | ${target} |`);

const browser = await launch();
const fake = await new Fake().start();

row('page before the first chart, gzip', `${((await gzipBytes(['index.html', 'app.css', 'app.js', 'widget.js'])) / 1024).toFixed(1)} KB`, '60 KB');

{
  const paints = [];

  for (let i = 0; i < 5; i++) {
    const { page, context } = await openPage(browser, fake.url);

    await page.locator('vesper-chat[data-state=ready]').waitFor();
    paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await context.close();
  }
  row('first paint', `${median(paints).toFixed(0)} ms`, '200 ms');
}
{
  const { page, context } = await openPage(browser, fake.url);

  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await watch(page);
  await ask(page, 'ten thousand');
  await answered(page, 120000);
  const { frames, tasks } = await page.evaluate(() => ({ frames: window.frames, tasks: window.tasks }));
  row('work a frame while 10,000 tokens come, median', `${median(frames).toFixed(1)} ms of ${frames.length} frames`, '16 ms');
  row('longest task meanwhile', `${Math.max(0, ...tasks).toFixed(0)} ms`, '');
  await context.close();
}
{
  const session = { id: randomUUID(), messages: [] };

  for (let i = 0; i < MESSAGES / 2; i++) {
    const turn = randomUUID();

    session.messages.push({ message_id: randomUUID(), turn_id: turn, role: 'user', content: `Question ${i}?`, status: 'complete' });
    session.messages.push({ message_id: randomUUID(), turn_id: turn, role: 'assistant', status: 'complete', provider: 'rules',
      content: `The average price for **hub ${i}** was $${i}.00/MWh.\n\n| Hour | Price |\n| ---: | ---: |\n| 1 | $${i}.10 |\n| 2 | $${i}.20 |\n`, views: [] });
  }
  fake.sessions.set(session.id, session);
  fake.pageSize = MESSAGES;
  const { page, context } = await openPage(browser, `${fake.url}/#session=${session.id}`);

  await page.locator('.turn').nth(MESSAGES / 2 - 1).waitFor({ timeout: 60000 });
  await watch(page);
  await page.locator('.scroll').hover();
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, -900);
    await page.waitForTimeout(30);
  }
  const tasks = await page.evaluate(() => window.tasks);
  row(`longest task scrolling ${MESSAGES.toLocaleString('en-US')} messages`, `${Math.max(0, ...tasks).toFixed(0)} ms`, '100 ms');
  await context.close();
}
await browser.close();
await fake.stop();
