/* The demo as a new user starts it: ./run demo on an empty data folder, without and with a model, and a second time. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startMock } from '../mock/anthropic.mjs';
import { freePort, ROOT, tempDir } from './harness.mjs';

const run = promisify(execFile);

describe('./run demo --check', () => {
  let dataDir;
  let env;

  before(async () => {
    dataDir = await tempDir('demo');
    const { PATH, HOME } = process.env;
    env = { PATH, HOME, VESPER_DATA_DIR: dataDir, VESPER_LISTEN: `127.0.0.1:${await freePort()}` };
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  const check = (more) => run(join(ROOT, 'run'), ['demo', '--check'], { cwd: ROOT, env: { ...env, ...more }, timeout: 600000 });

  it('builds, creates the data, starts, and answers without a model', async () => {
    const { stdout } = await check();
    assert.match(stdout, /\$48\.73\/MWh/);
    assert.match(stdout, /8,760/);
    assert.match(stdout, /\[rules/);
  });

  it('answers the same through the model', async (t) => {
    const mock = await startMock();
    t.after(() => mock.close());
    mock.use('demo');
    const { stdout } = await check({ ANTHROPIC_API_KEY: 'mock-key', ANTHROPIC_BASE_URL: mock.url });
    assert.match(stdout, /\$48\.73\/MWh/);
    assert.match(stdout, /\[anthropic/);
    assert.equal(mock.count, 1, 'code routes, the model only writes the answer');
  });

  it('does not rebuild the program or recreate the data', async (t) => {
    const modified = async () => Promise.all([join(ROOT, 'build/vesperd'), join(dataDir, 'warehouse/vesper.db')]
      .map(async (path) => (await stat(path)).mtimeMs));
    const before = await modified();
    const start = performance.now();
    const { stderr } = await check();
    t.diagnostic(`check, start, answer and stop took ${(performance.now() - start).toFixed(0)} ms`);
    assert.deepEqual(await modified(), before);
    assert.equal(stderr, '');
  });
});
