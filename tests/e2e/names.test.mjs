/*
 * Names are loaded from the data: a new project in the warehouse is known within the refresh time, without a restart,
 * and only to its tenant. Before the names are loaded, no question is answered.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoWarehouse, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { ctl } from './postgres.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const WAIT_MS = patient(20000);
const overview = (name) => `Give me an overview of project ${name}`;
const other = () => mintToken({ tenant_id: 'vesper' });
const own = () => mintToken({ tenant_id: 'acme' });

/* Copies a project of acme under another name. */
async function addProject(file, name) {
  const script = `import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.row_factory = sqlite3.Row
row = dict(db.execute('SELECT * FROM per_project ORDER BY gid LIMIT 1').fetchone())
row.update(gid='999999999', project_id='ZZ-999', name=sys.argv[2])
db.execute('INSERT INTO per_project (%s) VALUES (%s)' % (','.join(row), ','.join('?' * len(row))), list(row.values()))
db.commit()`;
  await run('python3', ['-c', script, file, name]);
}

describe('a new project in the warehouse', () => {
  let d;
  let file;

  before(async () => {
    const shared = await demoWarehouse();
    const dir = await tempDir('warehouse');
    for (const name of ['vesper.db', 'acme.db'])
      await copyFile(join(shared, name), join(dir, name));
    file = join(dir, 'acme.db');
    d = await startDaemon({ warehouse: dir, env: { VESPER_NAMES_REFRESH_S: '1' } });
  });
  after(() => d?.stop());

  it('is unknown before it is added', async () => {
    const turn = await d.ask(overview('Quillon Ridge'), { token: own() });
    assert.equal(turn.complete.status, 'ask', turn.text);
    assert.match(turn.text, /Quillon Ridge/);
  });

  it('is found by name and by a misspelled name, without a restart', async () => {
    const until = Date.now() + WAIT_MS;
    let turn;

    await addProject(file, 'Quillon Ridge');
    do {
      await sleep(300);
      turn = await d.ask(overview('Quillon Ridge'), { token: own() });
    } while (turn.complete.status !== 'ok' && Date.now() < until);
    assert.equal(turn.complete.status, 'ok', turn.text);
    assert.equal(turn.filters.project_name, 'Quillon Ridge');
    turn = await d.ask(overview('Quilon Rigde'), { token: own() });
    assert.equal(turn.filters.project_name, 'Quillon Ridge');
  });

  it('stays unknown to the other tenant', async () => {
    const turn = await d.ask(overview('Quillon Ridge'), { token: other() });
    assert.equal(turn.complete.status, 'ask', turn.text);
    assert.doesNotMatch(JSON.stringify(turn.ask.options), /Quillon/);
  });
});

/* "Solar" is a technology of the catalogue, "Nazareth Solar" a name of the data. */
describe('a question before the names of the data are loaded', () => {
  const question = 'What is the health status of Nazareth Solar?';
  const retryable = /names in your data are not loaded yet.*ask again/s;
  let d;
  let dir;
  let file;

  before(async () => {
    const shared = await demoWarehouse();
    dir = await tempDir('warehouse');
    for (const name of ['vesper.db', 'acme.db'])
      await copyFile(join(shared, name), join(dir, name));
    file = join(dir, 'vesper.db');
    await rename(file, `${file}.away`);
    d = await startDaemon({ warehouse: dir });
  });
  after(() => d?.stop());

  it('is refused with a retryable error', async () => {
    const turn = await d.ask(question, { token: other() });
    assert.equal(turn.error?.code, 'upstream', JSON.stringify(turn.closing));
    assert.equal(turn.error.retryable, true);
    assert.match(turn.error.message, retryable);
    assert.deepEqual([turn.tables, turn.text], [[], '']);
  });

  it('is not routed by vesperctl either', async () => {
    await copyFile(join(ROOT, 'README.md'), file);
    const { code, stdout, stderr } = await ctl(['route', question], { VESPER_ROOT: ROOT, VESPER_DATA_DIR: dir, VESPER_WAREHOUSE_DIR: dir });
    assert.equal(code, 1, stdout);
    assert.match(stderr ?? stdout, /names in the data of "vesper" could not be loaded/);
    await rename(file, `${file}.broken`);
  });

  it('is answered with the project after they are loaded', async () => {
    const pending = d.ask(question, { token: other() });
    await rename(`${file}.away`, file);
    let turn = await pending;
    for (let i = 0; i < 10 && turn.error; i++) {
      assert.match(turn.error.message, retryable);
      turn = await d.ask(question, { token: other() });
    }
    assert.equal(turn.complete?.status, 'ok', turn.text);
    assert.equal(turn.filters.project_name, 'Nazareth Solar');
    assert.equal(turn.filters.technology, undefined);
  });
});
