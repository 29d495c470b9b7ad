/*
 * Versions and deletion during running questions: a new version never mixes with the previous one, and a deleted
 * source is unreachable at once. None of 100 values of a deleted file is left in the data folder, the database or
 * Redis.
 */

import { after, before, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { filesUnder, startDaemon } from './harness.mjs';
import { patient } from './patience.mjs';
import { startRedis } from './redis.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const CANARIES = Array.from({ length: 100 }, (_, i) => `canary${i}x7f3a`);
const CANARY = /canary\d+x7f3a/g;
const TYPED = CANARIES[7]; /* used in a question, which remains in its author's history */
const QUESTION = 'total gram by bird';
const ASKERS = 4, QUESTIONS = 100, VERSIONS = 9; /* a user may load ten files an hour */

let d, redis;
before(async () => {
  redis = await startRedis();
  d = await startDaemon({ env: { VESPER_REDIS_URL: redis.url, VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(async () => {
  await d?.stop();
  await redis?.tell('stop');
});

const caller = (sub, permissions = [...ROLES.analyst, 'chat:upload']) => new Sources(d, mintToken({ sub, permissions }));
const chat = (s, content, headers) => s.rest.post('/api/v1/chat', { content }, { headers });

/* The places that contain canaries, with the number of different ones. */
async function remaining() {
  const places = {};
  const look = (where, text) => {
    const found = new Set(text.match(CANARY)?.filter((c) => c !== TYPED)).size;
    if (found)
      places[where] = found;
  };
  for (const file of await filesUnder(d.dataDir))
    look(file, await readFile(file, 'latin1').catch(() => ''));
  for (const key of await redis.raw('KEYS', '*')) {
    const type = String(await redis.raw('TYPE', key));
    look(`redis ${key}`, [String(key), type === 'string' ? await redis.raw('GET', key) : type === 'hash' ? await redis.raw('HGETALL', key)
      : type === 'stream' ? await redis.raw('XRANGE', key, '-', '+') : type === 'list' ? await redis.raw('LRANGE', key, '0', '-1') : ''].join(' '));
  }
  return places;
}

it('a deleted file is unreachable at once and removed everywhere', async (t) => {
  const ann = caller('ann'), bob = caller('bob', [...ROLES.manager]);
  const { id } = await ann.loaded(`bird,gram\n${CANARIES.map((c, i) => `${c},${i * 1000 + 17}.5`).join('\n')}\n`, 'name=Birds.csv');
  await ann.share(id, { visibility: 'tenant' });
  /* The owner's definitions; the first synonyms are replaced by others. */
  for (const synonyms of [[CANARIES[20]], [CANARIES[21]]])
    await ann.share(id, { semantic_profile: { entity_name: CANARIES[22], columns: { gram: { synonyms, description: `${CANARIES[23]} weighs` } } } });
  const nests = await ann.loaded(`nest,${CANARIES[24]}\nn1,${CANARIES[25]}\nn2,${CANARIES[26]}\n`, 'name=Nests.csv');
  assert.equal((await ann.rest.call('PUT', `/api/v1/data-sources/${nests.id}/joins`, { json: { joins: [{ to: id, on: [[CANARIES[24], 'bird']] }] } })).status, 204);
  assert.equal((await ann.rest.delete(`/api/v1/data-sources/${nests.id}`)).status, 202);
  await until('an answer', async () => /canary0x7f3a/.test((await chat(ann, QUESTION)).text));
  const asked = (await chat(ann, QUESTION, { 'idempotency-key': 'birds' })).body;
  /* Later messages of a session store the names of a list, for questions such as "the second one". */
  for (const content of ['hello', 'as of when?', 'the ninetieth one', 'What is the health status of Nazareth Solar?', 'total gram for the second one', 'thanks'])
    assert.equal((await ann.rest.post('/api/v1/chat', { content, session_id: asked.session_id })).status, 200);
  const theirs = await until('the source is shared', async () => {
    const { body, text } = await chat(bob, QUESTION);
    return /canary0x7f3a/.test(text) && body;
  });
  await chat(ann, `total gram for ${TYPED}`);
  const INTERFACES = {
    list: async (s) => (await s.rest.get('/api/v1/data-sources')).text,
    profile: async (s) => (await s.one(id)).text,
    rows: async (s) => (await s.rest.get(`/api/v1/data-sources/${id}/rows`)).text,
    load: async (s) => (await s.rest.get(`/api/v1/data-sources/${id}/events`)).text,
    ask: async (s) => (await chat(s, QUESTION)).text,
    filter: async (s) => (await chat(s, 'total gram for the bird canary9x7f3')).text,
    again: async (s) => (await chat(s, QUESTION, { 'idempotency-key': 'birds' })).text,
    history: async (s) => (await s.rest.get(`/api/v1/sessions/${(s === ann ? asked : theirs).session_id}/messages`)).text,
    export: async (s) => (await s.rest.get(`/api/v1/sessions/${(s === ann ? asked : theirs).session_id}/export?format=markdown`)).text,
    turn: async (s) => (await s.rest.get(`/api/v1/turns/${(s === ann ? asked : theirs).turn_id}/events`)).text,
    sessions: async (s) => (await s.rest.get('/api/v1/sessions')).text,
  };
  const seen = async () => {
    const found = [];
    for (const [who, s] of Object.entries({ ann, bob }))
      for (const [way, look] of Object.entries(INTERFACES))
        if ((await look(s)).match(CANARY)?.some((c) => c !== TYPED))
          found.push(`${who} ${way}`);
    return found;
  };
  for (const way of ['rows', 'ask', 'history', 'export', 'turn'])
    assert.match(await INTERFACES[way](ann), CANARY, way);
  assert.ok(Object.values(await remaining()).some((n) => n === CANARIES.length - 1));

  assert.equal((await ann.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
  const since = Date.now();
  assert.deepEqual(await seen(), []);
  let places;
  const isGone = async () => {
    places = await remaining();
    return Object.keys(places).length === 0;
  };
  await until('no canary is left', isGone).catch(() => assert.fail(JSON.stringify(places)));
  t.diagnostic(`${CANARIES.length} values removed after ${((Date.now() - since) / 1000).toFixed(1)} s`);
});

/* All rows of a version contain its number, so each total identifies one version. */
const file = (mark) => `thing,mark\n${Array.from({ length: 2000 + 500 * (mark % 3) }, (_, i) => `t${i % 4},${mark}.25`).join('\n')}\n`;
const rowsOf = (mark) => (2000 + 500 * (mark % 3)) / 4;
const totalsOf = (text) => [...text.matchAll(/"Mark":\[([^\]]*)\]/g)].flatMap((m) => m[1].split(',').map(Number));

it('an answer uses one version despite new ones, and no deleted one', { timeout: patient(240000) }, async (t) => {
  const eve = caller('eve');
  const { id } = await eve.loaded(file(1), 'name=Marks.csv');
  await until('an answer', async () => totalsOf((await chat(eve, 'total mark by thing')).text).length > 0);
  const versions = new Map();
  let mark = 1, answers = 0, isDone = false, isDeleted = false, emptyAnswers = 0;
  const ask = async () => {
    while (!isDone) {
      const beganDeleted = isDeleted;
      const { text } = await chat(eve, 'total mark by thing');
      const totals = totalsOf(text);
      if (totals.length === 0) {
        assert.ok(isDeleted, text);
        emptyAnswers++;
        continue;
      }
      assert.ok(!beganDeleted, 'no answer uses a source that was deleted before the question');
      const known = Array.from({ length: mark + 1 }, (_, i) => i + 1).find((n) => rowsOf(n) * (n + 0.25) === totals[0]);
      assert.ok(known, `${totals} is not a version up to ${mark + 1}`);
      assert.ok(totals.every((n) => n === totals[0]), `${totals} mixes versions`);
      versions.set(known, (versions.get(known) ?? 0) + 1);
      answers++;
    }
  };
  const askers = Promise.all(Array.from({ length: ASKERS }, ask));
  askers.catch(() => { isDone = true; });
  for (; mark < VERSIONS && !isDone; mark++) {
    const sent = await eve.replace(id, file(mark + 1), (await eve.one(id)).headers.get('etag'));
    assert.equal(sent.status, 202, sent.text);
    await until('the new version is in use', async () => isDone || (await eve.one(id)).body.version === sent.body.version);
    await until('an answer uses the new version', () => isDone || versions.has(mark + 1));
  }
  await until('enough answers have arrived', () => isDone || answers >= QUESTIONS);
  assert.equal((await eve.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
  isDeleted = true;
  await until('questions after the deletion find nothing', () => isDone || emptyAnswers >= ASKERS);
  isDone = true;
  await askers;
  assert.equal(versions.size, VERSIONS);
  t.diagnostic(`${answers} answers of ${versions.size} versions, ${emptyAnswers} after the deletion`);
});
