/* The server's chart images in a real browser: well formed, only shapes and texts, nothing cut off, with a name for screen readers. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { VESPERD } from '../e2e/harness.mjs';
import { launch } from './browser.mjs';

const ALLOWED = ['circle', 'desc', 'line', 'path', 'rect', 'svg', 'text', 'title'];

let browser, page, views;

before(async () => {
  const { stdout } = await promisify(execFile)(join(dirname(VESPERD), 'test_view_chart_shape'), ['--specs'], { maxBuffer: 1 << 26 });

  views = stdout.trim().split('\n').map((line) => JSON.parse(line));
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 800, height: 600 } });
});
after(() => browser?.close());

test('the image of every chart type is drawn and stays within its frame', async () => {
  assert.ok(views.length >= 40, `${views.length} charts`);
  for (const { shape, svg, chart_spec: spec } of views) {
    const seen = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');

      if (parsed.querySelector('parsererror'))
        return { error: parsed.querySelector('parsererror').textContent };
      document.body.replaceChildren(document.importNode(parsed.documentElement, true));
      const root = document.querySelector('svg'), frame = root.getBoundingClientRect();
      const outside = [...root.querySelectorAll('text, path, circle, rect')].filter((e) => {
        const box = e.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
      });
      return {
        elements: [...new Set([...root.querySelectorAll('*'), root].map((e) => e.localName))].sort(),
        attributes: [...root.querySelectorAll('*')].flatMap((e) => [...e.attributes].map((a) => a.name)),
        outside: outside.map((e) => e.outerHTML.slice(0, 200)),
        title: root.querySelector('title').textContent,
        alt: root.querySelector('desc').textContent,
        marks: root.querySelectorAll('path, rect + rect').length,
      };
    }, svg);

    assert.equal(seen.error, undefined, shape);
    assert.deepEqual(seen.elements.filter((name) => !ALLOWED.includes(name)), [], shape);
    assert.deepEqual(seen.attributes.filter((name) => /^on|href|^style$|^src$/.test(name)), [], shape);
    assert.deepEqual(seen.outside, [], shape);
    assert.equal(seen.title, spec.title);
    assert.equal(seen.alt, spec.description);
    assert.ok(seen.marks > 0, shape);
  }
});

test('an image has an accessible name', async () => {
  await page.setContent(`<!doctype html><html lang="en"><title>Chart</title><main><h1>Chart</h1>${views[0].svg}</main>`);
  await page.addScriptTag({ content: await readFile(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8') });
  const { violations, passes } = await page.evaluate(() => window.axe.run(document));

  assert.deepEqual(violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))]), []);
  assert.ok(passes.some((p) => p.id === 'svg-img-alt'));
});
