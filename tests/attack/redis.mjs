/*
 * A hostile Redis: it stores values, but its replies are manipulated. It forges, exchanges, replays, floods, stalls and
 * disconnects. Users still get correct data, possibly late.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintToken } from '../e2e/token.mjs';
import { nastyText, corrupt } from './random.mjs';
import { canaryWarehouse, COMPARISON, REFERENCE, Stage } from './stage.mjs';

const API = '/api/v1';
const QUESTIONS = [REFERENCE, COMPARISON, 'Show the overview of Sierra Wind', 'What is the health status of Nazareth Solar?', 'Which tasks are at high risk?', 'Show the portfolio summary'];
const CORRECT_PRICE = '48.73';
const FALSE_PRICE = '99.99';

const bulk = (bytes) => (bytes === undefined ? Buffer.from('$-1\r\n') : Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]));

/* ---- a server whose replies are honest unless manipulated ---- */

class FakeRedis {
  constructor() {
    this.values = new Map();
    this.earlier = [];                      /* every value ever stored: [key, bytes] */
    this.manipulation = (command, honest) => honest; /* returns bytes, a list of bytes and pauses, or null: the connection ends */
    this.sockets = new Set();
    this.server = net.createServer((socket) => this.serve(socket));
  }

  async listen() {
    this.server.listen(0, '127.0.0.1').unref();
    await new Promise((done) => this.server.once('listening', done));
    return `redis://127.0.0.1:${this.server.address().port}`;
  }

  serve(socket) {
    let got = Buffer.alloc(0);
    this.sockets.add(socket.on('error', () => {}).on('close', () => this.sockets.delete(socket)));
    socket.on('data', (data) => {
      got = Buffer.concat([got, data]);
      for (let command; ([command, got] = readCommand(got)) && command;)
        this.answer(socket, command);
    });
  }

  async answer(socket, words) {
    const reply = this.manipulation(words, this.honest(words), this);
    if (reply === null)
      socket.destroy();
    for (const part of [].concat(reply ?? []))
      if (typeof part === 'number')
        await sleep(part);
      else if (!socket.destroyed)
        socket.write(part);
  }

  honest(words) {
    const text = (i) => words[i]?.toString('latin1');
    switch (text(0).toUpperCase()) {
    case 'GET': return bulk(this.values.get(text(1)));
    case 'SET':
      this.values.set(text(1), words[2]);
      this.earlier.push([text(1), words[2]]);
      return '+OK\r\n';
    case 'DEL': return `:${Number(this.values.delete(text(1)))}\r\n`;
    case 'EVAL': return this.script(text(1), words, text);
    case 'PING': return '+PONG\r\n';
    default: return '+OK\r\n';
    }
  }

  /* The daemon's scripts, recognized by the commands that they call. */
  script(code, words, text) {
    if (/HMGET/.test(code))
      return bulk(Buffer.from(['1', ...words.slice(4 + Number(text(2))).map((most) => `${Number(most) * 1000}`)].join(' ')));
    if (/'NX'/.test(code) || /PEXPIRE/.test(code))
      return ':1\r\n';
    const value = this.values.get(text(3));
    this.values.delete(text(3));
    return /return v/.test(code) ? bulk(value) : ':1\r\n';
  }

  close() {
    this.sockets.forEach((s) => s.destroy());
    this.server.close();
  }
}

/* Returns one complete command and the remaining bytes; the command is undefined if it is incomplete. */
function readCommand(bytes) {
  let at = 0;
  const line = () => {
    const end = bytes.indexOf('\r\n', at);
    const text = end < 0 ? undefined : bytes.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  const count = Number(line()?.slice(1));
  const words = [];
  for (let i = 0; i < count; i++) {
    const size = line();
    if (size === undefined || bytes.length < at + Number(size.slice(1)) + 2)
      return [undefined, bytes];
    words.push(bytes.subarray(at, at + Number(size.slice(1))));
    at += Number(size.slice(1)) + 2;
  }
  return count > 0 ? [words, bytes.subarray(at)] : [undefined, bytes];
}

/* ---- manipulations ---- */

const isRead = (words) => /^(GET|EVAL)$/i.test(words[0].toString());

/* An envelope of the old format, without a secret: its digest can be computed by anyone. */
function withOldDigest(key, value) {
  const sha = (b) => createHash('sha256').update(b).digest();
  return Buffer.concat([Buffer.from('vc1:'), sha(Buffer.concat([sha(key), sha(value)])).subarray(0, 16), value]);
}

function replaced(bytes, from, to) {
  const out = Buffer.from(bytes);
  for (let at = out.indexOf(from); at >= 0; at = out.indexOf(from, at + 1))
    out.write(to, at);
  return out;
}

function forgeValues(words, redis, change) {
  const stored = words[0].toString().toUpperCase() === 'GET' && redis.values.get(words[1].toString('latin1'));
  if (!stored)
    return undefined;
  const key = words[1].subarray('vesper:v:'.length);
  return [withOldDigest(key, change(stored.subarray(20))), withOldDigest(key, change(stored.subarray(44))), change(stored)];
}

const GARBAGE = ['+\r\n', '-\r\n', ':\r\n', '$\r\n', '*\r\n', ':99999999999999999999999\r\n', ':-1\r\n', ':0\r\n', '$99999999999\r\n', '$-5\r\n', '*-5\r\n', '*1\r\n'.repeat(5000), '%1\r\n+a\r\n:1\r\n', '>2\r\n+x\r\n+y\r\n',
  '_\r\n', '#t\r\n', ',inf\r\n', '(999999999999999999999999\r\n', '=5\r\ntxt:x\r\n', '~1\r\n+a\r\n', '$3\r\nabcdef\r\n', '\0\0\0\0', 'HTTP/1.1 200 OK\r\n\r\n', '+OK\r\n+OK\r\n', `$100000\r\n${'x'.repeat(100000)}\r\n`,
  '$5\r\n1 0 0\r\n', '$41\r\n1 99999999999999999999 99999999999999999999\r\n', '$7\r\nnan nan\r\n', '-ERR unknown\r\n', '-MOVED 1 127.0.0.1:1\r\n', '-NOAUTH no\r\n', '-LOADING\r\n', '-OOM command not allowed\r\n', '-READONLY\r\n', '*2\r\n$1\r\na\r\n$1\r\nb\r\n'];

const MANIPULATIONS = {
  'forges the requested value': (r) => (words, honest, redis) => {
    const forged = forgeValues(words, redis, (v) => replaced(v, CORRECT_PRICE, FALSE_PRICE));
    return forged ? bulk(r.pick(forged)) : honest;
  },
  'changes times and counts': (r) => (words, honest, redis) => {
    const forged = forgeValues(words, redis, (v) => {
      const tail = Buffer.from(v);
      for (let i = 0; i < 12 && tail.length > 90; i++)
        tail[tail.length - 66 - r.below(20)] = r.pick([0xff, 0x7f, 0x80, 0]);
      return tail;
    });
    return forged ? bulk(r.pick(forged)) : honest;
  },
  'returns the value of another key': (r) => (words, honest, redis) => (isRead(words) && redis.earlier.length > 0 ? bulk(r.pick(redis.earlier)[1]) : honest),
  'returns an earlier value': (r) => (words, honest, redis) => {
    const earlier = redis.earlier.filter(([key]) => words.some((w) => w.toString('latin1') === key));
    return isRead(words) && earlier.length > 0 ? bulk(r.pick(earlier)[1]) : honest;
  },
  'changes some bytes': (r) => (words, honest) => (r.chance(2) ? corrupt(r, Buffer.from(honest)) : honest),
  'answers garbage': (r) => (words, honest) => (r.chance(3) ? r.pick(GARBAGE) : honest),
  'answers garbage to every command': (r) => () => r.pick(GARBAGE),
  'answers late': (r) => (words, honest) => [r.pick([1, 20, 90, 300]), honest],
  'never answers': () => () => [],
  'answers twice': (r) => (words, honest) => (r.chance(2) ? [honest, honest] : honest),
  'disconnects': (r) => (words, honest) => (r.chance(3) ? (r.chance(2) ? null : [Buffer.from(honest).subarray(0, r.below(honest.length)), null].slice(0, 1)) : honest),
  'floods': (r) => (words, honest) => (r.chance(6) ? Buffer.alloc(r.pick([2000000, 20000000]), r.pick(['+', '$', 'x', '*1\r\n'])) : honest),
  'refuses everything': (r) => () => `-${r.pick(['ERR', 'OOM', 'READONLY', 'WRONGPASS'])} ${nastyText(r, 200).replace(/[\r\n]/g, ' ')}\r\n`,
  'permits every request of a limit': () => (words, honest) => (words[0].toString().toUpperCase() === 'EVAL' ? bulk(Buffer.from('1 999999999999 999999999999')) : honest),
  'refuses every request of a limit': () => (words, honest) => (words.length > 5 && /HMGET/.test(words[1].toString()) ? bulk(Buffer.from('0 0 0')) : honest),
};

/* ---- the round ---- */

export async function open(random) {
  const redis = new FakeRedis();
  const url = await redis.listen();
  const stage = await Stage.open(random, { warehouse: await canaryWarehouse(),
    env: { VESPER_REDIS_URL: url, VESPER_LIMITS_USER_PER_MINUTE: '100000', VESPER_LIMITS_TENANT_PER_MINUTE: '100000' } });
  return Object.assign(stage, { redis });
}

async function visit(stage, r) {
  const acme = mintToken({ sub: 'neighbour', tenant_id: 'acme' });
  await stage.daemon.ask(r.pick(QUESTIONS), { token: acme });
  const turn = await stage.ask(r.pick(QUESTIONS));
  const ticket = await stage.rest().post(`${API}/ws/tickets`);
  if (ticket.body?.ticket) {
    const opened = await stage.daemon.open({ ticket: ticket.body.ticket });
    opened.chat?.ws.terminate();
  }
  await stage.rest().get(`${API}/tools`);
  return turn;
}

/* Visits before and during the manipulation; afterwards Redis is honest again. */
async function manipulate(stage, r, name) {
  await Promise.all([visit(stage, r), visit(stage, r)]);
  stage.redis.manipulation = MANIPULATIONS[name](r);
  try {
    await Promise.all(r.times(3, () => visit(stage, r).catch((e) => {
      if (!(name === 'refuses every request of a limit' && /rate_limited|429|refused/.test(e.message)))
        throw e;
    })));
  } finally {
    stage.redis.manipulation = (words, honest) => honest;
  }
}

export const attacks = [
  ...Object.keys(MANIPULATIONS).map((name) => ({ name: `a Redis that ${name}`, run: (stage, r) => manipulate(stage, r, name) })),
  {
    name: 'a reader of stored tickets',
    async run(stage, r) {
      const tickets = () => [...stage.redis.earlier].filter(([key]) => /ticket/.test(key));
      /* While Redis counts as unavailable, the daemon stores tickets in memory. */
      await stage.until(() => 'no ticket was stored in Redis', async () => {
        await visit(stage, r);
        return tickets().length > 0;
      });
      for (const [, value] of tickets())
        assert.doesNotMatch(String(value), /mallory|eyJ/, 'a stored ticket contains neither its user nor a token');
    },
  },
];

export function vary(stage, r) {
  return manipulate(stage, r, r.pick(Object.keys(MANIPULATIONS)));
}
