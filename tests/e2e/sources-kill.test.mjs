/*
 * kill -9 at any moment of a load: the version in use stays in use, no partial load is visible, and neither file
 * nor table is left. VESPER_KILLS is the number of repetitions (12).
 */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, startDaemon, tempDir } from './harness.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const KILLS = Number(process.env.VESPER_KILLS ?? 12);
const ROWS = 20000;
const QUESTION = 'total mark by thing';
const env = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };
const TABLES = 'import sqlite3,sys\nfor r in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_schema WHERE type=\'table\' AND name LIKE \'s!_%\' ESCAPE \'!\'"): print(r[0])';

const file = (mark) => `thing,mark,note\n${Array.from({ length: ROWS }, (_, i) => `t${i % 4},${mark}.5,row number ${i} of a file that takes a while`).join('\n')}\n`;

it('a load interrupted at any time leaves only the previous version', { timeout: 3000000 }, async (t) => {
  const dataDir = await tempDir();
  let d = await startDaemon({ dataDir, env });
  t.after(() => d.exited ?? d.stop());
  const caller = () => new Sources(d, mintToken({ sub: 'ann', permissions: [...ROLES.analyst, 'chat:upload'] }));
  const { id } = await caller().loaded(file(1), 'name=Marks.csv');
  let mark = 1;
  const totals = async () => {
    const { text } = await caller().rest.post('/api/v1/chat', { content: QUESTION });
    return [...text.matchAll(/"Mark":\[([^\]]*)\]/g)].flatMap((m) => m[1].split(','));
  };
  for (let i = 0; i < KILLS; i++) {
    const ann = caller();
    const tag = (await ann.one(id)).headers.get('etag');
    const sent = ann.replace(id, file(mark + 1), tag).catch(() => ({}));
    await sleep((i * 97) % 1500);
    await d.kill();
    await sent;
    d = await startDaemon({ dataDir, env });
    const source = await until('the load has ended', async () => {
      const { body } = await caller().one(id);
      return body.state === 'ready' && (!body.load || body.load.state === 'failed') && body;
    });
    if (source.load)
      assert.ok(['interrupted', 'connection_lost'].includes(source.load.fault.code), JSON.stringify(source.load));
    const seen = await until('an answer', async () => {
      const found = await totals();
      return found.length >= 4 && found;
    });
    const now = Number(seen[0]) / (ROWS / 4) - 0.5;
    assert.ok(now === mark || now === mark + 1, `${seen} after ${mark}`);
    assert.ok(seen.every((n) => n === seen[0]), `${seen}`);
    mark = now;
    await until('no file is left', async () => (await readdir(join(dataDir, 'spool'))).length === 0);
  }
  const tables = async () => (await run('python3', ['-c', TABLES, join(dataDir, 'sources/uploads/vesper.db')])).stdout.trim().split('\n');
  const { body } = await caller().one(id);
  /* Retired versions are deleted once no turn can read them any more. */
  assert.ok((await tables()).length <= 1 + KILLS, body.version);
  assert.equal((await caller().rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
  await until('no table is left', async () => (await tables()).join('') === '');
  await d.stop();
});

it('a shutdown during a load is reported as an interruption', async (t) => {
  const dataDir = await tempDir();
  for (const wait of [0, 60, 250, 700]) {
    const d = await startDaemon({ dataDir, env });
    t.after(() => d.exited ?? d.stop());
    const ann = new Sources(d, mintToken({ sub: 'ann', permissions: [...ROLES.analyst, 'chat:upload'] }));
    const sent = ann.upload(file(wait), `name=stop${wait}.csv`).catch(() => ({}));
    await sleep(wait);
    await d.stop();
    await sent;
  }
  const d = await startDaemon({ dataDir, env });
  const ann = new Sources(d, mintToken({ sub: 'ann', permissions: [...ROLES.analyst, 'chat:upload'] }));
  await until('interrupted loads are reported', async () => (await ann.list()).every((s) => s.state === 'ready' || s.load?.state === 'failed' || s.state === 'failed'));
  assert.deepEqual(await readdir(join(dataDir, 'spool')), []);
  await d.stop();
});
