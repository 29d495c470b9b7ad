/*
 * The daemon with a given database server: schema, every tool, tenant context, cancellation and login rights.
 * VESPER_TEST_DSN is the connection string of a login that may create tables, roles and logins in a database whose
 * contents may change; ./run test --mssql DSN sets it. Written for SQL Server. It also runs on PostgreSQL, which tests
 * the suite itself if no SQL Server is available.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { callTools, compareTools, rootWithoutWhere } from '../e2e/server-tools.mjs';
import { ctl, demo, smallWarehouse } from '../e2e/postgres.mjs';
import { mintToken } from '../e2e/token.mjs';

const run = promisify(execFile);
const ADMIN = process.env.VESPER_TEST_DSN;
const DIALECT = process.env.VESPER_TEST_DIALECT ?? 'mssql';
const MSSQL = DIALECT === 'mssql';
/* Long, with every class of characters that password policies require. */
const secret = () => `Aa1_${randomBytes(18).toString('hex')}`;
const PASSWORDS = { vesper_read: secret(), vesper_chat: secret() };

/* The administrator's connection with another login. */
function dsn(user) {
  const rest = ADMIN.split(/;(?![^{]*\})/)
    .filter((part) => part !== '' && !/^\s*(uid|pwd|user id|username|password|authentication|trusted_connection)\s*=/i.test(part));
  return [...rest, `Uid=${user}`, `Pwd=${PASSWORDS[user]}`].join(';');
}

const env = (more = {}) => ({
  VESPER_WAREHOUSE_DIR: undefined, VESPER_WAREHOUSE_DIALECT: DIALECT, VESPER_STORE_DIALECT: DIALECT,
  VESPER_WAREHOUSE_DSN: dsn('vesper_read'), VESPER_STORE_DSN: dsn('vesper_chat'), ...more,
});

/* Runs statements on one connection. Resolves to {text, failed}. */
function isql(connection, statements) {
  return new Promise((resolve) => {
    const child = spawn('isql', ['-k', connection, '-b', '-v', '-d|']);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more) => {
        text += more;
      });
    child.once('close', () => resolve({ text, failed: /\bERROR\b|^\[[0-9A-Z]{5}\]/m.test(text) }));
    child.stdin.end(statements.map((sql) => `${sql}\n`).join(''));
  });
}

const context = (tenant, readOnly = 0) => MSSQL
  ? `EXEC sys.sp_set_session_context @key = N'tenant_id', @value = N'${tenant}', @read_only = ${readOnly}`
  : `SELECT set_config('vesper.tenant_id', '${tenant}', false)`;

async function admin(...statements) {
  const { text, failed } = await isql(ADMIN, statements);
  assert.equal(failed, false, text);
  return text;
}

async function db(...words) {
  const done = await ctl(['db', ...words], { VESPER_ADMIN_DSN: ADMIN, VESPER_READ_PASSWORD: PASSWORDS.vesper_read,
    VESPER_CHAT_PASSWORD: PASSWORDS.vesper_chat });
  assert.equal(done.code, 0, done.stderr);
  return done.stdout;
}

let sqlite;

before(async () => {
  await run('isql', ['--version']).catch(() => assert.fail('isql is missing: apt-get install unixodbc'));
  await db('init', '--dialect', DIALECT);
  const seeded = await demo(['seed', '--small', '--replace'], { VESPER_ADMIN_DSN: ADMIN });
  assert.equal(seeded.code, 0, seeded.stderr);
  sqlite = await smallWarehouse();
});

describe('the schema', () => {
  it('is unchanged by a second installation', async () => assert.doesNotMatch(await db('init'), /applied/));

  it('fits every statement', async () => {
    const check = await launch({ args: ['--check'], warehouse: 'none', env: env() });
    assert.equal((await check.ended()).code, 0, check.output);
  });
});

describe('every tool', () => {
  it('returns the same results as on SQLite', () => compareTools(env(), sqlite));
});

describe('tenants', () => {
  const WORDS = [['list_available_curves'], ['get_portfolio_summary']].flatMap((w) => [w, [...w, '--tenant', 'acme']]);
  const asked = (more) => callTools(env(more), WORDS);
  let right;

  async function rules(on) {
    if (MSSQL)
      await admin(...['warehouse', 'chat'].map((p) => `ALTER SECURITY POLICY sec.${p}_tenants WITH (STATE = ${on ? 'ON' : 'OFF'})`));
    else
      await admin(`DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT polrelid FROM pg_policy LOOP EXECUTE format('ALTER TABLE %s ${
        on ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY', t); END LOOP; END $$`);
  }

  before(async () => {
    right = await asked();
    assert.ok(right[1].tables[0].rows.every((row) => row.some((cell) => /Acme/.test(cell))));
  });
  after(() => rules(true));

  it('are apart by the row rules alone', async () => {
    assert.deepEqual(await asked({ VESPER_ROOT: await rootWithoutWhere() }), right);
  });

  it('are apart by the statements alone', async () => {
    await rules(false);
    assert.deepEqual(await asked(), right);
    await rules(true);
  });

  it('are also separated in chats', async () => {
    const d = await startDaemon({ warehouse: 'none', env: env({ VESPER_WAREHOUSE_WORKERS: '1' }) });
    const acme = mintToken({ tenant_id: 'acme' });
    const [mine, theirs] = [await d.ask(REFERENCE), await d.ask(REFERENCE, { token: acme })];
    assert.match(mine.text, /\$48\.73/);
    assert.doesNotMatch(theirs.text, /48\.73/);
    const res = await fetch(`${d.url}/api/v1/sessions/${mine.session}/messages`, { headers: { authorization: `Bearer ${acme}` } });
    assert.equal(res.status, 404);
    await d.stop();
  });

  it('see nothing without a context', async () => {
    const { text } = await isql(dsn('vesper_read'), ['SELECT COUNT(*) AS n FROM dbo.per_project']);
    assert.match(text, /\b0\b/);
    assert.doesNotMatch(text, /[1-9]/);
  });

  it('cannot change a read-only context', { skip: !MSSQL && 'PostgreSQL has no such setting' }, async () => {
    const { failed, text } = await isql(dsn('vesper_read'), [context('vesper', 1), context('acme')]);
    assert.ok(failed && /15664/.test(text), text);
  });
});

describe('a query that takes too long', () => {
  const RUNNING = MSSQL
    ? "SELECT COUNT(*) AS n FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id WHERE s.login_name = N'vesper_read'"
    : "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE usename = 'vesper_read' AND state = 'active'";

  it('ends as a timeout, and no longer runs on the server', async () => {
    const [{ outcome }] = await callTools(env({ VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '10' }),
      [['compare_markets', 'markets=CAISO', 'markets=ERCOT', 'year=2025']]);
    assert.equal(outcome.kind, 'timeout');
    await sleep(1000);
    assert.match(await admin(RUNNING), /\b0\b/);
  });
});

describe('logins', () => {
  const VIEWS = ['Stage.mc_vendor_files', 'Stage.mc_dayahead', 'Stage.pbi_activity_events', 'dbo.per_project', 'dbo.per_projecthealth',
    'dbo.per_tasks', 'dbo.per_project45', 'dbo.activeportfolio_mm', 'dbo.changes'];
  const set = (login) => MSSQL ? `EXEC sec.set_login '${login}', 'Aa1_xxxxxxxxxxxx'` : `CALL dbo.set_login('${login}', 'Aa1_xxxxxxxxxxxx')`;

  async function refuses(login, statements) {
    for (const sql of statements) {
      const { failed, text } = await isql(dsn(login), [context('vesper'), sql]);
      assert.ok(failed, `${login} may: ${sql}\n${text}`);
    }
  }

  it('the warehouse login can only read the views', async () => {
    for (const view of VIEWS)
      assert.equal((await isql(dsn('vesper_read'), [context('vesper'), `SELECT COUNT(*) AS n FROM ${view}`])).failed, false, view);
    await refuses('vesper_read', [
      ...VIEWS.flatMap((v) => [`SELECT COUNT(*) FROM base.${v.split('.')[1]}`, `DELETE FROM ${v}`]),
      'SELECT COUNT(*) FROM dbo.chat_messages', "UPDATE dbo.per_tasks SET risk = 'Low'", 'CREATE TABLE dbo.t (a int)',
      'DROP VIEW dbo.changes', set('vesper_read'),
    ]);
  });

  it('the store login can only store chats of its tenant', async () => {
    const insert = (tenant) => `INSERT INTO dbo.chat_sessions (tenant_id, session_id, user_id, title, created_at, updated_at) VALUES ('${tenant
    }', '${randomBytes(8).toString('hex')}', 'probe', '', '2026', '2026')`;
    const own = await isql(dsn('vesper_chat'), [context('vesper'), insert('vesper')]);
    assert.equal(own.failed, false, own.text);
    await refuses('vesper_chat', [insert('acme'), "UPDATE dbo.chat_sessions SET tenant_id = 'acme'", ...VIEWS.map((v) => `SELECT COUNT(*) FROM ${v}`),
      'SELECT COUNT(*) FROM base.changes', 'DROP TABLE dbo.chat_messages', 'CREATE TABLE dbo.t (a int)',
      'DELETE FROM dbo.schema_migrations', set('vesper_chat')]);
    const seen = await isql(dsn('vesper_chat'), [context('acme'), "SELECT COUNT(*) AS n FROM dbo.chat_sessions WHERE user_id = 'probe'"]);
    assert.doesNotMatch(seen.text, /[1-9]/);
    await isql(dsn('vesper_chat'), [context('vesper'), "DELETE FROM dbo.chat_sessions WHERE user_id = 'probe'"]);
  });
});
