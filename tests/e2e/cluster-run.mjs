/*
 * ./run cluster: PostgreSQL, Redis, HAProxy and three replicas on loopback, until Ctrl-C. With --kill, one replica is
 * killed during an answer, and another replica completes the answer.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { startCluster } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';

const kill = process.argv.includes('--kill');
const words = Array.from({ length: 200 }, (_, i) => `word${i} `).join('');
const mock = kill && await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 20 } }, { reply: 'demo' }] });
const cluster = await (await startCluster(3, { ...(mock && { mock }) })).balance();

async function end() {
  await cluster.stop();
  await mock?.close?.();
  process.exit(0);
}

console.log(`${cluster.url} (HAProxy), in front of ${cluster.daemons.map((d) => d.url).join(', ')}`);
if (kill) {
  const [one, two] = cluster.daemons;
  const chat = await one.connect();
  const { turn_id } = await chat.begin(REFERENCE);
  await chat.untilTokens(20);
  await sleep(100);
  const last_seq = chat.all.at(-1).seq;
  const startMs = Date.now();
  await one.kill();
  console.log(`killed ${one.url} after frame ${last_seq}`);
  const other = await two.connect();
  other.send({ type: 'resume', turn_id, last_seq: 0 });
  const frames = await other.frames();
  console.log(`read ${frames.length} frames at ${two.url}; ${frames.at(-1).type} ${frames.at(-1).status} after ${Date.now() - startMs} ms`);
  await end();
}
process.on('SIGINT', end);
process.on('SIGTERM', end);
setInterval(() => {}, 1000);
