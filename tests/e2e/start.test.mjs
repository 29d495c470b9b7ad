/*
 * A startup that cannot succeed ends and reports the reason. A startup that can continue does so, and reports what
 * is missing.
 */

import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoWarehouse, filesUnder, launch, REFERENCE, refusedStart, ROOT, run, startDaemon, tempDir, VESPERD } from './harness.mjs';
import { mintToken, SECRET } from './token.mjs';

const DATABASE = /\.(db|sqlite3?)$/;

/* A copy of the files that the daemon reads at startup, which a test may break. The daemon runs in this folder. */
async function copyOfProject() {
  const dir = await tempDir('project');
  for (const name of ['config', 'sql', 'prompts'])
    await cp(join(ROOT, name), join(dir, name), { recursive: true });
  return { dir, options: { cwd: dir, env: { VESPER_ROOT: dir, VESPER_CONFIG: join(dir, 'config/vesper.json') } } };
}

async function change(path, edit) {
  await writeFile(path, edit(await readFile(path, 'utf8')));
}

/* Links to the files of the shared warehouse, so that one tenant's file can be removed or replaced. */
async function linkedWarehouse() {
  const from = await demoWarehouse();
  const dir = await tempDir('warehouse');
  for (const path of await filesUnder(from)) {
    const target = join(dir, path.slice(from.length));
    await mkdir(join(target, '..'), { recursive: true });
    await symlink(path, target);
  }
  const acme = (await filesUnder(dir)).find((p) => /acme/.test(p));
  assert.ok(acme, 'the demo warehouse has a file for acme');
  return { dir, acme };
}

/* Locks a new, empty file, as another connection does while it creates the database. */
const LOCK = 'import sqlite3,sys,time\nd=sqlite3.connect(sys.argv[1],isolation_level=None)\nd.execute("BEGIN EXCLUSIVE")\n'
  + 'print("held",flush=True)\nsys.stdin.readline()\nd.execute("ROLLBACK")\n';

describe('startup is refused', () => {
  it('when the port is taken', async (t) => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    t.after(() => other.close());
    const { port } = other.address();
    await refusedStart({ port }, new RegExp(`127\\.0\\.0\\.1:${port}`), /in use/i);
  });

  it('when the address is invalid', async () => {
    for (const listen of ['nonsense', '127.0.0.1', '127.0.0.1:99999', '256.1.1.1:80'])
      await refusedStart({ env: { VESPER_LISTEN: listen } }, /listen|address/i);
  });

  it('when the demo would be open to the network, unless allowed', async () => {
    for (const listen of ['0.0.0.0:18080', '[::]:18080', '192.0.2.1:18080'])
      await refusedStart({ env: { VESPER_LISTEN: listen } }, /demo_public/);
    /* No machine has this address, so that no port is opened to the network. */
    await refusedStart({ env: { VESPER_LISTEN: '192.0.2.1:18080', VESPER_DEMO_PUBLIC: '1' } }, /cannot listen on 192\.0\.2\.1/);
  });

  it('when the configuration has an unknown key, a wrong type, or is not JSON', async () => {
    const { dir, options } = await copyOfProject();
    const file = join(dir, 'config/vesper.json');
    const good = await readFile(file, 'utf8');
    const set = (edit) => writeFile(file, JSON.stringify(edit(JSON.parse(good))));
    await set((c) => ({ ...c, colour: 'blue' }));
    await refusedStart(options, /colour: unknown/);
    await set((c) => ({ ...c, warehouse: { ...c.warehouse, wokers: 3 } }));
    await refusedStart(options, /warehouse\.wokers/);
    await set((c) => ({ ...c, warehouse: { ...c.warehouse, workers: 'many' } }));
    await refusedStart(options, /warehouse\.workers/);
    await writeFile(file, good.replace('{', '{,'));
    await refusedStart(options, /vesper\.json/);
    await rm(file);
    await refusedStart(options, /vesper\.json/);
  });

  it('with all errors reported at once', async () => {
    const { dir, options } = await copyOfProject();
    await change(join(dir, 'config/vesper.json'), (text) => JSON.stringify({ ...JSON.parse(text), colour: 1, shape: 2 }));
    await refusedStart(options, /colour/, /shape/);
  });

  it('when an environment value is wrong', async () => {
    await refusedStart({ env: { VESPER_WAREHOUSE_WORKERS: 'many' } }, /VESPER_WAREHOUSE_WORKERS|warehouse\.workers/);
    await refusedStart({ env: { VESPER_TODAY: 'tomorrow' } }, /VESPER_TODAY/);
  });

  it('when a SQL file, a prompt or a table is broken: with file and line', async () => {
    const mutations = {
      'an unknown marker': ['sql/energy/dayahead/get_average_annual_price.sql', (s) => s.replace(':hub_zone', ':hub_zome'), /hub_zome/],
      'an unknown header key': ['sql/energy/dayahead/get_average_annual_price.sql', (s) => s.replace(/^-- about:/m, '-- abuot:'), /abuot/],
      'an unknown permission': ['sql/energy/dayahead/get_average_annual_price.sql',
        (s) => s.replace('chat:read_market_data', 'chat:read_everything'), /read_everything/],
      'an unknown type': ['sql/energy/dayahead/get_average_annual_price.sql',
        (s) => s.replace(/^(-- param\s+year\s+)int/m, '$1number'), /number/],
      'an unknown key in front matter': ['prompts/energy/dayahead.md', (s) => s.replace(/^---\n/, '---\nmood: good\n'), /mood/],
    };
    for (const [name, [file, edit, word]] of Object.entries(mutations)) {
      const { dir, options } = await copyOfProject();
      const before = await readFile(join(dir, file), 'utf8');
      await change(join(dir, file), edit);
      assert.notEqual(await readFile(join(dir, file), 'utf8'), before, `${name}: the edit changes nothing`);
      await refusedStart(options, new RegExp(`${basename(file)}:\\d+`), word);
    }
  });

  it('when a tool of a module has no file, or a file has no tool', async () => {
    const withoutFile = await copyOfProject();
    await rm(join(withoutFile.dir, 'sql/energy/dayahead/compare_vendors.sql'));
    await refusedStart(withoutFile.options, /compare_vendors/);
    const withExtraFile = await copyOfProject();
    await writeFile(join(withExtraFile.dir, 'sql/energy/dayahead/unheard_of.sql'), '-- tool: unheard_of\n-- about: x\nSELECT 1\n');
    await refusedStart(withExtraFile.options, /unheard_of/);
  });

  it('when the data folder cannot be written', async () => {
    const dir = await tempDir();
    const file = join(dir, 'a-file');
    await writeFile(file, '');
    await refusedStart({ dataDir: file }, /a-file/);
    if (process.getuid() !== 0) {
      await chmod(dir, 0o500);
      await refusedStart({ dataDir: join(dir, 'inside') }, /inside/);
      await chmod(dir, 0o700);
    }
    await refusedStart({ dataDir: '/proc/vesper' }, /\/proc\/vesper/);
  });

  it('when the store is corrupt', async () => {
    const dataDir = await tempDir();
    const d = await startDaemon({ dataDir });
    await d.ask(REFERENCE);
    await d.stop();
    const stores = (await filesUnder(dataDir)).filter((p) => DATABASE.test(p));
    assert.ok(stores.length > 0, `no database in the data folder: ${await filesUnder(dataDir)}`);
    for (const path of stores)
      await writeFile(path, 'this is no database. '.repeat(500));
    const output = await refusedStart({ dataDir });
    assert.ok(stores.some((p) => output.includes(p)) || /store:(vesper|acme)/.test(output), `names the database: ${output}`);
  });

  it('outside demo mode without a secret', async () => {
    await refusedStart({ demo: false, env: { VESPER_JWT_SECRET: undefined } }, /secret/i);
  });

  it('for an unknown option', async () => {
    await refusedStart({ args: ['--dance'] }, /--dance|usage/);
  });
});

describe('a missing warehouse', () => {
  async function checkDegraded(d) {
    const { status, body } = await d.rest(null).get('/health');
    assert.equal(status, 200);
    assert.equal(body.status, 'degraded', JSON.stringify(body));
    const [, check] = Object.entries((await d.health()).checks).find(([name]) => /warehouse.*acme/.test(name));
    assert.notEqual(check, 'healthy');
    assert.match((await d.ask(REFERENCE)).text, /48\.73/, 'vesper is served');
    const turn = await d.ask(REFERENCE, { token: mintToken({ tenant_id: 'acme' }) });
    assert.equal(turn.tables.length, 0);
    assert.doesNotMatch(turn.text, /\$\d/);
    assert.ok(turn.error || turn.complete.outcomes.some((o) => o.outcome === 'error'), JSON.stringify(turn.closing));
    assert.doesNotMatch(JSON.stringify(turn.frames), /sqlite|unixODBC|\/tmp\//i, 'no internals are exposed');
  }

  it('for one tenant: the others are served, health is degraded', async (t) => {
    const { dir, acme } = await linkedWarehouse();
    await rm(acme);
    const d = await startDaemon({ warehouse: dir });
    t.after(() => d.stop());
    await checkDegraded(d);
  });

  it('corrupt for one tenant: the same', async (t) => {
    const { dir, acme } = await linkedWarehouse();
    await rm(acme);
    await writeFile(acme, 'this is no database. '.repeat(500));
    const d = await startDaemon({ warehouse: dir });
    t.after(() => d.stop());
    await checkDegraded(d);
  });

  it('for all tenants: refused or degraded, and reported', async (t) => {
    const dir = await tempDir('empty');
    const d = await launch({ warehouse: dir });
    t.after(() => (d.exited ? undefined : d.stop()));
    const up = await d.waitReady().then(() => true, () => false);
    if (!up && d.exited) {
      assert.notEqual(d.exited.code, 0);
      assert.ok(d.output.includes(dir), d.output);
      return;
    }
    assert.equal((await d.rest(null).get('/health')).body.status, 'degraded');
  });
});

describe('without starting', () => {
  const env = { PATH: process.env.PATH, VESPER_JWT_SECRET: SECRET, ANTHROPIC_API_KEY: 'a-very-secret-key' };
  const runDaemon = async (...args) => (await run(VESPERD, args, { cwd: ROOT,
    env: { ...env, VESPER_WAREHOUSE_DIR: await demoWarehouse(), VESPER_DATA_DIR: await tempDir() } })).stdout;

  it('--version names the version', async () => assert.match(await runDaemon('--version'), /vesperd? \d+\.\d+/));

  it('--print-turn draws the table', async () => assert.match(await runDaemon('--print-turn'), /stateDiagram|-->/));

  it('--print-config shows everything but the secrets', async () => {
    const text = await runDaemon('--print-config');
    assert.equal(typeof JSON.parse(text).warehouse, 'object');
    assert.ok(!text.includes(SECRET) && !text.includes('a-very-secret-key'));
  });

  it('--check finds nothing wrong with the project', async () => {
    await runDaemon('--check');
  });

  it('--check finds a column that the view does not have', async () => {
    const { dir, options } = await copyOfProject();
    await change(join(dir, 'sql/energy/dayahead/get_average_annual_price.sql'),
      (s) => s.replace(/\bda\.DAYAHEAD_PRICE\b/i, 'da.DAYAHEAD_PRISE'));
    await refusedStart({ ...options, args: ['--check'] }, /DAYAHEAD_PRISE/, /get_average_annual_price/);
  });

  it('--check finds columns of dimensions that the views do not have', async () => {
    const { dir, options } = await copyOfProject();
    await change(join(dir, 'config/energy/catalogue.json'), (s) => s.replace('"watermark": "composite_key"', '"watermark": "composite_kee"'));
    await refusedStart({ ...options, args: ['--check'] }, /dimension vendor.*composite_kee/);
  });

  it('a dimension of an undeclared column is refused without a database', async () => {
    const { dir, options } = await copyOfProject();
    await change(join(dir, 'config/energy/catalogue.json'), (s) => s.replace('"column": "sponsor"', '"column": "spomsor"'));
    await refusedStart(options, /catalogue\.json:\d+: dimensions\[\d+\]: sponsor: .*spomsor/);
  });
});

describe('a successful startup', () => {
  it('is quick, and reports its address and that rules answer', async (t) => {
    const from = Date.now();
    const d = await startDaemon();
    t.after(() => d.stop());
    t.diagnostic(`ready after ${Date.now() - from} ms`);
    assert.match(d.output, new RegExp(`127\\.0\\.0\\.1:${d.port}`));
    assert.match(d.output, /rules/);
  });

  it('ends at once on a signal before the first request', async () => {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      const d = await startDaemon();
      d.child.kill(signal);
      assert.deepEqual(await d.ended(), { code: 0, signal: null });
      d.checkOutput();
    }
  });

  it('runs two daemons on one machine', async (t) => {
    const [one, two] = await Promise.all([startDaemon(), startDaemon()]);
    t.after(() => one.stop());
    t.after(() => two.stop());
    assert.match((await one.ask(REFERENCE)).text, /48\.73/);
    assert.match((await two.ask(REFERENCE)).text, /48\.73/);
  });
});

describe('a store that is locked at startup', () => {
  it('is awaited: its tenant is served from the first question on', async (t) => {
    const dataDir = await tempDir();
    await mkdir(join(dataDir, 'store'), { recursive: true });
    const locker = spawn('python3', ['-c', LOCK, join(dataDir, 'store/vesper.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => locker.kill());
    await once(locker.stdout, 'data');
    const d = await launch({ dataDir });
    t.after(() => d.stop());
    while (!/store\.(busy|waiting)/.test(d.output))
      await sleep(20);
    locker.stdin.end();
    await d.waitReady();
    const turn = await d.ask(REFERENCE);
    assert.equal(turn.status, 'ok', JSON.stringify(turn.frames));
  });
});
