/*
 * Tools over two databases: data of a bakery in the warehouse (SQLite), data of ferries in a separate source, once
 * SQLite and once PostgreSQL. One question queries both, an unavailable source does not affect the other, and an
 * invalid configuration is refused when it is loaded.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoWarehouse, filesUnder, launch, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { startPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';
import { MARK } from '../secrets.mjs';
import { patient } from './patience.mjs';

const PACKS = join(ROOT, 'tests/packs');
const RECOVERY_LIMIT_MS = patient(20000); /* after the server has restarted; the daemon retries every three seconds */
const SLOW_MS = 1500; /* duration of each query of the view on the server, in the test of a slow source */
const PASSWORD = `${MARK}Quay7`;
const CREATE_DATABASE = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n'
  + 'for f in sys.argv[3:]: d.executescript(open(f).read())\n'
  + 'd.execute("INSERT INTO vesper_tenant VALUES (?)",(sys.argv[2],))\nd.commit()';
const TENANTS = {
  vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
  crumb: { warehouse: 'crumb.db', store: 'crumb.db', packs: ['bakery', 'ferry'] },
};
const PERMISSIONS = ['chat:use', 'chat:advanced_sql', 'bakery:read', 'ferry:read'];
const BREAD = 'Loaves by bread of Copperdeck in 2025';
const TRIPS = 'How many trips did Seagull make in 2025?';
const BOTH = 'How many trips did Seagull make in 2025, and how many loaves did Copperdeck bake?';
const token = () => mintToken({ tenant_id: 'crumb', permissions: PERMISSIONS });

async function setUp(more = {}) {
  const [roots, warehouse, harbour] = await Promise.all([tempDir('packs'), tempDir('warehouse'), tempDir('harbour')]);
  await cp(PACKS, roots, { recursive: true });
  await copyFile((await filesUnder(await demoWarehouse())).find((p) => /vesper\.db$/.test(p)), join(warehouse, 'vesper.db'));
  await run('python3', ['-c', CREATE_DATABASE, join(warehouse, 'crumb.db'), 'crumb',
    join(ROOT, 'sql/warehouse/sqlite/schema.sql'), join(PACKS, 'warehouse.sql')]);
  await run('python3', ['-c', CREATE_DATABASE, join(harbour, 'crumb.db'), 'crumb', join(PACKS, 'harbour.sql')]);
  return { roots, warehouse, harbour,
    env: { VESPER_TENANTS: JSON.stringify(TENANTS), VESPER_PACKS_ROOTS: roots, VESPER_SOURCES_HARBOUR_DIR: harbour, ...more } };
}

const ctl = (s, args, dataDir) => {
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  const env = { ...own, ...s.env, VESPER_WAREHOUSE_DIR: s.warehouse, VESPER_DATA_DIR: dataDir ?? s.roots, VESPER_TODAY: '2026-02-27' };
  return run(VESPERCTL, args, { env: Object.fromEntries(Object.entries(env).filter(([, v]) => v !== undefined)) })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }), (e) => e);
};

const outcomes = (turn) => turn.complete?.outcomes?.map((o) => o.outcome);

async function receiptOf(d, turn) {
  const { body } = await d.rest(token()).get(`/api/v1/receipts/${turn.complete.receipt_id}`);
  return body.data ?? body;
}

/* Tests for both kinds of source. */
function testBothSources(daemon) {
  it('one question queries both', async () => {
    const d = daemon();
    const turn = await d.ask(BOTH, { token: token() });
    assert.deepEqual(outcomes(turn), ['rows', 'rows'], JSON.stringify(turn.complete ?? turn));
    assert.match(turn.text, /7,?311/);
    assert.match(turn.text, /9,?377/);
    const { content } = await receiptOf(d, turn);
    assert.deepEqual(content.calls.map((c) => [c.tool, c.source]).sort(),
      [['get_loaves_by_bread', 'warehouse'], ['get_trips_of_ferry', 'harbour']]);
  });

  it('the health report has both, for their tenants', async () => {
    const { checks } = await daemon().health();
    assert.equal(checks['harbour:crumb'], 'healthy', JSON.stringify(checks));
    assert.ok(checks['warehouse:crumb'] && checks['warehouse:vesper']);
    assert.equal(checks['harbour:vesper'], undefined);
  });

  it('names are loaded from both', async () => {
    const turn = await daemon().ask('Trips of the Cormorant in 2025', { token: token() });
    assert.match(turn.text, /2,?290/);
  });
}

describe('a second source in SQLite files', () => {
  let s;
  let d;
  before(async () => {
    s = await setUp();
    d = await startDaemon(s);
  });
  after(() => d?.stop());
  testBothSources(() => d);

  it('is checked with its tools by --check', async () => {
    const good = await launch({ ...s, args: ['--check'] });
    assert.equal((await good.ended()).code, 0, good.output);
    const harbour = await tempDir('harbour');
    await run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n'
      + 'd.execute("CREATE TABLE vesper_tenant (tenant_id nvarchar(100) PRIMARY KEY)")\n'
      + 'd.execute("INSERT INTO vesper_tenant VALUES (\'crumb\')")\nd.commit()', join(harbour, 'crumb.db')]);
    const bad = await launch({ ...s, args: ['--check'], env: { ...s.env, VESPER_SOURCES_HARBOUR_DIR: harbour } });
    assert.equal((await bad.ended()).code, 1);
    assert.match(bad.output, /get_trips_of_ferry\.sql: tenant crumb: .*trips/);
    assert.match(bad.output, /config\/ferry\/catalogue\.json: dimension ferry: tenant crumb/);
    assert.doesNotMatch(bad.output, /get_loaves_by_bread/);
  });

  it('is queried by vesperctl', async () => {
    const result = await ctl(s, ['tool', 'run', 'get_trips_of_ferry', 'ferry=Seagull', '--tenant', 'crumb']);
    assert.deepEqual(JSON.parse(result.stdout).tables[0].rows, [['Seagull', '7311']], result.stderr);
    const route = JSON.parse((await ctl(s, ['route', TRIPS, '--tenant', 'crumb'])).stdout);
    assert.match(JSON.stringify(route), /get_trips_of_ferry/);
    const sql = await ctl({ ...s, env: { ...s.env, VESPER_SOURCES_HARBOUR_DIR: undefined, VESPER_SOURCES_HARBOUR_DIALECT: 'mssql',
      VESPER_SOURCES_HARBOUR_DSN: 'Driver=none' } }, ['tool', 'sql', 'get_trips_of_ferry', 'ferry=Seagull', '--tenant', 'crumb']);
    assert.match(sql.stdout, /N'Seagull'/, sql.stderr);
  });

  it('is read by ad hoc SQL, but not together with another source', async () => {
    const runSql = (sql) => ctl(s, ['tool', 'run', 'general_sql_query', `sql=${sql}`, '--tenant', 'crumb']).then((r) => JSON.parse(r.stdout));
    assert.deepEqual((await runSql('SELECT SUM(trips) AS n FROM quay.trips')).tables[0].rows, [['16721']]);
    assert.deepEqual((await runSql('SELECT SUM(loaves) AS n FROM dbo.bak_batches')).tables[0].rows, [['78681']]);
    const mixed = await runSql('SELECT t.trips FROM quay.trips t JOIN dbo.bak_batches b ON b.batch_year = t.trip_year');
    assert.equal(mixed.outcome.kind, 'error');
    assert.match(JSON.stringify(mixed.outcome), /different databases/);
  });

  it('is named in the receipt, whose calls can be run again', async () => {
    const turn = await d.ask(BOTH, { token: token() });
    await d.rest(token()).get('/api/v1/sessions'); /* the answer is stored before this request is answered */
    const again = await ctl(s, ['receipt', 'rerun', turn.complete.receipt_id, '--tenant', 'crumb', '--json'], d.dataDir);
    const [verdict] = [JSON.parse(again.stdout)].flat();
    assert.equal(verdict.ok, true, again.stdout);
    assert.equal(verdict.calls.length, 2);
  });
});

describe('a second source on PostgreSQL', () => {
  let pg;
  let s;
  let d;

  before(async () => {
    pg = await startPostgres();
    await pg.admin(`CREATE ROLE quay_read LOGIN PASSWORD '${PASSWORD}'; CREATE SCHEMA quay;
      CREATE TABLE quay.rows (ferry varchar(50) NOT NULL, trip_year int NOT NULL, trips int NOT NULL, tenant_id varchar(100) NOT NULL);
      INSERT INTO quay.rows VALUES ('Seagull', 2025, 7311, 'crumb'), ('Cormorant', 2025, 2290, 'crumb'), ('Seagull', 2025, 666, 'vesper');
      CREATE TABLE quay.pace (s numeric NOT NULL); INSERT INTO quay.pace VALUES (0);
      CREATE VIEW quay.trips AS SELECT r.ferry, r.trip_year, r.trips, r.tenant_id FROM quay.rows r
        CROSS JOIN (SELECT pg_sleep(s::float8)::text AS slept FROM quay.pace OFFSET 0) p WHERE p.slept IS NOT NULL;
      GRANT USAGE ON SCHEMA quay TO quay_read; GRANT SELECT ON quay.trips TO quay_read`);
    s = await setUp({ VESPER_SOURCES_HARBOUR_DIR: undefined, VESPER_SOURCES_HARBOUR_DIALECT: 'postgres',
      VESPER_SOURCES_HARBOUR_DSN: pg.dsn('quay_read', PASSWORD), LSAN_OPTIONS: pg.env().LSAN_OPTIONS });
    d = await startDaemon(s);
  });
  after(async () => {
    await d?.stop();
    await pg?.service('stop');
  });
  testBothSources(() => d);

  it('is queried in parallel with the first source', async () => {
    await pg.admin(`UPDATE quay.pace SET s = ${SLOW_MS / 1000}`);
    const ask = async (question) => {
      const turn = await d.ask(question, { token: token() });
      return { latencyMs: turn.complete.latency_ms, calls: (await receiptOf(d, turn)).content.calls };
    };
    const { latencyMs, calls } = await ask(BOTH);
    const readAt = Object.fromEntries(calls.map((c) => [c.source, Date.parse(c.read_at)]));
    assert.ok(latencyMs >= SLOW_MS, `${latencyMs} ms`);
    assert.ok(readAt.warehouse + SLOW_MS / 2 < readAt.harbour, 'the fast call did not wait for the slow one, which is first in the question');
    await pg.admin('UPDATE quay.pace SET s = 0');
  });

  it('does not affect the first source while it is unavailable, and recovers', { timeout: 120000 }, async () => {
    await pg.service('kill');
    const lost = await d.ask(TRIPS, { token: token() });
    assert.deepEqual(outcomes(lost) ?? lost.error?.code, ['error'], JSON.stringify(lost));
    assert.doesNotMatch(JSON.stringify(lost), /7,?311|quay_read|postgres/i);
    const start = Date.now();
    assert.deepEqual(outcomes(await d.ask(BREAD, { token: token() })), ['rows']);
    assert.ok(Date.now() - start < 5000, 'the other source does not wait');
    const { checks } = await d.health();
    assert.match(checks['harbour:crumb'], /^unhealthy/);
    assert.equal(checks['warehouse:crumb'], 'healthy');
    await pg.service('restart');
    for (const end = Date.now() + RECOVERY_LIMIT_MS; ; await sleep(200)) {
      const turn = await d.ask(TRIPS, { token: token() });
      if (outcomes(turn)?.[0] === 'rows')
        break;
      assert.ok(Date.now() < end, JSON.stringify(turn));
    }
  });

  it('does not delay startup while it is unavailable', { timeout: 120000 }, async (t) => {
    await pg.service('kill');
    const late = await startDaemon(s);
    t.after(() => late.stop());
    t.after(() => pg.service('restart'));
    const turn = await late.ask(BREAD, { token: token() });
    assert.deepEqual(outcomes(turn), ['rows'], JSON.stringify(turn));
  });

  it('has a password that --print-config hides', async () => {
    const printed = await launch({ ...s, args: ['--print-config'] });
    await printed.ended();
    const { sources, store } = JSON.parse(printed.output.slice(printed.output.indexOf('{')));
    assert.deepEqual(sources.harbour, { dialect: 'postgres', dsn: '***' });
    assert.equal(store.queue, 16000);
    assert.doesNotMatch(printed.output, new RegExp(PASSWORD));
  });
});

describe('a source of one tenant only', () => {
  it('needs no tenant in its rows, and serves no other tenant', async (t) => {
    const s = await setUp({ VESPER_SOURCES_HARBOUR_ONLY_TENANT: 'crumb' });
    const tool = join(s.roots, 'sql/ferry/trips/get_trips_of_ferry.sql');
    await writeFile(tool, (await readFile(tool, 'utf8')).replace('t.tenant_id = :tenant_id AND ', ''));
    const catalogue = join(s.roots, 'config/ferry/catalogue.json');
    await writeFile(catalogue, (await readFile(catalogue, 'utf8')).replace(', "tenant_id"', ''));
    const file = join(s.harbour, 'crumb.db');
    await run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.execute("DROP TABLE vesper_tenant")\n'
      + 'd.execute("ALTER TABLE trips DROP COLUMN tenant_id")\nd.commit()', file]);
    const tenants = { ...TENANTS, vesper: { ...TENANTS.vesper, packs: ['ferry'] } };
    const d = await startDaemon({ ...s, env: { ...s.env, VESPER_TENANTS: JSON.stringify(tenants) } });
    t.after(() => d.stop());
    assert.match((await d.ask(TRIPS, { token: token() })).text, /7,?311/);
    const other = await d.ask(TRIPS, { token: mintToken({ permissions: PERMISSIONS }) });
    assert.doesNotMatch(JSON.stringify(other), /7,?311/);
    const result = await ctl({ ...s, env: { ...s.env, VESPER_TENANTS: JSON.stringify(tenants) } },
      ['tool', 'run', 'get_trips_of_ferry', 'ferry=Seagull', '--tenant', 'vesper']);
    assert.notEqual(JSON.parse(result.stdout).outcome.kind, 'rows', result.stdout);
    assert.doesNotMatch(result.stdout, /7,?311/);
  });

  it('is read by ad hoc SQL of its tenant, and is reported as nonexistent to others', async () => {
    const s = await setUp({ VESPER_SOURCES_HARBOUR_ONLY_TENANT: 'crumb' });
    const catalogue = join(s.roots, 'config/ferry/catalogue.json');
    const views = JSON.parse(await readFile(catalogue, 'utf8'));
    views.views[0].columns = ['ferry', 'trip_year', 'trips'];
    views.views.push({ name: 'quay.berths', about: 'who rents which berth', permission: 'ferry:read', columns: ['berth', 'tenant_id', 'ferry'],
      columns_with: { 'bakery:read': ['rent'] } });
    await writeFile(catalogue, JSON.stringify(views));
    const tool = join(s.roots, 'sql/ferry/trips/get_trips_of_ferry.sql');
    await writeFile(tool, (await readFile(tool, 'utf8')).replace('t.tenant_id = :tenant_id AND ', ''));
    await run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.executescript("DROP TABLE vesper_tenant;'
      + 'ALTER TABLE trips DROP COLUMN tenant_id; CREATE TABLE berths (berth int, tenant_id text, ferry text, rent int, hidden int);'
      + 'INSERT INTO berths VALUES (1, \'renter-7\', \'Seagull\', 900, 4711), (2, \'vesper\', \'Cormorant\', 800, 4711)")\nd.commit()',
    join(s.harbour, 'crumb.db')]);
    const env = { ...s.env, VESPER_TENANTS: JSON.stringify({ ...TENANTS, vesper: { ...TENANTS.vesper, packs: ['bakery', 'ferry'] } }) };
    const runSql = async (sql, tenant = 'crumb') =>
      JSON.parse((await ctl({ ...s, env }, ['tool', 'run', 'general_sql_query', `sql=${sql}`, '--tenant', tenant])).stdout);
    const rows = async (sql) => (await runSql(sql)).tables?.[0]?.rows;
    assert.deepEqual(await rows('SELECT SUM(trips) AS n FROM quay.trips'), [['16721']]);
    assert.deepEqual(await rows('SELECT COUNT(*) AS n FROM trips'), [['3']]);
    assert.deepEqual(await rows('SELECT * FROM quay.berths ORDER BY berth'),
      [['1', 'renter-7', 'Seagull', '900'], ['2', 'vesper', 'Cormorant', '800']]);
    assert.deepEqual(await rows("SELECT b.berth, t.trips FROM quay.trips t JOIN quay.berths b ON b.ferry = t.ferry WHERE t.trip_year = 2025 AND b.tenant_id = 'vesper'"),
      [['2', '2290']]);
    for (const sql of ['SELECT hidden FROM quay.berths', 'SELECT b FROM quay.berths b', 'SELECT trips FROM quay.sqlite_master'])
      assert.equal((await runSql(sql)).outcome.kind, 'error', sql);
    for (const sql of ['SELECT t.trips FROM quay.trips t JOIN dbo.bak_batches b ON b.batch_year = t.trip_year',
      'SELECT batch_year FROM dbo.bak_batches WHERE EXISTS (SELECT 1 FROM quay.berths)'])
      assert.match(JSON.stringify((await runSql(sql)).outcome), /different databases/, sql);
    const nonexistent = (await runSql('SELECT * FROM quay.nothing', 'vesper')).outcome;
    for (const view of ['trips', 'berths'])
      for (const sql of ['SELECT * FROM quay.$', 'SELECT * FROM $', 'SELECT COUNT(*) AS n FROM quay.$', 'WITH x AS (SELECT ferry FROM quay.$) SELECT * FROM x',
        'SELECT batch_year FROM dbo.bak_batches WHERE EXISTS (SELECT 1 FROM quay.$)', 'SELECT b.batch_year FROM dbo.bak_batches b CROSS JOIN quay.$ t']) {
        const { outcome, tables } = await runSql(sql.replace('$', view), 'vesper');
        assert.equal(outcome.kind, nonexistent.kind, sql);
        assert.match(outcome.detail, /approved view/, sql);
        assert.equal(tables?.length ?? 0, 0, sql);
      }
  });
});

describe('startup is refused', () => {
  const change = (path, from, to) => async (s) => {
    const full = join(s.roots, path);
    const text = await readFile(full, 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(full, text.replace(from, to));
  };
  const tool = 'sql/ferry/trips/get_trips_of_ferry.sql';
  for (const [what, prepare, env, reason] of [
    ['a tool of a source that lacks its view', change(tool, '-- permission', '-- source: lighthouse\n-- permission'), {},
      /get_trips_of_ferry\.sql:\d+: query main: quay\.trips is a view of source harbour, but the tool reads source lighthouse/],
    ['a pack of a source that is not configured', change('config/packs.json', '"harbour"', '"lighthouse"'), {},
      /get_trips_of_ferry\.sql:1: source lighthouse is not configured/],
    ['a view of two sources', change('config/ferry/catalogue.json', 'quay.trips", "about"', 'dbo.bak_batches", "about"'), {},
      /config\/ferry\/catalogue\.json:\d+: views: dbo\.bak_batches is already declared in config\/bakery\/catalogue\.json, as a view of source warehouse/],
    ['two sources in one statement', change(tool, 'FROM quay.trips t', 'FROM quay.trips t JOIN dbo.bak_batches b ON b.batch_year = t.trip_year'), {},
      /get_trips_of_ferry\.sql:\d+: query main: dbo\.bak_batches is a view of source warehouse, but the tool reads source harbour/],
    ['a server without a connection string', () => {}, { VESPER_SOURCES_HARBOUR_DIALECT: 'postgres', VESPER_SOURCES_HARBOUR_DIR: undefined },
      /sources\.harbour\.dialect is postgres, so sources\.harbour\.dsn must be/],
    ['a source of a tenant that does not exist', () => {}, { VESPER_SOURCES_HARBOUR_ONLY_TENANT: 'nobody' }, /sources\.harbour\.only_tenant: tenant nobody is not configured/],
    ['a tenant with a file of an unknown source', () => {}, { VESPER_TENANTS: JSON.stringify({ ...TENANTS, crumb: { ...TENANTS.crumb, sources: { port: 'x.db' } } }) },
      /tenants\.crumb\.sources: source port is not configured/],
  ])
    it(`for ${what}`, async () => {
      const s = await setUp(env);
      await prepare(s);
      const d = await launch(s);
      const { code } = await d.ended();
      assert.notEqual(code, 0);
      assert.match(d.output, reason);
    });
});
