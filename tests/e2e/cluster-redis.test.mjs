/*
 * Faults of the shared Redis: a running answer is finished on its replica, and replicas share events again soon
 * after Redis recovers.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { FaultyProxy } from './between.mjs';
import { Cluster } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

const words = Array.from({ length: 60 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 15 } }, { reply: 'demo' }];

describe('Redis of two replicas', () => {
  let mock, redis, proxy, cluster, one, two;

  before(async () => {
    mock = await startMock({ script });
    redis = await startRedis();
    proxy = new FaultyProxy(redis.port);
    const url = redis.url.replace(/:\d+$/, `:${await proxy.listen()}`);
    cluster = new Cluster(await installedPostgres(), redis, { mock, url });
    [one, two] = [await cluster.add(), await cluster.add()];
    await cluster.waitForReplicas(2);
  });
  after(async () => {
    for (const d of cluster?.daemons ?? []) {
      if (d.exited || process.env.VESPER_TEST_OUTPUT)
        console.log(d.output);
      d.checkOutput();
    }
    proxy?.close();
    await cluster?.stop();
    await mock?.close();
  });

  async function measure(fault, undo) {
    const start = Date.now();
    await one.ask(REFERENCE);
    const usualMs = Date.now() - start;
    const chat = await one.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    await fault();
    const frames = await chat.frames();
    assert.equal(frames.at(-1).status, 'ok', `the running answer is not finished: ${JSON.stringify(frames.at(-1))}`);
    await chat.close();
    const faultStart = Date.now();
    const turn = await one.ask(REFERENCE);
    assert.equal(turn.complete.status, 'ok', 'the next question is answered');
    const faultMs = Date.now() - faultStart;
    await undo();
    return { addedMs: faultMs - usualMs, recoveryMs: await cluster.untilShared() };
  }

  const print = (name, { addedMs, recoveryMs }) => console.log(`${name}: added to a turn ${addedMs} ms, shared again after ${recoveryMs} ms`);

  it('is killed and restarted empty', async () => {
    print('killed, empty', await measure(() => redis.tell('kill'), () => redis.tell('restart')));
  });

  it('is paused and continues', async () => {
    print('stopped', await measure(() => redis.tell('pause'), () => redis.tell('resume')));
  });

  for (const mode of ['slow', 'garbage', 'silent'])
    it(`is ${mode}`, async () => {
      const setMode = (m) => async () => {
        proxy.mode = m;
      };
      print(mode, await measure(setMode(mode), setMode('pass')));
    });

  it('is full', async () => {
    print('full', await measure(() => redis.cli('CONFIG', 'SET', 'maxmemory', '1mb'), () => redis.cli('CONFIG', 'SET', 'maxmemory', '0')));
  });

  it('delays writes: a client that reconnects to another replica continues at its position', async () => {
    await cluster.untilShared();
    const [chat, again] = [await one.connect(), await two.connect()];
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(3);
    await redis.cli('CLIENT', 'PAUSE', '1200', 'WRITE');
    await chat.untilTokens(20);
    const last_seq = chat.all.filter((f) => f.turn_id === turn_id).at(-1).seq;
    await chat.cut();
    again.send({ type: 'resume', turn_id, last_seq });
    const rest = await again.frames();
    assert.equal(rest[0].seq_first ?? rest[0].seq, last_seq + 1);
    assert.equal(rest.at(-1).status, 'ok');
    await again.close();
  });

  it('stays unavailable: viewers on another replica get an error, and the answer is finished on its replica', async () => {
    await cluster.untilShared();
    mock.use([{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 400 } }, { reply: 'demo' }]);
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const viewer = await two.connect();
    viewer.send({ type: 'resume', turn_id, last_seq: 0 });
    await viewer.untilTokens(1);
    await redis.tell('pause');
    const pausedAt = Date.now();
    const error = (await viewer.frames({ limitMs: 60000 })).at(-1);
    console.log(`unavailable: a viewer on the other replica got an error after ${Date.now() - pausedAt} ms`);
    assert.deepEqual([error.type, error.code, error.retryable], ['chat.error', 'upstream', true]);
    const own = (await chat.frames()).at(-1);
    assert.equal(own.status, 'ok');
    await redis.tell('resume');
    await Promise.all([chat.close(), viewer.close()]);
    mock.use(script);
  });

  it('is emptied during a turn: the other replica still reads the whole turn', async () => {
    await cluster.untilShared();
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(10);
    await redis.cli('FLUSHALL');
    await sleep(1500);
    const other = await two.connect();
    let seen = [];
    for (let i = 0; i < 20 && !seen.length; i++) {
      other.send({ type: 'resume', turn_id, last_seq: 0 });
      seen = await other.frames().catch(() => sleep(200).then(() => []));
    }
    const own = chat.all.filter((f) => f.turn_id === turn_id);
    assert.equal(seen.length, own.length);
    assert.deepEqual(seen.at(-1), own.at(-1));
    await Promise.all([chat.close(), other.close()]);
  });
});
