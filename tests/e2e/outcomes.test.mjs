/*
 * All outcomes of a data request, caused by real conditions: other data, a dropped table, a slow query. Each is
 * the same over the socket, as events and as one answer: text, status, outcomes, views.
 */

import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, REFERENCE, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';
import { viewChecker } from './views.mjs';

const CHAT = '/api/v1/chat';

/* Absent members are not checked. Acme's data is changed below. */
const CASES = [
  { name: 'rows', ask: REFERENCE, role: 'analyst', status: 'ok', outcome: 'rows', rows: 3, view: 'data', text: /48\.73/ },
  { name: 'rows beyond the row cap', ask: 'Show the ledger of hourly quotes for NP15 in 2025 from Ascend', role: 'analyst',
    status: 'ok', outcome: 'rows', rows: 500, truncated: /row cap/, view: 'data', text: /at least 501/ },
  { name: 'empty', ask: 'What milestone dates changed on 2026-02-22?', status: 'ok', outcome: 'empty', rows: 0, view: 'base',
    text: /found no data.*2026-02-22/s, suggests: true },
  { name: 'no_data', ask: 'What milestone dates changed in the last week?', tenant: 'acme', status: 'ok', outcome: 'no_data', rows: 0,
    view: 'base', text: /no data at all/, suggests: true },
  { name: 'out_of_window', ask: REFERENCE.replace('2025', '2031'), role: 'analyst', status: 'ask', outcome: 'out_of_window', rows: 0,
    view: 'base', text: /covers 2024 to 2027/, asks: 'year' },
  { name: 'unknown_entity, detected before any query', ask: REFERENCE.replace('NP15', 'NP99'), role: 'analyst', status: 'ask',
    text: /NP99/, asks: 'hub_zone' },
  { name: 'not_permitted', ask: REFERENCE, role: 'viewer', status: 'refused', text: /permission/ },
  { name: 'timeout', ask: 'What is the slow count of pairs of hourly quotes in 2025?', role: 'analyst', status: 'ok', outcome: 'timeout',
    rows: 0, view: 'error', code: 'SQL_EXECUTION_FAILED', text: /took too long/, suggests: true },
  { name: 'error', ask: 'What are the task risks?', tenant: 'acme', status: 'ok', outcome: 'error', rows: 0, view: 'error',
    code: 'SQL_EXECUTION_FAILED', text: /could not be read/ },
];

async function makeRoot() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  for (const domain of ['hourly', 'slow']) {
    await mkdir(join(root, 'sql/energy', domain));
    await cp(join(ROOT, 'tests/e2e', domain, 'sql'), join(root, 'sql/energy', domain), { recursive: true });
    await cp(join(ROOT, 'tests/e2e', domain, 'prompts'), join(root, 'prompts/energy'), { recursive: true });
  }
  return root;
}

/* Deletes the rows of Acme's table of changes, and drops its table of tasks. */
async function makeWarehouse() {
  const dir = await tempDir('warehouse');
  const script = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.executescript("DELETE FROM changes; DROP TABLE per_tasks;")';
  await cp(await demoWarehouse(), dir, { recursive: true });
  await run('python3', ['-c', script, join(dir, 'acme.db')]);
  return dir;
}

/* The result of a turn for each interface. */
const INTERFACES = {
  async socket(d, token, content) {
    const turn = await d.ask(content, { token });
    return { ...turn.complete, text: turn.text, frames: turn.frames, views: turn.views, ask: turn.ask };
  },
  async events(d, token, content) {
    const stream = await d.rest(token).stream(`${CHAT}/stream`, { json: { content } });
    const turn = await stream.turn();
    const last = stream.events.at(-1);
    assert.equal(stream.headers.get('content-type').split(';')[0], 'text/event-stream');
    assert.equal(last.event, 'turn.completed');
    assert.equal(last.data.response.view_type, 'base');
    assert.equal(last.data.response.text, turn.text, 'the final event contains the whole text');
    const views = stream.events.filter((e) => e.event === 'response').map((e) => e.data.view);
    return { ...last.data.response, text: turn.text, frames: turn.frames, views, ask: turn.ask };
  },
  async rest(d, token, content) {
    const reply = await d.rest(token).post(CHAT, { content });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  },
};

function checkOutcome(end, x) {
  const truncated = x.truncated !== undefined;
  if (!x.outcome)
    return assert.deepEqual(end.outcomes, []);
  assert.equal(end.outcomes.length, 1);
  const [o] = end.outcomes;
  assert.deepEqual([o.outcome, o.rows, o.truncated], [x.outcome, x.rows, truncated]);
  return truncated ? assert.match(o.truncation_reason, x.truncated) : assert.equal(o.truncation_reason, undefined);
}

function checkViews(end, x, checkView) {
  const views = end.views.filter((v) => !['selection', 'chart'].includes(v.view_type));
  end.views.forEach(checkView);
  if (!x.outcome)
    return;
  assert.deepEqual(views.map((v) => v.view_type), [x.view]);
  const [view] = views;
  const [o] = end.outcomes;
  assert.deepEqual([view.source.call, view.source.agent, view.source.tool], [o.call, o.agent, o.tool]);
  assert.ok(view.source.task, 'a view names its task');
  assert.equal(view.error_code, x.code);
  if (x.code)
    assert.equal(view.error_details.kind, x.outcome);
  if (x.truncated)
    assert.ok(view.truncated && x.truncated.test(view.truncation_reason));
}

/* The status of the call and the frame of its view name the same agent and task. */
function checkFrames(frames, x) {
  const of = (type) => frames.filter((f) => f.type === type);
  if (!x.outcome)
    return assert.deepEqual(of('chat.status').filter((f) => f.tool), []);
  const [started, ended] = of('chat.status').filter((f) => f.tool);
  assert.equal(started.state, 'started');
  assert.equal(ended.state, ['timeout', 'error'].includes(x.outcome) ? 'failed' : 'completed');
  assert.equal(ended.outcome, x.outcome);
  return of('chat.view').forEach((f) => assert.ok(f.agent === ended.agent && f.task === f.view.source.task));
}

describe('each outcome', () => {
  let d;
  let checkView;

  before(async () => {
    d = await startDaemon({ warehouse: await makeWarehouse(),
      env: { VESPER_ROOT: await makeRoot(), VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '4000' } });
    checkView = await viewChecker(d);
  });
  after(() => d?.stop());

  for (const x of CASES)
    for (const [way, ask] of Object.entries(INTERFACES))
      it(`${x.name}: ${way}`, async () => {
        const end = await ask(d, mintToken({ role: x.role ?? 'manager', tenant_id: x.tenant ?? 'vesper' }), x.ask);
        assert.equal(end.status, x.status, JSON.stringify(end).slice(0, 500));
        assert.match(end.text, x.text);
        assert.equal(end.provider, 'rules');
        checkOutcome(end, x);
        checkViews(end, x, checkView);
        assert.equal(end.ask?.filter, x.asks);
        assert.equal(end.views.some((v) => v.view_type === 'selection'), Boolean(x.asks) && way !== 'socket');
        if (x.suggests)
          assert.ok(end.suggestions.length > 0);
        if (end.frames)
          checkFrames(end.frames, x);
      });

  it('is stored with its views', async () => {
    for (const x of CASES.filter((c) => c.outcome)) {
      const rest = d.rest(mintToken({ role: x.role ?? 'manager', tenant_id: x.tenant ?? 'vesper' }));
      const { body } = await rest.post(CHAT, { content: x.ask });
      const [, answer] = await rest.messages(body.session_id);
      assert.equal(answer.tools[0].outcome, x.outcome);
      answer.views.forEach(checkView);
      assert.deepEqual(answer.views, body.views);
    }
  });
});

describe('with a model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock({ script: 'demo' });
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  for (const [way, ask] of Object.entries(INTERFACES))
    it(`unknown_entity of a tool that the model called: ${way}`, async () => {
      mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'per_agent' }] } } },
        { when: { kind: 'tools' }, times: 1, reply: { tools: [{ name: 'get_project_health', input: { project_name: 'Gondor Solar' } }] } },
        { when: { kind: 'tools' }, reply: { text: 'done' } }, { reply: { text: 'I do not know that project.' } }]);
      const end = await ask(d, mintToken(), 'Is everything fine with that thing of ours in the south, you know which?');
      assert.deepEqual(end.outcomes.map((o) => o.outcome), ['unknown_entity'], JSON.stringify(end).slice(0, 800));
      assert.match(end.text, /Gondor Solar|know that project/);
    });

  it('names the task without a result in the prompt', async () => {
    mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'get_task_risks' }, { Set: 'technology=Solar' }] } } },
      { reply: { text: 'These are the risks of all projects.' } }]);
    await d.ask('Is everything fine with that thing of ours in the south, you know which?');
    const { raw } = mock.calls.at(-1);
    assert.match(raw, /Not found: anything that is narrowed to the filter technology of the question/);
    assert.doesNotMatch(raw, /Not found: [^\\]*risk_level/);
  });

  it('states the outcome in the prompt', async () => {
    mock.use([{ when: { kind: 'answer' }, reply: { text: 'There is no such year.' } }, { reply: 'demo' }]);
    const turn = await d.ask('Show the hourly prices for SP15 in 2025 from Ascend');
    const [call] = mock.calls.slice(-1);
    assert.match(call.raw, /Outcome: rows/);
    assert.equal(turn.complete.outcomes[0].truncated, false, 'a sample for the model does not truncate the user\'s table');
  });

  it('shortens the prompt for a small budget, while the user gets all rows', async () => {
    const small = await startDaemon({ mock, env: { VESPER_LLM_PROMPT_TOKENS: '1000' } });
    const question = 'What are the task risks?';
    mock.use([{ when: { kind: 'answer' }, reply: { text: 'There are some.' } }, { reply: 'demo' }]);
    const full = await d.ask(question);
    const fullCall = mock.calls.at(-1);
    const reduced = await small.ask(question);
    const reducedCall = mock.calls.at(-1);
    await small.stop();
    assert.doesNotMatch(fullCall.raw, /Omitted for lack of space/);
    assert.match(reducedCall.raw, /Omitted for lack of space: .*Statistics cover all rows/);
    assert.ok(reducedCall.raw.length < fullCall.raw.length);
    assert.deepEqual(reduced.tables.map((v) => [v.row_count, v.truncated]), full.tables.map((v) => [v.row_count, v.truncated]));
    assert.deepEqual(reduced.complete.outcomes.map((o) => o.truncated), full.complete.outcomes.map((o) => o.truncated));
  });
});
