/*
 * Tools without a conversation: every tool of the catalogue returns the same numbers to a program as in chat,
 * every outcome has a status, and errors in a call are reported before anything runs.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { demoWarehouse, ROOT, startDaemon } from './harness.mjs';
import { ctl } from './postgres.mjs';
import { mintToken } from './token.mjs';

const PRICE = { vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025 };
const ENDLESS_MAX = 16 << 20; /* maximum bytes sent of an endless body; the response comes long before */
const LABELLED = ['round1', 'round2', 'round3', 'questions'];

/* Labelled questions of one sentence that exactly one tool answers. */
async function labelled() {
  const found = new Map();
  for (const name of LABELLED) {
    const lines = (await readFile(join(ROOT, `tests/route/${name}.jsonl`), 'utf8')).split('\n').filter(Boolean);
    for (const q of lines.map((line) => JSON.parse(line))) {
      const tool = q.label?.kind === 'answer' ? q.label.tool : q.tools?.length === 1 && !q.history ? q.tools[0] : null;
      if (tool && !q.history)
        found.set(tool, [...(found.get(tool) ?? []), q.question]);
    }
  }
  return found;
}

describe('a tool over HTTP', () => {
  let d;
  let rest;
  let validate;
  let problem;
  let toolProblem;

  const call = async (name, args, options) => {
    const reply = await rest.post(`/api/v1/tools/${name}`, args, options);
    if (reply.status === 200)
      assert.ok(validate(reply.body), `${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
    else
      assert.ok((reply.status === 422 ? toolProblem : problem)(reply.body), `${name}: ${JSON.stringify(problem.errors?.slice(0, 3))} ${reply.text}`);
    return reply;
  };
  const as = (role, more) => ({ token: mintToken({ sub: `t-${role}`, role, ...more }) });

  before(async () => {
    d = await startDaemon();
    rest = d.rest(mintToken({ sub: 'program', role: 'admin' }));
    const doc = await (await fetch(`${d.url}/openapi.json`)).json();
    const ajv = addFormats(new Ajv2020({ strict: false }));
    ajv.addSchema({ $id: 'doc', ...doc });
    validate = ajv.compile({ $ref: 'doc#/components/schemas/ToolResult' });
    toolProblem = ajv.compile({ $ref: 'doc#/components/schemas/ToolProblem' });
    problem = ajv.compile({ $ref: 'doc#/components/schemas/Problem' });
  });
  after(() => d?.stop());

  it('returns the same numbers as chat, for every tool', async () => {
    const questions = await labelled();
    /* No labelled question is for an analysis, because analyses need series that the demo data does not contain. */
    const tools = (await rest.get('/api/v1/tools')).body.data.filter((t) => t.name === 'query_metrics' || !t.schema.properties.query);
    const compared = [];
    for (const tool of tools) {
      for (const question of (questions.get(tool.name) ?? []).slice(0, 12)) {
        const turn = await d.ask(question, { token: rest.token });
        const [outcome] = turn.complete?.outcomes ?? [];
        const [view] = turn.tables;
        if (turn.complete?.outcomes?.length !== 1 || outcome.tool !== tool.name || !view || view.truncated)
          continue;
        const receipt = (await rest.get(`/api/v1/receipts/${turn.complete.receipt_id}`)).body.content;
        const toolArgs = Object.fromEntries(Object.entries(receipt.calls[0].args).filter(([name]) => name in tool.schema.properties));
        const reply = await call(tool.name, toolArgs);
        assert.equal(reply.body.status, 'ok', `${question}: ${reply.text.slice(0, 300)}`);
        const { rows } = reply.body.result.sets;
        for (const member of ['columns', 'meta', 'data_dict', 'row_count', 'truncated'])
          assert.deepEqual(rows[member], view[member], `${tool.name} ${member}: ${question}`);
        const own = (await rest.get(`/api/v1/receipts/${reply.body.receipt_id}`)).body.content;
        assert.equal(own.calls[0].result_hash, receipt.calls[0].result_hash, tool.name);
        assert.deepEqual(own.plan, { origin: 'api' });
        compared.push(tool.name);
        break;
      }
    }
    const sql = 'SELECT COUNT(*) AS n FROM dbo.per_project';
    const own = await call('general_sql_query', { sql });
    assert.equal(own.body.status, 'ok', own.text);
    compared.push('general_sql_query');
    assert.deepEqual(compared.sort(), tools.map((t) => t.name).sort());
  });

  it('returns facts as text and numbers, and column statistics', async () => {
    const { body } = await call('compare_vendors', { vendors: ['Ascend', 'Hitachi'], market: 'CAISO', hub_zone: 'SP15', year: 2025 });
    assert.equal(body.result.facts.gap, String(body.result.summaryStats.gap));
    assert.equal(typeof body.result.summaryStats.gap, 'number');
    const hours = await call('get_hourly_price_distribution', { ...PRICE, vendor: 'Ascend' });
    const [name, stats] = Object.entries(hours.body.result.stats).find(([column]) => /price/i.test(column));
    const cells = hours.body.result.sets.rows.data_dict[name];
    assert.equal(stats.max, Math.max(...cells));
    assert.equal(stats.min, Math.min(...cells));
    assert.equal(stats.count, cells.length);
  });

  it('has a status for every outcome, always with HTTP 200', async () => {
    const none = await call('get_average_annual_price', { ...PRICE, year: 2099 });
    assert.equal(none.body.status, 'no_data_in_window', none.text);
    assert.match(`${none.body.availableRange.start} ${none.body.availableRange.end}`, /^\d{4}\S* \d{4}/);
    const unknown = await call('get_project_health', { project_name: 'Zzyzx Nuclear' });
    assert.equal(unknown.body.status, 'error');
    assert.equal(unknown.body.error.code, 'unknown_entity');
    assert.equal(unknown.body.error.arg, 'project_name');
    assert.ok(Array.isArray(unknown.body.error.suggestions));
    const bad = await call('general_sql_query', { sql: 'DROP TABLE x' });
    assert.equal(bad.body.error.code, 'error');
    assert.deepEqual(bad.body.result.sets, {});
  });

  it('accepts a single value for a list, and aliases', async () => {
    const one = await call('compare_vendors', { vendors: 'asc', market: 'caiso', hub_zone: 'sp15', year: '2025' });
    assert.ok([200, 422].includes(one.status));
    const zones = await call('get_task_risks', { risk_level: 'high' });
    assert.equal(zones.body.status, 'ok', zones.text);
    assert.deepEqual(zones.body.args.risk_level, 'High');
  });

  it('reports each invalid argument, and runs nothing', async () => {
    const cases = [
      [{}, /vendor is required|year is required|hub_zone is required/],
      [{ ...PRICE, no_such: 1 }, /unknown argument no_such/],
      [{ ...PRICE, year: 'soon' }, /year/],
      [{ ...PRICE, year: 20250 }, /year/],
      [{ ...PRICE, year: [2025, 2026] }, /year takes one value/],
      [{ ...PRICE, year: { $ref: 'c1.rows[0].x' } }, /year must be a plain value/],
      [{ ...PRICE, vendor: 'x'.repeat(2000) }, /vendor/],
      [Object.fromEntries(Array.from({ length: 10000 }, (_, i) => [`a${i}`, i])), /unknown argument a0/],
    ];
    const before = (await rest.get('/api/v1/tools')).status;
    assert.equal(before, 200);
    for (const [args, words] of cases) {
      const reply = await call('get_average_annual_price', args);
      assert.equal(reply.status, 422, JSON.stringify(args).slice(0, 80));
      assert.match(reply.body.errors.map((e) => e.message).join('; '), words);
      assert.ok(reply.body.errors.length <= 20);
    }
    const two = await call('get_average_annual_price', { ...PRICE, year: 'soon', no_such: 1 });
    assert.deepEqual(two.body.errors.map((e) => e.arg).sort(), ['no_such', 'year']);
    const many = await call('compare_vendors', { vendors: Array.from({ length: 65 }, () => 'Ascend'), year: 2025 });
    assert.equal(many.status, 422);
    const nan = await rest.call('POST', '/api/v1/tools/get_average_annual_price',
      { body: '{"year":NaN}', headers: { 'content-type': 'application/json' } });
    assert.equal(nan.status, 400);
    const long = await rest.call('POST', '/api/v1/tools/get_average_annual_price',
      { body: JSON.stringify({ vendor: 'x'.repeat(140000) }), headers: { 'content-type': 'application/json' } });
    assert.equal(long.status, 413);
  });

  it('rejects an endless body before it exhausts memory', async () => {
    const { hostname, port } = new URL(d.url);
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const socket = net.connect(Number(port), hostname);
    let response = '';
    let sent = 0;
    let open = true;
    socket.on('data', (data) => { response += data; });
    socket.on('error', () => {});
    socket.on('close', () => { open = false; });
    socket.write(`POST /api/v1/tools/get_average_annual_price HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mintToken()}\r\n`
      + 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
    while (open && !response && sent < ENDLESS_MAX) {
      sent += 4096;
      if (!socket.write(chunk))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')].map((p) => p.catch(() => {})));
      await new Promise(setImmediate);
    }
    assert.match(response, /^(HTTP\/1\.1 413 |$)/, 'a client that keeps writing may lose the connection before it reads the response');
    assert.ok(sent < ENDLESS_MAX, `${sent} bytes`);
    socket.destroy();
    assert.equal((await call('get_average_annual_price', PRICE)).status, 200);
  });

  it('is reported as nonexistent if it is unknown, hidden or SQL', async () => {
    for (const name of ['no_such_tool', 'find_projects', "x'; DROP TABLE y; --", 'SELECT 1', '..', 'x'.repeat(3000)]) {
      const reply = await call(encodeURIComponent(name), {});
      assert.equal(reply.status, 404, name);
      assert.equal((await rest.get(`/api/v1/tools/${encodeURIComponent(name)}`)).status, 404, name);
    }
    assert.equal((await rest.get('/api/v1/tools/get_task_risks')).body.name, 'get_task_risks');
  });

  it('respects permissions, tenants and switches', async () => {
    const denied = await call('get_budget_overview', { project_name: 'Nazareth Solar' }, as('viewer'));
    assert.equal(denied.status, 403);
    assert.match(denied.body.detail, /permission/);
    assert.equal((await rest.get('/api/v1/tools/get_budget_overview', as('viewer'))).status, 404);
    const other = await call('get_project_health', { project_name: 'Nazareth Solar' }, as('viewer', { tenant: 'acme' }));
    assert.notEqual(other.body.status === 'ok' && other.body.result.sets.rows.row_count, 1, 'another tenant has no such project');
    const admin = mintToken({ sub: 'chief', role: 'admin' });
    const rows = (await rest.get('/api/v1/admin/tools', { token: admin })).body.data.filter((s) => s.tool === 'get_task_risks');
    const switchAll = async (enabled) => {
      for (const row of rows)
        assert.equal((await rest.call('PUT', `/api/v1/admin/tools/${row.agent}/${row.tool}`, { json: { enabled }, token: admin })).status, 200);
    };
    await switchAll(false);
    const off = await call('get_task_risks', { risk_level: 'High' });
    assert.equal(off.status, 403, off.text);
    assert.match(off.body.detail, /switched off/);
    await switchAll(true);
    assert.equal((await call('get_task_risks', { risk_level: 'High' })).status, 200);
  });

  it('leaves a receipt that its user can read and verify', async () => {
    const { body } = await call('get_average_annual_price', PRICE);
    const own = await rest.get(`/api/v1/receipts/${body.receipt_id}`);
    assert.equal(own.status, 200);
    assert.equal(own.body.content.calls[0].tool, 'get_average_annual_price');
    assert.equal(own.body.message_id, undefined);
    assert.equal((await rest.get(`/api/v1/receipts/${body.receipt_id}`, as('admin'))).status, 404, 'another user');
    const env = { VESPER_ROOT: ROOT, VESPER_LOG_LEVEL: 'error', VESPER_DATA_DIR: d.dataDir, VESPER_WAREHOUSE_DIR: await demoWarehouse() };
    const verified = await ctl(['receipt', 'verify', '--tenant', 'vesper', '--json'], env);
    assert.equal(JSON.parse(verified.stdout).ok, true, verified.stdout);
    const again = await ctl(['receipt', 'rerun', body.receipt_id, '--json'], env);
    assert.equal(again.code, 0, again.stdout + again.stderr);
  });

  it('answers many callers at once, and limits each user', async () => {
    const calls = await Promise.all(Array.from({ length: 24 }, (_, i) => call('get_hourly_price_distribution', { ...PRICE, year: 2025 + (i % 3) })));
    for (const reply of calls)
      assert.ok([200, 429].includes(reply.status), reply.text);
    assert.ok(calls.filter((reply) => reply.status === 200).length >= 8);
    for (const reply of calls.filter((r) => r.status === 429))
      assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    assert.equal((await call('get_hourly_price_distribution', PRICE)).status, 200);
  });

  it('survives disconnecting callers', async () => {
    const body = JSON.stringify({ ...PRICE });
    const head = `POST /api/v1/tools/get_hourly_price_distribution HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rest.token}\r\n`
      + `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await Promise.all(Array.from({ length: 20 }, (_, i) => new Promise((done) => {
      const socket = net.connect(d.port, '127.0.0.1', () => socket.write(head, () => setTimeout(() => socket.destroy(), i % 5)));
      socket.on('close', done).on('error', () => {});
    })));
    /* Their calls count against the user's limit until they are cancelled. */
    let reply;
    while ((reply = await call('get_average_annual_price', PRICE)).status === 429)
      await new Promise((done) => setTimeout(done, 50));
    assert.equal(reply.status, 200);
  });

  it('is also available at the old addresses', async () => {
    assert.deepEqual((await rest.get('/api/tools')).body, (await rest.get('/api/v1/tools')).body);
    assert.equal((await rest.post('/api/tools/get_average_annual_price', PRICE)).body.status, 'ok');
    assert.equal((await fetch(`${d.url}/api/health`)).status, 200);
  });
});

describe('a server that hides what the caller may not use', () => {
  it('has no unversioned addresses, and no tool without permission', async () => {
    const d = await startDaemon({ env: { VESPER_API_ALIASES: 'false', VESPER_CHECKS_HIDE_EXISTENCE: 'true' } });
    const rest = d.rest(mintToken({ sub: 'v', role: 'viewer' }));
    for (const path of ['/api/tools', '/api/health'])
      assert.equal((await rest.get(path)).status, 404);
    assert.equal((await rest.post('/api/v1/tools/get_budget_overview', { project_name: 'Nazareth Solar' })).status, 404);
    await d.stop();
  });
});
