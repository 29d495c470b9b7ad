/*
 * Names come from the data: a project that is written to the warehouse is known by name within the
 * refresh time, without a restart, and to its own tenant only.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoWarehouse, run, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const WAIT_MS = 20000;
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

describe('a project that is new in the warehouse', () => {
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

  it('is not known before it is there', async () => {
    const turn = await d.ask(overview('Quillon Ridge'), { token: own() });
    assert.equal(turn.complete.status, 'ask', turn.text);
    assert.match(turn.text, /Quillon Ridge/);
  });

  it('is found by name, and by a mistyped one, without a restart', async () => {
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
