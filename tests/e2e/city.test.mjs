/*
 * The city pack on SQLite and on PostgreSQL: the same question gives the same rows as SQL that a person wrote, tenants are
 * apart, and labelled questions (tests/route/city.jsonl).
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEMO_MAKER, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { READ_PASSWORD, startPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';

const TENANTS = {
  noor: { warehouse: 'noor.db', store: 'noor.db', packs: ['city'] },
  acme: { warehouse: 'acme.db', store: 'acme.db', packs: ['city'] },
};
const SETTINGS = { VESPER_TENANTS: JSON.stringify(TENANTS) };
const TUNED_LEAST = 17;
const HELD_LEAST = 12;

const token = (tenant = 'noor', permissions = ['chat:use', 'chat:read_city', 'chat:advanced_sql']) => mintToken({ tenant_id: tenant, permissions });

async function cityFiles() {
  const dir = await tempDir('city');
  await run(DEMO_MAKER, ['city', dir], { cwd: ROOT, timeout: 300000 });
  return { VESPER_SOURCES_CITY_DIALECT: 'sqlite', VESPER_SOURCES_CITY_DIR: dir };
}

async function cityServer(pg) {
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  const env = { ...own, VESPER_READ_PASSWORD: READ_PASSWORD, LSAN_OPTIONS: pg.env().LSAN_OPTIONS, VESPER_SOURCES_CITY_DIALECT: 'postgres' };
  await run(VESPERCTL, ['db', 'init', '--only', 'city', '--dsn', pg.dsn('postgres')], { env });
  await run(DEMO_MAKER, ['seed', '--only', 'city', '--dsn', pg.dsn('postgres'), '--dialect', 'postgres'], { env, cwd: ROOT, timeout: 300000 });
  return { VESPER_SOURCES_CITY_DIALECT: 'postgres', VESPER_SOURCES_CITY_DSN: pg.dsn('vesper_read', READ_PASSWORD), LSAN_OPTIONS: pg.env().LSAN_OPTIONS };
}

const call = (d, name, args, ...who) => d.rest(token(...who)).call('POST', `/api/v1/tools/${name}`, { json: args });

function rows({ body }) {
  assert.equal(body.status, 'ok', JSON.stringify(body).slice(0, 400));
  const { columns, data_dict: cells, row_count: count } = body.result.sets.rows;
  return Array.from({ length: count }, (_, i) => columns.map((c) => cells[c][i]));
}

/* Numbers to six digits: an average is as long as its database makes it. */
const plain = (list) => list.map((row) => row.map((cell) => cell === null || cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell).toPrecision(6)));

const PAIRS = [
  [{ metrics: ['risks'], by: ['risk_category'] }, 'SELECT category, COUNT(*) AS n FROM city.ent_risks GROUP BY category ORDER BY n DESC, category'],
  [{ metrics: ['contract_value'], by: ['vendor_country'] },
    'SELECT v.country, SUM(c.amount) AS s FROM city.ent_contracts c JOIN city.ent_vendors v ON v.id = c.vendor_id AND v.year = c.year GROUP BY v.country ORDER BY s DESC, v.country'],
  [{ metrics: ['population'] }, 'SELECT SUM(population) AS n FROM city.sec_citizen_districts WHERE year = 2026'],
];

describe('the city pack', () => {
  let pg;
  const daemons = {};

  before(async () => {
    daemons.sqlite = await startDaemon({ env: { ...SETTINGS, ...await cityFiles() } });
    pg = await startPostgres();
    daemons.postgres = await startDaemon({ env: { ...SETTINGS, ...await cityServer(pg) } });
  });
  after(async () => {
    for (const d of Object.values(daemons))
      await d.stop();
    await pg?.service('stop');
  });

  it('gives what a person would have written, the same on SQLite and PostgreSQL', async () => {
    for (const [query, sql] of PAIRS) {
      const got = [];
      for (const d of Object.values(daemons)) {
        got.push(plain(rows(await call(d, 'query_metrics', { query }))));
        assert.deepEqual(got.at(-1), plain(rows(await call(d, 'general_sql_query', { sql }))), JSON.stringify(query));
      }
      assert.deepEqual(got[0], got[1]);
    }
  });

  it('keeps tenants apart on a server', async () => {
    const [[mine]] = rows(await call(daemons.postgres, 'query_metrics', { query: { metrics: ['risks'] } }));
    const [[theirs]] = rows(await call(daemons.postgres, 'query_metrics', { query: { metrics: ['risks'] } }, 'acme'));
    assert.equal(Number(mine), 640);
    assert.equal(Number(theirs), 32);
    const names = rows(await call(daemons.postgres, 'query_metrics', { query: { list: 'ent_vendors', show: ['vendor_name'] } }, 'acme')).flat();
    assert.ok(names.length > 0 && names.every((name) => /^(Umber|Vantage|Westbrook|Xenia|Yarrow) /.test(name)), names.join());
  });

  it('never adds up a budget once for each risk', async () => {
    const { body } = await call(daemons.sqlite, 'query_metrics', { query: { metrics: ['budget_amount'], by: ['risk_category'] } });
    assert.equal(body.status, 'error');
    assert.match(body.message, /counted more than once/);
  });

  it('shows nothing to a caller without its permission', async () => {
    const { body } = await call(daemons.sqlite, 'query_metrics', { query: { metrics: ['risks'] } }, 'noor', ['chat:use']);
    assert.equal(body.error.code, 'not_permitted', JSON.stringify(body));
  });
});

describe('the labelled questions', () => {
  const wanted = (q) => JSON.stringify(sorted(q));
  const sorted = ({ where = [], having = [], ...rest }) => [rest, where, having].map((part) => (Array.isArray(part)
    ? part.map(({ values = [], ...c }) => JSON.stringify({ name: c.name, op: c.op, values })).sort()
    : Object.fromEntries(Object.entries(part).sort())));
  const right = (label, said) => {
    const query = said.tools?.[0]?.name === 'query_metrics' ? JSON.parse(said.tools[0].args.query) : null;
    if (label.query)
      return query !== null && wanted(query) === wanted(label.query);
    return false;
  };

  it('are read by code no worse than before', async () => {
    const path = join(ROOT, 'tests/route/city.jsonl');
    const labels = (await readFile(path, 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
    const { VESPER_SECRETS_DIR, ...own } = process.env;
    const { stdout } = await run(VESPERCTL, ['route', '--batch', path, '--tenant', 'noor'],
      { env: { ...own, ...SETTINGS, ...await cityFiles(), VESPER_DEMO: '1', VESPER_TODAY: '2026-02-27' }, cwd: ROOT, maxBuffer: 64 << 20 });
    const said = stdout.trim().split('\n').map((line) => JSON.parse(line));
    const scores = { tune: 0, held: 0 };
    labels.forEach((label, i) => { scores[label.half] += right(label, said[i]); });
    assert.ok(scores.tune >= TUNED_LEAST && scores.held >= HELD_LEAST, JSON.stringify(scores));
  });
});
