/* A hostile client: malformed and excessive frames, handshakes, requests and connections. */

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, ROOT, tempDir } from '../e2e/harness.mjs';
import { mintToken, nowS, signToken } from '../e2e/token.mjs';
import { nastyJson, nastyText, nastyValue } from './random.mjs';
import { canaryWarehouse, COMPARISON, mallorysToken, probe, REFERENCE, saysLate, Stage } from './stage.mjs';

const API = '/api/v1';
const FILES = join(ROOT, 'tests/e2e/hourly');
const LONG_RESULT = 'Show the ledger of hourly quotes for NP15 in 2025 from Ascend';
const NO_YEAR = REFERENCE.replace('2025', '2039'); /* leads to a clarifying question for the year */
const NO_DAYS = 'What changed between 2019-01-01 and 2019-01-10?';
const QUESTIONS = [REFERENCE, COMPARISON, NO_YEAR, NO_DAYS, LONG_RESULT, 'What is the health status of Nazareth Solar?',
  'Show the portfolio summary', 'Which tasks are at high risk?', 'and for SP15?', 'yes', '2', 'Compare Ascend vs Hitachi for SP15, NP15 and ZP26 in CAISO for 2025'];

/* The product's files, and a tool whose result is larger than the socket buffers. */
async function rootWithLongResult() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  await mkdir(join(root, 'sql/energy/hourly'), { recursive: true });
  await cp(join(FILES, 'sql'), join(root, 'sql/energy/hourly'), { recursive: true });
  await cp(join(FILES, 'prompts'), join(root, 'prompts/energy'), { recursive: true });
  const file = join(root, 'sql/energy/hourly/list_hourly_quotes.sql');
  await writeFile(file, (await readFile(file, 'utf8')).replace('vf.vendor AS', 'vf.SELECTION AS'));
  return root;
}

export async function open(random) {
  const admin = `127.0.0.1:${await freePort()}`;
  const warehouse = await canaryWarehouse(({ vesper }) => [[vesper, 'UPDATE mc_vendor_files SET SELECTION = ?', ['x'.repeat(1500)]]]);
  const stage = await Stage.open(random, { warehouse, env: { VESPER_ROOT: await rootWithLongResult(), VESPER_ADMIN_LISTEN: admin,
    VESPERD_ITSELF: process.env.VESPERD_ITSELF } });
  stage.admin = `http://${admin}`;
  return stage;
}

/* After any input, the connection answers a ping, or was closed with a close code. */
async function assertAlive(chat) {
  chat.send({ type: 'ping', t: 42 });
  await chat.until((f) => f.type === 'pong' && f.t === 42).catch((e) => {
    if (!/socket closed with (1\d\d\d|4\d\d\d)/.test(e.message))
      throw e;
  });
  chat.ws.terminate();
}

async function askFor(stage, question) {
  const chat = await stage.connect();
  const turn = await stage.answered(() => chat.ask(question), (t) => t.ask);
  return { chat, ask: turn?.ask };
}

const dataViews = (body) => (body.views ?? []).filter((v) => v.view_type === 'data');

/* ---- raw WebSocket ---- */

const handshake = (stage, token, more = '') => `GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
  + `Sec-WebSocket-Key: ${createHash('md5').update(more).digest('base64')}\r\nSec-WebSocket-Version: 13\r\n`
  + `${token ? `Authorization: Bearer ${token}\r\n` : ''}${more}\r\n`;

/* A frame with the given header fields; the length may be false. */
function rawFrame(payload, { opcode = 1, fin = true, rsv = 0, mask = true, length = payload.length, form } = {}) {
  const wide = form ?? (length < 126 ? 0 : length < 65536 ? 2 : 8);
  const head = Buffer.alloc(2 + wide);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (mask ? 0x80 : 0) | (wide === 0 ? length & 127 : wide === 2 ? 126 : 127);
  if (wide === 2)
    head.writeUInt16BE(length & 0xffff, 2);
  else if (wide === 8)
    head.writeBigUInt64BE(BigInt.asUintN(64, BigInt(length)), 2);
  if (!mask)
    return Buffer.concat([head, payload]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, Buffer.from(payload.map((b, i) => b ^ key[i % 4]))]);
}

function someFrame(r) {
  const payload = r.chance(3) ? r.bytes(r.below(300)) : Buffer.from(nastyJson(r, someMessage(r, {})));
  return rawFrame(payload, { opcode: r.pick([0, 1, 1, 1, 2, 3, 7, 8, 9, 10, 15]), fin: !r.chance(4), rsv: r.chance(6) ? r.below(8) : 0,
    mask: !r.chance(8), ...(r.chance(8) && { length: r.pick([0, 1, 125, 126, 65535, 65536, 2 ** 31, 2 ** 40, -1]) }),
    ...(r.chance(8) && { form: r.pick([0, 2, 8]) }) });
}

/* ---- frames ---- */

function someMessage(r, { session, turn, ask }) {
  switch (r.below(9)) {
  case 0: case 1: return { type: 'chat.message', content: r.pick(QUESTIONS), ...(r.chance(3) && { filters: someFilters(r) }), ...(r.chance(3) && { client_msg_id: `m${r.below(5)}` }) };
  case 2: return { type: 'chat.message', content: nastyText(r, r.pick([80, 500, 16384])) || ' ', ...(r.chance(2) && { session_id: r.pick([session, randomUUID(), nastyText(r, 40)]) }) };
  case 3: return { type: 'chat.select', ask_id: ask ?? randomUUID(), values: r.times(1 + r.count(66), () => (r.chance(2) ? r.pick(['2025', 2025, '2019-01-01/2019-01-02', '2025-03-04', true]) : nastyText(r, 120))) };
  case 4: return { type: 'chat.cancel', ...(r.chance(2) && { turn_id: turn ?? randomUUID() }) };
  case 5: return { type: 'resume', turn_id: turn ?? randomUUID(), last_seq: r.pick([0, 1, 5, 2 ** 31, 2 ** 53, -1, 1e300]) };
  case 6: return { type: 'ping', t: r.chance(2) ? nastyValue(r) : r.next() };
  case 7: return { type: 'auth', token: r.pick([mallorysToken(), 'x', nastyText(r)]) };
  default: return { type: r.pick(['chat.message', 'chat.token', 'chat.complete', 'session.ready', nastyText(r, 20)]), [nastyText(r, 10)]: nastyValue(r) };
  }
}

function someFilters(r) {
  const names = ['vendor', 'hub_zone', 'year', 'market', 'asof_date', 'project_name', 'date_range_start', 'date_range_end', 'month', 'hour', 'top_n', 'sql', 'tenant_id'];
  const value = () => r.pick(['Ascend', 'Hitachi', 'SP15', 2025, '2025', '2025-01-01', null, 1e300, true, nastyText(r, 100)]);
  return Object.fromEntries(r.times(1 + r.count(66), () => [r.chance(5) ? nastyText(r, 30) : r.pick(names), r.chance(3) ? r.times(r.count(66), value) : value()]));
}

async function chaos(stage, r) {
  const chat = await stage.connect(r.chance(4) ? { via: 'subprotocol' } : {});
  const context = { session: chat.session };
  const frames = r.between(3, 15);
  for (let i = 0; i < frames && !chat.closeInfo; i++) {
    const last = chat.all.findLast((f) => f.turn_id);
    context.turn = last?.turn_id;
    context.ask = chat.all.findLast((f) => f.type === 'chat.ask')?.ask_id;
    const text = nastyJson(r, someMessage(r, context));
    if (r.chance(20))
      chat.ws.send(Buffer.from(text));
    else
      chat.sendText(text);
    if (r.chance(3))
      await sleep(r.below(300));
  }
  if (r.chance(4))
    return chat.cut();
  return assertAlive(chat);
}

/* ---- HTTP ---- */

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'X'.repeat(300)];
const PATHS = ['/livez', '/readyz', '/health', '/metrics', '/openapi.json', '/', '/embed', '/app.js', '/assets/x', '//', '/..%2f', '/%00', '*', 'http://x/livez',
  `${API}/sessions`, `${API}/sessions/{}`, `${API}/sessions/{}/messages`, `${API}/sessions/{}/export`, `${API}/chat`, `${API}/chat/stream`, `${API}/messages/{}/feedback`,
  `${API}/messages/{}/views/{}/csv`, `${API}/receipts/{}`, `${API}/turns/{}/events`, `${API}/ws/tickets`, `${API}/reports/{}/embed`, `${API}/tools`, `${API}/admin/tools`,
  `${API}/admin/tools/{}/{}`, `${API}/admin/users/{}`, `${API}/admin/feedback`, `${API}/demo/login`];

function somePath(r) {
  let path = r.pick(PATHS).replace(/\{\}/g, () => r.pick([randomUUID(), encodeURIComponent(nastyText(r, 60)), 'a', '%ff', 'c1', '..']));
  if (r.chance(3))
    path += `?${r.pick(['limit', 'cursor', 'q', 'after', 'format', 'archived', 'rating', 'token'])}=${r.pick(['0', '-1', '999999999999999999999', '%00', '%ff', encodeURIComponent(nastyText(r, 80)), 'eyJ'])}`;
  return path;
}

function someBody(r) {
  return nastyJson(r, r.pick([{ content: r.pick(QUESTIONS) }, { content: nastyText(r, 2000), filters: someFilters(r) }, { title: nastyText(r, 300) },
    { rating: r.pick(['up', 'down', nastyText(r, 9)]), comment: nastyText(r, 5000), correction: nastyText(r, 300) }, { role: 'admin', tenant: 'acme' }, nastyValue(r)]));
}

function someRequest(stage, r) {
  const body = r.chance(2) ? someBody(r) : '';
  const headers = [`Host: ${r.pick(['x', '127.0.0.1', '', nastyText(r, 30).replace(/[\r\n]/g, '')])}`];
  if (!r.chance(4))
    headers.push(`Authorization: ${r.pick(['Bearer', 'Bearer', 'Bearer', 'bearer', 'Basic', ''])} ${r.chance(6) ? forged(r) : stage.token()}`);
  if (body)
    headers.push('Content-Type: application/json', r.pick([`Content-Length: ${Buffer.byteLength(body)}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Content-Length: 999999999999', 'Transfer-Encoding: chunked', 'Content-Length: -1']));
  for (let i = r.count(40); i > 0; i--)
    headers.push(`${r.pick(['If-Match', 'If-None-Match', 'Idempotency-Key', 'Origin', 'X-Forwarded-For', 'Last-Event-ID', 'Range', 'Expect', 'Cookie', 'X'])}: ${r.pick(['*', '"a"', '127.0.0.1', '100-continue', 'x'.repeat(r.below(3000)), nastyText(r, 60).replace(/[\r\n]/g, '')])}`);
  return `${r.pick(METHODS)} ${somePath(r)} HTTP/${r.pick(['1.1', '1.1', '1.1', '1.0', '2.0', '9'])}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

async function requests(stage, r) {
  await Promise.all(r.times(r.between(2, 10), () => {
    const text = someRequest(stage, r);
    const at = r.below(text.length);
    const chunks = r.chance(3) ? [text.slice(0, at), r.below(200), text.slice(at)] : [text + (r.chance(3) ? someRequest(stage, r) : '')];
    return stage.raw(r.chance(8) ? r.bytes(r.below(4000)) : chunks, { ms: r.between(50, 500) });
  }));
}

/* ---- tokens ---- */

function forged(r) {
  const claims = { sub: r.pick(['honest', 'mallory', '', nastyText(r, 40)]), tenant_id: r.pick(['vesper', 'acme', '', '../acme', nastyText(r, 30)]),
    permissions: r.pick([['chat:use', 'chat:admin'], 'chat:admin', nastyValue(r)]), exp: r.pick([nowS() + 3600, 1e300, -1, '9999999999', nastyValue(r)]) };
  const header = { alg: r.pick(['none', 'HS256', 'HS384', 'HS512', 'RS256', 'ES256', nastyText(r, 8)]), typ: 'JWT', ...(r.chance(3) && { kid: nastyText(r, 50) }), ...(r.chance(6) && { crit: ['exp'] }) };
  const token = signToken(header, r.chance(6) ? nastyJson(r, claims) : claims, nastyText(r, 60) || 'x');
  return r.chance(4) ? token.split('.').slice(0, r.below(4)).join('.') : token;
}

async function forgeries(stage, r) {
  for (const token of r.times(6, () => forged(r)).filter((t) => /^[\x21-\x7e]+$/.test(t))) {
    const reply = await stage.rest(token).get(`${API}/sessions`);
    assert.ok(reply.status >= 400 && reply.status < 500, `a forged token was accepted: ${token}`);
  }
}

/* ---- attacks ---- */

export const attacks = [
  {
    name: 'an answer to a question back, cut inside a character',
    async run(stage, r) {
      const { chat, ask } = await askFor(stage, r.pick([NO_YEAR, NO_DAYS]));
      for (const sign of ask ? ['\u00e9', '\u20ac', '\u{1f600}'] : [])
        for (const before of r.shuffle([73, 75, 76, 77, 78, 79, 80, 81, 119, 159, 499]).slice(0, 6)) {
          chat.send({ type: 'chat.select', ask_id: ask.ask_id, values: ['x'.repeat(before) + sign.repeat(4)] });
          assert.ok((await chat.turn()).closing);
        }
      await chat.close();
    },
  },
  {
    name: 'connections without end',
    async run(stage, r) {
      const token = stage.token();
      await Promise.all(r.times(900, (i) => stage.raw(r.pick(['', 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /li', handshake(stage, token, `X: ${i}\r\n`)]), { hold: true })));
      for (const path of ['/livez', '/readyz'])
        assert.equal(await probe(stage.daemon.url + path), null, `${path} during 900 connections`);
      await stage.serves('late');
    },
  },
  {
    name: 'readers who do not read',
    async run(stage) {
      const longPath = async (rest) => {
        const reply = await stage.answered(() => rest.post(`${API}/chat`, { content: LONG_RESULT }), ({ body }) => dataViews(body).length > 0);
        return reply && `${API}/messages/${reply.body.message_id}/views/${dataViews(reply.body)[0].view_id}/csv`;
      };
      for (let i = 0; i < 5; i++) {
        const token = stage.token({ sub: `mallory-${i}` });
        const path = await longPath(stage.rest(token));
        if (path)
          (await stage.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`, { hold: true })).pause();
      }
      const honest = stage.daemon.rest(mintToken({ sub: 'reader' }));
      const path = await longPath(honest);
      let csv;
      for (let i = 0; path && i < 15 && csv?.status !== 200; i++, await sleep(1000))
        csv = await honest.get(path);
      assert.ok(!path || csv.status === 200 || csv.status !== 429 && saysLate(csv), `while clients do not read: ${csv?.text.slice(0, 200)}`);
    },
  },
  {
    name: 'close codes that nobody knows',
    async run(stage, r) {
      for (let i = 0; i < 40; i++) {
        const chat = await stage.connect();
        await chat.close(3000 + r.below(1999));
      }
      const metrics = await (await fetch(`${stage.admin}/metrics`)).text();
      const closings = metrics.split('\n').filter((line) => /^vesper_\w*clos\w*\{/.test(line));
      assert.ok(closings.length < 24, `${closings.length} labels: ${closings.slice(-3)}`);
    },
  },
  {
    name: 'what the public health check says',
    async run(stage) {
      const text = await (await fetch(`${stage.daemon.url}/health`)).text();
      assert.doesNotMatch(text, /acme|\.db|\/tmp|127\.0\.0\.1|localhost|sqlite|redis:|warehouse:/i);
    },
  },
  {
    name: 'a process that leaves no core',
    async run(stage) {
      const limits = await readFile(`/proc/${stage.daemon.child.pid}/limits`, 'utf8');
      assert.match(limits, /Max core file size\s+0\s+0/);
    },
  },
  {
    name: 'repeated messages',
    async run(stage, r) {
      const chat = await stage.connect();
      for (let i = 0; i < 30; i++)
        chat.send({ type: 'chat.message', content: r.pick(['hello', 'thanks', NO_YEAR]), client_msg_id: `same-${r.below(2)}` });
      await assertAlive(chat);
      const rest = stage.rest();
      await Promise.all(r.times(20, () => rest.post(`${API}/sessions`, { title: 'a' }, { headers: { 'idempotency-key': `k${r.below(3)}` } })));
    },
  },
  {
    name: 'frames beyond their form',
    async run(stage, r) {
      const token = stage.token();
      await Promise.all([
        rawFrame(Buffer.alloc(70000, 'x')), rawFrame(Buffer.from('{}'), { length: 2 ** 40, form: 8 }), rawFrame(Buffer.from('{}'), { length: -1, form: 8 }),
        rawFrame(Buffer.from('hello'), { mask: false }), rawFrame(Buffer.from([0xff, 0xfe, 0x80])), rawFrame(Buffer.alloc(200), { opcode: 9 }),
        rawFrame(Buffer.alloc(1), { opcode: 8 }), rawFrame(Buffer.from([0, 0, 0xff]), { opcode: 8 }), rawFrame(Buffer.from('{"type":'), { fin: false }),
        Buffer.concat(r.times(2000, () => rawFrame(Buffer.from('x'), { opcode: 0, fin: false }))), rawFrame(Buffer.from('{}'), { rsv: 4 }),
      ].map((bytes, i) => stage.raw([handshake(stage, token, `X: ${i}\r\n`), 200, bytes])));
    },
  },
  {
    name: 'slow, false and repeated handshakes',
    async run(stage, r) {
      const token = stage.token();
      await Promise.all(r.times(20, (i) => {
        const text = handshake(stage, r.chance(2) ? token : undefined, r.pick(['', 'Sec-WebSocket-Protocol: bearer.x\r\n', 'Sec-WebSocket-Extensions: permessage-deflate\r\n', `X: ${'y'.repeat(20000)}\r\n`, 'Content-Length: 5\r\n', 'Sec-WebSocket-Key: a\r\n']) + `I: ${i}\r\n`);
        return stage.raw(r.chance(2) ? [...text].flatMap((c, k) => (k % 40 ? [c] : [c, 5])) : [text + text], { ms: 300 });
      }));
    },
  },
  { name: 'tokens that are forged', run: forgeries },
  { name: 'random requests', run: requests },
  { name: 'random frames', run: chaos },
  {
    name: 'abandoned turns',
    async run(stage, r) {
      await Promise.all(r.times(8, async () => {
        const chat = await stage.connect();
        chat.send({ type: 'chat.message', content: r.pick(QUESTIONS) });
        if (r.chance(2))
          await sleep(r.below(150));
        await (r.chance(2) ? chat.cut() : chat.close(1001));
      }));
    },
  },
  {
    name: 'what belongs to others',
    async run(stage) {
      const rest = stage.daemon.rest(mintToken({ sub: 'victim' }));
      const victim = await stage.answered(() => rest.post(`${API}/chat`, { content: `${REFERENCE} tr0ugh canary` }), ({ body }) => body.views?.length > 0);
      if (!victim)
        return;
      const { session_id: session, message_id: message, turn_id: turn } = victim.body;
      const view = victim.body.views[0].view_id;
      for (const token of [stage.token(), stage.token({ sub: 'victim', tenant_id: 'acme' }), stage.token({ sub: 'victim ' })])
        for (const path of [`sessions/${session}`, `sessions/${session}/messages`, `sessions/${session}/export`, `messages/${message}/views/${view}/csv`, `turns/${turn}/events`, `receipts/${victim.body.receipt_id}`])
          {
          const reply = await stage.rest(token).get(`${API}/${path}`);
          assert.ok([401, path.startsWith('turns/') ? 410 : 404].includes(reply.status), `${path}: ${reply.text}`);
          assert.ok(!reply.text.includes('tr0ugh'), path);
        }
      const chat = await stage.connect();
      chat.send({ type: 'resume', turn_id: turn, last_seq: 0 });
      await assertAlive(chat);
    },
  },
];

export function vary(stage, r) {
  return r.pick([chaos, chaos, requests, requests, forgeries,
    (s, q) => s.raw([handshake(s, s.token(), `X: ${q.next()}\r\n`), 100, ...q.times(q.between(1, 12), () => someFrame(q))]),
    (s, q) => q.pick(attacks.filter((w) => !w.open && w.name !== 'connections without end')).run(s, q)])(stage, r);
}
