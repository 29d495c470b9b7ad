/*
 * Three replicas without a load balancer: each one resumes and cancels turns of the others, a session runs one turn at
 * a time, and a message that is sent to all of them at once is answered once.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startMock } from '../mock/anthropic.mjs';
import { quantile, startCluster, STEADY } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { mintToken } from './token.mjs';
import { textOf } from './turn.mjs';

const words = (n) => Array.from({ length: n }, (_, i) => `word${i} `).join('');
const slow = (count, token_ms) => [{ when: { kind: 'answer' }, reply: { text: words(count) }, fault: { token_ms } },
  { reply: 'demo' }];

describe('three replicas', () => {
  let mock, cluster, one, two, three;

  before(async () => {
    mock = await startMock({ script: slow(60, 20) });
    cluster = await startCluster(3, { mock, env: STEADY });
    [one, two, three] = cluster.daemons;
  });
  after(async () => {
    await cluster?.stop();
    await mock?.close();
  });

  it('two viewers on two replicas read the same frames as the owner', async () => {
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(3);
    const viewers = await Promise.all([two.connect(), three.connect()]);
    viewers.forEach((v) => v.send({ type: 'resume', turn_id, last_seq: 0 }));
    const seen = await Promise.all(viewers.map((v) => v.frames()));
    const own = await chat.frames();
    assert.equal(textOf(seen[0]), textOf(seen[1]));
    const first = chat.all.filter((f) => f.turn_id === turn_id);
    assert.equal(textOf(seen[0]), textOf(first));
    assert.deepEqual(seen[0].at(-1), own.at(-1));
    assert.deepEqual(seen[1].at(-1), own.at(-1));
    assert.equal(own.at(-1).status, 'ok');
    await Promise.all([chat, ...viewers].map((c) => c.close()));
  });

  it('a lost connection is resumed on another replica at the same position', async () => {
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    const last_seq = chat.all.filter((f) => f.turn_id === turn_id).at(-1).seq;
    await chat.cut();
    const again = await two.connect({ session: chat.session });
    again.send({ type: 'resume', turn_id, last_seq });
    const rest = await again.frames();
    assert.equal(rest[0].seq, last_seq + 1);
    assert.equal(rest.at(-1).type, 'chat.complete');
    const stored = (await three.rest().messages(chat.session))[1];
    assert.equal(textOf([...chat.all, ...rest].filter((f) => f.turn_id === turn_id)), stored.content);
    await again.close();
  });

  it('a finished turn is readable on another replica, by its user only', async () => {
    const done = await one.ask(REFERENCE);
    const chat = await two.connect();
    chat.send({ type: 'resume', turn_id: done.complete.turn_id, last_seq: 0 });
    const frames = await chat.frames();
    assert.equal(frames.at(-1).message_id, done.complete.message_id);
    await chat.close();
    for (const token of [mintToken({ sub: 'another-user' }), mintToken({ tenant_id: 'acme' })]) {
      const other = await two.connect({ token });
      other.send({ type: 'resume', turn_id: done.complete.turn_id, last_seq: 0 });
      assert.equal((await other.refusal()).code, 'expired');
      await other.close();
    }
  });

  it('a second question of a session on another replica is refused as busy', async () => {
    const chat = await one.connect();
    await chat.begin(REFERENCE);
    const other = await two.connect();
    other.send({ type: 'chat.message', content: REFERENCE, session_id: chat.session });
    assert.equal((await other.refusal()).code, 'busy');
    await chat.frames();
    other.send({ type: 'chat.message', content: REFERENCE, session_id: chat.session });
    const turn = await other.frames();
    assert.equal(turn.at(-1).type, 'chat.complete', 'the session is free after the turn');
    await Promise.all([chat.close(), other.close()]);
  });

  it('a turn is cancelled from another replica', async () => {
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const other = await two.connect();
    other.send({ type: 'chat.cancel', turn_id });
    const frames = await chat.frames();
    assert.equal(frames.at(-1).status, 'cancelled');
    await Promise.all([chat.close(), other.close()]);
  });

  it('one message sent to all replicas at once is answered and charged once', async () => {
    const { session } = await one.ask(REFERENCE);
    const client_msg_id = randomUUID();
    const before = mock.count;
    const chats = await Promise.all(cluster.daemons.map((d) => d.connect()));
    chats.forEach((c) => c.send({ type: 'chat.message', content: REFERENCE, session_id: session, client_msg_id }));
    const turns = await Promise.all(chats.map((c) => c.frames()));
    const ids = new Set(turns.map((t) => t.at(-1).turn_id));
    assert.equal(ids.size, 1, 'one turn');
    assert.equal(new Set(turns.map((t) => t.at(-1).message_id)).size, 1, 'one answer');
    assert.equal(await cluster.pg.admin(`SELECT count(*) FROM dbo.chat_messages WHERE session_id = '${session}'`), '4',
      'this question and answer, and the previous ones');
    assert.equal(mock.count - before, 1, 'one model call');
    await Promise.all(chats.map((c) => c.close()));
  });

  it('the CPU time of a turn is printed, with and without replicas', async () => {
    const TURNS = 40;
    const single = await cluster.pg.start({ mock, env: { VESPER_REDIS_URL: cluster.redis.url } });
    mock.use(slow(60, 1));
    const ticks = (d) => {
      const fields = readFileSync(`/proc/${d.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    const cpuMs = async (d) => {
      await d.ask(REFERENCE);
      const start = ticks(d);
      for (let i = 0; i < TURNS; i++)
        await d.ask(REFERENCE);
      return (ticks(d) - start) / TURNS;
    };
    const alone = await cpuMs(single);
    const shared = await cpuMs(one);
    console.log(`CPU of a turn: ${alone.toFixed(1)} ms without, ${shared.toFixed(1)} ms with replicas (${(shared / alone).toFixed(2)} x)`);
    await single.stop();
    mock.use(slow(60, 20));
    assert.ok(shared > 0 && alone > 0);
  });

  it('events share stream entries; the delay of a viewer is printed', async () => {
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    const other = await two.connect();
    const at = new Map();
    const delays = [];
    chat.ws.on('message', (data) => {
      const f = JSON.parse(data);
      at.set(f.seq, Date.now());
    });
    other.ws.on('message', (data) => {
      const f = JSON.parse(data);
      if (at.has(f.seq))
        delays.push(Date.now() - at.get(f.seq));
    });
    other.send({ type: 'resume', turn_id, last_seq: 1 });
    const start = Date.now();
    await other.frames();
    const seconds = (Date.now() - start) / 1000;
    const entries = Number(await cluster.redis.cli('XLEN', `vesper:s:{vesper}:${turn_id}`));
    console.log(`delay of the viewer: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms of ${delays.length} frames; `
      + `entries: ${entries} in ${seconds.toFixed(2)} s (${(entries / seconds).toFixed(1)}/s)`);
    assert.ok(entries < at.size, 'events share entries');
    assert.ok(delays.length > 10);
    await Promise.all([chat.close(), other.close()]);
  });
});

for (const busy of ['queue', 'interrupt'])
  describe(`limits.busy is ${busy}, and the previous turn runs on another replica`, () => {
    let mock, cluster;

    before(async () => {
      mock = await startMock({ script: slow(40, 15) });
      cluster = await startCluster(2, { mock, env: { ...STEADY, VESPER_LIMITS_BUSY: busy } });
    });
    after(async () => {
      await cluster?.stop();
      await mock?.close();
    });

    it(busy === 'queue' ? 'the next turn waits for it' : 'the next turn cancels it', async () => {
      const [one, two] = cluster.daemons;
      const chat = await one.connect();
      await chat.begin(REFERENCE);
      await chat.untilTokens(3);
      const other = await two.connect();
      other.send({ type: 'chat.message', content: REFERENCE, session_id: chat.session });
      const [first, second] = await Promise.all([chat.frames(), other.frames()]);
      assert.equal(first.at(-1).status, busy === 'queue' ? 'ok' : 'cancelled');
      assert.equal(second.at(-1).status, 'ok');
      const stored = await one.rest().messages(chat.session);
      assert.deepEqual(stored.map((m) => m.role), ['user', 'assistant', 'user', 'assistant'], 'one after the other');
      await Promise.all([chat.close(), other.close()]);
    });
  });
