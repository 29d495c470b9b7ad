/*
 * Data of the pack hospital: its source clinic as SQLite files and on PostgreSQL, both created by vesperctl from the
 * description of the pack, with the same rows; and empty warehouses of its tenants.
 */

import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { demoWarehouse, filesUnder, ROOT, run, tempDir, VESPERCTL } from './harness.mjs';
import { READ_PASSWORD } from './postgres.mjs';

export const PACKS = join(ROOT, 'tests/packs');
const DAY_ONE = Date.UTC(2024, 0, 1);
const DAYS = 788; /* until 27 February 2026, the date of the tests */
export const WARDS = ['Cardiology', 'Surgery', 'Pediatrics', 'Maternity', 'Oncology', 'Intensive Care'];
const COST_KINDS = ['staff', 'drugs', 'equipment', 'food'];

/* Rows computed from the name of the tenant: tenants have different figures, and all back ends have the same rows. */
export function rowsFor(tenant) {
  const offset = [...tenant].reduce((sum, c) => sum + c.charCodeAt(0), 0);
  const day = (n) => new Date(DAY_ONE + n * 86400000).toISOString().slice(0, 10);
  const stays = Array.from({ length: DAYS }, (_, n) => [n + 1, WARDS[(n * 7 + (n >> 2)) % 6],
    (n * 11 + offset) % 3 === 0 ? 'emergency' : 'planned', day(n), 1 + (n * n + offset) % 13]);
  const months = [...new Set(stays.map((s) => `${s[3].slice(0, 8)}01`))];
  const costs = months.flatMap((month, m) => WARDS.flatMap((ward, w) => COST_KINDS.map((kind, k) => [ward, kind, month,
    (1000 + ((m + 3) * (w + 2) * 9781 + (k + 1) * 40093 + offset * 17) % 90000 + (m + w + k) / 100).toFixed(2)])));
  return { stays, costs };
}

function inserts(tenant, schema = '') {
  const { stays, costs } = rowsFor(tenant);
  const values = (rows) => rows.map((row) => `('${tenant}', ${row.map((v) => (typeof v === 'number' || /^\d+\.\d\d$/.test(v) ? v : `'${v}'`)).join(', ')})`).join(',\n');
  return `INSERT INTO ${schema}stays VALUES ${values(stays)};\nINSERT INTO ${schema}costs VALUES ${values(costs)};\n`;
}

async function ctl(args, env = {}) {
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  return (await run(VESPERCTL, args, { env: { ...own, VESPER_PACKS_ROOTS: PACKS, VESPER_SOURCES_CLINIC_DIALECT: 'sqlite', ...env } })).stdout;
}

const sqlite = (file, script) => run('python3', ['-c',
  'import sqlite3,sys\nsqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())', file, script]);

/* The warehouses of the demo, and for each further tenant one with empty tables and the rows of its statements in `more`. */
export async function warehouses(tenants, more = {}) {
  const dir = await tempDir('warehouse');
  for (const file of await filesUnder(await demoWarehouse()))
    await copyFile(file, join(dir, basename(file)));
  const script = join(dir, 'empty.sql');
  const schema = await readFile(join(ROOT, 'sql/warehouse/sqlite/schema.sql'), 'utf8');
  for (const tenant of tenants) {
    await writeFile(script, `${schema};INSERT INTO vesper_tenant VALUES ('${tenant}');${more[tenant] ?? ''}`);
    await sqlite(join(dir, `${tenant}.db`), script);
  }
  return dir;
}

export async function clinicFiles(tenants) {
  const dir = await tempDir('clinic');
  const ddl = await ctl(['db', 'ddl', '--pack', 'hospital', '--source', 'clinic', '--dialect', 'sqlite']);
  for (const tenant of tenants) {
    const script = join(dir, `${tenant}.sql`);
    await writeFile(script, `${ddl}\nINSERT INTO vesper_tenant VALUES ('${tenant}');\n${inserts(tenant)}`);
    await sqlite(join(dir, `${tenant}.db`), script);
  }
  return { VESPER_SOURCES_CLINIC_DIR: dir };
}

export async function clinicServer(pg, tenants) {
  await ctl(['db', 'init', '--only', 'clinic', '--dsn', pg.dsn('postgres')],
    { VESPER_READ_PASSWORD: READ_PASSWORD, LSAN_OPTIONS: pg.env().LSAN_OPTIONS });
  const script = join(await tempDir('rows'), 'rows.sql');
  await writeFile(script, tenants.map((tenant) => `SET vesper.tenant_id = '${tenant}';\n${inserts(tenant, 'base.')}`).join(''));
  await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(pg.port), '-U', 'postgres', '-d', 'postgres', '-f', script]);
  return { VESPER_SOURCES_CLINIC_DIALECT: 'postgres', VESPER_SOURCES_CLINIC_DSN: pg.dsn('vesper_read', READ_PASSWORD),
    LSAN_OPTIONS: pg.env().LSAN_OPTIONS };
}

