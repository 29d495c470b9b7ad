/*
 * Damaged files: stores and warehouses with flipped bits, truncated, exchanged or missing. A process started with them
 * serves the tenants that it can, or ends with a reason. It never crashes, hangs, or shows data of another tenant.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, filesUnder, launch, ROOT, startDaemon, tempDir, VESPERD } from '../e2e/harness.mjs';
import { mintToken, SECRET } from '../e2e/token.mjs';
import { corrupt } from './random.mjs';
import { Broken, REFERENCE, saysLate, STEP_LIMIT_MS, WAIT_MS } from './stage.mjs';

const API = '/api/v1';
const PAGE = 4096;
const ACME_QUESTION = 'Show the portfolio summary';

class Damage {
  rightAnswers = 0;
  unanswered = 0;
  peakMb = 0;

  constructor(template, warehouse, session) {
    Object.assign(this, { template, warehouse, session });
  }

  async step(what, run) {
    const late = sleep(STEP_LIMIT_MS, undefined, { ref: false }).then(() => { throw new Broken('it did not end in time'); });
    try {
      await Promise.race([run(), late]);
    } catch (e) {
      e.message = `${what}: ${e.message}`;
      throw e;
    } finally {
      if (this.daemon && !this.daemon.exited)
        await this.daemon.kill();
    }
  }

  async stop() {}
  async close() {}

  /* A copy of a daemon's data folder, to be damaged. */
  async copy() {
    const dir = await tempDir('damaged');
    await cp(this.template, dir, { recursive: true });
    return dir;
  }

  store(dir, tenant) {
    return join(dir, 'store', `${tenant}.db`);
  }

  /*
   * Runs a process on these files. It must serve, or end with a reason; in both cases it must not crash. `intactTenant`:
   * a tenant whose files are undamaged, which must be served.
   */
  async run(dataDir, { warehouse = this.warehouse, intactTenant, env } = {}) {
    const d = await launch({ dataDir, warehouse, env });
    this.daemon = d;
    const until = Date.now() + WAIT_MS;
    let live = false;
    while (!live && !d.exited && Date.now() < until)
      live = await fetch(`${d.url}/livez`).then((res) => res.ok, () => sleep(30, false));
    assert.ok(live || d.exited, `neither up nor ended:\n${d.output.slice(-3000)}`);
    assert.ok(live || !intactTenant, `${intactTenant} is not served, although its files are intact:\n${d.output.slice(-3000)}`);
    if (live) {
      await d.waitForNames();
      for (const tenant_id of ['vesper', 'acme'])
        await this.use(d, tenant_id, tenant_id === intactTenant);
      d.child.kill('SIGTERM');
      await d.ended();
    }
    d.checkOutput();
    assert.equal(d.exited.signal, null, `it crashed:\n${d.output.slice(-4000)}`);
    assert.ok(live || d.exited.code !== 0 && /vesperd: /.test(d.output), `it ended without a reason:\n${d.output.slice(-3000)}`);
    this.daemon = undefined;
  }

  async use(d, tenant_id, mustAnswer) {
    const rest = d.rest(mintToken({ sub: 'honest', tenant_id }));
    const reply = await rest.post(`${API}/chat`, { content: tenant_id === 'vesper' ? REFERENCE : ACME_QUESTION }, { signal: AbortSignal.timeout(WAIT_MS) })
      .catch((e) => ({ status: e.message, text: '', body: {} }));
    if (mustAnswer && saysLate(reply))
      this.unanswered++;
    else if (mustAnswer)
      assert.equal(reply.status, 200, `${tenant_id}: ${reply.text.slice(0, 300)}`);
    if (tenant_id === 'vesper' && reply.status === 200 && !saysLate(reply) && reply.body.views?.some((v) => v.view_type === 'data')) {
      assert.match(JSON.stringify(reply.body), /48\.73/, 'the answer is wrong');
      this.rightAnswers++;
    }
    for (const path of ['sessions', `sessions/${this.session}/messages`, `sessions/${this.session}/export`])
      await rest.get(`${API}/${path}`).catch((e) => assert.ok(!d.exited, `the daemon ended: ${e.message}\n${d.output.slice(-3000)}`));
  }
}

export async function open() {
  const warehouse = await demoWarehouse();
  const mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(2000) }, fault: { token_ms: 30 } }, { reply: 'demo' }] });
  const d = await startDaemon();
  const token = mintToken({ sub: 'honest' });
  let session;
  for (let i = 0; i < 8; i++)
    ({ session } = await d.ask(REFERENCE, { token, session }));
  await d.ask(ACME_QUESTION, { token: mintToken({ sub: 'honest', tenant_id: 'acme' }) });
  await d.stop();
  /* The next start looks for turns without an end. */
  const killed = await startDaemon({ dataDir: d.dataDir, mock });
  await Promise.all(Array.from({ length: 5 }, async () => (await killed.connect({ token })).begin(REFERENCE)));
  await killed.kill();
  await mock.close();
  return new Damage(d.dataDir, warehouse, session);
}

/* ---- kinds of damage ---- */

async function change(path, make) {
  await writeFile(path, make(await readFile(path)));
}

const BREAKS = {
  'is text': (path) => writeFile(path, 'this is no database. '.repeat(500)),
  'is empty': (path) => writeFile(path, ''),
  'is truncated': async (path, r) => truncate(path, r.below((await stat(path)).size)),
  'is truncated at a page': async (path, r) => truncate(path, PAGE * r.below(Math.ceil((await stat(path)).size / PAGE))),
  'has a damaged header': (path, r) => change(path, (bytes) => { corrupt(r, bytes.subarray(0, 100)).copy(bytes); return bytes; }),
  'has bytes flipped': (path, r) => change(path, (bytes) => corrupt(r, bytes)),
  'has one page flipped': (path, r) => change(path, (bytes) => { const at = PAGE * r.below(bytes.length / PAGE); corrupt(r, bytes.subarray(at, at + PAGE), 3).copy(bytes, at); return bytes; }),
  'has an overwritten page': (path, r) => change(path, (bytes) => { bytes.copy(bytes, PAGE * r.between(1, bytes.length / PAGE - 1), PAGE * r.between(1, bytes.length / PAGE - 1), bytes.length); return bytes; }),
  'is a folder': async (path) => { await rm(path); await mkdir(path); },
  'is another tenant\'s': async (path) => cp(join(path, '..', 'acme.db'), path),
};

async function breakStore(stage, r, how) {
  const dir = await stage.copy();
  for (const suffix of ['-wal', '-shm'])
    if (r.chance(2))
      await rm(stage.store(dir, 'vesper') + suffix, { force: true });
  await BREAKS[how](stage.store(dir, 'vesper'), r);
  await stage.run(dir);
}

async function breakSidecars(stage, r) {
  const dir = await stage.copy();
  for (const path of (await filesUnder(dir)).filter((p) => /-(wal|shm)$/.test(p) && r.chance(2)))
    await change(path, (bytes) => corrupt(r, bytes));
  await stage.run(dir);
}

async function breakWarehouse(stage, r, how) {
  const dir = await tempDir('warehouse');
  for (const name of ['vesper.db', 'acme.db'])
    await cp(join(stage.warehouse, name), join(dir, name));
  await BREAKS[how](join(dir, 'acme.db'), r).catch(() => {});
  await stage.run(await stage.copy(), { warehouse: dir, intactTenant: 'vesper' });
}

/* Starts vesperd with an environment set by a shell, which can contain bytes that Node cannot pass. Startup must be refused. */
async function refusesToStart(assignment, pattern) {
  const env = { PATH: process.env.PATH, ASAN_OPTIONS: process.env.ASAN_OPTIONS, VESPER_JWT_SECRET: SECRET, VESPER_LISTEN: '127.0.0.1:1',
    VESPER_WAREHOUSE_DIR: await demoWarehouse(), VESPER_DATA_DIR: await tempDir(), VESPER_ROOT: ROOT };
  const result = await promisify(execFile)('sh', ['-c', `${assignment}; exec "$0"`, VESPERD], { cwd: ROOT, env, encoding: 'latin1', timeout: 20000 }).catch((e) => e);
  assert.equal(result.signal ?? null, null, `${assignment}: ${result.stderr}`);
  assert.ok(result.code > 0 && result.code < 128, `${assignment}: ended with ${result.code}\n${result.stderr}`);
  assert.doesNotMatch(result.stderr, /AddressSanitizer|runtime error|Assertion/, assignment);
  assert.match(result.stderr, pattern, assignment);
}

export const attacks = [
  { name: 'intact files, with turns without an end', run: async (stage) => stage.run(await stage.copy(), { intactTenant: 'vesper' }) },
  ...Object.keys(BREAKS).map((how) => ({ name: `a store that ${how}`, run: (stage, r) => breakStore(stage, r, how) })),
  {
    name: 'a damaged store of one tenant, while others are served',
    async run(stage) {
      const dir = await stage.copy();
      await BREAKS['is text'](stage.store(dir, 'vesper'));
      await stage.run(dir, { intactTenant: 'acme' });
    },
  },
  { name: 'damaged -wal and -shm files', run: breakSidecars },
  ...['is text', 'is truncated', 'has bytes flipped', 'is a folder'].map((how) => ({ name: `a warehouse that ${how}`, run: (stage, r) => breakWarehouse(stage, r, how) })),
  {
    name: 'an invalid environment',
    async run() {
      for (const today of ['0999-01-01', '1001-12-31', '8999-01-01', '9999-12-31', '0000-00-00', '99999-01-01', '-001-01-01'])
        await refusesToStart(`export VESPER_TODAY='${today}'`, /VESPER_TODAY/);
      await refusesToStart("export VESPER_AUTH_ORIGINS=$(printf 'https://a\\377,\\300\\200')", /origins|ORIGINS/);
    },
  },
];

export function vary(stage, r) {
  const kinds = Object.keys(BREAKS);
  return r.pick([breakStore, breakWarehouse, breakSidecars])(stage, r, r.pick(kinds.slice(0, -1)));
}
