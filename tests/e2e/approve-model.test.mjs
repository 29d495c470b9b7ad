/*
 * Approved answers with a model: only plans with fixed calls can be approved, an approved answer that a model writes
 * needs one model call, a turn that has started is not affected by a withdrawal, and the number per tenant is limited.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { run, startDaemon } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

const APPROVED_MAX = 500;
const SEEN_LIMIT_MS = patient(20000);
const WRITING_MS = 1500; /* the model writes for this long; the plan is withdrawn meanwhile */
const QUESTION = 'What are the task risks of Nazareth Solar?';
const UNROUTED_QUESTION = 'How dear is electricity going to be where our friends live?';
const token = mintToken({ role: 'admin' });

describe('an answer with a model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => mock.reset());

  const ask = (question) => d.ask(question, { token });
  const call = async (method, path, body, headers = {}) => {
    const res = await fetch(`${d.url}/api/v1${path}`, { method, body: body && JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers } });
    return { status: res.status, etag: res.headers.get('etag'), text: await res.text() };
  };
  const approve = (turn, name, more) => call('POST', `/messages/${turn.complete.message_id}/approve`, { name, ...more });

  async function until(what, check) {
    for (const end = Date.now() + SEEN_LIMIT_MS; Date.now() < end; await sleep(50)) {
      const found = await check();
      if (found)
        return found;
    }
    throw new Error(`timed out waiting until ${what}`);
  }

  it('with calls that an agent chose cannot be approved, with or without ad hoc SQL', async () => {
    for (const tools of [[{ name: 'get_top_users', input: {} }], [{ name: 'general_sql_query', input: { sql: 'SELECT name FROM per_project' } }]]) {
      mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: tools[0].name === 'get_top_users' ? 'pbi_metrics_agent' : 'per_agent' }] } } },
        { when: { kind: 'tools' }, times: 1, reply: { tools } }, { reply: 'demo' }]);
      const turn = await ask(UNROUTED_QUESTION);
      assert.deepEqual(turn.complete.outcomes.map((o) => o.tool), [tools[0].name], turn.text);
      const reply = await approve(turn, 'of_an_agent');
      assert.equal(reply.status, 422);
      assert.match(reply.text, /plan_has_agent/);
    }
  });

  it('written by a model needs one model call, and finishes if its plan is withdrawn meanwhile', async () => {
    mock.use('demo');
    const reply = await approve(await ask(QUESTION), 'worded_risks', { answer: 'model' });
    assert.equal(reply.status, 201, reply.text);
    await until('it is approved', async () => (await ask(QUESTION)).complete?.approved);
    mock.reset();
    const turn = await ask(QUESTION);
    assert.equal(turn.complete.approved?.name, 'worded_risks');
    assert.equal(turn.complete.usage.calls, 1);
    assert.equal(mock.calls.length, 1);
    mock.use([{ reply: { text: 'There are risks.' }, fault: { first_byte_ms: WRITING_MS } }]);
    const [running, withdrawn] = await Promise.all([ask(QUESTION), (async () => {
      await until('the model is called', () => mock.calls.length === 2);
      const { etag } = await call('GET', '/admin/flows/worded_risks');
      return call('PUT', '/admin/flows/worded_risks', { status: 'withdrawn' }, { 'if-match': etag });
    })()]);
    assert.equal(withdrawn.status, 200, withdrawn.text);
    assert.equal(running.status, 'ok', running.text);
    assert.equal(running.complete.approved?.name, 'worded_risks');
    mock.use('demo');
    await until('it is withdrawn', async () => !(await ask(QUESTION)).complete.approved);
  });
});

/* Copies one row, because approving so many answers would take minutes. */
const COPY = `import sqlite3,sys
d = sqlite3.connect(sys.argv[1], timeout=30)
d.execute("""WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
  INSERT INTO chat_flows SELECT tenant_id, 'copy_' || i, version, REPLACE(text, 'first', 'copy_' || i), fingerprint, status, why,
    message_uid, approved_by, approved_at, checked_at FROM chat_flows, n WHERE name = 'first'""", [int(sys.argv[2])])
d.commit()
print(d.execute("SELECT COUNT(*) FROM chat_flows").fetchone()[0])`;

describe('the approved answers of a tenant', () => {
  it(`are at most ${APPROVED_MAX}`, async (t) => {
    const d = await startDaemon();
    t.after(() => d.stop());
    const approveOf = async (turn, name) => {
      const res = await fetch(`${d.url}/api/v1/messages/${turn.complete.message_id}/approve`, { method: 'POST', body: JSON.stringify({ name }),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
      return { status: res.status, text: await res.text() };
    };
    assert.equal((await approveOf(await d.ask(QUESTION, { token }), 'first')).status, 201);
    const { stdout } = await run('python3', ['-c', COPY, join(d.dataDir, 'store/vesper.db'), String(APPROVED_MAX)]);
    assert.equal(stdout.trim(), String(APPROVED_MAX));
    const more = await d.ask('Who are the top users?', { token });
    assert.equal(more.status, 'ok', 'questions are still answered');
    const refused = await approveOf(more, 'above_limit');
    assert.equal(refused.status, 422);
    assert.match(refused.text, /the limit of 500 approved answers per tenant is reached/);
  });
});
