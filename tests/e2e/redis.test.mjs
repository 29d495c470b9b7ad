/*
 * Two daemons with one Redis: they share cached results, tenants are separated in it, and its faults prevent no
 * answer.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, REFERENCE, freePort, refusedStart, startDaemon } from './harness.mjs';
import { startRedis } from './redis.mjs';
import { mintToken } from './token.mjs';

const acme = () => mintToken({ tenant_id: 'acme' });

async function redisCheck(daemon) {
  return (await daemon.health()).checks.redis;
}

async function untilRedisIs(pattern, ...daemons) {
  for (let i = 0; i < 500; i++) {
    const notes = await Promise.all(daemons.map(redisCheck));
    if (notes.every((note) => pattern.test(note)))
      return;
    await sleep(20);
  }
  assert.fail(`redis is not ${pattern}: ${await redisCheck(daemons[0])}`);
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

  it('share cached results', async () => {
    const first = await one.ask(REFERENCE);
    checkAnswered(first);
    const keys = await redis.keys();
    assert.ok(keys.length > 0);
    const hits = await redis.hits();
    const second = await two.ask(REFERENCE);
    assert.equal(second.text, first.text);
    assert.deepEqual(second.complete.outcomes, first.complete.outcomes);
    assert.ok(await redis.hits() > hits, 'the second daemon finds the cached result');
    assert.equal((await redis.keys()).length, keys.length, 'the second daemon adds no key');
  });

  it('separate tenants in Redis', async () => {
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

  it('reject a value under another tenant\'s key', async () => {
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

  it('answer while Redis is paused, and use it again afterwards', async () => {
    await redis.tell('pause');
    checkAnswered(await one.ask(REFERENCE));
    const turns = await Promise.all([one, two, one, two].map((d) => d.ask(REFERENCE)));
    turns.forEach(checkAnswered);
    assert.equal((await one.ask(COMPARISON)).complete?.status, 'ok');
    await untilRedisIs(/^degraded/, one, two);
    assert.equal((await fetch(`${one.url}/readyz`)).status, 200, 'Redis is optional');
    await redis.tell('resume');
    await untilRedisIs(/^healthy/, one, two);
    const hits = await redis.hits();
    for (let i = 0; i < 20 && await redis.hits() === hits; i++)
      checkAnswered(await two.ask(REFERENCE));
    assert.ok(await redis.hits() > hits);
  });

  it('answer while Redis is down, and after it has restarted', async () => {
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

describe('limits and tickets of two daemons with one Redis', () => {
  const LIMIT = 6;
  let redis, one, two;
  const ticketOf = async (d, token = mintToken()) => (await d.rest(token).post('/api/v1/ws/tickets')).body.ticket;
  const request = (d, sub) => d.rest(mintToken({ sub })).get('/api/v1/tools');

  before(async () => {
    redis = await startRedis();
    const env = { VESPER_REDIS_URL: redis.url, VESPER_LIMITS_USER_PER_MINUTE: `${LIMIT}`, VESPER_LIMITS_TENANT_PER_MINUTE: '10000',
      VESPER_REDIS_TIMEOUT_MS: '10000' }; /* so that the daemons do not count separately on a busy machine */
    [one, two] = await Promise.all([startDaemon({ env }), startDaemon({ env })]);
    await untilRedisIs(/^healthy/, one, two);
  });
  after(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await redis?.tell('stop');
  });

  it('share a limit', async () => {
    const replies = [];
    for (let i = 0; i < LIMIT + 2; i++)
      replies.push(await request(i % 2 ? one : two, 'steady'));
    assert.deepEqual(replies.map((r) => r.status), [...Array(LIMIT).fill(200), 429, 429]);
    assert.equal(replies[LIMIT - 1].headers.get('ratelimit').split(',')[0].split(';')[1], 'r=0');
    assert.ok(Number(replies[LIMIT].headers.get('retry-after')) > 0);
    const crowd = await Promise.all(Array.from({ length: 4 * LIMIT }, (_, k) => request(k % 2 ? one : two, 'crowd')));
    assert.equal(crowd.filter((r) => r.status === 200).length, LIMIT, 'concurrent requests share the limit too');
    assert.equal((await request(one, 'fresh')).status, 200);
  });

  it('questions on sockets count as well', async () => {
    const token = mintToken({ sub: 'asker' });
    const chats = [await one.connect({ token }), await two.connect({ token })];
    for (let i = 0; i < LIMIT; i++)
      assert.equal((await chats[i % 2].ask(REFERENCE)).complete?.status, 'ok');
    for (const chat of chats) {
      chat.send({ type: 'chat.message', content: REFERENCE });
      const error = await chat.until((f) => f.type === 'chat.error');
      assert.equal(error.code, 'rate_limited');
      assert.ok(error.retry_after_ms > 0);
      await chat.close();
    }
    assert.equal((await request(one, 'asker')).status, 429);
  });

  it('a ticket of one daemon is valid once on the other, and encrypted in Redis', async () => {
    const token = mintToken({ sub: 'guest' });
    const ticket = await ticketOf(one, token);
    const [key] = (await redis.keys()).filter((k) => k.includes('ticket:'));
    assert.ok(key && !key.includes(ticket));
    const stored = await redis.cli('EVAL', "return redis.call('GET', redis.call('KEYS', 'vesper:v:(tickets)*')[1])", '0');
    assert.ok(stored.length > token.length && !stored.includes(token.split('.')[2]) && !stored.includes('guest'));
    const chat = await two.connect({ via: 'none', ticket });
    assert.equal((await one.rejection({ ticket })).status, 401);
    assert.equal((await two.rejection({ ticket })).status, 401);
    await chat.close();

    const second = await ticketOf(two, token);
    const attempts = await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 ? one : two).connect({ via: 'none', ticket: second })
      .then((c) => c.close().then(() => 'in'), () => 'out')));
    assert.equal(attempts.filter((d) => d === 'in').length, 1);
    const browser = await one.rejection({ ticket: second, origin: one.url });
    assert.equal(browser.code, 4401);
  });

  it('each daemon counts separately while Redis is unavailable', async (t) => {
    await redis.tell('pause');
    const from = Date.now();
    for (const d of [one, two]) {
      const replies = [];
      for (let i = 0; i < LIMIT + 1; i++)
        replies.push((await request(d, 'alone')).status);
      assert.deepEqual(replies, [...Array(LIMIT).fill(200), 429]);
    }
    t.diagnostic(`${2 * (LIMIT + 1)} requests took ${Date.now() - from} ms`);
    const ticket = await ticketOf(one, mintToken({ sub: 'here' }));
    assert.equal((await two.rejection({ ticket })).status, 401);
    await (await one.connect({ via: 'none', ticket })).close();
    await redis.tell('resume');
    await untilRedisIs(/^healthy/, one, two);
    /* Its wait budget is used up, so a reply that is slightly late may close the connection again. */
    let shared = false;
    for (let i = 0; i < 40 && !shared; i++) {
      const opened = await two.open({ via: 'none', ticket: await ticketOf(one, mintToken({ sub: `again${i}` })) });
      shared = opened.chat !== undefined;
      await (shared ? opened.chat.close() : sleep(50));
    }
    assert.ok(shared);
  });
});

describe('an unavailable Redis', () => {
  it('prevents neither startup nor answers', async () => {
    const d = await startDaemon({ env: { VESPER_REDIS_URL: `redis://127.0.0.1:${await freePort()}` } });
    checkAnswered(await d.ask(REFERENCE));
    assert.match(await redisCheck(d), /^degraded/);
    await d.stop();
  });

  it('makes startup fail if its address is invalid, without showing the password', async () => {
    for (const url of ['rediss://:hunter2@cache', 'redis://:hunter2@cache:x']) {
      const output = await refusedStart({ env: { VESPER_REDIS_URL: url } }, /redis\.url/);
      assert.doesNotMatch(output, /hunter2/);
    }
  });
});
