/*
 * The figures of docs/measured.md, measured on the release build: startup time, size, memory, and CPU time and latency of
 * a turn. CPU time is read from the kernel's accounting of the daemon's process, so that the clients and the scripted
 * model do not count.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, launch, REFERENCE, ROOT, startDaemon, VESPERD } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';
import { startMock } from '../mock/anthropic.mjs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));
/* All sockets belong to one user. */
const MANY_SOCKETS = { VESPER_LIMITS_CONNECTIONS_PER_USER: '0', VESPER_LIMITS_CONNECTIONS_PER_TENANT: '12000' };
const IDLE_SOCKETS = Number(process.env.BENCH_SOCKETS ?? 3000);
const ECHOES = 10000;
const CROWD = 64;
const CROWD_S = Number(process.env.BENCH_SECONDS ?? 5);
const BUSY_SESSIONS = 16;
const BUSY_S = Number(process.env.BENCH_BUSY_SECONDS ?? 60);
const BUSY_QUESTIONS = [REFERENCE, COMPARISON, 'What is the health status of Nazareth Solar?', 'What milestone dates changed in the last week?',
  'Weekly briefing', 'Show all tasks with a high risk', 'Which projects are on hold?', 'Hello'];
const rows = [];

const row = (what, figure, target, how) => rows.push([what, figure, target, how]);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function rssMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function strippedMb() {
  const dir = mkdtempSync(join(tmpdir(), 'vesper-bench-'));
  const path = join(dir, 'vesperd');
  copyFileSync(VESPERD, path);
  execFileSync('strip', [path]);
  const size = statSync(path).size / 1048576;
  rmSync(dir, { recursive: true });
  return size;
}

/* Five starts, from the fork to the first 200 of /readyz. */
async function start() {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const daemon = await launch({});
    const began = performance.now();
    while (!daemon.exited && (await fetch(`${daemon.url}/readyz`).catch(() => null))?.status !== 200)
      await sleep(2);
    times.push(performance.now() - began);
    await daemon.stop();
  }
  row('start to ready', `${median(times).toFixed(0)} ms`, '200 ms', 'median of 5, polled every 2 ms');
}

async function firstToken(chat, question) {
  const began = performance.now();
  chat.send({ type: 'chat.message', content: question });
  await chat.until((f) => f.type === 'chat.token');
  const first = performance.now() - began;
  await chat.until((f) => f.type === 'chat.complete');
  return first;
}

/* Sequential turns on one socket: the daemon's CPU time for each. */
async function turns(daemon, question, count) {
  const chat = await daemon.connect();
  for (let i = 0; i < 20; i++)
    await firstToken(chat, question);
  const cpu = cpuMs(daemon.child.pid);
  const began = performance.now();
  const first = [];
  for (let i = 0; i < count; i++)
    first.push(await firstToken(chat, question));
  const result = { cpu: (cpuMs(daemon.child.pid) - cpu) / count, wall: (performance.now() - began) / count,
    first: median(first) };
  await chat.close();
  return result;
}

/* A copy of the catalogue whose tools are never cached, so that each turn runs its query. */
function uncachedRoot() {
  const dir = mkdtempSync(join(tmpdir(), 'vesper-bench-root-'));
  for (const part of ['config', 'prompts', 'sql'])
    cpSync(join(ROOT, part), join(dir, part), { recursive: true });
  for (const file of readdirSync(join(dir, 'sql/energy'), { recursive: true }).filter((f) => f.endsWith('.sql'))) {
    const path = join(dir, 'sql/energy', file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^-- cache_s:.*\n/m, ''));
  }
  return dir;
}

/* Pins all threads of the daemon to one core, and the clients to the others. */
function pinToOneCore(pid) {
  if (cpus().length < 2)
    return false;
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(pid)], { stdio: 'ignore' });
  execFileSync('taskset', ['-a', '-p', '-c', `1-${cpus().length - 1}`, String(process.pid)], { stdio: 'ignore' });
  return true;
}

/* Sockets that ask again as soon as they are answered. The client parses as little as possible, because it shares the machine. */
async function crowd(daemon, question) {
  const message = JSON.stringify({ type: 'chat.message', content: question });
  const chats = [];
  let done = 0;
  let failed = 0;
  let isDone = false;
  for (let i = 0; i < CROWD; i++) /* a user may only run a few turns at a time */
    chats.push(await daemon.connect({ token: mintToken({ sub: `user-${i}` }) }));
  const pinned = pinToOneCore(daemon.child.pid);
  const began = performance.now();
  const cpu = cpuMs(daemon.child.pid);
  const ends = chats.map(({ ws }) => new Promise((resolve) => {
    ws.removeAllListeners('message');
    ws.on('message', (data) => {
      const closing = data.includes('"type":"chat.complete"');
      if (!closing && !data.includes('"type":"chat.error"'))
        return;
      done += closing;
      failed += !closing;
      if (isDone)
        resolve();
      else
        ws.send(message);
    });
    ws.send(message);
  }));
  await sleep(CROWD_S * 1000);
  const seconds = (performance.now() - began) / 1000;
  const result = { each: done / seconds, cpu: (cpuMs(daemon.child.pid) - cpu) / done, pinned, failed };
  isDone = true;
  await Promise.all(ends);
  chats.forEach(({ ws }) => ws.terminate());
  return result;
}

async function idleSockets(daemon) {
  const before = rssMb(daemon.child.pid);
  const sockets = [];
  for (let i = 0; i < IDLE_SOCKETS; i++)
    sockets.push(await daemon.connect());
  await sleep(500);
  const all = rssMb(daemon.child.pid);
  row(`RSS with ${IDLE_SOCKETS} idle sockets`, `${all.toFixed(1)} MB`, '34 MB in all',
    `${(((all - before) * 1024) / IDLE_SOCKETS).toFixed(1)} KB each`);
  await Promise.all(sockets.map((s) => s.close()));
}

/* Messages of a client and their echoes, in sequence. */
async function echoes() {
  const daemon = await startDaemon({ env: { VESPER_WS_ECHO: 'true' } });
  const { chat: { ws } } = await daemon.open({ path: '/ws/echo' });
  ws.removeAllListeners('message');
  const echo = (text) => new Promise((done) => {
    ws.once('message', done);
    ws.send(text);
  });
  for (const size of [100, 10000]) {
    const text = 'x'.repeat(size);
    const before = cpuMs(daemon.child.pid);
    for (let i = 0; i < ECHOES; i++)
      await echo(text);
    const us = ((cpuMs(daemon.child.pid) - before) * 1000) / ECHOES;
    row(`CPU a message of ${size.toLocaleString('en')} bytes and its answer`, `${us.toFixed(0)} µs`, '', `\`/ws/echo\`, ${ECHOES.toLocaleString('en')} of them`);
  }
  ws.terminate();
  await daemon.stop();
}

async function rules() {
  const daemon = await startDaemon({ env: MANY_SOCKETS });
  await sleep(500);
  row('idle RSS', `${rssMb(daemon.child.pid).toFixed(1)} MB`, '20 MB', 'after the start, before any question');
  await idleSockets(daemon);
  const cached = await turns(daemon, REFERENCE, 1000);
  row('CPU a turn, rules, cached', `${cached.cpu.toFixed(2)} ms`, '0.5 ms', 'reference question, 1,000 turns on one socket');
  row('first token, rules, cached', `${cached.first.toFixed(1)} ms`, '', 'the same, median');
  const compared = await turns(daemon, COMPARISON, 300);
  row('CPU a turn, rules, comparison, cached', `${compared.cpu.toFixed(2)} ms`, '', 'two vendors, hour by hour');
  await daemon.stop();
}

async function rulesUncached() {
  const root = uncachedRoot();
  const daemon = await startDaemon({ env: { VESPER_ROOT: root } });
  const average = await turns(daemon, REFERENCE, 100);
  row('CPU a turn, rules, uncached', `${average.cpu.toFixed(2)} ms`, 'query + 0.5 ms', 'the query reads 26,280 rows');
  row('first token, rules, uncached', `${average.first.toFixed(1)} ms`, '', 'the same, median');
  const compared = await turns(daemon, COMPARISON, 50);
  row('CPU a turn, rules, comparison, uncached', `${compared.cpu.toFixed(2)} ms`, '', 'over 52,560 rows and more');
  await daemon.stop();
  rmSync(root, { recursive: true });
}

async function rulesCrowd() {
  const daemon = await startDaemon();
  await turns(daemon, REFERENCE, 1);
  const t = await crowd(daemon, REFERENCE);
  row('turns/s, rules, cached', t.each.toFixed(0), '2,000',
    `${CROWD} sockets${t.pinned ? ', daemon on one core, clients on the others' : ''}${t.failed ? `, ${t.failed} failed` : ''}`);
  row('CPU a turn in that crowd', `${t.cpu.toFixed(2)} ms`, '0.5 ms', `${(1000 / t.cpu).toFixed(0)} turns/s a core`);
  await daemon.stop();
}

/* Memory after sessions asked all kinds of questions for a minute. */
async function busySessions() {
  const daemon = await startDaemon();
  const chats = [];
  for (let i = 0; i < BUSY_SESSIONS; i++)
    chats.push(await daemon.connect({ token: mintToken({ sub: `busy-${i}` }) }));
  const until = performance.now() + BUSY_S * 1000;
  let asked = 0;
  await Promise.all(chats.map(async (chat, i) => {
    for (let n = i; performance.now() < until; n++, asked++) {
      chat.send({ type: 'chat.message', content: BUSY_QUESTIONS[n % BUSY_QUESTIONS.length] });
      await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error');
      chat.all.length = 0;
    }
  }));
  row(`RSS after ${BUSY_SESSIONS} sessions were busy for ${BUSY_S} s`, `${rssMb(daemon.child.pid).toFixed(1)} MB`, '100 MB',
    `${asked.toLocaleString('en')} turns of ${BUSY_QUESTIONS.length} questions, rules`);
  await daemon.stop();
}

async function model() {
  const mock = await startMock();
  mock.use('demo');
  const daemon = await startDaemon({ mock });
  mock.reset();
  const t = await turns(daemon, REFERENCE, 300);
  row('request to the model', `${mock.calls.at(-1).raw.length} bytes`, '1,500 tokens', 'reference question, in the middle of a session');
  row('model calls a turn', `${(mock.count / 320).toFixed(2)}`, '1', 'reference question, counted by the scripted model');
  row('CPU a turn, model at zero latency, cached', `${t.cpu.toFixed(2)} ms`, '0.5 ms', 'reference question, 300 turns');
  row('first token, model at zero latency, cached', `${t.first.toFixed(1)} ms`, '', 'the same, median');
  await daemon.stop();
  await mock.close();
}

row('stripped binary', `${strippedMb().toFixed(2)} MB`, '6 MB', '`strip build/vesperd`');
await start();
await rules();
await echoes();
await rulesUncached();
await model();
await busySessions();
await rulesCrowd(); /* last: it pins this process */

console.log('| what | measured | target | how |\n|---|---|---|---|');
for (const cells of rows)
  console.log(`| ${cells.join(' | ')} |`);
