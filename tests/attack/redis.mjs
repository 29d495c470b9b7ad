/*
 * A hostile Redis: it keeps what it is told to keep and answers as it likes. It forges, mixes up, replays, floods, stalls
 * and breaks off; whoever asks for data gets the right data all the same, late at worst.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintToken } from '../e2e/token.mjs';
import { nastyText, spoil } from './random.mjs';
import { canaryWarehouse, COMPARISON, REFERENCE, Stage } from './stage.mjs';

const API = '/api/v1';
const QUESTIONS = [REFERENCE, COMPARISON, 'Show the overview of Sierra Wind', 'What is the health status of Nazareth Solar?', 'Which tasks are at high risk?', 'Show the portfolio summary'];
const RIGHT = '48.73';
const WRONG = '99.99';

const bulk = (bytes) => (bytes === undefined ? Buffer.from('$-1\r\n') : Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]));

/* ---- a server that would be an honest one ---- */

class FakeRedis {
  constructor() {
    this.values = new Map();
    this.earlier = [];                      /* all that was ever kept: [key, bytes] */
    this.lie = (command, honest) => honest; /* bytes, a list of bytes and pauses, or null: the connection ends */
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
    socket.on('data', (more) => {
      got = Buffer.concat([got, more]);
      for (let command; ([command, got] = readCommand(got)) && command;)
        this.answer(socket, command);
    });
  }

  async answer(socket, words) {
    const given = this.lie(words, this.honest(words), this);
    if (given === null)
      socket.destroy();
    for (const part of [].concat(given ?? []))
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

  /* The scripts of the daemon, told by what they call. */
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

/* One whole command and the rest; the command is undefined while it is not whole. */
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

/* ---- lies ---- */

const isRead = (words) => /^(GET|EVAL)$/i.test(words[0].toString());

/* An envelope as it was before it had a secret: a digest that anybody can compute. */
function unkeyed(key, value) {
  const sha = (b) => createHash('sha256').update(b).digest();
  return Buffer.concat([Buffer.from('vc1:'), sha(Buffer.concat([sha(key), sha(value)])).subarray(0, 16), value]);
}

function replaced(bytes, from, to) {
  const out = Buffer.from(bytes);
  for (let at = out.indexOf(from); at >= 0; at = out.indexOf(from, at + 1))
    out.write(to, at);
  return out;
}

function forge(words, redis, change) {
  const kept = words[0].toString().toUpperCase() === 'GET' && redis.values.get(words[1].toString('latin1'));
  if (!kept)
    return undefined;
  const key = words[1].subarray('vesper:v:'.length);
  return [unkeyed(key, change(kept.subarray(20))), unkeyed(key, change(kept.subarray(44))), change(kept)];
}

const GARBAGE = ['+\r\n', '-\r\n', ':\r\n', '$\r\n', '*\r\n', ':99999999999999999999999\r\n', ':-1\r\n', ':0\r\n', '$99999999999\r\n', '$-5\r\n', '*-5\r\n', '*1\r\n'.repeat(5000), '%1\r\n+a\r\n:1\r\n', '>2\r\n+x\r\n+y\r\n',
  '_\r\n', '#t\r\n', ',inf\r\n', '(999999999999999999999999\r\n', '=5\r\ntxt:x\r\n', '~1\r\n+a\r\n', '$3\r\nabcdef\r\n', '\0\0\0\0', 'HTTP/1.1 200 OK\r\n\r\n', '+OK\r\n+OK\r\n', `$100000\r\n${'x'.repeat(100000)}\r\n`,
  '$5\r\n1 0 0\r\n', '$41\r\n1 99999999999999999999 99999999999999999999\r\n', '$7\r\nnan nan\r\n', '-ERR unknown\r\n', '-MOVED 1 127.0.0.1:1\r\n', '-NOAUTH no\r\n', '-LOADING\r\n', '-OOM command not allowed\r\n', '-READONLY\r\n', '*2\r\n$1\r\na\r\n$1\r\nb\r\n'];

const LIES = {
  'forges what was asked': (r) => (words, honest, redis) => {
    const forged = forge(words, redis, (v) => replaced(v, RIGHT, WRONG));
    return forged ? bulk(r.pick(forged)) : honest;
  },
  'moves times and counts': (r) => (words, honest, redis) => {
    const forged = forge(words, redis, (v) => {
      const tail = Buffer.from(v);
      for (let i = 0; i < 12 && tail.length > 90; i++)
        tail[tail.length - 66 - r.below(20)] = r.pick([0xff, 0x7f, 0x80, 0]);
      return tail;
    });
    return forged ? bulk(r.pick(forged)) : honest;
  },
  'gives one key\'s value for another': (r) => (words, honest, redis) => (isRead(words) && redis.earlier.length > 0 ? bulk(r.pick(redis.earlier)[1]) : honest),
  'gives what was there before': (r) => (words, honest, redis) => {
    const before = redis.earlier.filter(([key]) => words.some((w) => w.toString('latin1') === key));
    return isRead(words) && before.length > 0 ? bulk(r.pick(before)[1]) : honest;
  },
  'changes some bytes': (r) => (words, honest) => (r.chance(2) ? spoil(r, Buffer.from(honest)) : honest),
  'answers garbage': (r) => (words, honest) => (r.chance(3) ? r.pick(GARBAGE) : honest),
  'answers garbage to every question': (r) => () => r.pick(GARBAGE),
  'answers late': (r) => (words, honest) => [r.pick([1, 20, 90, 300]), honest],
  'never answers': () => () => [],
  'answers twice': (r) => (words, honest) => (r.chance(2) ? [honest, honest] : honest),
  'breaks off': (r) => (words, honest) => (r.chance(3) ? (r.chance(2) ? null : [Buffer.from(honest).subarray(0, r.below(honest.length)), null].slice(0, 1)) : honest),
  'floods': (r) => (words, honest) => (r.chance(6) ? Buffer.alloc(r.pick([2000000, 20000000]), r.pick(['+', '$', 'x', '*1\r\n'])) : honest),
  'refuses everything': (r) => () => `-${r.pick(['ERR', 'OOM', 'READONLY', 'WRONGPASS'])} ${nastyText(r, 200).replace(/[\r\n]/g, ' ')}\r\n`,
  'says yes to every meter': () => (words, honest) => (words[0].toString().toUpperCase() === 'EVAL' ? bulk(Buffer.from('1 999999999999 999999999999')) : honest),
  'empties every meter': () => (words, honest) => (words.length > 5 && /HMGET/.test(words[1].toString()) ? bulk(Buffer.from('0 0 0')) : honest),
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

/* While it lies, and for a moment of truth afterwards. */
async function under(stage, r, name) {
  await Promise.all([visit(stage, r), visit(stage, r)]);
  stage.redis.lie = LIES[name](r);
  try {
    await Promise.all(r.times(3, () => visit(stage, r).catch((e) => {
      if (!(name === 'empties every meter' && /rate_limited|429|refused/.test(e.message)))
        throw e;
    })));
  } finally {
    stage.redis.lie = (words, honest) => honest;
  }
}

export const ways = [
  ...Object.keys(LIES).map((name) => ({ name: `a Redis that ${name}`, run: (stage, r) => under(stage, r, name) })),
  {
    name: 'nobody reads in it',
    async run(stage, r) {
      const tickets = () => [...stage.redis.earlier].filter(([key]) => /ticket/.test(key));
      /* While Redis counts as unavailable the daemon keeps tickets itself. */
      await stage.until(() => 'no ticket came to Redis', async () => {
        await visit(stage, r);
        return tickets().length > 0;
      });
      for (const [, value] of tickets())
        assert.doesNotMatch(String(value), /mallory|eyJ/, 'who a ticket is for, or a token, stands in it');
    },
  },
];

export function vary(stage, r) {
  return under(stage, r, r.pick(Object.keys(LIES)));
}
