/* Several replicas for a suite: one PostgreSQL, one Redis, and as many daemons as are wanted. */

import { setTimeout as sleep } from 'node:timers/promises';
import { patient } from './patience.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

const JOIN_LIMIT_MS = patient(10000);

export class Cluster {
  constructor(pg, redis, options) {
    this.pg = pg;
    this.redis = redis;
    this.options = options;
    this.daemons = [];
  }

  /* One more replica; its name is told apart by the program. */
  async add({ env, ...options } = {}) {
    const { env: common, url = this.redis.url, ...rest } = this.options;
    const d = await this.pg.start({ ...rest, ...options,
      env: { VESPER_REDIS_URL: url, VESPER_CLUSTER_REPLICA: `r${this.daemons.length + 1}`, ...common, ...env } });
    this.daemons.push(d);
    return d;
  }

  /* All of them have been heard of by the others. */
  async joined(count) {
    for (const until = Date.now() + JOIN_LIMIT_MS; Date.now() < until; await sleep(50))
      if ((await this.alive()).length >= count)
        return this;
    throw new Error(`${count} replicas did not join: ${await this.alive()}`);
  }

  async alive() {
    return (await this.redis.cli('ZRANGE', 'vesper:{r}:alive', '0', '-1')).split('\n').filter(Boolean);
  }

  async stop() {
    await Promise.all(this.daemons.filter((d) => !d.exited).map((d) => d.stop()));
    await this.redis.tell('stop');
    await this.pg.service('stop');
  }
}

export async function startCluster(count, options = {}) {
  const [pg, redis] = await Promise.all([startPostgres().then((p) => p.install()), startRedis()]);
  const c = new Cluster(pg, redis, options);
  await Promise.all(Array.from({ length: count }, () => c.add()));
  return c.joined(count);
}

/* The numbers of a list of times, for figures that a test prints. */
export function quantile(times, q) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}
