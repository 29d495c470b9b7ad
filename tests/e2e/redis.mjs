/* A private Redis for a suite: tests/services/redis.sh and redis-cli. */

import { connect } from 'node:net';
import { join } from 'node:path';
import { ROOT, run } from './harness.mjs';
import { MARK, watch } from '../secrets.mjs';

export const PASSWORD = `${MARK}Redis7`;
process.env.VESPER_TEST_REDIS_PASSWORD = PASSWORD;
process.env.REDISCLI_AUTH = PASSWORD;

const SCRIPT = join(ROOT, 'tests/services/redis.sh');

/* Every key with its value. */
const DUMP = `local all = {} for _, k in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = k .. ' ' .. (redis.call('TYPE', k).ok == 'string' and redis.call('GET', k) or '') end return table.concat(all, ' ')`;

/* Reads the reply at this position. Returns its value and end, or null if it is incomplete. */
function readReply(bytes, at) {
  const stop = bytes.indexOf('\r\n', at);
  if (stop < 0)
    return null;
  const text = bytes.toString('latin1', at + 1, stop);
  let end = stop + 2;
  switch (String.fromCharCode(bytes[at])) {
  case '-':
    return { value: new Error(text), end };
  case ':':
    return { value: Number(text), end };
  case '$':
    if (text === '-1')
      return { value: null, end };
    return end + Number(text) + 2 > bytes.length ? null
      : { value: bytes.subarray(end, end + Number(text)), end: end + Number(text) + 2 };
  case '*': {
    const list = [];
    for (let i = 0; i < Number(text); i++) {
      const item = readReply(bytes, end);
      if (!item)
        return null;
      list.push(item.value);
      end = item.end;
    }
    return { value: list, end };
  }
  default:
    return { value: text, end };
  }
}

export class Redis {
  constructor(dir, port) {
    this.dir = dir;
    this.port = port;
    this.url = `redis://:${PASSWORD}@127.0.0.1:${port}`;
  }

  /* verb: pause, resume, kill, restart or stop */
  async tell(verb) {
    if (verb === 'stop')
      await this.look();
    await run(SCRIPT, [verb, this.dir]);
  }

  async look() {
    watch('redis', await this.cli('EVAL', DUMP, '0'));
  }

  async cli(...words) {
    return (await run('redis-cli', ['-h', '127.0.0.1', '-p', `${this.port}`, ...words])).stdout.trim();
  }

  /* Sends one command, which may contain any bytes. Resolves to a Buffer, a number, null, or a list of them. */
  raw(...words) {
    const line = (text) => Buffer.from(`${text}\r\n`);
    const command = (list) => Buffer.concat([line(`*${list.length}`), ...list.flatMap((word) => {
      const bytes = Buffer.from(word);
      return [line(`$${bytes.length}`), bytes, line('')];
    })]);
    return new Promise((done, fail) => {
      const socket = connect(this.port, '127.0.0.1');
      let got = Buffer.alloc(0);
      socket.on('error', fail);
      socket.on('data', (bytes) => {
        got = Buffer.concat([got, bytes]);
        const login = readReply(got, 0);
        const reply = login && readReply(got, login.end);
        if (!reply)
          return;
        socket.destroy();
        reply.value instanceof Error ? fail(reply.value) : done(reply.value);
      });
      socket.write(Buffer.concat([command(['AUTH', PASSWORD]), command(words)]));
    });
  }

  async keys() {
    return (await this.cli('--no-raw', 'KEYS', '*')).split('\n').filter((line) => line.includes('vesper:'))
      .map((line) => line.replace(/^\s*\d+\) /, ''));
  }

  /* The number of lookups that found a key. */
  async hits() {
    return Number(/keyspace_hits:(\d+)/.exec(await this.cli('INFO', 'stats'))[1]);
  }
}

export async function startRedis() {
  const [dir, port] = (await run(SCRIPT, ['start', `${process.pid}`])).stdout.trim().split(' ');
  return new Redis(dir, Number(port));
}
