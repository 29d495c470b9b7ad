/* Runs axe on a page. The page's policy forbids foreign scripts, so the context must be created with bypassCSP. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { ROOT } from '../e2e/harness.mjs';

const AXE = readFileSync(`${ROOT}/tests/node_modules/axe-core/axe.min.js`, 'utf8');

export async function assertAccessible(page, state) {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));

  assert.ok(passes.length > 15, 'axe ran its rules');
  assert.deepEqual(violations.map((v) => `${state}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`), []);
}

/* Display variants in which a page is checked: [name, options of the context, text direction]. */
export const LOOKS = [['light', {}, 'ltr'], ['dark', { colorScheme: 'dark' }, 'ltr'],
  ['phone', { viewport: { width: 360, height: 780 }, hasTouch: true }, 'ltr'], ['right to left', {}, 'rtl']];
