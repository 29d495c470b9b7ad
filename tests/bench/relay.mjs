/*
 * The delay that the daemon adds to streamed words: a model sends 120 words at 15 ms each, read directly, through the
 * daemon by one user, and through it by a thousand users with a hundred questions a second in total. Each word contains its
 * call and index, so that its send and arrival times are known. Model and users share one process and its clock. The delay
 * of this process's own timers is printed too, because it is attributed to the daemon.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { cpus } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';

const WORDS = 120;
const WORD_MS = 15;
const USERS = Number(process.env.BENCH_USERS ?? 1000);
const TURNS_PER_S = Number(process.env.BENCH_TURNS_PER_S ?? 100);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));

const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * p)];
const ms = (value) => `${value.toFixed(value < 1 ? 2 : 1)} ms`;

function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/* Without digits, which would be checked against the data. */
const letters = (n) => String(n).replace(/\d/g, (d) => 'abcdefghij'[d]);
const number = (text) => Number(text.replace(/[a-j]/g, (c) => 'abcdefghij'.indexOf(c)));

/* ---- the model ---- */

const calls = []; /* {asked, sent: [time of each word]} */

function sse(res, type, rest) {
  res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
}

function streamWords(res) {
  const call = { asked: performance.now(), sent: [] };
  const name = letters(calls.push(call) - 1);
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  sse(res, 'message_start', { message: { id: `msg_${name}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5',
    content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } });
  sse(res, 'content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  const timer = setInterval(() => {
    if (call.sent.length < WORDS) {
      const text = `q${name}x${letters(call.sent.length)} `;
      call.sent.push(performance.now());
      sse(res, 'content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
      return;
    }
    clearInterval(timer);
    sse(res, 'content_block_stop', { index: 0 });
    sse(res, 'message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: WORDS } });
    sse(res, 'message_stop', {});
    res.end();
  }, WORD_MS);
}

async function startModel() {
  const server = http.createServer((req, res) => {
    req.resume();
    req.on('end', () => (req.method === 'POST' ? streamWords(res) : res.end('{"data":[],"has_more":false}')));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

/* ---- the readers ---- */

/* Appends the transit times of the words in a text to `took`; `turn` records when the last one arrived. */
function recordTimes(text, took, turn = {}) {
  const now = performance.now();
  for (const [, call, word] of text.matchAll(/q([a-j]+)x([a-j]+)/g)) {
    turn.call = calls[number(call)];
    turn.last = now;
    took.push(now - turn.call.sent[number(word)]);
  }
}

async function direct(url) {
  const took = [];
  for (let i = 0; i < 3; i++)
    await new Promise((done) => http.request(`${url}/v1/messages`, { method: 'POST' }, (res) => {
      res.setEncoding('utf8').on('data', (text) => recordTimes(text, took)).on('end', done);
    }).end());
  return took;
}

/* Asks one question. Resolves to the delay that the daemon added to the last word, or undefined if it was not answered. */
function ask(ws, took) {
  const turn = {};
  const began = performance.now();
  return new Promise((done) => {
    const onMessage = (data) => {
      const text = data.toString();
      if (text.startsWith('{"type":"chat.token"'))
        recordTimes(text, took, turn);
      if (!text.startsWith('{"type":"chat.complete"') && !text.startsWith('{"type":"chat.error"'))
        return;
      ws.off('message', onMessage);
      done(turn.call && turn.call.asked - began + turn.last - turn.call.sent.at(-1));
    };
    ws.on('message', onMessage);
    ws.send(JSON.stringify({ type: 'chat.message', content: REFERENCE }));
  });
}

async function user(daemon, i) {
  const { ws } = await daemon.connect({ token: mintToken({ sub: `user-${i}` }) });
  ws.removeAllListeners('message'); /* storing frames would dominate the work of this process */
  return ws;
}

async function measureOneUser(daemon) {
  const ws = await user(daemon, 'alone');
  const took = [];
  const added = [];
  for (let i = 0; i < 5; i++)
    added.push(await ask(ws, took));
  ws.terminate();
  return { took, added: added.slice(1) };
}

async function measureManyUsers(daemon) {
  const sockets = [];
  for (let i = 0; i < USERS; i++)
    sockets.push(await user(daemon, i));
  const took = [];
  const turns = [];
  const cpu = cpuMs(daemon.child.pid);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  for (let i = 0; i < TURNS_PER_S * SECONDS; i++) {
    await sleep(Math.max(0, began + (i * 1000) / TURNS_PER_S - performance.now()));
    turns.push(ask(sockets[i % USERS], took));
  }
  const added = await Promise.all(turns);
  delay.disable();
  const wall = performance.now() - began;
  sockets.forEach((ws) => ws.terminate());
  return { took, added: added.filter((t) => t !== undefined), lost: added.filter((t) => t === undefined).length,
    cpu: cpuMs(daemon.child.pid) - cpu, wall, late: delay.percentile(99) / 1e6 };
}

const { server, url } = await startModel();
const daemon = await startDaemon({ env: { ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: url } });
if (cpus().length > 1) {
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(daemon.child.pid)], { stdio: 'ignore' });
  execFileSync('taskset', ['-a', '-p', '-c', `1-${cpus().length - 1}`, String(process.pid)], { stdio: 'ignore' });
}
const directMedian = percentile(await direct(url), 0.5);
const one = await measureOneUser(daemon);
const many = await measureManyUsers(daemon);
await daemon.stop();
server.close();

console.log('| what | measured | target | how |\n|---|---|---|---|');
console.log(`| a word of the model, added at the median | ${ms(percentile(one.took, 0.5) - directMedian)} | 0.15 ms | one user; `
  + `${ms(percentile(one.took, 0.5))} through the daemon, ${ms(directMedian)} without it |`);
console.log(`| ${USERS} users, ${TURNS_PER_S} turns/s, ${WORDS} words at ${WORD_MS} ms: added to a turn | p50 `
  + `${ms(percentile(many.added, 0.5))}, p99 ${ms(percentile(many.added, 0.99))} | p50 5 ms, p99 25 ms | `
  + `${many.added.length} turns${many.lost ? `, ${many.lost} without an answer` : ''}; the model and the users, one process, `
  + `were up to ${ms(many.late)} late themselves (p99) |`);
console.log(`| CPU a turn of ${WORDS} words there | ${ms(many.cpu / many.added.length)} | | `
  + `${((many.cpu * 100) / many.wall).toFixed(0)} % of a core |`);
process.exit(0);
