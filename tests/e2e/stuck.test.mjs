/*
 * Operations that hang: a call inside the database that cannot be interrupted, and a part that cannot be freed.
 * Questions end at their time limit, others continue, and SIGTERM ends the process.
 */

import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { REFERENCE, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const QUESTION = 'What is the stuck search in long texts of 2025?';
const STARTED = /"tool":"search_stuck_texts"/;
const token = mintToken({ role: 'analyst' });

async function makeRoot() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  await mkdir(join(root, 'sql/energy/stuck'));
  await cp(join(ROOT, 'tests/e2e/stuck/sql'), join(root, 'sql/energy/stuck'), { recursive: true });
  await cp(join(ROOT, 'tests/e2e/stuck/prompts'), join(root, 'prompts/energy'), { recursive: true });
  return root;
}

/* A preloaded library whose sqlite3_close never returns, as with an unavailable disk. */
async function hangingClose() {
  const dir = await tempDir('preload');
  await writeFile(join(dir, 'hang.c'),
    '#include <unistd.h>\nint sqlite3_close(void *db);\nint sqlite3_close(void *db) { (void)db; for (;;) pause(); }\n');
  await run('cc', ['-shared', '-fPIC', '-o', join(dir, 'hang.so'), join(dir, 'hang.c')]);
  return join(dir, 'hang.so');
}

describe('operations that hang', () => {
  it('end at their time limit, and others are answered', async () => {
    const d = await startDaemon({ env: { VESPER_ROOT: await makeRoot(), VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '1000', VESPER_WAREHOUSE_WORKERS: '2' } });
    const asked = await Promise.all([1, 2].map(() => d.ask(QUESTION, { token })));
    for (const turn of asked)
      assert.deepEqual(turn.complete.outcomes.map((o) => o.outcome), ['timeout']);
    const other = await d.ask(REFERENCE, { token });
    assert.match(other.text, /48\.73/);
    await d.stop(); /* both calls still run */
  });

  it('do not prevent shutdown', async () => {
    const d = await startDaemon({ env: { VESPER_ROOT: await makeRoot(), VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '60000' } });
    const chat = await d.connect({ token });
    chat.send({ type: 'chat.message', content: QUESTION });
    await chat.until((frame) => STARTED.test(JSON.stringify(frame)));
    await d.stop();
  });

  it('a part that cannot be freed does not prevent shutdown', async () => {
    const d = await startDaemon({ env: { LD_PRELOAD: await hangingClose(), ASAN_OPTIONS: 'verify_asan_link_order=0' } });
    d.child.kill('SIGTERM');
    assert.deepEqual(await d.ended(40000), { code: 1, signal: null });
    assert.match(d.output, /could not be stopped/);
  });
});
