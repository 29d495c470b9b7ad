/*
 * A replica ends in the middle of an answer: another one goes on with it, or closes it with what was
 * shown. A client that keeps a ledger finds nothing lost, doubled or out of order.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { quantile, startCluster } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { isClosing } from './turn.mjs';

const KILLS = Number(process.env.VESPER_TEST_KILLS ?? 30);
const WORDS = 60;
const answer = Array.from({ length: WORDS }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: answer }, fault: { first_byte_ms: 200, token_ms: 15 } }, { reply: 'demo' }];
/* When the replica ends: after so many milliseconds, or so many frames of the answer. */
const random = (seed) => {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
};

const textOf = (frames) => frames.filter((f) => f.type === 'chat.token').map((f) => f.text ?? f.content ?? f.token).join('');

/* The rest of a turn, on this replica, for a client that has read so far; all of it where the replica knows less. */
async function resume(daemon, session, turn_id, seen) {
  const chat = await daemon.connect(session ? { session } : {});
  const ask = (last_seq) => chat.send({ type: 'resume', turn_id, last_seq });
  const frames = [...seen];
  ask(seen.at(-1)?.seq ?? 0);
  for (;;) {
    const f = await chat.next();
    if (f.type === 'chat.error' && f.seq === undefined) {
      assert.ok(['bad_frame', 'upstream', 'expired'].includes(f.code), JSON.stringify(f));
      if (f.code === 'bad_frame')
        frames.length = 0; /* it was never written down: the answer is read anew */
      await sleep(100);
      ask(frames.at(-1)?.seq ?? 0);
    } else if (f.turn_id === turn_id) {
      frames.push(f);
      if (isClosing(f))
        break;
    }
  }
  await chat.close();
  return frames;
}

describe('a replica that is killed', () => {
  let mock, cluster;

  before(async () => {
    mock = await startMock({ script });
    cluster = await startCluster(2, { mock });
  });
  after(async () => {
    await cluster?.stop();
    await mock?.close();
  });

  it(`${KILLS} times, at any moment: every answer goes on elsewhere or ends`, async () => {
    const next = random(25);
    const waits = [];
    const ends = { ok: 0, partial: 0, other: 0 };
    let [owner, other] = cluster.daemons;
    let again = 0;
    for (let i = 0; i < KILLS; i++) {
      const chat = await owner.connect();
      const client_msg_id = randomUUID();
      const content = `${REFERENCE} (${i})`;
      const { turn_id } = await chat.begin(content, { client_msg_id });
      await sleep(next() * 1300);
      const seen = chat.all.filter((f) => f.turn_id === turn_id);
      const killedAt = Date.now();
      await owner.kill();
      const frames = seen.some(isClosing) ? seen : await resume(other, null, turn_id, seen);
      if (!seen.some(isClosing))
        waits.push(Date.now() - killedAt);
      again += frames.length && frames[0].seq === 1 ? 0 : 1;
      const end = frames.at(-1);
      ends[end.status in ends ? end.status : 'other']++;
      assert.deepEqual(frames.map((f) => f.seq), frames.map((_, n) => n + 1), 'no frame is lost, doubled or out of order');
      const stored = await other.rest().messages(chat.session);
      assert.deepEqual(stored.map((m) => m.role), ['user', 'assistant'], 'one question, one answer');
      assert.equal(stored[1].content, textOf(frames), `kill ${i}: what was shown is what is stored`);
      const chat2 = await other.connect({ session: chat.session });
      const same = (chat2.send({ type: 'chat.message', content, client_msg_id }), await chat2.frames());
      assert.equal(same.at(-1).turn_id, turn_id, 'sent again it is the same turn');
      await chat2.close();
      owner = other;
      other = await cluster.add();
    }
    console.log(`${KILLS} kills: ${JSON.stringify(ends)}; from the kill to the end of the answer p50 ${quantile(waits, 0.5)} ms, `
      + `p99 ${quantile(waits, 0.99)} ms, of ${waits.length} that were under way`);
    assert.equal(ends.other, 0);
  });

  it('before a word of the answer was shown: it is written in full by another', async () => {
    const owner = await cluster.add();
    const other = await cluster.add();
    mock.use([{ ...script[0], fault: { first_byte_ms: 1500, token_ms: 5 } }, script[1]]);
    const before = mock.count;
    const chat = await owner.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await sleep(500);
    const seen = chat.all.filter((f) => f.turn_id === turn_id);
    assert.equal(textOf(seen), '');
    const killedAt = Date.now();
    await owner.kill();
    const frames = await resume(other, chat.session, turn_id, seen);
    console.log(`killed before the answer: ${frames.at(-1).status} after ${Date.now() - killedAt} ms, calls of a model: ${mock.count - before}`);
    assert.equal(frames.at(-1).status, 'ok');
    assert.equal(textOf(frames).trim(), answer.trim());
    assert.deepEqual(frames.map((f) => f.seq), frames.map((_, n) => n + 1));
    assert.equal(frames.filter((f) => f.type === 'chat.thinking').length, 1);
    assert.deepEqual((await other.rest().messages(chat.session)).map((m) => [m.role, m.status]), [['user', 'complete'], ['assistant', 'complete']]);
  });
});
