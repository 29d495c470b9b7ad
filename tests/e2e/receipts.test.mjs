/*
 * Receipts of answers: each answer with data has one; they are chained, changes of any byte are detected, and
 * running the calls again gives the same result.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startMock } from '../mock/anthropic.mjs';
import { COMPARISON, demoWarehouse, REFERENCE, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { ctl, smallWarehouse } from './postgres.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';
import { UUID7 } from './turn.mjs';

const API = '/api/v1';
const HASH = /^[0-9a-f]{64}$/;
const MANY = 1001; /* receipts, one of them without its content */
const AT_ONCE = 12; /* concurrent sessions */
/* The first easy question of each tool. */
const EACH_TOOL = Object.values(readFileSync(join(ROOT, 'tests/route/questions.jsonl'), 'utf8').trim().split('\n').map((l) => JSON.parse(l))
  .filter((q) => q.group === 'easy' && q.tools?.length === 1 && !q.history).reverse().reduce((all, q) => ({ ...all, [q.tools[0]]: q.question }), {}));
const SHORT = ['Which projects are off track?', 'What is the health status of Nazareth Solar?',
  'Show me the milestones of Nazareth Solar', 'What is the budget of Nazareth Solar?'];

/* vesperctl on the store and the warehouse of a daemon that has stopped or still runs. */
async function receiptWith(env, ...args) {
  const { code, stdout, stderr } = await ctl(['receipt', ...args], { VESPER_ROOT: ROOT, VESPER_LOG_LEVEL: 'error', ...env });
  const json = args.includes('--json') ? stdout.trim().split('\n').filter(Boolean).map((l) => JSON.parse(l)) : undefined;
  return { code, stdout, stderr, json };
}

async function receipt(dataDir, ...args) {
  return receiptWith({ VESPER_DATA_DIR: dataDir, VESPER_WAREHOUSE_DIR: await demoWarehouse() }, ...args);
}

const verify = (dataDir, tenant) => receipt(dataDir, 'verify', '--tenant', tenant, '--json').then((r) => ({ ...r, ...r.json[0] }));

/* Writes to a tenant's file directly, bypassing Vesper and the triggers. */
async function tamper(file, ...statements) {
  const script = 'import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nfor s in sys.argv[2:]:\n    c.execute(s)\nc.commit()\n';
  await run('python3', ['-c', script, file,
    'DROP TRIGGER IF EXISTS chat_receipts_no_update', 'DROP TRIGGER IF EXISTS chat_receipts_no_delete', ...statements]);
}

describe('receipts', () => {
  let d;
  let rest;
  const receiptPerTool = [];
  const store = (tenant) => join(d.dataDir, 'store', `${tenant}.db`);

  before(async () => {
    d = await startDaemon();
    rest = d.rest(mintToken({ sub: 'ann', role: 'admin' }));
  });
  after(async () => {
    if (d && !d.exited)
      await d.stop();
  });

  it('are named in each answer with data, on every interface', async () => {
    const turn = await d.ask(REFERENCE, { token: rest.token });
    assert.match(turn.complete.receipt_id, UUID7);
    const verified = (await rest.post(`${API}/chat`, { content: COMPARISON })).body;
    assert.match(verified.receipt_id, UUID7);
    const stream = await (await rest.stream(`${API}/chat/stream`, { json: { content: REFERENCE } })).turn();
    assert.match(stream.complete.receipt_id, UUID7);
    const [question, answer] = await rest.messages(verified.session_id);
    assert.equal(question.receipt_id, undefined);
    assert.equal(answer.receipt_id, verified.receipt_id);
    const exported = (await rest.get(`${API}/sessions/${verified.session_id}/export`)).body;
    assert.equal(exported.messages[1].receipt_id, verified.receipt_id);
    const greeting = await d.ask('hello', { token: rest.token });
    assert.equal(greeting.status, 'ok');
    assert.equal(greeting.complete.receipt_id, undefined, 'no data was read and no model was called');
  });

  it('describe how the answer was made', async () => {
    const { receipt_id: id } = (await rest.post(`${API}/chat`, { content: REFERENCE })).body;
    const { code, stdout } = await receipt(d.dataDir, 'show', id);
    assert.equal(code, 0, stdout);
    const r = JSON.parse(stdout);
    assert.equal(r.ok, true);
    const c = r.content;
    assert.equal(c.question, REFERENCE);
    assert.equal(c.filters.find((f) => f.name === 'hub_zone').value, 'NP15');
    assert.deepEqual([c.tenant, c.user, c.status, c.provider, c.today], ['vesper', 'ann', 'complete', 'rules', '2026-02-27']);
    const [call] = c.calls;
    assert.equal(call.tool, 'get_average_annual_price');
    assert.deepEqual(call.args, { hub_zone: 'NP15', market: 'CAISO', reference: 'Base', vendor: 'Ascend', year: 2025 });
    assert.match(call.statements[0].sql, /WHERE vf\.tenant_id = \?/);
    assert.deepEqual(call.statements[0].values.slice(0, 3), ['vesper', 'Ascend', 'NP15']);
    assert.match(call.result_hash, HASH);
    assert.match(call.as_of, /^\d{4}-\d\d-\d\d$/);
    assert.ok(call.read_at <= c.created_at && c.began_at <= c.created_at);
    assert.match(c.catalogue, HASH);
    assert.deepEqual(c.models, []);
    assert.ok(c.usage.by.answer);
  });

  it('are read by their users, with current permissions', async () => {
    const as = (claims) => d.rest(mintToken({ sub: 'ann', ...claims }));
    const { receipt_id: id, message_id: message } = (await rest.post(`${API}/chat`, { content: REFERENCE })).body;
    const mine = await rest.get(`${API}/receipts/${id}`);
    assert.equal(mine.status, 200);
    assert.equal(mine.body.message_id, message);
    assert.equal(mine.body.content.question, REFERENCE);
    assert.match(mine.body.content.calls[0].statements[0].sql, /^SELECT/);
    assert.equal(mine.body.content._salt, undefined);
    const analyst = (await as({ role: 'analyst' }).get(`${API}/receipts/${id}`)).body;
    assert.equal(analyst.content.calls[0].statements, undefined, 'no SQL without chat:view_sql');
    assert.equal(analyst.content.calls[0].args.vendor, 'Ascend');
    const viewer = (await as({ role: 'viewer' }).get(`${API}/receipts/${id}`)).body;
    assert.equal(viewer.masked, true);
    assert.doesNotMatch(JSON.stringify(viewer), /NP15|Ascend/);
    const unknown = checkProblem(await rest.get(`${API}/receipts/0193b0a0-0000-7000-8000-00000000ffff`), 404);
    for (const other of [d.rest(mintToken({ sub: 'bob', role: 'admin' })), as({ tenant_id: 'acme', role: 'admin' })]) {
      const { request_id: _, instance: __, ...foreign } = checkProblem(await other.get(`${API}/receipts/${id}`), 404);
      assert.deepEqual(Object.keys(foreign).sort(), Object.keys(unknown).filter((k) => k !== 'request_id' && k !== 'instance').sort());
      assert.equal(foreign.title, unknown.title);
    }
    const own = (await rest.post(`${API}/chat`, { content: 'Which projects are off track?' })).body;
    assert.equal((await rest.delete(`${API}/sessions/${own.session_id}`)).status, 204);
    checkProblem(await rest.get(`${API}/receipts/${own.receipt_id}`), 404);
  });

  it('name the prompts of models', async () => {
    const mock = await startMock();
    const other = await startDaemon({ mock });
    const turn = await other.ask(REFERENCE);
    assert.equal(turn.complete.provider, 'anthropic');
    await other.stop();
    await mock.close();
    const { content } = JSON.parse((await receipt(other.dataDir, 'show', turn.complete.receipt_id)).stdout);
    assert.equal(content.models.length, mock.count);
    const last = content.models.at(-1);
    assert.deepEqual([last.role, last.provider, last.model], ['answer', 'anthropic', turn.complete.model]);
    assert.match(last.prompt_hash, HASH);
    assert.equal(content.usage.calls, mock.count);
    assert.equal((await receipt(other.dataDir, 'rerun', turn.complete.receipt_id)).code, 0);
  });

  it(`verify and run again with the same hash, ${MANY - 1} of them from concurrent sessions`, async () => {
    const ids = new Set();
    const failed = new Set(); /* answers whose calls all failed or timed out; they cannot be run again */
    for (const content of EACH_TOOL) {
      receiptPerTool.push((await rest.post(`${API}/chat`, { content })).body.receipt_id);
      assert.match(receiptPerTool.at(-1) ?? '', UUID7, content);
    }
    let next = (await verify(d.dataDir, 'vesper')).receipts;
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, n) => {
      const mine = d.rest(mintToken({ sub: `user-${n}`, role: 'manager' }));
      let session;
      while (next < MANY) {
        next++;
        const { status, body, text } = await mine.post(`${API}/chat`, { content: SHORT[next % SHORT.length], ...(session && { session_id: session }) });
        assert.equal(status, 200, text);
        assert.match(body.receipt_id ?? '', UUID7, `${SHORT[next % SHORT.length]}: ${body.text}`);
        assert.ok(!ids.has(body.receipt_id));
        ids.add(body.receipt_id);
        if (body.outcomes.every((o) => ['timeout', 'error'].includes(o.outcome)))
          failed.add(body.receipt_id);
        session = body.session_id;
      }
    }));
    const verified = await verify(d.dataDir, 'vesper');
    assert.deepEqual([verified.code, verified.ok, verified.receipts, verified.without_content], [0, true, MANY, 1], verified.stderr); /* a session was deleted above */
    const again = await receipt(d.dataDir, 'rerun', '--all', '--tenant', 'vesper', '--json');
    assert.equal(again.json.length, MANY - 1);
    assert.deepEqual(again.json.filter((v) => !v.ok || v.catalogue_changed), []);
    const tools = new Set(again.json.flatMap((v) => v.calls.map((c) => c.tool)));
    assert.deepEqual(again.json.filter((v) => !v.calls.length && !failed.has(v.receipt_id)), []);
    assert.ok(tools.size >= 19, [...tools].join(' '));
    assert.equal(again.code, 0);
  });

  it('keep a valid chain when a session or a user is deleted', async () => {
    const secret = 'Average day-ahead price for NP15 in CAISO for 2025 from Ascend, pleaze';
    const bob = d.rest(mintToken({ sub: 'rumpel', tenant_id: 'acme' }));
    const chief = d.rest(mintToken({ sub: 'chief', role: 'admin', tenant_id: 'acme' }));
    const first = (await bob.post(`${API}/chat`, { content: secret })).body;
    await bob.post(`${API}/chat`, { content: secret });
    assert.match((await receipt(d.dataDir, 'show', first.receipt_id)).stdout, /pleaze/);
    const intact = (await chief.post(`${API}/chat`, { content: REFERENCE })).body;
    assert.equal((await bob.delete(`${API}/sessions/${first.session_id}`)).status, 204);
    let state = await verify(d.dataDir, 'acme');
    assert.deepEqual([state.ok, state.receipts, state.without_content], [true, 3, 1]);
    assert.equal((await chief.delete(`${API}/admin/users/rumpel`)).status, 204);
    await chief.post(`${API}/chat`, { content: REFERENCE });
    state = await verify(d.dataDir, 'acme');
    assert.deepEqual([state.ok, state.receipts, state.without_content], [true, 4, 2]);
    const deleted = await receipt(d.dataDir, 'rerun', first.receipt_id);
    assert.equal(deleted.code, 1);
    assert.match(deleted.stdout, /the content was deleted/);
    assert.equal((await receipt(d.dataDir, 'rerun', intact.receipt_id)).code, 0);
    const { stdout } = await run('python3', ['-c',
      'import sqlite3, sys\nfor r in sqlite3.connect(sys.argv[1]).execute("SELECT * FROM chat_receipts"): print(r)', store('acme')]);
    assert.doesNotMatch(stdout, /pleaze|rumpel/);
  });

  it('are found and named when one byte of them changes', async () => {
    const eve = d.rest(mintToken({ sub: 'chief', role: 'admin', tenant_id: 'acme' }));
    for (let i = 0; i < 6; i++)
      await eve.post(`${API}/chat`, { content: SHORT[0] });
    await d.stop();
    const file = store('acme');
    const flip = (column, at) => `UPDATE chat_receipts SET ${column} = substr(${column}, 1, ${at}) || CASE substr(${column}, ${at} + 1, 1) WHEN '0' THEN '1' ELSE '0' END || substr(${column}, ${at} + 2) WHERE receipt_no = 6`;
    const cases = [['hash', 'hash', 63], ['previous_hash', 'previous_hash', 0], ['content_hash', 'content_hash', 30], ['leaves', 'leaves', 200],
      ['receipt_id', 'receipt_id', 9], ['created_at', 'created_at', 5], ['message_uid', 'message_id', 3], ['session_id', 'session_id', 35],
      ['user_id', 'user', 0], ['content', /^content\./, 0], ['content', /^content\./, 700], ['content', /^content\./, 1500]];
    await tamper(file, 'CREATE TABLE kept AS SELECT * FROM chat_receipts');
    for (const [column, field, at] of cases) {
      await tamper(file, flip(column, at));
      const { code, ok, broken } = await verify(d.dataDir, 'acme');
      const where = `${column} ${at}: ${JSON.stringify(broken)}`;
      assert.deepEqual([code, ok, broken?.number], [1, false, 6], where);
      assert.match(broken.field, field instanceof RegExp ? field : new RegExp(`^${field}$`), where);
      if (column === 'content')
        assert.ok(at >= broken.from && at < broken.to, where);
      await tamper(file, 'DELETE FROM chat_receipts', 'INSERT INTO chat_receipts SELECT * FROM kept');
    }
    assert.equal((await verify(d.dataDir, 'acme')).code, 0);
    const broken = async (...statements) => {
      await tamper(file, ...statements);
      const state = await verify(d.dataDir, 'acme');
      await tamper(file, 'DELETE FROM chat_receipts', 'INSERT INTO chat_receipts SELECT * FROM kept');
      assert.equal(state.code, 1);
      return [state.broken.number, state.broken.field];
    };
    assert.deepEqual(await broken('DELETE FROM chat_receipts WHERE receipt_no = 6'), [6, 'receipt_no']);
    assert.deepEqual(await broken('DELETE FROM chat_receipts WHERE receipt_no = 10'), [10, 'record']);
    assert.deepEqual(await broken('UPDATE chat_receipts SET receipt_no = 99 WHERE receipt_no = 10'), [10, 'receipt_no']);
    assert.equal((await broken("UPDATE chat_messages SET content = content || '.' WHERE receipt_id = (SELECT receipt_id FROM chat_receipts WHERE receipt_no = 7)"))[1], 'answer');
    await tamper(file, 'UPDATE chat_messages SET content = substr(content, 1, length(content) - 1) WHERE receipt_id = (SELECT receipt_id FROM chat_receipts WHERE receipt_no = 7)', 'DROP TABLE kept');
  });

  it('are reported when a byte of the file changes', async () => {
    const file = store('acme');
    await tamper(file, 'PRAGMA journal_mode = DELETE', 'VACUUM');
    const rows = await receipt(d.dataDir, 'rerun', '--all', '--tenant', 'acme', '--json');
    const id = rows.json.at(-1).receipt_id;
    const { content } = JSON.parse((await receipt(d.dataDir, 'show', id)).stdout);
    const bytes = await readFile(file);
    const at = bytes.indexOf(content._salt) + 10;
    assert.ok(at > 10);
    bytes[at] = bytes[at] === 0x30 ? 0x31 : 0x30;
    await writeFile(file, bytes);
    const { code, broken } = await verify(d.dataDir, 'acme');
    assert.equal(code, 1);
    assert.deepEqual([broken.receipt_id, broken.field], [id, 'content._salt']);
    const shown = await receipt(d.dataDir, 'show', id);
    assert.equal(shown.code, 1);
    assert.match(JSON.parse(shown.stdout).broken, /^content\._salt: bytes \d+ to \d+/);
    assert.match((await receipt(d.dataDir, 'rerun', id)).stdout, /not run: the receipt was changed/);
  });

  it('report differences when the data or the catalogue has changed', async () => {
    const small = await smallWarehouse();
    const { code, json: verdicts } = await receiptWith({ VESPER_DATA_DIR: d.dataDir, VESPER_WAREHOUSE_DIR: small }, 'rerun', ...receiptPerTool, '--json');
    assert.equal(code, 1);
    const other = verdicts.filter((v) => !v.ok);
    assert.ok(other.length > 0 && other.length < verdicts.length, `${other.length} of ${verdicts.length}`);
    assert.match(other[0].calls.find((c) => !c.ok).difference, /the result had \d+ rows and now has \d+|the rows differ, but their number is the same|the outcome was/);
  });

  it('reject unknown ids', async () => {
    for (const [args, message] of [[['show', '0193b0a0-0000-7000-8000-00000000ffff'], /unknown receipt/], [['show'], /name a receipt/], [['rerun'], /name a receipt/],
      [['verify', '--tenant', 'nobody'], /unknown tenant nobody/], [['forge'], /verify, show or rerun/]]) {
      const { code, stderr } = await receipt(d.dataDir, ...args);
      assert.ok(code > 0);
      assert.match(stderr, message);
    }
    const { code, stderr } = await receipt(await tempDir('none'), 'verify');
    assert.equal(code, 2);
    assert.match(stderr, /has no store at/);
  });
});
