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

describe('two replicas and a Redis', () => {
  let mock, redis, between, cluster, one, two;

  before(async () => {
    mock = await startMock({ script });
    redis = await startRedis();
    between = new FaultyProxy(redis.port);
    const url = redis.url.replace(/:\d+$/, `:${await between.listen()}`);
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
    between?.close();
    await cluster?.stop();
    await mock?.close();
  });

  async function answered(fault, undo) {
    const usual = Date.now();
    await one.ask(REFERENCE);
    const before = Date.now() - usual;
    const chat = await one.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    await fault();
    const frames = await chat.frames();
    assert.equal(frames.at(-1).status, 'ok', `the answer under way is finished: ${JSON.stringify(frames.at(-1))}`);
    await chat.close();
    const began = Date.now();
    const turn = await one.ask(REFERENCE);
    assert.equal(turn.complete.status, 'ok', 'and the next one');
    const during = Date.now() - began;
    await undo();
    return { added: during - before, back: await cluster.untilShared() };
  }

  const print = (name, { added, back }) => console.log(`${name}: added to a turn ${added} ms, shared again after ${back} ms`);

  it('is killed and restarted empty', async () => {
    print('killed, empty', await answered(() => redis.tell('kill'), () => redis.tell('restart')));
  });

  it('is paused and continues', async () => {
    print('stopped', await answered(() => redis.tell('pause'), () => redis.tell('resume')));
  });

  for (const mode of ['slow', 'garbage', 'silent'])
    it(`is ${mode}`, async () => {
      const set = (m) => async () => {
        between.mode = m;
      };
      print(mode, await answered(set(mode), set('pass')));
    });

  it('is full', async () => {
    print('full', await answered(() => redis.cli('CONFIG', 'SET', 'maxmemory', '1mb'), () => redis.cli('CONFIG', 'SET', 'maxmemory', '0')));
  });

  it('rejects writes for a while: a reconnected client waits on the other replica for frames it has seen', async () => {
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

  it('stays unavailable: viewers on the other replica are told, and the answer is finished on its replica', async () => {
    await cluster.untilShared();
    mock.use([{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 400 } }, { reply: 'demo' }]);
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const viewer = await two.connect();
    viewer.send({ type: 'resume', turn_id, last_seq: 0 });
    await viewer.untilTokens(1);
    await redis.tell('pause');
    const began = Date.now();
    const told = (await viewer.frames({ limitMs: 60000 })).at(-1);
    console.log(`cut off: a viewer elsewhere was told after ${Date.now() - began} ms`);
    assert.deepEqual([told.type, told.code, told.retryable], ['chat.error', 'upstream', true]);
    const own = (await chat.frames()).at(-1);
    assert.equal(own.status, 'ok');
    await redis.tell('resume');
    await Promise.all([chat.close(), viewer.close()]);
    mock.use(script);
  });

  it('is emptied during a turn: the other replica still reads all of it', async () => {
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
