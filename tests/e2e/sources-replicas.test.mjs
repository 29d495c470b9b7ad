/*
 * Data sources of two replicas with one store: a source has one load at a time on any replica; the answer to a
 * question may go to either; the load of a dead replica is reported as interrupted, and a replica that was
 * presumed dead stores nothing.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPostgres } from './postgres.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';
import { MARK } from '../secrets.mjs';

const LOAD = `${MARK}Load7`, UPLOADS = `${MARK}Uploads7`;
const ROWS = 20000, FEW = 2000, MANY = 200000; /* MANY: its load takes long enough to be observed */
const file = (mark, rows = ROWS) => `thing,mark,note\n${Array.from({ length: rows }, (_, i) => `t${i % 4},${mark}.5,row number ${i} of a file that takes a while`).join('\n')}\n`;
const token = (sub) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] });

let pg;
const replicas = [];
const start = async () => {
  const d = await pg.start({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0',
    VESPER_SOURCES: JSON.stringify({ uploads: { dialect: 'postgres' } }), VESPER_SOURCES_UPLOADS_DSN: pg.dsn('vesper_uploads', UPLOADS),
    VESPER_UPLOADS_LOADER_DSN: pg.dsn('vesper_load', LOAD) } });
  replicas.push(d);
  return d;
};
before(async () => {
  pg = await installedPostgres();
  const init = await pg.ctl(['db', 'init', '--only', 'uploads'], { VESPER_LOAD_PASSWORD: LOAD, VESPER_UPLOADS_PASSWORD: UPLOADS });
  assert.equal(init.code, 0, init.stderr);
  await start();
  await start();
});
after(async () => {
  for (const d of replicas)
    await (d.exited ?? d.stop());
  await pg?.service('stop');
});

const each = (sub) => replicas.map((d) => new Sources(d, token(sub)));
const states = async (id) => (await pg.admin(`SELECT COALESCE(string_agg(state, ' ' ORDER BY number), '') FROM dbo.chat_data_versions WHERE source_uid = '${id}'`));
const tables = async () => Number(await pg.admin("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'uploads'"));
const makeStale = (id) => pg.admin(`UPDATE dbo.chat_data_versions SET updated_at = '2020-01-01T00:00:00.000Z' WHERE source_uid = '${id}' AND state IN ('receiving', 'reading', 'loading')`);
/* The mark in all rows of the version in use. */
const markOf = async (s, rows = ROWS) => {
  const { text } = await s.rest.post('/api/v1/chat', { content: 'total mark by thing' });
  const totals = [...text.matchAll(/"Mark":\[([^\]]*)\]/g)].flatMap((m) => m[1].split(','));
  assert.ok(totals.every((total) => total === totals[0]), text);
  return totals.length > 0 && Number(totals[0]) / (rows / 4) - 0.5;
};

describe('two replicas with one store', () => {
  it('load one file of a source at a time, and both answer from it', async () => {
    const [one, two] = each('ann');
    const { id } = await one.loaded(file(1, FEW), 'name=Marks.csv');
    await until('the other replica sees it', async () => (await two.one(id)).body.state === 'ready');
    for (let mark = 2; mark < 5; mark++) {
      /* A file that is refused during its upload gets a response, or its connection is closed. */
      const onClosed = () => ({ status: 409 });
      const sent = await Promise.all([one.replace(id, file(mark, FEW), '*').catch(onClosed), two.replace(id, file(mark + 100, FEW), '*').catch(onClosed)]);
      const codes = sent.map(({ status }) => status).toSorted();
      assert.ok(codes[0] === 202 && [202, 409].includes(codes[1]), sent.map(({ text }) => text).join('\n'));
      await until('both have ended', async () => !/receiving|reading|loading/.test(await states(id)));
      assert.equal((await states(id)).match(/ready/g).length, 1);
      if (codes[1] === 409) { /* otherwise the second arrived after the first had ended */
        const expected = sent[0].status === 202 ? mark : mark + 100;
        for (const s of [one, two])
          await until('answers use the accepted file', async () => await markOf(s, FEW) === expected);
      }
    }
    assert.equal((await two.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
    await until('the source is deleted', async () => (await one.one(id)).status === 404 && await tables() === 0);
  });

  it('accept a clarifying answer for each other', async () => {
    const [one, two] = each('bea');
    const asking = await one.loaded('day,n\n01/02/2025,1.5\n02/03/2025,2.5\n', 'name=Days.csv');
    const { ask_id } = asking.load.ask;
    await until('the other replica sees it', async () => (await two.one(asking.id)).body.load?.state === 'asking');
    assert.equal((await two.rest.post(`/api/v1/data-sources/${asking.id}/answer`, { ask_id, values: ['dmy'] })).status, 204);
    for (const s of [one, two])
      await until('the source is ready', async () => (await s.one(asking.id)).body.state === 'ready');
    assert.equal((await two.one(asking.id)).body.profile.columns[0].max, '2025-03-02');
    await two.rest.delete(`/api/v1/data-sources/${asking.id}`);
  });

  it('continue after a load that the other abandoned', async () => {
    const [one] = each('eve');
    const long = await one.upload(file(1, 3 * ROWS), 'name=Long.csv');
    const lost = await one.upload(file(2, FEW), 'name=Lost.csv');
    await until('the load waits', async () => await states(lost.body.id) === 'reading' || /ready/.test(await states(long.body.id)));
    await pg.admin(`UPDATE dbo.chat_data_versions SET state = 'failed', fault_code = 'interrupted', updated_at = '2020-01-01T00:00:00.000Z' WHERE source_uid = '${lost.body.id}' AND state = 'reading'`);
    const { state } = await one.loaded(file(3, FEW), 'name=Next.csv');
    assert.equal(state, 'ready');
    assert.equal((await one.settled(long.body.id)).state, 'ready');
    for (const id of (await one.list()).map((s) => s.id))
      await one.rest.delete(`/api/v1/data-sources/${id}`);
    await until('all tables are dropped', async () => await tables() === 0);
  });

  it('report the load of a paused replica as interrupted, and reject its late writes', async () => {
    const [one, two] = each('cal');
    const { id } = await one.loaded(file(1), 'name=Marks.csv');
    await until('the other replica answers', async () => await markOf(two) === 1);
    const before = await tables();
    assert.equal((await one.replace(id, file(2, MANY), '*')).status, 202);
    await until('the load has reached the database', async () => /loading/.test(await states(id)));
    replicas[0].child.kill('SIGSTOP');
    try {
      await makeStale(id);
      const failed = await until('the load is reported as failed', async () => {
        const { body } = await two.one(id);
        return body.load?.state === 'failed' && body;
      });
      assert.equal(failed.load.fault.code, 'interrupted');
      assert.equal(await markOf(two), 1);
    } finally {
      replicas[0].child.kill('SIGCONT');
    }
    await until('its table is dropped', async () => await tables() === before);
    await sleep(1000);
    assert.match(await states(id), /ready failed/);
    assert.equal(await markOf(one), 1);
    assert.equal((await one.replace(id, file(3), '*')).status, 202);
    for (const s of [one, two])
      await until('the next version is in use', async () => await markOf(s) === 3);
  });

  it('report the load of a dead replica as interrupted', async () => {
    const [one, two] = each('dan');
    const { id } = await one.loaded(file(1), 'name=Other.csv');
    const sent = one.replace(id, file(2, MANY), '*').catch(() => ({}));
    await until('the load has started', async () => /receiving|reading|loading/.test(await states(id)));
    await replicas[0].kill();
    await sent;
    await makeStale(id);
    await until('the load is reported as failed', async () => (await two.one(id)).body.load?.state === 'failed');
    assert.match(await states(id), /^ready failed$/);
    assert.equal((await two.replace(id, file(4), '*')).status, 202);
    await until('the next version is in use', async () => await markOf(two) === 4);
  });
});
