/*
 * Many turns whose model is overloaded at the same moment. The test checks the daemon's decisions in its log, not
 * when a busy machine executed them: if all turns start together, no tenth of the retry time contains more than
 * three times the mean.
 */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

it('forty turns with the same overload do not retry at the same time', async () => {
  const TURNS = 40;
  const mock = await startMock();
  const d = await startDaemon({ mock, env: { VESPER_LLM_BREAKER_FAILURES: '1000',
    VESPER_LLM_TIMEOUTS_MS_CONNECT: '60000', VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '60000' } });
  await d.ask(REFERENCE); /* from now on the data is cached, so database speed does not matter */
  mock.use([{ fault: { status: 529 } }]);
  const from = d.output.length;
  const turns = await Promise.all(Array.from({ length: TURNS },
    (_, i) => d.ask(REFERENCE, { token: mintToken({ sub: `user-${i}` }) })));
  await d.stop();
  await mock.close();
  assert.ok(turns.every((t) => t.complete.provider === 'rules'));
  assert.ok(mock.count >= TURNS);
  const delays = new Map();
  const retryTimes = [];
  for (const [, turn, wait] of d.output.slice(from).matchAll(/turn (\S+), role answer, attempt \d, retry in (\d+) ms/g)) {
    delays.set(turn, (delays.get(turn) ?? 0) + Number(wait));
    retryTimes.push(delays.get(turn));
  }
  assert.deepEqual([delays.size, retryTimes.length], [TURNS, 2 * TURNS]);
  const first = Math.min(...retryTimes);
  const tenth = (Math.max(...retryTimes) - first + 1) / 10;
  const buckets = Array(10).fill(0);
  retryTimes.forEach((ms) => buckets[Math.floor((ms - first) / tenth)]++);
  assert.ok(Math.max(...buckets) <= 3 * retryTimes.length / 10, buckets.join(' '));
});
