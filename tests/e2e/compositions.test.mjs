/*
 * Analyses composed of sums, ranks, quantiles and distances: they equal the results of tests/calc/compositions.py,
 * in exact fractions of the same data. And for every analysis, tests/calc/methods.tsv names its oracle and its
 * "too little data" test.
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

/* A number in a text matches if it equals the wanted number rounded to the digits shown. */
function shows(word, wanted) {
  const shown = word.replaceAll(',', '');
  const decimals = shown.split('.')[1]?.length ?? 0;

  return Math.abs(Math.abs(Number(shown)) - Math.abs(wanted)) <= 0.5 * 10 ** -decimals * (1 + 1e-9) + 1e-9 && decimals < 5
    && (decimals > 0 || Math.abs(wanted - Math.round(wanted)) < 1e-9 || Math.abs(wanted) >= 1000 || Math.abs(Math.round(wanted * 100) / 100 - Number(shown)) < 1e-9);
}

/* The first wanted item that the text does not contain in this order; undefined if it contains all. */
function missing(text, wanted) {
  let rest = text;

  for (const one of wanted) {
    let at;

    if (Number.isNaN(Number(one))) {
      at = rest.indexOf(one);
      rest = at < 0 ? rest : rest.slice(at + one.length);
    } else {
      const found = [...rest.matchAll(/-?\d[\d,]*(\.\d+)?/g)].find(([word]) => shows(word.replace(/,$/, ''), Number(one)));

      at = found ? found.index : -1;
      rest = found ? rest.slice(found.index + found[0].length) : rest;
    }
    if (at < 0)
      return `${one} behind "${text.slice(0, text.length - rest.length)}"`;
  }
  return undefined;
}

test('numbers and names of answers are those of the oracle, in their order', async () => {
  const owners = {};

  for (const [tool, file, name, question, wanted] of await table('compositions.tsv')) {
    const { ask } = owners[file + name] ??= await analyst(d, name, planted[file](), ['chat:use']);
    const answer = await ask(question);

    assert.equal(answer.outcomes[0].tool, tool, question);
    assert.equal(missing(answer.text.split('\n')[0], wanted.split(' | ')), undefined, `${tool}: ${answer.text.split('\n')[0]}`);
    /* Proves that the check can fail: replacing any number is detected. */
    for (const [i, one] of wanted.split(' | ').entries())
      if (!Number.isNaN(Number(one)) && Math.abs(Number(one)) > 100)
        assert.notEqual(missing(answer.text.split('\n')[0], wanted.split(' | ').with(i, String(Number(one) * 1.01))), undefined, `${tool}: ${one}`);
  }
});

test('every analysis has an oracle and a test with too little data', async () => {
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

  for (const [tool, oracles, least] of rows) {
    assert.ok(oracles && least, tool);
    for (const oracle of oracles.split(' ')) {
      const [file, kernel] = oracle.split(':');
      assert.ok((await table(file)).some(([name]) => name === kernel), `${tool}: ${oracle} has no line`);
    }
    const [file, words] = [least.slice(0, least.indexOf(':')), least.slice(least.indexOf(':') + 1)];
    assert.ok((await textOf(file)).includes(words), `${tool}: ${file} has no "${words}"`);
  }
});
