/* Several replicas for a suite: one PostgreSQL, one Redis, and as many daemons as are wanted. */

import { setTimeout as sleep } from 'node:timers/promises';
import { patient } from './patience.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { REFERENCE } from './harness.mjs';

const JOIN_LIMIT_MS = patient(10000);
const BACK_LIMIT_MS = patient(15000); /* so that a test ends; the figure is printed */

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

  /* What is asked on the first replica can be resumed on the second: how long that took to be so, after a fault too. */
  async untilShared() {
    const [one, two] = this.daemons;
    const began = Date.now();
    while (Date.now() - began < BACK_LIMIT_MS) {
      const chat = await one.connect();
      const { turn_id } = await chat.begin(REFERENCE);
      const other = await two.connect();
      other.send({ type: 'resume', turn_id, last_seq: 0 });
      const frame = await other.next();
      await Promise.all([other.close(), chat.close()]); /* nobody wants it */
      if (frame.turn_id === turn_id)
        return Date.now() - began;
      await sleep(50);
    }
    throw new Error('replicas never heard of each other again');
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
