/*
 * SQL that an agent's model writes for an administrator: only agents of administrators have the tool, the gate
 * rewrites the statement, and everything else is refused before it reaches the warehouse.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, ROOT, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';
import { ctl } from './postgres.mjs';

const TOOL = 'general_sql_query';
const QUESTION = 'How is our work spread, in a way that no report shows?';
const EXPLORE = { json: { do: [{ Run: 'per_agent' }] } };
const GOOD = 'SELECT technology, COUNT(*) AS n FROM per_project GROUP BY technology ORDER BY n DESC';

function scriptFor(sql) {
  return [{ when: { kind: 'structured' }, reply: EXPLORE },
    { when: { kind: 'tools' }, times: 1, reply: { tools: [{ name: TOOL, input: { sql } }] } }, { reply: 'demo' }];
}

describe('SQL that a model writes', () => {
  let mock, d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => mock.reset());

  const ask = (role, sql, claims = {}) => {
    mock.use(scriptFor(sql));
    return d.ask(QUESTION, { token: mintToken({ role, ...claims }) });
  };
  const shown = () => mock.calls.filter((c) => c.kind === 'tools')
    .some((c) => c.body.tools.some((tool) => tool.name === TOOL));

  it('runs for an administrator, as rewritten by the gate', async () => {
    const turn = await ask('admin', GOOD);
    assert.ok(shown());
    const [table] = turn.tables;
    assert.equal(table.source.tool, TOOL);
    assert.deepEqual(table.columns, ['technology', 'n']);
    assert.match(table.source.sql, /FROM dbo\.per_project WHERE tenant_id = \?\) AS per_project GROUP BY technology/);
  });

  it('reads only the administrator\'s tenant', async () => {
    const sql = 'SELECT name, tenant_id FROM per_project WHERE tenant_id <> \'acme\' OR 1 = 1';
    const turn = await ask('admin', sql, { tenant_id: 'acme' });
    assert.ok(turn.tables.length > 0);
    assert.deepEqual([...new Set(turn.tables[0].data_dict.tenant_id)], ['acme']);
  });

  it('is compared without order when its receipt is run again', async () => {
    const turn = await ask('admin', 'SELECT name, technology FROM per_project');
    const receipt = async (...args) => {
      const { code, stdout } = await ctl(['receipt', ...args, turn.complete.receipt_id], { VESPER_ROOT: ROOT, VESPER_LOG_LEVEL: 'error', VESPER_DATA_DIR: d.dataDir, VESPER_WAREHOUSE_DIR: await demoWarehouse() });
      assert.equal(code, 0, stdout);
      return stdout;
    };
    const call = JSON.parse(await receipt('show')).content.calls.find((c) => c.tool === TOOL);
    assert.equal(call.any_order, true);
    assert.match(call.result_hash, /^[0-9a-f]{64}$/);
    await receipt('rerun');
  });

  it('is read again only with the permissions of every view and column that it read', async () => {
    const api = '/api/v1';
    const sub = 'demoted-admin';
    const all = ['chat:use', 'chat:read_projects', 'chat:read_market_data', 'chat:read_budget', 'chat:view_sql', 'chat:advanced_sql'];
    const as = (permissions) => d.rest(mintToken({ sub, permissions }));
    const readEverywhere = (rest, answer) => Promise.all([`/sessions/${answer.session_id}/messages`, `/sessions/${answer.session_id}/export`,
      `/sessions/${answer.session_id}/export?format=markdown`, `/receipts/${answer.receipt_id}`, `/turns/${answer.turn_id}/events`,
      ...answer.views.map((v) => `/messages/${answer.message_id}/views/${v.view_id}/csv`)].map((path) => rest.get(api + path)));
    for (const [sql, needed] of [
      ['SELECT MAX(Total_Operating_Budget) AS most FROM per_project', ['chat:read_projects', 'chat:read_budget']],
      ['WITH x AS (SELECT * FROM per_project) SELECT name AS most FROM x ORDER BY name FETCH FIRST 1 ROWS ONLY', ['chat:read_projects', 'chat:read_budget']],
      ['SELECT MAX(name) AS most FROM per_project', ['chat:read_projects']],
      ['SELECT MAX(composite_key) AS most FROM Stage.mc_vendor_files', ['chat:read_market_data']]]) {
      mock.reset();
      mock.use(scriptFor(sql));
      const answer = (await as(all).post(`${api}/chat`, { content: QUESTION })).body;
      const view = answer.views.find((v) => v.source.tool === TOOL);
      assert.ok(view, `${sql}: ${JSON.stringify(mock.calls.filter((c) => c.kind === 'tools').at(-1)?.body.messages)}`);
      const [, most] = (await as(all).get(`${api}/messages/${answer.message_id}/views/${view.view_id}/csv`)).text.split('\r\n');
      assert.ok(most?.length > 3, JSON.stringify([most, view]));
      for (const removed of all.slice(1)) {
        const replies = await readEverywhere(as(all.filter((p) => p !== removed)), answer);
        const shown = replies.filter((r) => r.status === 200 && r.text.includes(most));
        const isReadable = removed !== 'chat:advanced_sql' && !needed.includes(removed);
        assert.equal(shown.length > 0, isReadable, `${sql} without ${removed}: ${shown[0]?.text.slice(0, 300)}`);
      }
    }
  });

  it('is hidden from other users, and refused if they call it', async () => {
    for (const role of ['viewer', 'manager']) {
      const turn = await ask(role, GOOD);
      assert.equal(shown(), false, role);
      assert.ok(turn.closing);
      assert.equal(turn.tables.some((table) => table.source.tool === TOOL), false, role);
      mock.reset();
    }
  });

  it('accepts quotes and brackets in column names', async () => {
    const sql = `SELECT name AS "Owner's share", '?{[;' AS "a[b", technology AS "a]b" FROM per_project WHERE name <> '}'`;
    const turn = await ask('admin', sql);
    assert.ok(turn.tables.length > 0, JSON.stringify(mock.calls.filter((c) => c.kind === 'tools').at(-1)?.body.messages));
    assert.deepEqual(turn.tables[0].columns, ["Owner's share", 'a[b', 'a]b']);
    assert.deepEqual([...new Set(turn.tables[0].data_dict['a[b'])], ['?{[;']);
  });

  it('shows two columns of the same name with separate values, in views and CSV', async () => {
    mock.use(scriptFor('SELECT p.name AS x, technology AS x, p.* FROM per_project p ORDER BY 1'));
    const rest = d.rest(mintToken({ role: 'admin' }));
    const answer = (await rest.post('/api/v1/chat', { content: QUESTION })).body;
    const view = answer.views.find((v) => v.source.tool === TOOL);
    assert.deepEqual(view.columns?.slice(0, 2), ['x', 'x (2)'], JSON.stringify(view).slice(0, 400));
    assert.deepEqual(view.data_dict.x, view.data_dict.name);
    assert.deepEqual(view.data_dict['x (2)'], view.data_dict.technology);
    assert.notDeepEqual(view.data_dict.x, view.data_dict['x (2)']);
    const csv = await rest.get(`/api/v1/messages/${answer.message_id}/views/${view.view_id}/csv`);
    const [head, first] = csv.text.split('\r\n').map((line) => line.split(','));
    assert.deepEqual(head.slice(0, 2).map((h) => h.replace('\ufeff', '')), ['x', 'x (2)']);
    assert.deepEqual(first.slice(0, 2), [view.data_dict.name[0], view.data_dict.technology[0]]);
  });

  /* The driver interprets {…} and ? before the database reads the text: a literal for the gate could become code. */
  it('cannot be left through names that the driver reads', async () => {
    for (const [from, to] of [['{a', 'c}'], ['a?', 'c?'], ['a;', 'c']]) {
      const sql = `SELECT gid AS "${from}", '] , (SELECT MAX(tenant_id) FROM dbo.vesper_tenant) AS x, 1 AS [' AS b, name AS "${to}" FROM per_project`;
      const turn = await ask('admin', sql);
      assert.equal(turn.tables.some((table) => table.source.tool === TOOL), false, sql);
      const modelMessages = JSON.stringify(mock.calls.filter((c) => c.kind === 'tools').at(-1).body.messages);
      assert.match(modelMessages, /in a name is not allowed; leave it out/, sql);
      mock.reset();
    }
  });

  it('is refused if it does not pass the gate', async () => {
    for (const sql of ['DELETE FROM per_project', 'SELECT * FROM sqlite_master', 'SELECT nme FROM per_project',
      'SELECT name FROM per_project; DROP TABLE per_project', 'PRAGMA query_only = 0',
      "SELECT FORMAT('%900000000d', 1) FROM per_project", "SELECT REPLACE(REPLACE(REPLACE(name, '', 'xxxxxxxxxxxxxxxxxxxx'), 'x', 'xxxxxxxxxxxxxxxxxxxx'), 'x', 'xxxxxxxxxxxxxxxxxxxx') AS x FROM per_project",
      'SELECT 1e999 AS x FROM per_project', `SELECT ${Array.from({ length: 700 }, (_, i) => `s${i}.gid`)} FROM ${Array.from({ length: 700 }, (_, i) => `per_project s${i}`)}`]) {
      const turn = await ask('admin', sql);
      assert.equal(turn.tables.some((table) => table.source.tool === TOOL), false, sql);
      assert.ok(turn.closing, sql);
      const modelMessages = JSON.stringify(mock.calls.filter((c) => c.kind === 'tools').at(-1).body.messages);
      assert.match(modelMessages, /The SQL is refused: column/, sql);
      mock.reset();
    }
  });
});
