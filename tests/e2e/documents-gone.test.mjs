/*
 * Documents in files with Redis, and on a PostgreSQL server: each quotation matches the text at its position byte for
 * byte, and no byte of a deleted document is left in the index, the store or a cache.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Documents, checkSources, storedText } from './documents.mjs';
import { ROOT, filesUnder, startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';
import { MARK } from '../secrets.mjs';

const DOCUMENTS = join(ROOT, 'tests/documents');
const NAMES = ['curtailment-policy', 'leave-policy', 'heat-stress', 'black-start', 'credit-policy'];
const LOAD = `${MARK}Load8`, UPLOADS = `${MARK}Uploads8`;
const CANARIES = Array.from({ length: 100 }, (_, i) => `canary${i}q5d2c`), CANARY = /canary\d+q5d2c/g;
const QUESTION = 'When is the wug in the brambles fed?';
const NO_LIMITS = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };
const token = (sub) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] });
const ask = async (user, content, headers) => (await user.rest.post('/api/v1/chat', { content }, { headers })).body;

async function readFiles(d) {
  return (await Promise.all((await filesUnder(d.dataDir)).map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n');
}

async function startFiles() {
  const redis = await startRedis();
  const d = await startDaemon({ env: { ...NO_LIMITS, VESPER_REDIS_URL: redis.url } });
  const readRedis = async () => {
    const found = [];
    for (const key of await redis.raw('KEYS', '*')) {
      const type = String(await redis.raw('TYPE', key));
      found.push(key, type === 'string' ? await redis.raw('GET', key) : type === 'hash' ? await redis.raw('HGETALL', key)
        : type === 'stream' ? await redis.raw('XRANGE', key, '-', '+') : type === 'list' ? await redis.raw('LRANGE', key, '0', '-1') : '');
    }
    return found.join('\n');
  };
  return { d, readAll: async () => [await readFiles(d), await readRedis()].join('\n'), stop: () => redis.tell('stop') };
}

async function startServer() {
  const pg = await installedPostgres();
  const init = await pg.ctl(['db', 'init', '--only', 'uploads'], { VESPER_LOAD_PASSWORD: LOAD, VESPER_UPLOADS_PASSWORD: UPLOADS });
  assert.equal(init.code, 0, init.stderr);
  const d = await pg.start({ env: { ...NO_LIMITS, VESPER_SOURCES: JSON.stringify({ uploads: { dialect: 'postgres' } }),
    VESPER_SOURCES_UPLOADS_DSN: pg.dsn('vesper_uploads', UPLOADS), VESPER_UPLOADS_LOADER_DSN: pg.dsn('vesper_load', LOAD) } });
  const readTables = () => pg.admin("SELECT string_agg(query_to_xml(format('SELECT * FROM %I.%I', schemaname, tablename), true, true, '')::text, '') "
    + "FROM pg_tables WHERE schemaname IN ('dbo', 'uploads')");
  return { d, readAll: async () => [await readFiles(d), await readTables()].join('\n'), stop: () => pg.service('stop') };
}

for (const [where, start] of [['in files, with Redis', startFiles], ['on a server', startServer]])
  describe(where, () => {
    let storage, d;
    before(async () => {
      storage = await start();
      d = storage.d;
    });
    after(async () => {
      await d?.stop();
      await storage?.stop();
    });
    const indexBytes = async () => Number(/^vesper_documents_index_bytes (\d+)/m.exec(await (await fetch(`${d.adminUrl}/metrics`)).text())?.[1] ?? 0);

    it('each quotation of an answer matches at its offset, in the file and in the store', async () => {
      const ann = new Documents(d, token('ann')), texts = new Map(), ids = new Map();
      for (const name of NAMES) {
        texts.set(name, storedText(await readFile(join(DOCUMENTS, `${name}.md`))));
        ids.set(name, (await ann.loaded(texts.get(name), `name=${name}.md`)).id);
      }
      const labels = (await readFile(join(DOCUMENTS, 'labels.tsv'), 'utf8')).split('\n').map((l) => l.split('\t'))
        .filter(([, labelled]) => NAMES.some((name) => labelled?.startsWith(name)));
      let sources = 0;
      for (const [question] of labels) {
        const body = await ask(ann, question);
        checkSources(body, (name) => texts.get(name));
        for (const { document, quote, start: at } of body.sources ?? []) {
          const covering = (await ann.passages(ids.get(document))).filter(({ start: from, passage }) => at >= from && at < from + Buffer.byteLength(passage));
          assert.ok(covering.some(({ start: from, passage }) => Buffer.from(passage).subarray(at - from, at - from + Buffer.byteLength(quote)).toString() === quote), quote);
          sources++;
        }
      }
      assert.ok(labels.length >= 10 && sources >= labels.length, `${sources} sources of ${labels.length} questions`);
    });

    it('no byte of a deleted document is left in index, store and cache', async (t) => {
      const ben = new Documents(d, token('ben')), bytesBefore = await indexBytes();
      const { id } = await ben.loaded(`# Handbook of wugs\n\n${CANARIES.map((c, i) => `## Feeding at dawn, ${i}\n\nThe wug ${c}${i === 0 ? ' in the brambles' : ''} is fed at dawn, as ${c} likes.\n`).join('\n')}`, 'name=Wugs.md');
      const body = await ask(ben, QUESTION, { 'idempotency-key': 'wugs' });
      assert.match(JSON.stringify(body), CANARY);
      assert.ok(await indexBytes() > bytesBefore, 'it is in the index');
      const left = async () => new Set((await storage.readAll()).match(CANARY)).size;
      assert.equal(await left(), CANARIES.length);
      assert.equal((await ben.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
      const start = Date.now();
      for (const reply of [await ask(ben, QUESTION), await ask(ben, QUESTION, { 'idempotency-key': 'wugs' }),
        (await ben.rest.get(`/api/v1/turns/${body.turn_id}/events`)).text])
        assert.doesNotMatch(JSON.stringify(reply), CANARY);
      let n;
      await until('none is left', async () => (n = await left()) === 0).catch(() => assert.fail(`${n} of ${CANARIES.length} are left`));
      assert.equal(await indexBytes(), bytesBefore, 'it is removed from the index');
      t.diagnostic(`${CANARIES.length} values deleted after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    });
  });
