/*
 * Data sources on a server: the same files become the same tables, each restricted to its tenant; the logins of
 * loader and reader have only their own rights.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { Sources, loadShapes, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';
import { MARK } from '../secrets.mjs';

const LOAD = `${MARK}Load7`, UPLOADS = `${MARK}Uploads7`;
const token = (sub, tenant_id = 'vesper') => mintToken({ sub, tenant_id, permissions: [...ROLES.analyst, 'chat:upload'] });

let pg;
let d;
before(async () => {
  pg = await installedPostgres();
  const init = await pg.ctl(['db', 'init', '--only', 'uploads'], { VESPER_LOAD_PASSWORD: LOAD, VESPER_UPLOADS_PASSWORD: UPLOADS });
  assert.equal(init.code, 0, init.stderr);
  d = await pg.start({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0',
    VESPER_SOURCES: JSON.stringify({ uploads: { dialect: 'postgres' } }), VESPER_SOURCES_UPLOADS_DSN: pg.dsn('vesper_uploads', UPLOADS),
    VESPER_UPLOADS_LOADER_DSN: pg.dsn('vesper_load', LOAD) } });
});
after(async () => {
  await d?.stop();
  await pg?.service('stop');
});

describe('on PostgreSQL', () => {
  it('a file is queried, and removed when it is deleted', async () => {
    const ann = new Sources(d, token('ann'));
    const source = await ann.loaded(await readFile(join(ROOT, 'tests/upload/shapes/orders.csv')), 'name=Orders.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    await until('an answer', async () => {
      const { text } = await ann.rest.post('/api/v1/chat', { content: 'total amount by region' });
      return ['1555.6', '1580.25', '99.99'].every((n) => text.includes(n));
    });
    const table = await pg.admin("SELECT table_name FROM information_schema.tables WHERE table_schema = 'uploads'");
    assert.match(table, /^s_[0-9a-f]{12}_1$/);
    /* Without the tenant's setting no login sees a row, not even the loader's. */
    assert.equal((await pg.psql('vesper_uploads', `SELECT COUNT(*) FROM uploads.${table}`)).text, '0');
    assert.equal((await pg.psql('vesper_uploads', `SELECT COUNT(*) FROM uploads.${table}`, { 'vesper.tenant_id': 'acme' })).text, '0');
    assert.equal((await pg.psql('vesper_load', `SELECT COUNT(*) FROM uploads.${table}`)).text, '0');
    assert.equal((await pg.psql('vesper_uploads', `SELECT COUNT(*) FROM uploads.${table}`, { 'vesper.tenant_id': 'vesper' })).text, '6');
    const statements = [`DELETE FROM uploads.${table}`, `DROP TABLE uploads.${table}`, 'CREATE TABLE uploads.x (n int)', 'SELECT * FROM dbo.chat_messages', 'SELECT * FROM dbo.per_project'];
    assert.deepEqual(await pg.accepted('vesper_uploads', statements), []);
    assert.deepEqual(await pg.accepted('vesper_load', statements.slice(3)), []);
    assert.equal((await ann.rest.delete(`/api/v1/data-sources/${source.id}`)).status, 202);
    await until('its table is dropped', async () => await pg.admin("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'uploads'") === '0'
      && await pg.admin('SELECT COUNT(*) FROM dbo.chat_data_sources') === '0');
    assert.doesNotMatch(await pg.admin('SELECT string_agg(m::text, chr(10)) FROM dbo.chat_messages m'), /1580\.25/);
  });

  it('two files are joined by their owner, with defined meanings', async () => {
    const bea = new Sources(d, token('bea'));
    const orders = await bea.loaded(await readFile(join(ROOT, 'tests/upload/shapes/orders.csv')), 'name=Orders.csv');
    const parties = await bea.loaded(await readFile(join(ROOT, 'tests/upload/parties.csv')), 'name=Parties.csv');
    assert.equal((await bea.rest.call('PUT', `/api/v1/data-sources/${orders.id}/joins`, { json: { joins: [{ to: parties.id, on: [['customer', 'party']] }] } })).status, 204);
    await bea.share(orders.id, { semantic_profile: { columns: { amount: { label: 'Turnover' } } }, expires_at: '2099-01-01T00:00:00.000Z' });
    const { text } = await bea.rest.post('/api/v1/chat', { content: 'total turnover by segment' });
    for (const number of ['3010.5', '180.24', '45.1'])
      assert.ok(text.includes(number), text);
    for (const { id } of [orders, parties])
      await bea.rest.delete(`/api/v1/data-sources/${id}`);
    await until('the sources are deleted', async () => await pg.admin('SELECT COUNT(*) FROM dbo.chat_data_joins') === '0'
      && await pg.admin('SELECT COUNT(*) FROM dbo.chat_data_sources') === '0');
  });

  it('none of 100 values of a file is left in any table after deletion', async (t) => {
    const cal = new Sources(d, token('cal')), bob = new Sources(d, token('bob'));
    const canaries = Array.from({ length: 100 }, (_, i) => `canary${i}x7f3a`);
    const remaining = async () => new Set((await pg.admin("SELECT string_agg(query_to_xml(format('SELECT * FROM %I.%I', schemaname, tablename), true, true, '')::text, '') "
      + "FROM pg_tables WHERE schemaname IN ('dbo', 'uploads')")).match(/canary\d+x7f3a/g)).size;
    const { id } = await cal.loaded(`bird,gram\n${canaries.map((c, i) => `${c},${i * 1000 + 17}.5`).join('\n')}\n`, 'name=Birds.csv');
    await cal.share(id, { visibility: 'tenant', semantic_profile: { entity_name: canaries[3], columns: { gram: { synonyms: [canaries[4]] } } } });
    for (const s of [cal, bob])
      await until('an answer', async () => /canary0x7f3a/.test((await s.rest.post('/api/v1/chat', { content: 'total gram by bird' }, { headers: { 'idempotency-key': 'birds' } })).text));
    assert.equal(await remaining(), 100);
    assert.equal((await cal.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
    const since = Date.now();
    assert.equal((await cal.one(id)).status, 404);
    await until('none is left', async () => await remaining() === 0);
    t.diagnostic(`100 values removed after ${((Date.now() - since) / 1000).toFixed(1)} s`);
  });

  it('each file format is loaded with its types', async () => {
    assert.deepEqual(await loadShapes((user) => new Sources(d, token(user))), []);
  });
});
