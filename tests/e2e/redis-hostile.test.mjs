/*
 * An attacker who can write to Redis, or controls it: none of its values is trusted, no limit is lifted, and the
 * daemon continues.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { STEADY } from './cluster.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { startRedis } from './redis.mjs';
import { mintToken } from './token.mjs';

const TRIES = 5; /* maximum number of questions until a value is stored */
const LIMIT = 6;
const HASH_BYTES = 66; /* a packed result ends with its hash: length, 64 digits, NUL */
const ENVELOPES = { 'vc1:': 20, 'vc2:': 44 };
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();

async function assertCorrectAnswer(daemon) {
  const turn = await daemon.ask(REFERENCE);
  assert.equal(turn.complete?.status, 'ok', turn.text);
  assert.match(turn.text, /48\.73/);
  assert.doesNotMatch(turn.text, /99\.99/);
}

async function untilRedisIs(pattern, daemon) {
  for (let i = 0; i < 500; i++) {
    if (pattern.test((await daemon.health()).checks.redis))
      return;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail(`redis is not ${pattern}`);
}

/* ---- manipulated values ---- */

const innerOf = (stored) => stored.subarray(ENVELOPES[stored.toString('latin1', 0, 4)]);
const headOf = (stored) => stored.subarray(0, ENVELOPES[stored.toString('latin1', 0, 4)]);

const otherPrice = (inner) => Buffer.from(inner.toString('latin1').replaceAll('48.73', '99.99'), 'latin1');

/* The same result with an impossible timestamp. */
function otherTime(inner) {
  const hash = inner.subarray(inner.length - HASH_BYTES);
  let from = inner.length - HASH_BYTES - 1;
  while (inner[from - 1] >= 0x80)
    from--;
  return Buffer.concat([inner.subarray(0, from), Buffer.from('ffffffffffffffffff01', 'hex'), hash]);
}

/* The original HMAC, zeros, an HMAC computed without the secret, the digest of the old format, or nothing. */
const FORGERIES = {
  'with the original HMAC': (key, stored, inner) => Buffer.concat([headOf(stored), inner]),
  'with an HMAC of zeros': (key, stored, inner) => Buffer.concat([headOf(stored).fill(0, 12), inner]),
  'with an HMAC without the secret': (key, stored, inner) => Buffer.concat([stored.subarray(0, 12), sha256(sha256(key), sha256(inner)), inner]),
  'with the digest of the old format': (key, stored, inner) => Buffer.concat([Buffer.from('vc1:'), sha256(sha256(key), sha256(inner)).subarray(0, 16), inner]),
  'without an envelope': (key, stored, inner) => inner,
};

describe('an attacker who can write to Redis', () => {
  let redis, daemon;

  before(async () => {
    redis = await startRedis();
    daemon = await startDaemon({ env: { VESPER_REDIS_URL: redis.url, VESPER_LIMITS_USER_PER_MINUTE: '600', ...STEADY } });
    await untilRedisIs(/^healthy/, daemon);
  });
  after(async () => {
    await daemon?.stop();
    await redis?.tell('stop');
  });

  async function values() {
    const keys = await redis.raw('KEYS', 'vesper:v:vesper*');
    return Promise.all(keys.map(async (key) => ({ key, stored: await redis.raw('GET', key) })));
  }

  /* The values that the reference question stores. Retries, because a daemon skips Redis for a while after a slow reply. */
  async function stored() {
    await redis.raw('FLUSHALL');
    for (let tries = 0; tries < TRIES; tries++) {
      await untilRedisIs(/^healthy/, daemon);
      await assertCorrectAnswer(daemon);
      const all = await values();
      if (all.length > 0)
        return all;
    }
    assert.fail('no value is stored');
  }

  for (const [forgery, forge] of Object.entries(FORGERIES)) {
    for (const [what, change] of Object.entries({ 'another price': otherPrice, 'another time': otherTime })) {
      it(`cannot forge a value: ${what}, ${forgery}`, async () => {
        const before = await stored();
        for (const { key, stored: bytes } of before) {
          const name = key.subarray('vesper:v:'.length);
          await redis.raw('SET', key, forge(name, Buffer.from(bytes), change(innerOf(bytes))));
        }
        await assertCorrectAnswer(daemon);
        assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200);
      });
    }
  }

  it('cannot move a value to another user\'s question', async () => {
    const [{ stored: bytes }] = await stored();
    const other = () => daemon.ask('Average annual around-the-clock price at SP15 in 2025 from Ascend');
    const expected = await other();
    for (const { key } of await values())
      await redis.raw('SET', key, bytes);
    assert.equal((await other()).text, expected.text);
  });

  it('can write garbage without effect', async () => {
    for (const junk of ['', 'vc2:', 'x'.repeat(100), Buffer.alloc(1 << 20, 0xff), Buffer.alloc(2 << 20)]) {
      for (const { key } of await values())
        await redis.raw('SET', key, junk);
      await assertCorrectAnswer(daemon);
    }
    for (const { key } of await values()) {
      await redis.raw('DEL', key);
      await redis.raw('LPUSH', key, 'x');
    }
    await assertCorrectAnswer(daemon);
  });
});

describe('a limit in a manipulated Redis', () => {
  let redis, daemon;
  const requestStatus = async (sub) => (await daemon.rest(mintToken({ sub })).get('/api/v1/tools')).status;

  before(async () => {
    redis = await startRedis();
    daemon = await startDaemon({ env: { VESPER_REDIS_URL: redis.url, VESPER_LIMITS_USER_PER_MINUTE: `${LIMIT}` } });
    await untilRedisIs(/^healthy/, daemon);
  });
  after(async () => {
    await daemon?.stop();
    await redis?.tell('stop');
  });

  it('is not reset by deleting its key', async () => {
    let passed = 0;
    for (let i = 0; i < 6 * LIMIT; i++) {
      passed += await requestStatus('greedy') === 200;
      await redis.raw('FLUSHALL');
    }
    assert.ok(passed >= LIMIT && passed <= LIMIT + 4, `${passed}`);
  });

  it('is not broken by an invalid number', async () => {
    let n = 0;
    for (const [left, at] of [['nan', '0'], ['-inf', '0'], ['x', 'y'], ['0', '1e300'], ['0', '99999999999999']]) {
      const sub = `victim${n++}`;
      await redis.raw('FLUSHALL');
      assert.equal(await requestStatus(sub), 200);
      for (const key of await redis.raw('KEYS', 'vesper:m:*'))
        await redis.raw('HSET', key, 'left', left, 'at', at);
      assert.equal(await requestStatus(sub), 200, `${left} ${at}`);
      for (const key of await redis.raw('KEYS', 'vesper:m:*')) {
        await redis.raw('DEL', key);
        await redis.raw('LPUSH', key, 'x');
      }
      assert.equal(await requestStatus(sub), 200, 'of another type');
      await untilRedisIs(/^healthy/, daemon);
    }
  });
});

/* ---- servers that pretend to be Redis ---- */

const bulk = (text) => Buffer.concat([Buffer.from(`$${text.length}\r\n`), Buffer.from(text, 'latin1'), Buffer.from('\r\n')]);
const FALSE_REPLIES = [
  '$-1\r\n', ':-9223372036854775808\r\n', '+OK\r\n', '*-1\r\n', '*2147483647\r\n', '$99999999999999999999\r\nx',
  '-\xff\xfe\x80 not a text\r\n', `-${'\xc3'.repeat(5000)}\r\n`, bulk('vc2:' + '\xff'.repeat(60)), bulk('\x00'.repeat(200)),
  bulk('1 9999999999999 9999999999999'), bulk('1 599000 11999000'), bulk('0 0 0'), bulk('1 nan inf'), bulk('x'.repeat(2 << 20)),
];

describe('a Redis with false replies', () => {
  let server, daemon, falseReply, greeting;

  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {});
      let first = true;
      socket.on('data', () => {
        socket.write(Buffer.from(first ? greeting : falseReply, 'latin1'));
        first = false;
      });
    });
    [falseReply, greeting] = ['$-1\r\n', '+PONG\r\n'];
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    daemon = await startDaemon({ env: { VESPER_REDIS_URL: `redis://127.0.0.1:${server.address().port}` } });
  });
  after(async () => {
    await daemon?.stop();
    server?.close();
  });

  it('prevents no answer, ticket or probe', async () => {
    for (const one of FALSE_REPLIES) {
      falseReply = one;
      await untilRedisIs(/^healthy/, daemon);
      await assertCorrectAnswer(daemon);
      const { body } = await daemon.rest(mintToken()).post('/api/v1/ws/tickets');
      await (await daemon.connect({ via: 'none', ticket: body.ticket })).close();
    }
  });

  it('cannot inject text into messages', async () => {
    for (const one of ['-\xff\xfe\x80 bad\r\n', `-${'\xe2\x82'.repeat(300)}\r\n`, '-"}\x01\x02\r\n', `+${'\xff'.repeat(90000)}\r\n`]) {
      greeting = one;
      falseReply = '*1\r\n:1\r\n';
      for (let i = 0; i < 20; i++) {
        const reply = await fetch(`${daemon.url}/health`);
        assert.equal(reply.status, 200);
        await reply.json();
        await daemon.rest(mintToken()).get('/api/v1/tools');
      }
    }
    await assertCorrectAnswer(daemon);
  });
});
