/* How long a client of each wire format waits for the first byte of a cached answer, in turns of their own, one after the
 * other: node tests/bench/first-byte.mjs. The native stream is the measure of the others. */

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';

const TURNS = 400;
const user = [{ id: 'm', role: 'user', content: REFERENCE }];
const forms = {
  native: ['/api/v1/chat/stream', () => ({ content: REFERENCE })],
  ai: ['/api/v1/ui/chat', () => ({ id: randomUUID(), messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] })],
  agui: ['/api/v1/agui', () => ({ threadId: randomUUID(), runId: randomUUID(), messages: user })],
  openai: ['/v1/chat/completions', () => ({ model: 'vesper', stream: true, messages: user })],
};

const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json' };

function firstByte([path, body]) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let first;
    request(d.url + path, { method: 'POST', agent, headers }, (reply) => {
      reply.on('data', () => { first ??= performance.now() - begun; });
      reply.on('end', () => reply.statusCode === 200 ? resolve(first) : reject(new Error(`${path}: ${reply.statusCode}`)));
    }).on('error', reject).end(JSON.stringify(body()));
  });
}

const times = Object.fromEntries(Object.keys(forms).map((name) => [name, []]));
for (let i = 0; i < TURNS; i++)
  for (const [name, form] of Object.entries(forms))
    times[name].push(await firstByte(form));
for (const [name, all] of Object.entries(times)) {
  all.sort((a, b) => a - b);
  console.log(`${name.padEnd(8)} p50 ${all[TURNS / 2].toFixed(2)} ms  p90 ${all[TURNS * 0.9].toFixed(2)} ms`);
}
agent.destroy();
await d.stop();
