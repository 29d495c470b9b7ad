/* A question that arrives while a turn of its session is running. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { checkTurn } from './turn.mjs';

const SLOW = { when: { kind: 'answer' }, reply: { text: 'word '.repeat(30) }, fault: { token_ms: 20 } };

async function turnsOf(chat, count) {
  const turns = new Map();
  let closed = 0;
  while (closed < count) {
    const frame = await chat.next();
    if (!frame.turn_id)
      continue;
    turns.set(frame.turn_id, [...(turns.get(frame.turn_id) ?? []), frame]);
    closed += frame.type === 'chat.complete' || frame.type === 'chat.error' ? 1 : 0;
  }
  return [...turns.values()];
}

for (const policy of ['queue', 'interrupt'])
  describe(`a second question, policy ${policy}`, () => {
    let mock;
    let d;

    before(async () => {
      mock = await startMock({ script: [SLOW, { reply: 'demo' }] });
      d = await startDaemon({ mock, env: { VESPER_LIMITS_BUSY: policy } });
    });
    after(async () => {
      await d?.stop();
      await mock?.close();
    });

    it(policy === 'queue' ? 'is answered after the first' : 'is answered instead of the first', async () => {
      const chat = await d.connect();
      await chat.begin(REFERENCE);
      await chat.untilTokens(2);
      chat.send({ type: 'chat.message', content: REFERENCE });
      const [first, second] = await turnsOf(chat, 2);
      assert.equal(first.at(-1).status, policy === 'queue' ? 'ok' : 'cancelled');
      assert.equal(second.at(-1).status, 'ok');
      checkTurn(second);
      await chat.close();
      const messages = await d.rest().messages(chat.session);
      assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
      assert.deepEqual(messages.map((m) => m.status), ['complete', policy === 'queue' ? 'complete' : 'cancelled', 'complete', 'complete']);
    });

    if (policy === 'interrupt')
      it('is stored although a third question replaces it', async () => {
        const chat = await d.connect();
        await chat.begin(REFERENCE);
        await chat.untilTokens(2);
        for (const content of ['What was the average for SP15 in 2026 from Ascend?', REFERENCE])
          chat.send({ type: 'chat.message', content });
        const turns = await turnsOf(chat, 3);
        turns.slice(1).forEach((frames) => checkTurn(frames));
        assert.deepEqual(turns.map((frames) => frames.at(-1).status), ['cancelled', 'cancelled', 'ok']);
        await chat.close();
        const messages = await d.rest().messages(chat.session);
        assert.deepEqual(messages.map((m) => m.status), ['complete', 'cancelled', 'complete', 'cancelled', 'complete', 'complete']);
      });

    if (policy === 'queue')
      it('waits in a bounded queue', async () => {
        const chat = await d.connect();
        await chat.begin(REFERENCE);
        for (let i = 0; i < 5; i++)
          chat.send({ type: 'chat.message', content: REFERENCE });
        const refusal = await chat.until((f) => f.type === 'chat.error' && f.seq === undefined);
        assert.equal(refusal.code, 'busy');
        await chat.cut();
        assert.ok(await d.isAlive());
      });
  });

describe('a second question by default', () => {
  it('is refused', async () => {
    const mock = await startMock({ script: [SLOW, { reply: 'demo' }] });
    const d = await startDaemon({ mock });
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    checkProblem(await d.rest().post('/api/v1/chat', { content: 'and?', session_id: chat.session }), 409);
    await chat.close();
    await d.stop();
    await mock.close();
  });
});
