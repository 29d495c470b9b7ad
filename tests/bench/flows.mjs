/*
 * Latency of flows and approved answers: node tests/bench/flows.mjs. Sequential turns on a daemon without a model; cached
 * turns contain everything except SQL.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';

const TURNS = 100;
const REFRESH_MS = 3000; /* a replica reads approvals every 2 s */
const setOf = async (name) => JSON.parse(await readFile(join(ROOT, 'tests/route', name), 'utf8'));
const PLANS = await setOf('approved_50.json');
/* The authors of the other sets had only seen the 50 questions. */
const SETS = { 'paraphrases by an author who knew the matcher': PLANS, 'paraphrases by an independent author': await setOf('approved_50_stranger.json'),
  'paraphrases by a second independent author': await setOf('approved_50_second.json') };
const FLOWS = ['Weekly briefing', 'Vendor audit for NP15 in 2026', 'Project check of Nazareth Solar', 'Budget report of Kern Wind'];
const token = mintToken({ role: 'admin' });

const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
const call = async (method, path, body) => (await fetch(`${d.url}/api/v1${path}`, { method, body: body && JSON.stringify(body),
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })).json();
const quantileOf = (all, share) => all.sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))];

/* Wall time of concurrent calls compared with the slowest of them, as a client sees them begin and end. */
function overlap(steps) {
  const calls = [...new Set(steps.map((s) => s.item))].map((item) => steps.filter((s) => s.item === item).map((s) => s.at))
    .filter((times) => times.length === 2);
  const wave = calls.filter(([from]) => from <= Math.min(...calls.map(([, to]) => to)));
  const wall = Math.max(...wave.map(([, to]) => to)) - Math.min(...wave.map(([from]) => from));
  const slowest = Math.max(...wave.map(([from, to]) => to - from));

  return `${wave.length} concurrent: wall ${wall.toFixed(1)} ms, ${(wall / slowest).toFixed(2)} times the slowest`;
}

for (const question of FLOWS) {
  const chat = await d.connect({ token });
  const steps = [];

  chat.ws.on('message', (data) => {
    const frame = JSON.parse(data);

    if (frame.type === 'chat.status' && frame.tool)
      steps.push({ item: frame.item_id, at: performance.now() });
  });
  const first = await chat.ask(question);
  const concurrency = overlap(steps);
  const cached = [];

  for (let i = 0; i < TURNS; i++)
    cached.push((await chat.ask(question)).complete.latency_ms);
  console.log(`${question}: first ${first.complete.latency_ms} ms (${concurrency}); cached p50 ${quantileOf(cached, 0.5)}, p95 ${quantileOf(cached, 0.95)} ms; model calls ${first.complete.usage.calls}`);
  await chat.close();
}

for (const [i, { question }] of PLANS.entries()) {
  const turn = await d.ask(question, { token });

  if (turn.status === 'ok')
    await call('POST', `/messages/${turn.complete.message_id}/approve`, { name: `plan_${i}` });
}
await sleep(REFRESH_MS);
for (const [name, set] of Object.entries(SETS)) for (const round of ['first', 'cached']) {
  const asked = set.flatMap(({ paraphrases }) => paraphrases);
  const found = [];
  let calls = 0;

  for (const question of asked) {
    const { complete } = await d.ask(question, { token });

    calls += complete?.usage.calls ?? 0;
    if (complete?.approved)
      found.push(complete.latency_ms);
  }
  console.log(`${asked.length} ${name}, ${round}: ${found.length} answered by an approved plan, p50 ${quantileOf(found, 0.5)}, p95 ${quantileOf(found, 0.95)} ms; model calls ${calls}`);
}
await d.stop();
