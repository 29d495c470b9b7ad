/* A shutdown that lets answers finish: running turns are completed, new ones are refused, and then the process ends. */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';

const words = Array.from({ length: 50 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 20 } }, { reply: 'demo' }];

async function startAnswer(t, drainS, rules = script) {
  const mock = await startMock({ script: rules });
  t.after(() => mock.close());
  const d = await startDaemon({ mock, env: { VESPER_LIMITS_DRAIN_S: `${drainS}` } });
  const chat = await d.connect();
  await chat.begin(REFERENCE);
  await chat.untilTokens(3);
  return { d, chat };
}

it('a running answer is completed, and no new one starts', async (t) => {
  const { d, chat } = await startAnswer(t, 30);
  const other = await d.connect();
  d.child.kill('SIGTERM');
  await sleep(100);
  assert.equal((await fetch(`${d.url}/readyz`)).status, 503);
  other.send({ type: 'chat.message', content: REFERENCE });
  const refusal = await other.refusal();
  assert.equal(refusal.retryable, true);
  const frames = await chat.frames();
  assert.equal(frames.at(-1).status, 'ok');
  assert.deepEqual(await d.ended(), { code: 0, signal: null });
  d.checkOutput();
});

it('a turn that does not end in time is stored as interrupted', async (t) => {
  const { d, chat } = await startAnswer(t, 1, [{ ...script[0], fault: { token_ms: 200 } }, script[1]]);
  const start = Date.now();
  d.child.kill('SIGTERM');
  const frames = await chat.frames();
  assert.equal(frames.at(-1).status, 'interrupted');
  assert.deepEqual(await d.ended(), { code: 0, signal: null });
  console.log(`limits.drain_s 1: ended after ${Date.now() - start} ms`);
  d.checkOutput();
});
