/*
 * vesperctl connect on difficult databases: 5,000 tables, a login that is refused or has no read access, a
 * connection that is lost. Each failure is reported with its reason, and no file is left.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesUnder, run, tempDir } from './harness.mjs';
import { ctl, startPostgres } from './postgres.mjs';

const PASSWORD = 'Reader-Pass-77';
const TABLES = 5000;
const LIMIT_MS = 5 * 60 * 1000; /* the time limit of connect */

describe('vesperctl connect with difficult databases', () => {
  let server;
  const dsn = (database, { user = 'reader', password = PASSWORD } = {}) =>
    `Driver={PostgreSQL Unicode};Server=127.0.0.1;Port=${server.port};Database=${database};Uid=${user};Pwd=${password}`;
  const psql = async (database, sql) => {
    const file = join(await tempDir('sql'), 'script.sql');
    await writeFile(file, sql);
    await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres', '-d', database, '-f', file], { env: { PATH: process.env.PATH } });
  };
  const connect = async (database, login, ...more) => {
    const out = await tempDir('packs');
    const result = await ctl(['connect', dsn(database, login), '--pack', 'shop', '--out', out, ...more]);
    return { ...result, out };
  };
  const checkFailure = async ({ code, stderr, stdout, out }, reason) => {
    assert.equal(code, 1, stdout);
    assert.match(stderr, reason);
    assert.doesNotMatch(`${stderr}${stdout}`, /Reader-Pass/);
    assert.deepEqual(await filesUnder(out), []);
  };

  before(async () => {
    server = await startPostgres();
    await server.admin(`CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'`);
    await server.admin(`CREATE ROLE barred NOLOGIN PASSWORD '${PASSWORD}'`);
    await server.admin(`CREATE ROLE stranger LOGIN PASSWORD '${PASSWORD}'`);
    await server.admin('CREATE DATABASE many');
    for (let from = 0; from < TABLES; from += 500) /* one transaction per batch, to limit its locks */
      await psql('many', `DO $$ BEGIN FOR i IN ${from}..${from + 499} LOOP
        EXECUTE format('CREATE TABLE t_%s (id int PRIMARY KEY, name text NOT NULL, amount numeric(10,2))', lpad(i::text, 4, '0'));
        EXECUTE format('GRANT SELECT ON t_%s TO reader', lpad(i::text, 4, '0')); END LOOP; END $$;`);
    await psql('many', "INSERT INTO t_0001 SELECT n, 'Thing ' || n, n * 1.5 FROM generate_series(1, 40) AS n;");
  });
  after(() => run(join(import.meta.dirname, '../services/postgres.sh'), ['stop', server.dir]));

  it('reports that 5,000 tables are too many, and accepts selected ones', async () => {
    await checkFailure(await connect('many', {}), /5000 tables.*--tables|--tables/s);
    const start = Date.now();
    const selected = await connect('many', {}, '--tables', 't_000*');
    assert.equal(selected.code, 0, selected.stderr);
    assert.match(selected.stdout, /10 tables/);
    assert.ok(Date.now() - start < LIMIT_MS);
  });

  it('reports a login that is not permitted', async () => {
    await checkFailure(await connect('many', { user: 'barred' }), /not permitted to log in|connect/i);
  });

  it('reports a login without read access', async () => {
    await checkFailure(await connect('many', { user: 'stranger' }, '--tables', 't_000*'), /none of the 10 tables can be read by this login.*GRANT SELECT/s);
  });

  it('accepts reserved words of SQL and columns in mixed case', async () => {
    await server.admin('CREATE DATABASE reserved');
    await psql('reserved', `CREATE TABLE client (id int PRIMARY KEY, name text NOT NULL, "group" text, "Home City" text);
      CREATE TABLE purchase (id int PRIMARY KEY, "clientId" int REFERENCES client (id), "Amount_usd" numeric(10,2), "from" date, "Desc" text);
      CREATE TABLE "user" (id int PRIMARY KEY); CREATE TABLE "Order" (id int PRIMARY KEY);
      INSERT INTO client SELECT n, 'Person ' || n, (ARRAY['gold','iron','lead'])[1 + n % 3], (ARRAY['Oslo','Bergen'])[1 + n % 2] FROM generate_series(1, 60) n;
      INSERT INTO purchase SELECT n, 1 + n % 60, n * 1.25, date '2025-01-01' + n % 300, 'x' FROM generate_series(1, 900) n;
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;`);
    const { code, stderr, out } = await connect('reserved', {});
    assert.equal(code, 0, stderr);
    const review = JSON.parse(await readFile(join(out, 'config/shop/review.json'), 'utf8'));
    assert.deepEqual(review.filter((r) => r.kind === 'table').map((r) => [r.name, r.why]).sort(),
      [['public.Order', 'its name is an SQL keyword'], ['public.user', 'its name is an SQL keyword']]);
    const env = { VESPER_PACKS_ROOTS: out, VESPER_DATA_DIR: await tempDir('data'), VESPER_SOURCES: JSON.stringify({ shop: { dialect: 'postgres', only_tenant: 'shop' } }),
      VESPER_SOURCES_SHOP_DSN: dsn('reserved'), VESPER_TENANTS: JSON.stringify({ shop: { warehouse: 'shop.db', store: 'shop.db', packs: ['shop'] } }) };
    const check = await ctl(['map', 'check', '--live', '--tenant', 'shop'], env);
    assert.equal(check.code, 0, `${check.stdout}${check.stderr}`);
    const { stdout, stderr: why } = await ctl(['connect', '--score', join(out, 'config/shop/golden.jsonl'), '--tenant', 'shop', '--json'], env);
    const { score, misses } = JSON.parse(stdout || `{"score":"${why}"}`);
    assert.ok(score.wrong === 0 && score.right >= 0.8 * (score.right + score['no answer']), `${JSON.stringify(score)} ${JSON.stringify(misses)}`);
  });

  it('reports a connection that is lost', async () => {
    let cutCount = 0;
    const running = connect('many', {}, '--tables', 't_01*,t_02*,t_03*');
    const ended = running.then(() => true);
    while (cutCount === 0 && !(await Promise.race([ended, sleep(5, false)])))
      cutCount = Number(await server.admin("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'reader' AND query LIKE '%FROM %t_0%'"));
    const result = await running;
    assert.ok(cutCount > 0, 'no connection was cut');
    await checkFailure(result, /connection|server|cut|lost|terminat/i);
  });
});
