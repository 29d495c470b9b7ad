/*
 * Recordings of a daemon are replayed without a network: they give the same rows and facts, a changed expectation or
 * changed data is found, and the files contain no key.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { appendFile, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMock } from '../mock/anthropic.mjs';
import { COMPARISON, demoWarehouse, filesUnder, REFERENCE, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';

const OPEN_QUESTION = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';

let folder;
let mock;
let cases;

async function evaluate(...args) {
  const env = { PATH: process.env.PATH, VESPER_WAREHOUSE_DIR: await demoWarehouse(), ANTHROPIC_API_KEY: 'never-used',
    ...Object.fromEntries(Object.entries(process.env).filter(([n]) => /^[ALU]+SAN_OPTIONS$|^ODBC/.test(n))) };
  return run(VESPERCTL, ['eval', ...args], { cwd: ROOT, env }).then(({ stdout }) => ({ code: 0, stdout }),
    (e) => ({ code: e.code, stdout: e.stdout, stderr: e.stderr }));
}

describe('vesperd --record, vesperctl eval', () => {
  before(async () => {
    folder = join(await tempDir('record'), 'rec');
    mock = await startMock();
    const d = await startDaemon({ mock, args: ['--record', folder] });
    const chat = await d.connect();
    for (const question of [REFERENCE, COMPARISON, OPEN_QUESTION])
      await chat.ask(question);
    await chat.close();
    await d.stop();
    await mock.close();
    cases = (await filesUnder(folder)).filter((f) => f.endsWith('.case.jsonl'));
  });

  it('record every exchange and turn, without secrets', async () => {
    const files = await filesUnder(folder);
    assert.equal(files.filter((f) => f.endsWith('.exchange.json')).length, mock.count);
    assert.equal(cases.length, 1);
    const all = (await Promise.all(files.map((f) => readFile(f, 'utf8')))).join('\n');
    assert.match(all, /48\.73/);
    assert.doesNotMatch(all, /mock-key|end-to-end-secret|eyJ|x-api-key|authorization/i);
    const lines = (await readFile(cases[0], 'utf8')).trim().split('\n').map(JSON.parse);
    assert.deepEqual(lines.map((l) => l.content), [REFERENCE, COMPARISON, OPEN_QUESTION]);
    assert.equal(lines[0].expect.outcomes[0].tool, 'get_average_annual_price');
  });

  it('give the same results offline, from the folder and from one file', async () => {
    const all = await evaluate(folder, '--json');
    assert.equal(all.code, 0, all.stdout + all.stderr);
    const results = JSON.parse(all.stdout);
    assert.deepEqual(results.map((r) => r.ok), [true, true, true]);
    assert.deepEqual(results.map((r) => r.model_calls.missing), [0, 0, 0]);
    assert.ok(results.every((r) => r.model_calls.exact >= 1), JSON.stringify(results));
    assert.equal((await evaluate(cases[0])).code, 0);
  });

  it('report a differing row and fact with their positions, also as JUnit', async () => {
    const lines = (await readFile(cases[0], 'utf8')).trim().split('\n').map(JSON.parse);
    const corrected = { ...lines[0], expect: { views: [{ ...lines[0].expect.views[0],
      data_dict: { ...lines[0].expect.views[0].data_dict, AvgPrice_PerMWh: [48.74] } }] } };
    const wrong = { ...lines[1], expect: { facts: lines[1].expect.facts.map((f, i) => (i ? f : { ...f, value: '0' })) } };
    const file = join(folder, 'corrected.jsonl');
    await writeFile(file, [corrected, wrong, { ...lines[2], expect: {} }].map((l) => JSON.stringify(l)).join('\n'));
    const junit = join(folder, 'junit.xml');
    const { code, stdout } = await evaluate(file, '--junit', junit);
    assert.equal(code, 1);
    assert.match(stdout, /views\[0\]: expected .*48\.74.* got .*AvgPrice/);
    assert.match(stdout, /facts\[0\]/);
    assert.match(stdout, /3 turns, 2 failed/);
    assert.match(await readFile(junit, 'utf8'), /tests="3" failures="2"[^]*<failure message=/);
  });

  it('use the exchange of the same turn if a prompt has changed', async () => {
    const dir = await tempDir('changed');
    for (const f of await filesUnder(folder)) {
      const text = await readFile(f, 'utf8');
      const name = f.split('/').pop();
      if (name.endsWith('.exchange.json')) {
        const e = JSON.parse(text);
        e.hash = e.hash.replace(/^./, 'z');
        await writeFile(join(dir, `${e.hash}.exchange.json`), JSON.stringify(e));
      } else if (name.endsWith('.case.jsonl')) {
        await writeFile(join(dir, name), text);
      }
    }
    const { code, stdout } = await evaluate(dir, '--json');
    assert.equal(code, 0, stdout);
    assert.ok(JSON.parse(stdout).every((r) => r.model_calls.stood_in >= 1 && r.model_calls.exact === 0));
  });

  it('turn a thumbs-down with a correction into a case that fails until fixed', async () => {
    const dir = join(await tempDir('feedback'), 'rec');
    const dataDir = await tempDir();
    const scriptFor = (zone) => [{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'get_average_annual_price' },
      { Set: 'vendor=Ascend' }, { Set: `hub_zone=${zone}` }, { Set: 'year=2025' }] } } }, { reply: 'demo' }];
    const UNROUTED_QUESTION = 'How dear is electricity going to be where our friends in the south live?';
    const service = await startMock({ script: scriptFor('NP15') });
    const record = async (answer) => {
      const d = await startDaemon({ mock: service, dataDir, args: ['--record', dir] });
      const chat = await d.connect();
      await chat.ask(REFERENCE);
      const turn = await chat.ask(UNROUTED_QUESTION);
      if (answer)
        assert.equal((await d.rest().post(`/api/v1/messages/${turn.complete.message_id}/feedback`, answer)).status, 200);
      await chat.close();
      await d.stop();
    };
    await record({ rating: 'down', correction: 'SP15 was meant: 52.14 $/MWh in 2025' });
    const wrong = await evaluate(dir);
    assert.equal(wrong.code, 1, wrong.stdout);
    assert.match(wrong.stdout, /correction: 52\.14 is not in any row or fact/);
    assert.match(wrong.stdout, /2 turns, 1 failed/);

    /* The supervisor now chooses correctly, so recording the same question again gives the correct answer. */
    service.use(scriptFor('SP15'));
    const [original] = (await filesUnder(dir)).filter((f) => f.endsWith('.case.jsonl'));
    const text = await readFile(original, 'utf8');
    await record();
    for (const f of (await filesUnder(dir)).filter((x) => x.endsWith('.case.jsonl') && x !== original))
      await unlink(f);
    assert.equal(await readFile(original, 'utf8'), text);
    const right = await evaluate(dir);
    assert.equal(right.code, 0, right.stdout);

    /* A correction without a number cannot be converted; a person must add expectations. */
    const corrections = original.replace('.case.', '.corrections.');
    const line = JSON.parse((await readFile(corrections, 'utf8')).trim());
    await appendFile(corrections, `${JSON.stringify({ ...line, correction: 'the southern one' })}\n`);
    assert.match((await evaluate(dir)).stdout, /contains no number; add other expectations/);
    await appendFile(corrections, `${JSON.stringify({ message_id: line.message_id, rating: 'up' })}\n`);
    const withdrawn = await evaluate(dir);
    assert.match(withdrawn.stdout, /views\[0\]/, 'the recorded answer is expected again');
    await service.close();
  });

  it('report missing data or a missing report path before starting', async () => {
    const env = { PATH: process.env.PATH, VESPER_DATA_DIR: await tempDir() };
    const failed = await run(VESPERCTL, ['eval', folder], { cwd: ROOT, env }).catch((e) => e);
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /no warehouse at .*VESPER_WAREHOUSE_DIR/);
    const { code, stdout, stderr } = await evaluate(folder, '--junit', join(folder, 'nowhere', 'junit.xml'));
    assert.equal(code, 2);
    assert.match(stderr, /cannot write .*junit\.xml/);
    assert.equal(stdout, '');
  });

  it('name the conversations if there are several', async () => {
    const dir = await tempDir('two');
    for (const name of ['one', 'two'])
      await writeFile(join(dir, `${name}.case.jsonl`), `${JSON.stringify({ format: 'vesper-case/1', tenant: 'vesper',
        permissions: ['chat:use'], today: '2026-02-27', content: 'Hello', expect: { status: 'ok' } })}\n`);
    const { stdout } = await evaluate(dir);
    assert.match(stdout, /^one\.case\.jsonl\nok {3}Hello\ntwo\.case\.jsonl\nok {3}Hello\n2 turns, 0 failed/);
  });

  it('refuse folders and files that are not recordings', async () => {
    assert.equal((await evaluate(join(folder, 'nothing'))).code, 2);
    const file = join(folder, 'broken.jsonl');
    await writeFile(file, '{"format":"vesper-case/1","content":"x"}\n');
    const { code, stderr } = await evaluate(file);
    assert.equal(code, 2);
    assert.match(stderr, /broken\.jsonl:1: tenant/);
  });
});
after(() => mock?.close());
