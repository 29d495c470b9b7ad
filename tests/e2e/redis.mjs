/* A private Redis for a suite: tests/services/redis.sh, and redis-cli beside it. */

import { join } from 'node:path';
import { ROOT, run } from './harness.mjs';
import { MARK, watch } from '../secrets.mjs';

export const PASSWORD = `${MARK}Redis7`;
process.env.VESPER_TEST_REDIS_PASSWORD = PASSWORD;
process.env.REDISCLI_AUTH = PASSWORD;

const SCRIPT = join(ROOT, 'tests/services/redis.sh');

/* Every key with what is in it. */
const DUMP = `local all = {} for _, k in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = k .. ' ' .. (redis.call('TYPE', k).ok == 'string' and redis.call('GET', k) or '') end return table.concat(all, ' ')`;

export class Redis {
  constructor(dir, port) {
    this.dir = dir;
    this.port = port;
    this.url = `redis://:${PASSWORD}@127.0.0.1:${port}`;
  }

  /* pause, resume, kill, restart, stop */
  async tell(verb) {
    if (verb === 'stop')
      watch('redis', await this.cli('EVAL', DUMP, '0'));
    await run(SCRIPT, [verb, this.dir]);
  }

  async cli(...words) {
    return (await run('redis-cli', ['-h', '127.0.0.1', '-p', `${this.port}`, ...words])).stdout.trim();
  }

  async keys() {
    return (await this.cli('--no-raw', 'KEYS', '*')).split('\n').filter((line) => line.includes('vesper:'))
      .map((line) => line.replace(/^\s*\d+\) /, ''));
  }

  /* How often a key that was asked for was there. */
  async hits() {
    return Number(/keyspace_hits:(\d+)/.exec(await this.cli('INFO', 'stats'))[1]);
  }
}

export async function startRedis() {
  const [dir, port] = (await run(SCRIPT, ['start', `${process.pid}`])).stdout.trim().split(' ');
  return new Redis(dir, Number(port));
}
