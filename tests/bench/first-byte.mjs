/* How long a client of each wire format waits for the first byte and the first event of a cached answer, in sequential turns:
 * node tests/bench/first-byte.mjs. The native stream is the reference for the others; its first byte belongs to the retry
 * line and not to an event. */

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';

const TURNS = 400;
const user = [{ id: 'm', role: 'user', content: REFERENCE }];
const formats = {
  native: ['/api/v1/chat/stream', () => ({ content: REFERENCE })],
  ai: ['/api/v1/ui/chat', () => ({ id: randomUUID(), messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] })],
  agui: ['/api/v1/agui', () => ({ threadId: randomUUID(), runId: randomUUID(), messages: user })],
  mcp: ['/mcp', () => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vesper_ask', arguments: { question: REFERENCE }, _meta: { progressToken: 'p' } } })],
  openai: ['/v1/chat/completions', () => ({ model: 'vesper', stream: true, messages: user })],
};

const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function firstByte([path, body]) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let first, event, text = '';
    request(d.url + path, { method: 'POST', agent, headers }, (reply) => {
      reply.on('data', (bytes) => {
        first ??= performance.now() - begun;
        text += event ? '' : bytes;
        event ??= text.includes('data: ') ? performance.now() - begun : undefined;
      });
      reply.on('end', () => reply.statusCode === 200 ? resolve([first, event]) : reject(new Error(`${path}: ${reply.statusCode}`)));
    }).on('error', reject).end(JSON.stringify(body()));
  });
}

const times = Object.fromEntries(Object.keys(formats).map((name) => [name, []]));
for (let i = 0; i < TURNS; i++)
  for (const [name, format] of Object.entries(formats))
    times[name].push(await firstByte(format));
for (const [name, all] of Object.entries(times)) {
  const figures = ['byte', 'event'].map((what, i) => {
    const sorted = all.map((pair) => pair[i]).sort((a, b) => a - b);
    return `first ${what} p50 ${sorted[TURNS / 2].toFixed(2)} ms  p90 ${sorted[TURNS * 0.9].toFixed(2)} ms`;
  });
  console.log(`${name.padEnd(8)} ${figures.join('  ')}`);
}
agent.destroy();
await d.stop();
