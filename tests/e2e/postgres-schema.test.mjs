/*
 * The schema on PostgreSQL: installation, migration, and the rights of its logins over direct connections, without
 * the SQL gate. Passwords are not needed here (the server trusts loopback); a query checks that they are set.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, refusedStart, tempDir } from './harness.mjs';
import { CHAT_PASSWORD, ctl, installedPostgres, READ_PASSWORD } from './postgres.mjs';

const VIEWS = ['stage.mc_vendor_files', 'stage.mc_dayahead', 'stage.pbi_activity_events', 'dbo.per_project',
  'dbo.per_projecthealth', 'dbo.per_tasks', 'dbo.per_project45', 'dbo.activeportfolio_mm', 'dbo.changes'];
const CHATS = ['chat_sessions', 'chat_messages', 'chat_agent_tools', 'chat_session_summaries', 'chat_feedback',
  'chat_audit_log', 'chat_idempotency', 'chat_ledger', 'chat_receipts', 'chat_flows', 'chat_tokens',
  'chat_turns', 'chat_saved_views', 'chat_data_joins'];
const ACME = { 'vesper.tenant_id': 'acme' };
const VESPER = { 'vesper.tenant_id': 'vesper' };

let pg;

before(async () => {
  pg = await installedPostgres();
});
after(() => pg?.service('stop'));

/* A root folder with copies of the files, which a test may change. */
async function ownRoot() {
  const root = await tempDir('root');
  await cp(join(ROOT, 'sql'), join(root, 'sql'), { recursive: true });
  return root;
}

/* "table.column" of every table that the files of a folder create, parsed from their text. All dialects must have the same. */
async function columnsOf(folder) {
  const dir = join(ROOT, 'sql', folder);
  const found = new Set();
  for (const file of (await readdir(dir)).sort()) {
    const text = await readFile(join(dir, file), 'utf8');
    for (const [, table, body] of text.matchAll(/^CREATE TABLE (?:\w+\.)?(\w+) \(\n([\s\S]*?)\n\)/gm))
      for (const [, name] of body.matchAll(/^\t("[^"]+"|\w+) (?:n?varchar|char|text|n?text|int|bigint|integer|smallint|bit|date|datetime2?|timestamp|decimal)/gm))
        found.add(`${table}.${name}`);
    for (const [, table, name] of text.matchAll(/^ALTER TABLE (?:\w+\.)?(\w+) ADD (?:COLUMN )?(?!CONSTRAINT\b)(\w+) /gm))
      found.add(`${table}.${name}`);
  }
  return [...found].filter((c) => !c.startsWith('vesper_tenant.')).sort();
}

describe('the three dialects', () => {
  for (const [part, sqlite] of [['store', 'store/sqlite'], ['warehouse', 'warehouse/sqlite']])
    it(`have the same columns: ${part}`, async () => {
      const [first, ...others] = await Promise.all([columnsOf(sqlite), columnsOf(`schema/postgres/${part}`), columnsOf(`schema/mssql/${part}`)]);
      assert.ok(first.length > 50);
      for (const other of others)
        assert.deepEqual(other, first);
    });
});

/* With a case-sensitive collation, SQL Server does not find "stage" if the schema is named "Stage". */
it('the schema Stage has one spelling', async () => {
  const misspelled = [];
  for (const folder of ['sql/energy', 'sql/store', 'sql/warehouse', 'sql/schema/mssql', 'config', 'prompts'])
    for (const name of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.(sql|json|md)$/.test(name))
        continue;
      for (const [word] of (await readFile(join(ROOT, folder, name), 'utf8')).matchAll(/\bstage\.(?=mc_|pbi_)\w+/gi))
        if (!word.startsWith('Stage.'))
          misspelled.push(`${folder}/${name}: ${word}`);
    }
  assert.deepEqual(misspelled, []);
});

describe('installing', () => {
  it('twice changes nothing', async () => {
    const before = await pg.admin('SELECT part, version, checksum, applied_at FROM dbo.schema_migrations ORDER BY 1, 2');
    const again = await pg.ctl(['db', 'init']);
    assert.equal(again.code, 0, again.stderr);
    assert.doesNotMatch(again.stdout, /applied/);
    assert.equal(await pg.admin('SELECT part, version, checksum, applied_at FROM dbo.schema_migrations ORDER BY 1, 2'), before);
  });

  it('a file that was changed after it was applied is refused and named', async () => {
    const root = await ownRoot();
    const file = join(root, 'sql/schema/postgres/store/001_chat.sql');
    await writeFile(file, `${await readFile(file, 'utf8')}\n-- a word more\n`);
    const { code, stderr } = await pg.ctl(['db', 'migrate'], { VESPER_ROOT: root });
    assert.equal(code, 1);
    assert.match(stderr, /store\/001_chat\.sql was changed after it was applied/);
  });

  it('a file that fails is named with its statement, and rolled back', async () => {
    const root = await ownRoot();
    await writeFile(join(root, 'sql/schema/postgres/warehouse/002_more.sql'),
      '--# good\nCREATE TABLE base.half_done (a int)\n\n--# bad\nCREATE TABLE base.x (a nonsense)\n');
    const { code, stderr } = await pg.ctl(['db', 'migrate'], { VESPER_ROOT: root });
    assert.equal(code, 1);
    assert.match(stderr, /warehouse\/002_more\.sql:5 \(bad\).*nonsense/);
    assert.equal(await pg.admin("SELECT to_regclass('base.half_done') IS NULL"), 't');
    assert.equal(await pg.admin("SELECT max(version) FROM dbo.schema_migrations WHERE part = 'warehouse'"), '1');
  });

  it('a gap in the numbers is refused', async () => {
    const root = await ownRoot();
    await writeFile(join(root, 'sql/schema/postgres/warehouse/003_more.sql'), 'SELECT 1\n');
    const { code, stderr } = await pg.ctl(['db', 'migrate'], { VESPER_ROOT: root });
    assert.equal(code, 1);
    assert.match(stderr, /the file number must be 002/);
  });

  it('a newer schema is refused', async () => {
    await pg.admin("INSERT INTO dbo.schema_migrations (part, version, name, checksum) VALUES ('store', 99, 'x', 'x')");
    const { code, stderr } = await pg.ctl(['db', 'migrate']);
    await refusedStart({ warehouse: 'none', env: pg.env() }, /newer version/);
    await pg.admin("DELETE FROM dbo.schema_migrations WHERE version = 99");
    assert.equal(code, 1);
    assert.match(stderr, /newer version \(99/);
  });

  it('seeding twice needs an option', async () => {
    const { code, stderr } = await pg.seed('--small');
    assert.equal(code, 1);
    assert.match(stderr, /tenant vesper has rows in base\.\w+ already; --replace/);
  });

  it('contradictory options are reported', async () => {
    assert.match((await ctl(['db', 'init'])).stderr, /VESPER_ADMIN_DSN/);
    assert.match((await pg.ctl(['db', 'init', '--dialect', 'sqlite'])).stderr, /SQLite files need no installation/);
    assert.match((await pg.ctl(['db', 'init', '--dialect', 'mssql'])).stderr, /dialect is postgres, not mssql/);
    assert.match((await pg.ctl(['db', 'undo'])).stderr, /the verb must be init or migrate; --only must be/);
    assert.match((await ctl(['db', 'migrate', '--dsn', 'Driver=nowhere;Database=x'])).stderr, /for SQL Server or PostgreSQL that odbcinst/);
  });

  it('both programs report an unprepared database', async () => {
    await pg.admin('CREATE DATABASE empty');
    const elsewhere = (dsn) => dsn.replace('Database=postgres', 'Database=empty');
    const { stderr } = await ctl(['db', 'migrate', '--dsn', elsewhere(pg.dsn('postgres'))]);
    assert.match(stderr, /not initialized; run vesperctl db init/);
    const env = pg.env({ VESPER_STORE_DSN: elsewhere(pg.dsn('vesper_chat', CHAT_PASSWORD)) });
    await refusedStart({ warehouse: 'none', env }, /vesperctl db init/);
    await refusedStart({ args: ['--check'], warehouse: 'none', env }, /vesperctl db init/);
  });

  it('every table with a tenant has row-level security that also applies to its owner', async () => {
    const unprotected = await pg.admin(`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
      WHERE n.nspname IN ('base', 'dbo') AND c.relkind = 'r'
        AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))`);
    assert.equal(unprotected, '');
    assert.ok(Number(await pg.admin('SELECT count(*) FROM pg_policy')) >= VIEWS.length + CHATS.length);
    assert.equal(await pg.admin(`SELECT count(*) FROM pg_roles WHERE rolname IN ('vesper_owner', 'vesper_read', 'vesper_chat')
      AND (rolsuper OR rolbypassrls)`), '0');
  });

  it('passwords are set and never shown', async () => {
    assert.equal(await pg.admin("SELECT count(*) FROM pg_authid WHERE rolname IN ('vesper_read', 'vesper_chat') AND rolcanlogin AND rolpassword LIKE 'SCRAM%'"), '2');
    const log = await readFile(join(pg.dir, 'log'), 'utf8');
    for (const secret of [READ_PASSWORD, CHAT_PASSWORD])
      assert.doesNotMatch(log, new RegExp(secret));
  });
});

describe('the warehouse login', () => {
  const read = (sql, settings = VESPER) => pg.psql('vesper_read', sql, settings);

  it('reads the approved views of its tenant, and nothing without one', async () => {
    const counts = (what) => VIEWS.map((view) => `SELECT ${what} FROM ${view}`).join(' UNION ALL ');
    const own = await read(counts("min(tenant_id) || max(tenant_id) || (count(*) > 0)"));
    assert.equal(own.text, VIEWS.map(() => 'vespervespertrue').join('\n'));
    for (const tenant of [undefined, '', 'nobody', 'VESPER', "x'\\ OR\\ '1'='1"]) {
      const { text } = await read(counts('count(*)'), tenant === undefined ? {} : { 'vesper.tenant_id': tenant });
      assert.equal(text, VIEWS.map(() => '0').join('\n'), `as ${tenant}`);
    }
  });

  const forbidden = {
    'reading base tables': VIEWS.map((v) => `SELECT 1 FROM base.${v.split('.')[1]}`),
    'reading chats': CHATS.map((t) => `SELECT 1 FROM dbo.${t}`),
    'writing': VIEWS.flatMap((v) => [`DELETE FROM ${v}`, `UPDATE ${v} SET tenant_id = 'vesper'`, `INSERT INTO ${v} (tenant_id) VALUES ('vesper')`])
      .concat(['TRUNCATE base.mc_dayahead', "INSERT INTO dbo.schema_migrations VALUES ('store', 9, 'x', 'x')"]),
    'creating objects': ['CREATE TABLE dbo.t (a int)', 'CREATE TABLE public.t (a int)', 'CREATE TEMP TABLE t (a int)',
      'SELECT 1 AS a INTO public.t', 'CREATE SCHEMA mine', 'CREATE FUNCTION dbo.f() RETURNS int LANGUAGE sql AS $$SELECT 1$$',
      'SELECT lo_create(0)', "SELECT lo_from_bytea(0, 'x')", 'CREATE EXTENSION dblink'],
    'changing objects': ['DROP VIEW dbo.changes', 'ALTER VIEW dbo.changes RENAME TO c', 'DROP POLICY own_tenant ON base.changes',
      'ALTER TABLE base.changes DISABLE ROW LEVEL SECURITY'],
    'becoming another role': ['SET ROLE vesper_owner', 'SET ROLE postgres', 'SET SESSION AUTHORIZATION vesper_chat',
      "CALL dbo.set_login('vesper_read', 'x')", 'ALTER ROLE vesper_read BYPASSRLS', 'ALTER ROLE vesper_chat PASSWORD NULL'],
    'reaching the machine': ["COPY dbo.changes TO '/tmp/x'", "COPY dbo.changes TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')",
      "SELECT pg_ls_dir('/')", 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = \'postgres\'',
      'SELECT rolpassword FROM pg_authid'],
  };
  for (const [name, statements] of Object.entries(forbidden))
    it(`is denied: ${name}`, async () => {
      assert.deepEqual(await pg.accepted('vesper_read', statements, VESPER), []);
      const off = 'SET default_transaction_read_only = off';
      assert.deepEqual(await pg.accepted('vesper_read', [off, ...statements], VESPER), [off]);
    });

  it('cannot grant its rights', async () => {
    await pg.accepted('vesper_read', ['SET default_transaction_read_only = off', 'GRANT SELECT ON dbo.changes TO PUBLIC'], VESPER);
    assert.equal(await pg.admin("SELECT has_table_privilege('vesper_chat', 'dbo.changes', 'SELECT')"), 'f');
  });

  it('turning row-level security off shows no other tenant', async () => {
    const { ok, text } = await read("SET row_security = off; SELECT count(*) FROM dbo.changes WHERE tenant_id <> 'vesper'");
    assert.ok(!ok || text === '0', text);
  });

  it('an expression of the login is not evaluated for rows that row-level security hides', async () => {
    const { text } = await read("SELECT count(*) FROM dbo.per_project WHERE name LIKE '%' AND (1 / (CASE WHEN tenant_id = 'acme' THEN 0 ELSE 1 END)) = 1");
    assert.match(text, /^[1-9]\d*$/, 'no division by zero: the expression is not evaluated for rows of acme');
  });

  /* Row-level security depends on a setting that anyone who can send arbitrary statements with the login can change.
   * Therefore only the daemon has the login, and it only sends its own statements. */
  it('the login can choose the tenant, so only the daemon may have it', async () => {
    const { text } = await read("SELECT set_config('vesper.tenant_id', 'acme', false); SELECT count(*) > 0 FROM dbo.changes");
    assert.match(text, /\nt$/);
  });
});

describe('the store login', () => {
  const chat = (sql, settings = ACME) => pg.psql('vesper_chat', sql, settings);
  const session = (tenant, id) => `INSERT INTO chat_sessions (tenant_id, session_id, user_id, title, created_at, updated_at)
    VALUES ('${tenant}', '${id}', 'ann', '', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`;

  it('writes for its tenant only', async () => {
    assert.equal((await chat(session('acme', 's1'))).ok, true);
    assert.match((await chat(session('vesper', 's2'))).text, /row-level security/);
    assert.match((await chat("UPDATE chat_sessions SET tenant_id = 'vesper'")).text, /row-level security/);
    assert.match((await chat(session('acme', 's3'), {})).text, /row-level security/);
  });

  it('cannot see, change or delete data of another tenant', async () => {
    for (const settings of [VESPER, {}]) {
      assert.equal((await chat('SELECT count(*) FROM chat_sessions', settings)).text, '0');
      await chat("UPDATE chat_sessions SET title = 'taken'", settings);
      await chat('DELETE FROM chat_sessions', settings);
    }
    assert.equal((await chat("SELECT count(*) FROM chat_sessions WHERE title = ''")).text, '1');
  });

  it('the same session id in two tenants is two sessions', async () => {
    assert.equal((await chat(session('vesper', 's1'), VESPER)).ok, true);
    assert.equal((await chat('SELECT count(*) FROM chat_sessions')).text, '1');
  });

  it('has no other rights', async () => {
    const statements = [...VIEWS.map((v) => `SELECT 1 FROM ${v}`), 'SELECT 1 FROM base.changes', 'CREATE TABLE dbo.t (a int)',
      'CREATE TEMP TABLE t (a int)', 'TRUNCATE chat_messages', 'DROP TABLE chat_messages', 'SET ROLE vesper_owner',
      'ALTER TABLE chat_messages DISABLE ROW LEVEL SECURITY', "DELETE FROM schema_migrations", "CALL dbo.set_login('vesper_chat', 'x')"];
    assert.deepEqual(await pg.accepted('vesper_chat', statements, ACME), []);
  });
});
