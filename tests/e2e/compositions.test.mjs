/*
 * Analyses composed of sums, ranks, quantiles and distances: they equal the results of tests/calc/compositions.py,
 * which uses the same data and exact fractions. Also checks that tests/calc/methods.tsv names, for every
 * analysis, an oracle and a test with too little data.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as planted from '../calc/planted/planted.mjs';
import { analyst, deleteSources } from './analyst.mjs';
import { ROOT, startDaemon } from './harness.mjs';

const CALC = join(ROOT, 'tests/calc');
const table = async (file) => (await readFile(join(CALC, file), 'utf8')).trimEnd().split('\n').filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
let d;
before(async () => { d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } }); });
after(() => d.stop());
afterEach(deleteSources);

/* True if a number in a text equals the expected number, rounded to the digits shown. */
function matches(word, expected) {
  const shown = word.replaceAll(',', '');
  const decimals = shown.split('.')[1]?.length ?? 0;

  return Math.abs(Math.abs(Number(shown)) - Math.abs(expected)) <= 0.5 * 10 ** -decimals * (1 + 1e-9) + 1e-9 && decimals < 5
    && (decimals > 0 || Math.abs(expected - Math.round(expected)) < 1e-9 || Math.abs(expected) >= 1000 || Math.abs(Math.round(expected * 100) / 100 - Number(shown)) < 1e-9);
}

/* The first expected item that the text does not contain in this order; undefined if it contains all. */
function firstMissing(text, expected) {
  let rest = text;

  for (const item of expected) {
    let at;

    if (Number.isNaN(Number(item))) {
      at = rest.indexOf(item);
      rest = at < 0 ? rest : rest.slice(at + item.length);
    } else {
      const found = [...rest.matchAll(/-?\d[\d,]*(\.\d+)?/g)].find(([word]) => matches(word.replace(/,$/, ''), Number(item)));

      at = found ? found.index : -1;
      rest = found ? rest.slice(found.index + found[0].length) : rest;
    }
    if (at < 0)
      return `${item} after "${text.slice(0, text.length - rest.length)}"`;
  }
  return undefined;
}

test('numbers and names in answers equal those of the oracle, in this order', async () => {
  const analysts = {};

  for (const [tool, file, name, question, expected] of await table('compositions.tsv')) {
    const { ask } = analysts[file + name] ??= await analyst(d, name, planted[file](), ['chat:use']);
    const answer = await ask(question);

    assert.equal(answer.outcomes[0].tool, tool, question);
    assert.equal(firstMissing(answer.text.split('\n')[0], expected.split(' | ')), undefined, `${tool}: ${answer.text.split('\n')[0]}`);
    /* The check must fail if any number is changed. */
    for (const [i, item] of expected.split(' | ').entries())
      if (!Number.isNaN(Number(item)) && Math.abs(Number(item)) > 100)
        assert.notEqual(firstMissing(answer.text.split('\n')[0], expected.split(' | ').with(i, String(Number(item) * 1.01))), undefined, `${tool}: ${item}`);
  }
});

test('tests/calc/methods.tsv names an oracle and a test with too little data for every analysis', async () => {
  const rows = await table('methods.tsv');
  const tools = [];

  for (const folder of await readdir(join(ROOT, 'sql/core')))
    for (const file of await readdir(join(ROOT, 'sql/core', folder))) {
      const text = await readFile(join(ROOT, 'sql/core', folder, file), 'utf8');

      if (/^-- derive:/m.test(text) && /^-- groups:/m.test(text))
        tools.push(file.replace('.sql', ''));
    }
  assert.deepEqual(rows.map(([tool]) => tool).sort(), tools.sort());
  const texts = {};
  const textOf = async (file) => texts[file] ??= await readFile(join(ROOT, 'tests', file), 'utf8');

  for (const [tool, oracles, minimumTest] of rows) {
    assert.ok(oracles && minimumTest, tool);
    for (const oracle of oracles.split(' ')) {
      const [file, kernel] = oracle.split(':');
      assert.ok((await table(file)).some(([name]) => name === kernel), `${tool}: ${oracle} has no line`);
    }
    const [file, words] = [minimumTest.slice(0, minimumTest.indexOf(':')), minimumTest.slice(minimumTest.indexOf(':') + 1)];
    assert.ok((await textOf(file)).includes(words), `${tool}: ${file} has no "${words}"`);
  }
});
