/*
 * Export of results as CSV and as workbooks. Complete results are exported as stored; a truncated result is read again
 * completely, with the current permissions of its user. On SQLite and on PostgreSQL.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { read, utils } from 'xlsx';
import { demoWarehouse, REFERENCE, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';

const API = '/api/v1';
const HOURLY_TOOL = join(ROOT, 'tests/e2e/hourly');
const QUESTION = 'Show the ledger of hourly quotes for NP15 in 2025 from Ascend';
const STORED_ROWS = 500;

/* A copy of the product's files with an additional tool that returns thousands of rows. */
async function makeRoot() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  await mkdir(join(root, 'sql/energy/hourly'), { recursive: true });
  await cp(join(HOURLY_TOOL, 'sql'), join(root, 'sql/energy/hourly'), { recursive: true });
  await cp(join(HOURLY_TOOL, 'prompts'), join(root, 'prompts/energy'), { recursive: true });
  return root;
}

const linesOf = (text) => text.split('\r\n').slice(0, -1);
const pathOf = (answer) => `${API}/messages/${answer.message_id}/views/${answer.views.find((v) => v.view_type === 'data').view_id}/csv`;
const resultHeaders = (reply) => Object.fromEntries(['source', 'rows', 'truncated', 'changed'].map((n) => [n, reply.headers.get(`result-${n}`)]));

function suite(name, open) {
  describe(name, () => {
    let backend;
    let root;
    let d;
    const as = (role, sub = 'ann') => d.rest(mintToken({ sub, role }));
    const ask = async (rest, content = QUESTION) => {
      const reply = await rest.post(`${API}/chat`, { content });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };

    before(async () => {
      root = await makeRoot();
      backend = await open();
      d = await backend.start({ VESPER_ROOT: root });
    });
    after(async () => {
      await d?.stop();
      await backend?.stop();
    });

    it('is exported as stored if it is complete', async () => {
      const answer = await ask(as('analyst'), REFERENCE);
      const csv = await as('analyst').get(pathOf(answer));
      const view = answer.views.find((v) => v.view_type === 'data');
      assert.deepEqual(resultHeaders(csv), { source: 'kept', rows: `${view.row_count}`, truncated: '?0', changed: null });
      const message = (await as('analyst').messages(answer.session_id))[1];
      assert.equal(csv.headers.get('result-time'), message.created_at);
    });

    it('is exported completely if it was truncated', async () => {
      const rest = as('analyst');
      const answer = await ask(rest);
      const view = answer.views.find((v) => v.view_type === 'data');
      assert.deepEqual([view.row_count, view.truncated], [STORED_ROWS, true]);
      const total = await backend.count();
      assert.ok(total > 2 * STORED_ROWS, `${total} rows are too few for this test`);
      const csv = await rest.get(pathOf(answer));
      assert.equal(csv.status, 200, csv.text.slice(0, 300));
      assert.deepEqual(resultHeaders(csv), { source: 'read', rows: `${total}`, truncated: '?0', changed: '?0' });
      assert.ok(Math.abs(Date.parse(csv.headers.get('result-time')) - Date.now()) < 60000);
      const lines = linesOf(csv.text);
      assert.equal(lines.length, total + 1);
      assert.equal(lines[0], 'Day,Hour,Quote ($/MWh),"\'=Vendor"');
      view.data_dict.Day.forEach((day, i) => assert.equal(lines[i + 1],
        `${day},${view.data_dict.Hour[i]},${lines[i + 1].split(',')[2]},Ascend`));
      assert.equal(new Set(lines.slice(1).map((l) => l.split(',').slice(0, 2).join())).size > STORED_ROWS, true);
    });

    it('equals the workbook, in which numbers and dates are typed', async () => {
      const rest = as('analyst');
      const answer = await ask(rest);
      const lines = linesOf((await rest.get(pathOf(answer))).text);
      const reply = await fetch(d.url + pathOf(answer).replace(/csv$/, 'xlsx'), { headers: { authorization: `Bearer ${rest.token}` } });
      assert.equal(reply.status, 200);
      assert.match(reply.headers.get('content-type'), /spreadsheetml/);
      assert.deepEqual(resultHeaders(reply), { source: 'read', rows: `${lines.length - 1}`, truncated: '?0', changed: '?0' });
      const book = read(await reply.arrayBuffer(), { cellFormula: true, cellDates: true });
      const sheet = book.Sheets[book.SheetNames[0]];
      const rows = utils.sheet_to_json(sheet, { header: 1, UTC: true });
      assert.deepEqual(rows[0], ['Day', 'Hour', 'Quote ($/MWh)', '=Vendor']);
      assert.equal(rows.length, lines.length);
      rows.slice(1).forEach((row, i) => assert.equal([row[0].toISOString().slice(0, 10), ...row.slice(1)].join(),
        lines[i + 1].split(',').map((cell, k) => (k === 2 ? Number(cell) : cell)).join()));
      assert.deepEqual([sheet.A2.t, sheet.B2.t, sheet.C2.t, sheet.D2.t], ['d', 'n', 'n', 's']);
      assert.deepEqual(Object.values(sheet).filter((cell) => cell.f), []);
      checkProblem(await as('manager', 'another-user').get(pathOf(answer).replace(/csv$/, 'xlsx')), 404);
    });

    it('is exported with the current permissions of its user', async () => {
      const sub = 'promoted';
      const answer = await ask(as('analyst', sub));
      const asManager = await as('manager', sub).get(pathOf(answer));
      assert.match(linesOf(asManager.text)[0], /,Cost$/);
      const asAnalyst = await as('analyst', sub).get(pathOf(answer));
      assert.doesNotMatch(linesOf(asAnalyst.text)[0], /Cost/);
      checkProblem(await as('viewer', sub).get(pathOf(answer)), 404);
      checkProblem(await as('manager', 'another-user').get(pathOf(answer)), 404);
      const withCosts = await ask(as('manager', sub));
      assert.equal((await as('manager', sub).get(pathOf(withCosts))).status, 200);
      checkProblem(await as('analyst', sub).get(pathOf(withCosts)), 404);
    });

    it('is refused while the tool is disabled, and changed rows are reported', async () => {
      const rest = as('analyst', 'switched');
      const answer = await ask(rest);
      const setEnabled = (enabled) => as('admin').call('PUT', `${API}/admin/tools/hourly_agent/list_hourly_quotes`, { json: { enabled } });
      assert.equal((await setEnabled(false)).status, 200);
      let reply;
      for (let i = 0; i < 100 && (reply = await rest.get(pathOf(answer))).status !== 403; i++)
        await sleep(50);
      checkProblem(reply, 403);
      await setEnabled(true);
      for (let i = 0; i < 100 && (reply = await rest.get(pathOf(answer))).status !== 200; i++)
        await sleep(50);
      assert.equal(reply.headers.get('result-changed'), '?0');
      /* Changes the order of the statement's rows, so that they differ from those of the answer. */
      const file = join(root, 'sql/energy/hourly/list_hourly_quotes.sql');
      await writeFile(file, (await readFile(file, 'utf8')).replace('da.DATE, da.HOUR\n', 'da.DATE DESC, da.HOUR\n'));
      d.child.kill('SIGHUP');
      for (let i = 0; i < 200 && (reply = await rest.get(pathOf(answer))).headers.get('result-changed') !== '?1'; i++)
        await sleep(50);
      assert.deepEqual(resultHeaders(reply), { source: 'read', rows: `${await backend.count()}`, truncated: '?0', changed: '?1' });
    });

    it('is exported once at a time per user, and the export stops when its client disconnects', async () => {
      const rest = as('analyst', 'hasty');
      const answer = await ask(rest);
      /* The client does not read, so the export keeps running and another one is refused. */
      const socket = net.connect(d.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      await new Promise((done) => socket.once('connect', done));
      socket.write(`GET ${pathOf(answer)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rest.token}\r\n\r\n`);
      const replies = await Promise.all(Array.from({ length: 4 }, () => rest.get(pathOf(answer))));
      for (const reply of replies)
        assert.ok(reply.status === 200 || (checkProblem(reply, 429) && Number(reply.headers.get('retry-after')) > 0), reply.status);
      assert.equal((await as('analyst', 'patient').get(pathOf(await ask(as('analyst', 'patient'))))).status, 200);
      socket.destroy();
      let again;
      for (let i = 0; i < 100 && (again = await rest.get(pathOf(answer))).status !== 200; i++)
        await sleep(50);
      assert.equal(again.status, 200);
    });

    it('is written down in the audit log', async () => {
      const rest = as('analyst', 'audited');
      const answer = await ask(rest);
      await rest.get(pathOf(answer));
      let rows;
      for (let i = 0; i < 100 && (rows = await backend.auditedCount('audited')) !== '2'; i++)
        await sleep(50);
      assert.equal(rows, '2');
    });
  });
}

suite('a result as CSV on SQLite', async () => {
  let dataDir;
  const query = async (file, sql, ...values) => {
    const text = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nprint(d.execute(sys.argv[2],sys.argv[3:]).fetchone()[0])';
    return (await run('python3', ['-c', text, file, sql, ...values])).stdout.trim();
  };
  let warehouse;

  return {
    start: async (env) => {
      const d = await startDaemon({ env });
      ({ dataDir } = d);
      warehouse = await demoWarehouse();
      return d;
    },
    stop: () => undefined,
    count: async () => Number(await query(join(warehouse, 'vesper.db'), `SELECT COUNT(*) FROM mc_vendor_files vf JOIN mc_dayahead da
      ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key
      WHERE vf.vendor = 'Ascend' AND vf.hubzone = 'NP15' AND vf.reference = 'Base' AND da.YEAR = 2025`)),
    auditedCount: (user) => query(join(dataDir, 'store/vesper.db'), "SELECT COUNT(*) FROM chat_audit_log WHERE user_id = ? AND outcome = 'rows' AND turn_id IS NOT NULL", user),
  };
});

suite('a result as CSV on PostgreSQL', async () => {
  const pg = await installedPostgres();
  return {
    start: (env) => pg.start({ env }),
    stop: () => pg.service('stop'),
    count: async () => Number((await pg.psql('vesper_read', `SELECT COUNT(*) FROM Stage.mc_vendor_files vf JOIN Stage.mc_dayahead da
      ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
      WHERE vf.tenant_id = 'vesper' AND vf.vendor = 'Ascend' AND vf.hubzone = 'NP15' AND vf.reference = 'Base' AND da.YEAR = 2025`, { 'vesper.tenant_id': 'vesper' })).text),
    auditedCount: (user) => pg.admin(`SELECT COUNT(*) FROM dbo.chat_audit_log WHERE user_id = '${user}' AND outcome = 'rows' AND turn_id IS NOT NULL`),
  };
});
