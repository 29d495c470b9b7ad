/*
 * A new process takes over the listening sockets while the old one serves: no client is refused, no answer is lost, and
 * new clients wait at most in the queue of the socket.
 */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { quantile } from './cluster.mjs';
import { launch, REFERENCE, startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

const STREAMS = 200;
const words = Array.from({ length: 150 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 60 } }, { reply: 'demo' }];
const SPREAD_S = 2;
const env = { VESPER_HANDOVER: 'true', VESPER_LIMITS_DRAIN_SPREAD_S: `${SPREAD_S}`, VESPER_LIMITS_CONNECTIONS_PER_USER: '0',
  VESPER_LIMITS_CONNECTIONS_PER_ADDRESS: '0' };
const LIMIT_MS = patient(60000);

async function waitForLog(d, event) {
  for (const until = Date.now() + LIMIT_MS; !d.output.includes(event); await sleep(20))
    assert.ok(Date.now() < until && !d.exited, `no ${event} in the log:\n${d.output.slice(-2000)}`);
}

const takeOver = (d, more = {}) => launch({ args: ['--take-over'], dataDir: d.dataDir, port: d.port, env: { ...env, ...more } });

/* Sends one request on a new connection. Returns its result. */
function requestOnce(url) {
  const start = performance.now();
  return new Promise((done) => {
    const req = http.get(`${url}/livez`, { agent: false }, (res) => {
      res.resume().on('end', () => done({ status: res.statusCode, ms: performance.now() - start }));
    });
    req.on('error', (e) => done({ error: e.code ?? e.message, ms: performance.now() - start }));
  });
}

it(`${STREAMS} streams and all new connections survive a handover`, async (t) => {
  const mock = await startMock({ script });
  const old = await startDaemon({ mock, env });
  let successor;
  t.after(async () => {
    await Promise.all([old, successor].filter((d) => d && !d.exited).map((d) => d.kill()));
    await mock.close();
  });
  const idle = await Promise.all(Array.from({ length: 20 }, () => old.connect()));
  const chats = [];
  for (let i = 0; i < STREAMS; i++)
    chats.push(await old.connect({ token: mintToken({ sub: `user${i}` }) }));
  const turns = chats.map((c) => c.begin(REFERENCE).then(() => c.frames()).catch((e) => [{ status: `${e.message} after ${c.all.length} frames, the last: ${JSON.stringify(c.all.at(-1))}` }]));
  while (!chats.every((c) => c.all.some((f) => f.type === 'chat.token')))
    await sleep(20);

  let running = true;
  const requests = [];
  const requester = (async () => {
    while (running) {
      requests.push(requestOnce(old.url));
      await sleep(8);
    }
  })();
  successor = await launch({ args: ['--take-over'], dataDir: old.dataDir, port: old.port, mock, env });
  await waitForLog(old, 'handover.done');
  const closed = await Promise.all(idle.map((c) => c.closed));
  assert.deepEqual([...new Set(closed.map((c) => c.code))], [1012], 'idle connections are asked to reconnect');
  const question = await successor.ask(REFERENCE.replace('?', ', please?'), { token: mintToken({ sub: 'newcomer' }) });
  assert.ok(question.complete, 'the new process answers');
  const ends = await Promise.all(turns);
  running = false;
  await requester;
  const all = await Promise.all(requests);
  const broken = ends.filter((frames) => frames.at(-1).status !== 'ok');
  const failed = all.filter((r) => r.status !== 200);
  const times = all.map((r) => r.ms);
  console.log(`${STREAMS} streams: ${broken.length} broken ${broken[0]?.at(-1).status ?? ''}; ${all.length} new connections: ${failed.length} failed ${JSON.stringify(failed.slice(0, 3))}, `
    + `p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`);
  assert.equal(broken.length, 0);
  assert.equal(failed.length, 0);
  await Promise.all(chats.map((c) => c.close()));
  assert.deepEqual(await old.ended(), { code: 0, signal: null });
  old.checkOutput();
  const again = await successor.rest().get('/livez').catch((e) => e);
  assert.equal(again.status, 200);
  await successor.stop();
});

it('a new process that fails or replies wrongly does not affect the old one', async () => {
  const d = await startDaemon({ env });
  const failing = await takeOver(d, { VESPER_STORE_DIALECT: 'no such thing' });
  assert.notEqual((await failing.ended()).code, 0);
  const path = join(d.dataDir, 'handover.sock');
  const { mode } = await (await import('node:fs/promises')).stat(path);
  assert.equal(mode & 0o777, 0o600);
  /* Invalid clients of the handover socket: a stream socket, one that sends nothing, and one with a wrong message. */
  await new Promise((done) => net.connect(path).on('error', done).on('connect', done));
  for (const reply of ['', 'not ready']) {
    const python = spawn('python3', ['-c', `import socket,sys
s=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET); s.connect(sys.argv[1])
m,f,_,_=socket.recv_fds(s,256,2); assert len(f)==2 and b'"v":1' in m, m
sys.argv[2] and s.send(sys.argv[2].encode())`, path, reply]);
    assert.equal(await new Promise((done) => python.on('close', done)), 0);
  }
  await waitForLog(d, 'handover.failed');
  assert.ok((await d.ask(REFERENCE)).complete, 'the old process continues');
  const good = await takeOver(d);
  await waitForLog(d, 'handover.done');
  assert.deepEqual(await d.ended(), { code: 0, signal: null });
  assert.ok((await good.ask(REFERENCE)).complete);
  await good.stop();
});

it('--take-over without a running process is a normal start, and without the setting no handover socket exists', async (t) => {
  const d = await launch({ args: ['--take-over'], env: { ...env, VESPER_HANDOVER: 'false' } });
  t.after(() => d.exited || d.kill());
  await d.waitReady();
  assert.match(d.output, /handover\.none/);
  await assert.rejects(new Promise((done, fail) => net.connect(join(d.dataDir, 'handover.sock')).on('error', fail).on('connect', done)));
  await d.stop();
});

it('sockets that a supervisor passes are used', async (t) => {
  const dir = await tempDir();
  assert.ok(dir);
  const d = await launch({ env, supervisor: true });
  t.after(() => d.exited || d.kill());
  await d.waitReady();
  assert.ok((await d.ask(REFERENCE)).complete);
  await d.stop();
});
