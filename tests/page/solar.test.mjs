/* The first screen of a plant's owner: the fleet overview of the demo, on a desktop, on a phone and in print. VESPER_PICTURES
 * names a folder for screenshots. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { demoData, startDaemon } from '../e2e/harness.mjs';
import { answered, ask, launch, openPage } from './browser.mjs';

const PICTURES = process.env.VESPER_PICTURES;
const TENANTS = { vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
  mesa: { warehouse: 'mesa.db', store: 'mesa.db', packs: ['solar'], timezone: 'America/Denver' } };

describe('the fleet of a plant', () => {
  let browser;
  let daemon;

  before(async () => {
    daemon = await startDaemon({ env: { VESPER_TENANTS: JSON.stringify(TENANTS), VESPER_TODAY: '2026-02-27T12:00-07:00',
      VESPER_SOURCES_SOLAR_DIALECT: 'sqlite', VESPER_SOURCES_SOLAR_DIR: await demoData('solar', '--small') } });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await daemon?.stop();
  });

  for (const [look, options] of [['desk', {}], ['phone', { viewport: { width: 390, height: 780 }, hasTouch: true }]])
    test(`fits a ${look} and paper`, async () => {
      const { page, context, pageErrors } = await openPage(browser, daemon.url, { reducedMotion: 'reduce', ...options });
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await page.locator('#tenant').selectOption('mesa');
      await page.locator('vesper-chat[data-state=ready]').waitFor();
      await ask(page, 'Morning briefing');
      const turn = await answered(page);
      const card = turn.locator('.component[data-state=drawn]').first();
      await card.waitFor();
      const text = await card.innerText();
      for (const part of [/83\.3/, /259\.3 kW/, /889\.6 kWh/, /Grid loss/, /930/])
        assert.match(text, part);
      assert.match(text, /2026-02-23 14:15/, 'the local time of the plant');
      const wide = await card.evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.equal(wide, 0, 'nothing is cut off');
      const { width } = page.viewportSize();
      const box = await card.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'the page does not scroll sideways');
      if (PICTURES)
        await page.screenshot({ path: `${PICTURES}/fleet-${look}.png` });
      await page.emulateMedia({ media: 'print' });
      assert.ok(await card.isVisible());
      const cut = await card.evaluate((node) => [...node.querySelectorAll('td, th')].filter((cell) =>
        cell.getBoundingClientRect().right > node.getBoundingClientRect().right).map((cell) => cell.textContent));
      assert.deepEqual(cut, [], 'nothing is cut off in print');
      assert.equal(await page.locator('.composer').first().isVisible(), false);
      if (PICTURES)
        await page.screenshot({ path: `${PICTURES}/fleet-${look}-print.png`, fullPage: true });
      assert.deepEqual(pageErrors, []);
      await context.close();
    });
});
