/*
 * Two daemons and one Redis: what one has fetched, the other need not fetch; tenants never meet in
 * it; and nothing that happens to it costs an answer.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, REFERENCE, freePort, refusedStart, startDaemon } from './harness.mjs';
import { startRedis } from './redis.mjs';
import { mintToken } from './token.mjs';

const acme = () => mintToken({ tenant_id: 'acme' });

async function checkOf(daemon) {
  const health = await (await fetch(`${daemon.url}/health`)).json();
  return health.checks.redis;
}

async function untilRedisIs(pattern, ...daemons) {
  for (let i = 0; i < 500; i++) {
    const notes = await Promise.all(daemons.map(checkOf));
    if (notes.every((note) => pattern.test(note)))
      return;
    await sleep(20);
  }
  assert.fail(`redis is not ${pattern}: ${await checkOf(daemons[0])}`);
}

function checkAnswered(turn) {
  assert.equal(turn.complete?.status, 'ok', turn.text);
  assert.match(turn.text, /48\.73/);
}

describe('two daemons with one Redis', () => {
  let redis, one, two;

  before(async () => {
    redis = await startRedis();
    const env = { VESPER_REDIS_URL: redis.url };
    [one, two] = await Promise.all([startDaemon({ env }), startDaemon({ env })]);
    await untilRedisIs(/^healthy/, one, two);
  });
  after(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await redis?.tell('stop');
  });

  it('share what they fetched', async () => {
    const first = await one.ask(REFERENCE);
    checkAnswered(first);
    const keys = await redis.keys();
    assert.ok(keys.length > 0);
    const hits = await redis.hits();
    const second = await two.ask(REFERENCE);
    assert.equal(second.text, first.text);
    assert.deepEqual(second.complete.outcomes, first.complete.outcomes);
    assert.ok(await redis.hits() > hits, 'the second daemon found it');
    assert.equal((await redis.keys()).length, keys.length, 'and had nothing to add');
  });

  it('keep tenants apart in it', async () => {
    const before = await redis.keys();
    const mine = await one.ask(REFERENCE);
    const theirs = await two.ask(REFERENCE, { token: acme() });
    assert.notEqual(theirs.text, mine.text);
    assert.doesNotMatch(theirs.text, /48\.73/);
    const added = (await redis.keys()).filter((key) => !before.includes(key));
    assert.ok(added.length > 0);
    for (const key of added)
      assert.match(key, /vesper:v:acme\\x00tool:[0-9a-f]{64}/);
    for (const key of before)
      assert.match(key, /vesper:v:vesper\\x00tool:[0-9a-f]{64}/);
  });

  it('do not believe a value under another tenant\'s key', async () => {
    const keys = (await redis.cli('EVAL', `
      local mine = redis.call('KEYS', 'vesper:v:vesper*')
      local theirs = redis.call('KEYS', 'vesper:v:acme*')
      for _, to in ipairs(theirs) do redis.call('SET', to, redis.call('GET', mine[1]), 'KEEPTTL') end
      return #theirs`, '0'));
    assert.ok(Number(keys) > 0);
    const theirs = await one.ask(REFERENCE, { token: acme() });
    assert.equal(theirs.complete?.status, 'ok');
    assert.doesNotMatch(theirs.text, /48\.73/);
  });

  it('answer while it is paused, and use it again afterwards', async () => {
    await redis.tell('pause');
    checkAnswered(await one.ask(REFERENCE));
    const turns = await Promise.all([one, two, one, two].map((d) => d.ask(REFERENCE)));
    turns.forEach(checkAnswered);
    assert.equal((await one.ask(COMPARISON)).complete?.status, 'ok');
    await untilRedisIs(/^degraded/, one, two);
    assert.equal((await fetch(`${one.url}/readyz`)).status, 200, 'it is not needed');
    await redis.tell('resume');
    await untilRedisIs(/^healthy/, one, two);
    const hits = await redis.hits();
    for (let i = 0; i < 20 && await redis.hits() === hits; i++)
      checkAnswered(await two.ask(REFERENCE));
    assert.ok(await redis.hits() > hits);
  });

  it('answer when it is killed, and when it is back', async () => {
    await redis.tell('kill');
    checkAnswered(await one.ask(REFERENCE));
    await untilRedisIs(/^degraded/, one, two);
    checkAnswered(await two.ask(REFERENCE));
    await redis.tell('restart');
    await untilRedisIs(/^healthy/, one, two);
    for (let i = 0; i < 20 && (await redis.keys()).length === 0; i++)
      checkAnswered(await one.ask(REFERENCE));
    assert.ok((await redis.keys()).length > 0);
  });
});

describe('a Redis that is not there', () => {
  it('is no reason not to start, or not to answer', async () => {
    const d = await startDaemon({ env: { VESPER_REDIS_URL: `redis://127.0.0.1:${await freePort()}` } });
    checkAnswered(await d.ask(REFERENCE));
    assert.match(await checkOf(d), /^degraded/);
    await d.stop();
  });

  it('stops the start when its address is wrong, without naming the password', async () => {
    for (const url of ['rediss://:hunter2@cache', 'redis://:hunter2@cache:x']) {
      const output = await refusedStart({ env: { VESPER_REDIS_URL: url } }, /redis\.url/);
      assert.doesNotMatch(output, /hunter2/);
    }
  });
});
