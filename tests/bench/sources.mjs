/*
 * The cost of a file of 100 MB, 1 million rows and 20 columns: wall time and CPU time until it is ready, resident memory
 * above idle, how long other callers wait meanwhile, and the latency of questions about it.
 *
 *   VESPERD=build/vesperd node tests/bench/sources.mjs        BENCH_ROWS=1000000
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from '../e2e/harness.mjs';
import { Sources } from '../e2e/sources.mjs';
import { ROLES, mintToken } from '../e2e/token.mjs';
import { percentile, pings, waits } from './sources-wait.mjs';

const ROWS = Number(process.env.BENCH_ROWS ?? 1000000);
const CHUNK_ROWS = 2000, SAMPLE_MS = 20, ASKS = 9;
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));
const COLUMNS = ['order_no', 'day', 'region', 'channel', 'customer', 'product', 'amount', 'discount', 'weight', 'tax', 'units', 'returns', 'visits',
  'score', 'paid', 'shipped', 'city', 'agent', 'shift', 'code'];
const QUESTIONS = ['total amount by region', 'average weight by channel', 'total amount by month', 'average weight by week', 'total amount by month in 2025',
  'total amount in 2024', 'total amount by month for the region North', 'total amount for the region North', 'total units by month', 'total tax by region in 2024'];

const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
};
const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const row = (i) => {
  const n = (i * 2654435761) % 4294967296, day = new Date(Date.UTC(2024, 0, 1 + (n % 700))).toISOString().slice(0, 10);
  return `A${1000000 + i},${day},${['North', 'South', 'East', 'West'][n % 4]},${['web', 'shop', 'phone'][n % 3]},C${n % 5000},P${n % 200},`
    + `${(n % 100000) / 100},${(n % 500) / 100},${(n % 9000) / 10},${(n % 77) / 4},${n % 9},${n % 3},${n % 1000},${n % 101},`
    + `${n % 2 ? 'yes' : 'no'},${n % 30},T${n % 90},S${n % 300},${['early', 'late'][n % 2]},${(n % 65536).toString(16).padStart(4, 'x')}\n`;
};

let bytes = 0;

function* csv() {
  yield `${COLUMNS.join(',')}\n`;
  for (let i = 0; i < ROWS; i += CHUNK_ROWS) {
    const text = Array.from({ length: Math.min(CHUNK_ROWS, ROWS - i) }, (_, k) => row(i + k)).join('');
    bytes += text.length;
    yield text;
  }
}

/* Streams the lines as a file. Resolves to the body of the response. */
function upload(d, token, name, lines) {
  return new Promise((resolve, reject) => {
    const req = http.request(`${d.url}/api/v1/data-sources?name=${name}`, { method: 'POST', headers: { authorization: `Bearer ${token}`,
      'content-type': 'text/csv' } }, (res) => {
      let text = '';
      res.on('data', (chunk) => { text += chunk; }).on('end', () => resolve(JSON.parse(text)));
    });
    req.on('error', reject);
    Readable.from(lines).pipe(req);
  });
}

const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
const token = mintToken({ sub: 'ann', permissions: [...ROLES.analyst, 'chat:upload'] });
const ann = new Sources(d, token);
const { pid } = d.child;
await ann.rest.post('/api/v1/chat', { content: 'hello' });
const other = await startDaemon();
let stop = pings(d.url);
await sleep(2000);
console.log(`idle: RSS ${rssMb(pid).toFixed(1)} MB; a small request: ${waits(await stop())}`);

const idle = rssMb(pid), began = performance.now(), cpu = cpuMs(pid);
let peakMb = 0, source, state = 'sent';
const steps = [];
const sampler = setInterval(() => { peakMb = Math.max(peakMb, rssMb(pid)); }, SAMPLE_MS);
stop = pings(d.url);
const stopIdle = pings(other.url);
const { id } = await upload(d, token, 'Big.csv', csv());
const received = performance.now() - began;
for (; source?.state !== 'ready' && source?.load?.state !== 'failed'; await sleep(100)) {
  source = (await ann.one(id)).body;
  const now = source.load?.state ?? source.state;
  if (now !== state)
    steps.push(`${now} at ${((performance.now() - began) / 1000).toFixed(1)}`);
  state = now;
}
clearInterval(sampler);
const took = await stop(), tookIdle = await stopIdle();
console.log(`${(bytes / 1e6).toFixed(1)} MB, ${COLUMNS.length} columns`);
console.log(`${source.state}, ${source.rows} rows: ${((performance.now() - began) / 1000).toFixed(1)} s (received after ${(received / 1000).toFixed(1)}), `
  + `${((cpuMs(pid) - cpu) / 1000).toFixed(1)} s of processor; ${steps.join(', ')}`);
console.log(`RSS: ${(peakMb - idle).toFixed(1)} MB above idle at most, ${(rssMb(pid) - idle).toFixed(1)} MB afterwards`);
console.log(`a small request meanwhile: ${waits(took)}`);
console.log(`the same to a daemon that does nothing: ${waits(tookIdle)}`);

for (const question of QUESTIONS) {
  const times = [], before = cpuMs(pid);
  let text = '';
  for (let i = 0; i < ASKS; i++) {
    const since = performance.now();
    text = (await ann.rest.post('/api/v1/chat', { content: question })).body.text;
    times.push(performance.now() - since);
  }
  console.log(`"${question}": median ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms, ${((cpuMs(pid) - before) / ASKS).toFixed(0)} ms of processor: ${text.slice(0, 60).replaceAll('\n', ' ')}`);
}
const rss = rssMb(pid);
console.log(`RSS after questions: ${(rss - idle).toFixed(1)} MB above idle`);
await d.stop();
await other.stop();
