/*
 * The figures of README, measured on the release build: what a start costs, what it weighs, and what a turn costs in CPU
 * and in waiting. CPU is read from the kernel's accounting of the daemon's process, so that the clients and the scripted
 * model beside it do not count.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, launch, REFERENCE, startDaemon, VESPERD } from '../e2e/harness.mjs';
import { startMock } from '../mock/anthropic.mjs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));
const IDLE_SOCKETS = Number(process.env.BENCH_SOCKETS ?? 1000);
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
    while ((await fetch(`${daemon.url}/readyz`).catch(() => null))?.status !== 200)
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

/* Turns one after the other on one socket: CPU of the daemon for each. */
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

async function rules() {
  const daemon = await startDaemon();
  await sleep(500);
  row('idle RSS', `${rssMb(daemon.child.pid).toFixed(1)} MB`, '20 MB', 'after the start, before any question');
  const average = await turns(daemon, REFERENCE, 300);
  row('first token, rules', `${average.first.toFixed(1)} ms`, '', 'reference question, median of 300, one socket');
  row('CPU a turn, rules', `${average.cpu.toFixed(2)} ms`, '', 'the same; most of it is the query over 26,280 rows');
  const compared = await turns(daemon, COMPARISON, 100);
  row('CPU a turn, rules, comparison', `${compared.cpu.toFixed(2)} ms`, '', 'two vendors, hour by hour, over 52,560 rows and more');
  const before = rssMb(daemon.child.pid);
  const sockets = [];
  for (let i = 0; i < IDLE_SOCKETS; i++)
    sockets.push(await daemon.connect());
  await sleep(500);
  const each = ((rssMb(daemon.child.pid) - before) * 1024) / IDLE_SOCKETS;
  row('an idle socket', `${each.toFixed(1)} KB`, '', `RSS of ${IDLE_SOCKETS} of them, shared out`);
  await Promise.all(sockets.map((s) => s.close()));
  await daemon.stop();
}

async function model() {
  const mock = await startMock();
  mock.use('demo');
  const daemon = await startDaemon({ mock });
  mock.reset();
  const t = await turns(daemon, REFERENCE, 300);
  row('model calls a turn', `${(mock.count / 320).toFixed(2)}`, '1', 'reference question, counted by the scripted model');
  row('CPU a turn, model at zero latency', `${t.cpu.toFixed(2)} ms`, 'query + 0.5 ms', 'reference question, 300 turns');
  row('first token, model at zero latency', `${t.first.toFixed(1)} ms`, '', 'the same, median');
  await daemon.stop();
  await mock.close();
}

row('stripped binary', `${strippedMb().toFixed(2)} MB`, '6 MB', '`strip build/vesperd`');
await start();
await rules();
await model();

console.log('| what | measured | target | how |\n|---|---|---|---|');
for (const cells of rows)
  console.log(`| ${cells.join(' | ')} |`);
