/* A private Redis for a suite: tests/services/redis.sh, and redis-cli beside it. */

import { join } from 'node:path';
import { ROOT, run } from './harness.mjs';

const SCRIPT = join(ROOT, 'tests/services/redis.sh');

export class Redis {
  constructor(dir, port) {
    this.dir = dir;
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /* pause, resume, kill, restart, stop */
  async tell(verb) {
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
