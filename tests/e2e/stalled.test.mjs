/* Many clients that ask for an answer and never read it use little memory and do not delay others. */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startMock } from '../mock/anthropic.mjs';
import { quantile } from './cluster.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const STALLED = 1000;
const ASKED = 40;
const long = Array.from({ length: 20000 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: long }, fault: { token_ms: 0 } }, { reply: 'demo' }];

const memoryKb = (d) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${d.child.pid}/status`, 'utf8'))[1]);

it(`${STALLED} clients that read nothing use little memory`, async (t) => {
  const mock = await startMock({ script });
  t.after(() => mock.close());
  const d = await startDaemon({ mock, env: { VESPER_LIMITS_CONNECTIONS_PER_USER: '0', VESPER_LIMITS_CONNECTIONS_PER_ADDRESS: '0' } });
  const first = await d.ask(REFERENCE);
  const stalled = [];
  const times = async () => {
    const list = [];
    const chat = await d.connect({ token: mintToken({ sub: 'somebody-else' }) });
    for (let i = 0; i < ASKED; i++) {
      const began = performance.now();
      chat.send({ type: 'ping', t: i });
      await chat.until((f) => f.type === 'pong');
      list.push(performance.now() - began);
    }
    await chat.close();
    return list;
  };
  const before = await times();
  for (let i = 0; i < STALLED; i++) {
    const chat = await d.connect();
    stalled.push(chat);
  }
  const quiet = memoryKb(d);
  for (const chat of stalled) {
    chat.ws._socket.pause();
    chat.send({ type: 'resume', turn_id: first.complete.turn_id, last_seq: 0 });
  }
  const burst = await times();
  const during = await times();
  const full = memoryKb(d);
  console.log(`while they all ask at once: p99 ${quantile(burst, 0.99).toFixed(2)} ms`);
  console.log(`${STALLED} stalled readers of ${long.length} bytes: ${((full - quiet) / 1024).toFixed(1)} MB more; a ping of another `
    + `p50 ${quantile(before, 0.5).toFixed(2)} -> ${quantile(during, 0.5).toFixed(2)} ms, p99 ${quantile(before, 0.99).toFixed(2)} -> ${quantile(during, 0.99).toFixed(2)} ms`);
  assert.ok(full - quiet < 64 * 1024, `${full - quiet} kB`);
  const turn = await d.ask(REFERENCE, { token: mintToken({ sub: 'somebody-else' }) });
  assert.ok(turn.complete);
  stalled.forEach((c) => c.ws.terminate());
  await d.stop();
});
