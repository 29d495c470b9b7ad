/*
 * A hospital beside an energy company on one daemon: a pack of text alone from a further root, its data in a source of its
 * own, once SQLite files and once PostgreSQL, made by vesperctl from the pack's description. Its labelled questions
 * are asked without a model and get the same answers from both; what it refuses, its euros and its day are its own; and a
 * question over both companies' databases runs them side by side.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { demoWarehouse, filesUnder, REFERENCE, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { READ_PASSWORD, startPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';
import { rowsOf } from './turn.mjs';

const FILES = join(ROOT, 'tests/packs');
const LABELLED = 40;
const LEAST_SHARE = 0.9;
const DAY_ONE = Date.UTC(2024, 0, 1);
const DAYS = 788; /* to 27 February 2026, the day of the tests */
const WARDS = ['Cardiology', 'Surgery', 'Pediatrics', 'Maternity', 'Oncology', 'Intensive Care'];
const COST_KINDS = ['staff', 'drugs', 'equipment', 'food'];
const PRICES = 'average day-ahead price for NP15 in CAISO for 2025 from Ascend';
const COSTS = 'Costs by ward in 2025';
const BOTH = `What was the ${PRICES}, and what were the costs by ward in 2025?`;

const files = (tenant) => ({ warehouse: `${tenant}.db`, store: `${tenant}.db` });
const TENANTS = {
  vesper: files('vesper'),
  acme: { ...files('acme'), packs: ['energy', 'hospital'] }, /* both companies */
  mercy: { ...files('mercy'), packs: ['hospital'] },
  east: { ...files('east'), packs: ['hospital'], timezone: 'Pacific/Kiritimati' },
  west: { ...files('west'), packs: ['hospital'], timezone: 'Etc/GMT+12' },
};
const HOSPITALS = ['mercy', 'acme', 'east', 'west'];
const ENERGY = ['chat:read_market_data', 'chat:read_projects'];
const PERMISSIONS = ['chat:use', 'chat:advanced_sql', 'clinic:read', 'clinic:read_costs', ...ENERGY];
const token = (tenant, permissions = PERMISSIONS) => mintToken({ tenant_id: tenant, permissions });

/* Rows that follow from nothing but the tenant's name, so that each tenant has figures of its own, on every back end. */
function rowsFor(tenant) {
  const own = [...tenant].reduce((sum, c) => sum + c.charCodeAt(0), 0);
  const day = (n) => new Date(DAY_ONE + n * 86400000).toISOString().slice(0, 10);
  const stays = Array.from({ length: DAYS }, (_, n) => [n + 1, WARDS[(n * 7 + (n >> 2)) % 6],
    (n * 11 + own) % 3 === 0 ? 'emergency' : 'planned', day(n), 1 + (n * n + own) % 13]);
  const months = [...new Set(stays.map((s) => `${s[3].slice(0, 8)}01`))];
  const costs = months.flatMap((month, m) => WARDS.flatMap((ward, w) => COST_KINDS.map((kind, k) => [ward, kind, month,
    (1000 + ((m + 3) * (w + 2) * 9781 + (k + 1) * 40093 + own * 17) % 90000 + (m + w + k) / 100).toFixed(2)])));
  return { stays, costs };
}

function inserts(tenant, schema = '') {
  const { stays, costs } = rowsFor(tenant);
  const values = (rows) => rows.map((row) => `('${tenant}', ${row.map((v) => (typeof v === 'number' || /^\d+\.\d\d$/.test(v) ? v : `'${v}'`)).join(', ')})`).join(',\n');
  return `INSERT INTO ${schema}stays VALUES ${values(stays)};\nINSERT INTO ${schema}costs VALUES ${values(costs)};\n`;
}

async function ctl(args, env = {}) {
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  return (await run(VESPERCTL, args, { env: { ...own, VESPER_PACKS_ROOTS: FILES, VESPER_TENANTS: JSON.stringify(TENANTS),
    VESPER_SOURCES_CLINIC_DIALECT: 'sqlite', ...env } })).stdout;
}

async function warehouses() {
  const dir = await tempDir('warehouse');
  for (const file of await filesUnder(await demoWarehouse()))
    await copyFile(file, join(dir, basename(file)));
  const script = join(dir, 'empty.sql');
  const schema = await readFile(join(ROOT, 'sql/warehouse/sqlite/schema.sql'), 'utf8');
  for (const tenant of ['mercy', 'east', 'west']) {
    await writeFile(script, `${schema};INSERT INTO vesper_tenant VALUES ('${tenant}');`);
    await sqlite(join(dir, `${tenant}.db`), script);
  }
  return dir;
}

const sqlite = (file, script) => run('python3', ['-c',
  'import sqlite3,sys\nsqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())', file, script]);

async function clinicFiles() {
  const dir = await tempDir('clinic');
  const ddl = await ctl(['db', 'ddl', '--pack', 'hospital', '--source', 'clinic', '--dialect', 'sqlite']);
  for (const tenant of HOSPITALS) {
    const script = join(dir, `${tenant}.sql`);
    await writeFile(script, `${ddl}\nINSERT INTO vesper_tenant VALUES ('${tenant}');\n${inserts(tenant)}`);
    await sqlite(join(dir, `${tenant}.db`), script);
  }
  return { VESPER_SOURCES_CLINIC_DIR: dir };
}

async function clinicServer(pg) {
  await ctl(['db', 'init', '--only', 'clinic', '--dsn', pg.dsn('postgres')],
    { VESPER_READ_PASSWORD: READ_PASSWORD, LSAN_OPTIONS: pg.env().LSAN_OPTIONS });
  const script = join(await tempDir('rows'), 'rows.sql');
  await writeFile(script, HOSPITALS.map((tenant) => `SET vesper.tenant_id = '${tenant}';\n${inserts(tenant, 'base.')}`).join(''));
  await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(pg.port), '-U', 'postgres', '-d', 'postgres', '-f', script]);
  return { VESPER_SOURCES_CLINIC_DIALECT: 'postgres', VESPER_SOURCES_CLINIC_DSN: pg.dsn('vesper_read', READ_PASSWORD),
    LSAN_OPTIONS: pg.env().LSAN_OPTIONS };
}

const whole = async (d, content, who) => (await d.rest(who).post('/api/v1/chat', { content })).body;

/* What two back ends must agree on: everything but ids and times. */
function answered(body) {
  const views = (body.views ?? []).map((v) => [v.view_type, v.columns, v.data_dict, v.prompt, v.message]);
  return { status: body.status, text: body.text, views, ask: body.ask?.text ?? body.ask?.prompt, error: body.error?.message, suggestions: body.suggestions,
    outcomes: body.outcomes?.map((o) => [o.tool, o.outcome, o.rows]) };
}

describe('a hospital beside an energy company', () => {
  let pg;
  let labelled;
  const daemons = {};
  const start = async (warehouse, clinic) => startDaemon({ warehouse, env: { VESPER_TENANTS: JSON.stringify(TENANTS),
    VESPER_PACKS_ROOTS: FILES, VESPER_TODAY: '2026-02-27', ...clinic } });

  before(async () => {
    labelled = (await readFile(join(FILES, 'config/hospital/route.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
    assert.equal(labelled.length, LABELLED);
    const warehouse = await warehouses();
    daemons.sqlite = await start(warehouse, await clinicFiles());
    pg = await startPostgres();
    daemons.postgres = await start(warehouse, await clinicServer(pg));
  });
  after(async () => {
    for (const d of Object.values(daemons))
      await d.stop();
    await pg?.service('stop');
  });

  it('is answered the same from SQLite and PostgreSQL', async () => {
    const other = [];
    for (const { id, question, tools, refused } of labelled) {
      const bodies = {};
      for (const [name, d] of Object.entries(daemons))
        bodies[name] = await whole(d, question, token('mercy'));
      const mine = answered(bodies.sqlite);
      assert.ok(mine.text || mine.ask || mine.error || mine.views.length, question);
      assert.deepEqual(answered(bodies.postgres), mine, `${id}: ${question}`);
      if (refused)
        assert.ok(JSON.stringify(mine).includes(refused), `${id}: ${JSON.stringify(mine)}`);
      else if (!isDeepStrictEqual(mine.outcomes?.map(([tool, outcome]) => `${tool} ${outcome}`) ?? [], tools.map((tool) => `${tool} rows`)))
        other.push(`${id}: ${JSON.stringify(mine)}`);
    }
    assert.ok(other.length <= (1 - LEAST_SHARE) * LABELLED, other.join('\n'));
  });

  for (const name of ['sqlite', 'postgres']) {
    it(`${name}: figures are those of the rows, in euros`, async () => {
      const sums = new Map(WARDS.map((ward) => [ward, 0]));
      for (const [ward, , month, amount] of rowsFor('mercy').costs)
        if (month.startsWith('2025'))
          sums.set(ward, sums.get(ward) + Math.round(Number(amount) * 100));
      const turn = await daemons[name].ask(COSTS, { token: token('mercy') });
      const [table] = turn.tables;
      for (const row of rowsOf(table))
        assert.equal(Math.round(Number(row.Cost) * 100), sums.get(row.Ward), row.Ward);
      assert.equal(table.row_count, WARDS.length);
      assert.equal(table.meta.find((m) => m.name === 'Cost').unit, '€');
      assert.match(turn.text, /€/);
      assert.doesNotMatch(JSON.stringify(turn.frames), /\$\d/);
    });

    it(`${name}: one question asks both companies' databases`, async () => {
      const d = daemons[name];
      const turn = await d.ask(BOTH, { token: token('acme') });
      assert.deepEqual(turn.complete?.outcomes?.map((o) => o.outcome), ['rows', 'rows'], JSON.stringify(turn.closing));
      assert.match(turn.text, /\$\d+\.\d\d\/MWh/);
      assert.match(turn.text, /€/);
      const { body } = await d.rest(token('acme')).get(`/api/v1/receipts/${turn.complete.receipt_id}`);
      const { content } = body.data ?? body;
      assert.deepEqual(content.calls.map((c) => [c.tool, c.source]).sort(),
        [['get_average_annual_price', 'warehouse'], ['get_costs_by_ward', 'clinic']]);
    });

    it(`${name}: the energy company beside it goes on as ever`, async () => {
      const d = daemons[name];
      assert.match((await d.ask(REFERENCE, { token: token('vesper') })).text, /\$\d+\.\d\d\/MWh/);
      const other = await d.ask(COSTS, { token: token('vesper') });
      assert.ok(!other.complete?.outcomes?.some((o) => o.outcome === 'rows'), JSON.stringify(other.closing));
      const advice = await d.ask('What symptoms need a doctor?', { token: token('vesper') });
      assert.doesNotMatch(JSON.stringify(advice.frames), /hospital|medical advice/);
    });

    it(`${name}: a right of the pack is asked for`, async () => {
      const turn = await daemons[name].ask(COSTS, { token: token('mercy', ['chat:use', 'clinic:read']) });
      assert.ok(!turn.complete?.outcomes?.some((o) => o.outcome === 'rows'), JSON.stringify(turn.closing));
      assert.doesNotMatch(JSON.stringify(turn.frames), /€\s?\d/);
    });
  }

  /* The two zones are 26 hours apart: whenever this runs, their days differ. */
  it('has the day of its zone', async (t) => {
    const d = await start(await warehouses(), { ...await clinicFiles(), VESPER_TODAY: undefined });
    t.after(() => d.stop());
    const days = {};
    for (const [tenant, zone] of [['east', 'Pacific/Kiritimati'], ['west', 'Etc/GMT+12']]) {
      const day = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now() - 86400000);
      const about = [day()];
      const { filters } = await d.ask('Admissions by ward yesterday', { token: token(tenant) });
      about.push(day());
      assert.ok(about.includes(filters.date_range_start), `${tenant}: ${JSON.stringify(filters)} is not ${about}`);
      days[tenant] = filters.date_range_start;
    }
    assert.notEqual(days.east, days.west);
  });
});
