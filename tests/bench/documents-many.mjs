/*
 * The cost of 10,000 documents of one tenant: time to load them, per document for each 500, resident memory above idle,
 * time to list them, to delete one, to search them, and to search them after a restart, and how long other requests wait
 * meanwhile. BENCH_PASSAGES=0: each document has only one sentence.
 *
 *   VESPERD=build/vesperd VESPER_TEST_PATIENCE=20 node tests/bench/documents-many.mjs    BENCH_DOCUMENTS=10000 BENCH_PASSAGES=5
 */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startDaemon, tempDir } from '../e2e/harness.mjs';
import { Documents } from '../e2e/documents.mjs';
import { ROLES, mintToken } from '../e2e/token.mjs';

const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 10000), PASSAGES = Number(process.env.BENCH_PASSAGES ?? 5);
const AT_ONCE = 6, ASKS = 200, PING_MS = 5, RETRY_MS = 20, REPORT_EVERY = 500;
const ENV = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };

const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * p)];
const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const cpuMs = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
const userToken = mintToken({ sub: 'bench', permissions: [...ROLES.analyst, 'chat:upload'] });

/* Words of a vocabulary of 20,000, with frequencies as in natural texts. */
let seed = 42;
const random = () => ((seed = (seed * 1664525 + 1013904223) % 4294967296) / 4294967296);
const word = () => `w${Math.floor(20000 ** random()).toString(36)}x`;
const sentence = (n) => `${Array.from({ length: n }, word).join(' ')}.`;
const textOf = (i) => `# Document ${i}\n\nThis is document ${i} of the plant z${i}q.\n`
  + Array.from({ length: PASSAGES }, (_, k) => `\n## Part ${k}\n\n${Array.from({ length: 10 }, () => sentence(14)).join(' ')}\n`).join('');

/* Measures round trips of a small request. Returns a function that stops the measurement and reports the longest. */
function pings(url) {
  const worker = new Worker(new URL('./sources-pings.mjs', import.meta.url), { workerData: { url, every: PING_MS } });
  return async () => {
    const took = new Promise((resolve) => { worker.once('message', resolve); });
    worker.postMessage('stop');
    return `others wait ${Math.max(...await took).toFixed(1)} ms at most`;
  };
}

async function metric(d, name) {
  const text = await (await fetch(`${d.adminUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} ([\\d.]+)`, 'm').exec(text)?.[1] ?? NaN);
}

const search = (who, text) => who.rest.call('POST', '/api/v1/tools/search_documents', { json: { question: text } });

const dataDir = await tempDir();
let d = await startDaemon({ dataDir, env: ENV });
const idle = rssMb(d.child.pid);
const who = new Documents(d, userToken);
let stop = pings(d.url), next = 0;
let since = Date.now(), before = { at: since, cpu: cpuMs(d.child.pid) };
function report(i) {
  const now = { at: Date.now(), cpu: cpuMs(d.child.pid) }, each = (key) => ((now[key] - before[key]) / REPORT_EVERY).toFixed(1);
  console.log(`${i} sent: the last ${REPORT_EVERY} took ${each('at')} ms each, ${each('cpu')} ms of processor`);
  before = now;
}
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
  while (next < DOCUMENTS) {
    const i = next++;
    if (i > 0 && i % REPORT_EVERY === 0)
      report(i);
    for (;;) {
      const { status, text } = await who.upload(textOf(i), `name=document%20${i}.md`);
      if (status === 202)
        break;
      if (status !== 503 && status !== 429)
        throw new Error(`${status} ${text}`);
      await sleep(RETRY_MS);
    }
  }
}));
for (;;) {
  const [page] = [(await who.rest.get('/api/v1/data-sources?kind=document&limit=500')).body.sources];
  if (page.every(({ state }) => state === 'ready') && page.length >= Math.min(500, DOCUMENTS))
    break;
  await sleep(200);
}
console.log(`load: ${DOCUMENTS} documents of ${PASSAGES} passages in ${((Date.now() - since) / 1000).toFixed(1)} s, ${await stop()}`);
since = Date.now();
stop = pings(d.url);
const first = await search(who, 'plant z7q');
console.log(`first search: ${first.status} after ${Date.now() - since} ms, ${await stop()}`);
since = Date.now();
const pages = await who.pages(500);
console.log(`list: ${pages.flat().length} on ${pages.length} pages in ${Date.now() - since} ms`);
since = Date.now();
const deleted = await who.rest.delete(`/api/v1/data-sources/${pages.at(-1)[0].id}`);
const afterDelete = await search(who, pages.at(-1)[0].name);
console.log(`delete: ${deleted.status}, and searched again after ${Date.now() - since} ms (${afterDelete.status})`);
console.log(`memory: ${(rssMb(d.child.pid) - idle).toFixed(0)} MB above ${idle.toFixed(0)} MB, ${((await metric(d, 'vesper_documents_index_bytes')) / 1048576).toFixed(1)} MB of it the index`);
await d.stop();

since = Date.now();
d = await startDaemon({ dataDir, env: ENV });
const started = Date.now() - since;
const restarted = new Documents(d, userToken);
stop = pings(d.url);
let found;
do
  found = await search(restarted, 'plant z7q');
while (found.status === 503);
console.log(`start: serving after ${started} ms, searched ${Date.now() - since} ms after it began (${found.status}), ${await stop()}`);
const ms = [];
stop = pings(d.url);
for (let i = 0; i < ASKS; i++) {
  const at = performance.now();
  const { status } = await search(restarted, `${sentence(6)} z${Math.floor(random() * DOCUMENTS)}q`);
  ms.push(performance.now() - at);
  if (status !== 200)
    throw new Error(`${status}`);
}
console.log(`search: p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms, ${await stop()}`);
console.log(`memory: ${(rssMb(d.child.pid) - idle).toFixed(0)} MB above idle, ${((await metric(d, 'vesper_documents_index_bytes')) / 1048576).toFixed(1)} MB of it the index`);
await d.stop();
