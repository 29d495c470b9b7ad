/*
 * Several replicas for a suite: one PostgreSQL, one Redis, the requested number of daemons, and HAProxy in front
 * of them.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './chat.mjs';
import { Client, freePort, REFERENCE, ROOT, run, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { installedPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { mintToken } from './token.mjs';
import { isClosing, textOf } from './turn.mjs';

const JOIN_LIMIT_MS = patient(10000);
const RECOVERY_LIMIT_MS = patient(15000); /* ends a test that hangs; the actual time is printed */
const HAPROXY = join(ROOT, 'tests/services/haproxy.sh');
const CUTS_MAX = 200; /* interrupted streams per question; more is an error */

/* For suites that do not test Redis faults: on a busy machine, replicas must not treat Redis as unavailable. */
export const STEADY = { VESPER_REDIS_TIMEOUT_MS: '10000' };

export class Cluster {
  constructor(pg, redis, options) {
    this.pg = pg;
    this.redis = redis;
    this.options = options;
    this.daemons = [];
  }

  /* Adds a replica. Names may repeat; the program distinguishes replicas. */
  async add({ env, ...options } = {}) {
    const { env: common, url = this.redis.url, ...rest } = this.options;
    const d = await this.pg.start({ ...rest, ...options,
      env: { VESPER_REDIS_URL: url, VESPER_CLUSTER_REPLICA: `r${this.daemons.length + 1}`, ...common, ...env } });
    this.daemons.push(d);
    return d;
  }

  /* Replaces a process that has ended with a new one on the same ports. */
  async replace(ended) {
    const d = await this.add({ port: ended.port, adminPort: ended.adminPort });
    this.daemons.splice(this.daemons.indexOf(ended), 1, this.daemons.pop());
    return d;
  }

  /* Starts daemons until `count` of them run. */
  async fill(count) {
    const ended = this.daemons.filter((d) => d.exited);
    const fresh = Array.from({ length: count - this.daemons.length }, async () => this.add({ port: await freePort() }));
    await Promise.all([...ended.map((d) => this.replace(d)), ...fresh]);
    return this.waitForReplicas(count);
  }

  /* Waits until all replicas are registered in Redis. */
  async waitForReplicas(count) {
    for (const until = Date.now() + JOIN_LIMIT_MS; Date.now() < until; await sleep(50))
      if ((await this.alive()).length >= count)
        return this;
    throw new Error(`${count} replicas did not join: ${await this.alive()}`);
  }

  async alive() {
    return (await this.redis.cli('ZRANGE', 'vesper:{r}:alive', '0', '-1')).split('\n').filter(Boolean);
  }

  /* Waits until a turn of the first replica can be resumed on the second, also after a fault. Returns the time in ms. */
  async untilShared() {
    const [one, two] = this.daemons;
    const startMs = Date.now();
    while (Date.now() - startMs < RECOVERY_LIMIT_MS) {
      const chat = await one.connect();
      const { turn_id } = await chat.begin(REFERENCE);
      const other = await two.connect();
      other.send({ type: 'resume', turn_id, last_seq: 0 });
      const frame = await other.next();
      await Promise.all([other.close(), chat.close()]); /* this turn is not needed */
      if (frame.turn_id === turn_id)
        return Date.now() - startMs;
      await sleep(50);
    }
    throw new Error('the replicas did not share turns again');
  }

  /* Waits until Redis has the turn's lease, so that another replica can continue it. After a Redis fault the lease appears later. */
  async waitForLease(turn_id) {
    for (const until = Date.now() + JOIN_LIMIT_MS; Date.now() < until; await sleep(20))
      if (await this.redis.cli('EXISTS', `vesper:t:{vesper}:${turn_id}`) === '1')
        return;
    throw new Error(`the turn ${turn_id} has no lease`);
  }

  /* Starts HAProxy in front of the current replicas and sets the address of the cluster. */
  async balance() {
    const [dir, port] = (await run(HAPROXY, ['start', `${process.pid}`, ...this.daemons.map((d) => `${d.port}`)])).stdout.trim().split(' ');
    this.balancer = dir;
    this.port = Number(port);
    this.url = `http://127.0.0.1:${port}`;
    return this.waitForBalancer();
  }

  /* Waits until the balancer forwards to a ready replica. */
  async waitForBalancer() {
    for (let i = 0; i < 100 && (await fetch(`${this.url}/readyz`).catch(() => null))?.status !== 200; i++)
      await sleep(50);
    return this;
  }

  async stopBalancer() {
    if (this.balancer)
      await run(HAPROXY, ['stop', this.balancer]);
    this.balancer = null;
  }

  async stop() {
    await this.stopBalancer();
    await Promise.all(this.daemons.filter((d) => !d.exited).map((d) => d.stop()));
    await this.redis.tell('stop');
    await this.pg.service('stop');
  }
}

export async function startCluster(count, options = {}) {
  const [pg, redis] = await Promise.all([installedPostgres(), startRedis()]);
  return new Cluster(pg, redis, options).fill(count);
}

/*
 * A cluster in place of a daemon, for suites written for one daemon: the balancer chooses the replica of each request.
 * All replicas start and stop together. Their PostgreSQL and Redis outlive them, as the data folder of a daemon would.
 */
class Replicas extends Client {
  constructor(cluster, dataDir) {
    super(cluster.port);
    this.cluster = cluster;
    this.dataDir = dataDir;
    this.daemons = [...cluster.daemons];
  }

  get exited() {
    return this.daemons.every((d) => d.exited) ? this.daemons[0].exited : undefined;
  }

  get output() {
    return this.daemons.map((d) => d.output).join('');
  }

  health() {
    return this.daemons[0].health();
  }

  async kill() {
    await Promise.all(this.daemons.map((d) => d.kill()));
    this.daemons.forEach((d) => d.checkOutput());
  }

  async stop() {
    await Promise.all(this.daemons.map((d) => d.stop()));
    await Promise.all([this.cluster.pg.checkForSecrets(), this.cluster.redis.look()]);
  }
}

/* The servers end with this process. */
const clusters = new Map(); /* data folder -> its cluster */
let server;                 /* PostgreSQL with the schema installed; each cluster gets a copy */

export async function startReplicas(count, { dataDir, env, ...rest } = {}) {
  const options = { ...rest, env: { ...STEADY, ...env } };
  const folder = dataDir ?? await tempDir();
  server ??= installedPostgres();
  if (!clusters.has(folder)) {
    const pg = await (await server).copy(`kept${clusters.size + 1}`);
    clusters.set(folder, new Cluster(pg, await startRedis(), options));
  }
  const cluster = clusters.get(folder);
  cluster.options = options;
  await cluster.fill(count);
  if (!cluster.balancer)
    await cluster.balance();
  await cluster.waitForBalancer();
  return new Replicas(cluster, folder);
}

/*
 * A client that records its questions and the frames that it received, and resumes an interrupted answer on any replica
 * until the answer ends. `url` is called before each connection.
 */
export class Ledger {
  constructor(url, sub = 'ledger') {
    this.url = url;
    this.token = mintToken({ sub });
    this.entries = [];
    this.refused = 0; /* failed connections */
    this.cuts = 0;    /* streams that ended before their turn */
    this.silent = []; /* answers without a frame within the time limit */
    this.rereads = 0; /* turns read from the start again, because the received text was not stored */
  }

  /* Asks one question and reads its answer to the end. The returned entry has the frames. */
  async ask(content) {
    const entry = { content, client_msg_id: crypto.randomUUID(), frames: [], turn_id: null };
    this.entries.push(entry);
    for (let tries = 0; tries < CUTS_MAX; tries++) {
      const chat = await connect(this.url(), { token: this.token, session: this.session }).catch(() => null);
      if (!chat) {
        this.refused++;
        await sleep(100);
        continue;
      }
      this.session ??= chat.session;
      try {
        if (await this.read(chat, entry)) {
          await chat.close();
          return entry;
        }
      } catch (e) {
        if (/no frame within/.test(e.message))
          this.silent.push(`${new Date().toISOString()} ${entry.turn_id} after ${entry.frames.at(-1)?.seq}: ${e.message}`);
        else if (!/socket closed/.test(e.message))
          throw e;
        this.cuts++;
      }
      await chat.cut();
      await sleep(100);
    }
    return assert.fail(`the answer never ended: ${JSON.stringify(entry.frames.at(-1))}`);
  }

  /* Returns true if the turn has ended, false if it must be requested again. */
  async read(chat, entry) {
    if (entry.turn_id)
      chat.send({ type: 'resume', turn_id: entry.turn_id, last_seq: entry.frames.at(-1)?.seq ?? 0 });
    else
      chat.send({ type: 'chat.message', content: entry.content, client_msg_id: entry.client_msg_id });
    for (;;) {
      const f = await chat.next();
      if (f.type === 'chat.error' && f.seq === undefined) {
        assert.ok(['bad_frame', 'upstream', 'expired', 'busy', 'draining'].includes(f.code), JSON.stringify(f));
        if (f.code === 'bad_frame') {
          entry.frames.length = 0;
          this.rereads++;
        }
        if (f.code === 'expired')
          entry.turn_id = null; /* no replica runs the turn: the same message is sent again */
        return false;
      }
      if (f.seq === undefined)
        continue;
      if (entry.turn_id !== f.turn_id)
        entry.frames.length = 0;
      entry.turn_id = f.turn_id;
      entry.frames.push(f);
      if (isClosing(f))
        return true;
    }
  }

  /* Compares the ledger with the store. Returns the differences; an empty list is expected. */
  async compare(rest) {
    const differences = [];
    const report = (what, entry, more) => differences.push(`${what}: ${entry.content} ${entry.turn_id} ${more ?? ''}`);
    const stored = this.session ? await rest.messages(this.session) : [];
    const questions = stored.filter((m) => m.role === 'user'), answers = stored.filter((m) => m.role === 'assistant');
    this.entries.forEach((entry, i) => {
      if (entry.frames.some((f, n) => (f.seq_first ?? f.seq) !== (entry.frames[n - 1]?.seq ?? 0) + 1))
        report('frames lost, doubled or out of order', entry, entry.frames.map((f) => f.seq).join());
      const asked = questions.filter((m) => m.content === entry.content);
      const answered = answers.filter((m) => m.turn_id === asked[0]?.turn_id);
      if (asked.length !== 1)
        report(asked.length ? 'question doubled' : 'question lost', entry);
      else if (questions[i] !== asked[0])
        report('question out of order', entry);
      if (answered.length !== 1)
        report(answered.length ? 'answer doubled' : 'answer lost', entry);
      else if (entry.frames.at(-1).type === 'chat.complete' && answered[0].content !== textOf(entry.frames))
        report('the received text differs from the stored text', entry, JSON.stringify([textOf(entry.frames), answered[0].content]));
    });
    if (stored.length !== 2 * this.entries.length || stored.some((m, i) => m.role !== (i % 2 ? 'assistant' : 'user')))
      differences.push(`${stored.length} messages of ${this.entries.length} questions: ${stored.map((m) => m.role[0]).join('')}`);
    return differences;
  }
}

/* Pseudorandom numbers, reproducible by seed. */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/* The quantile q of a list of times, for figures that a test prints. */
export function quantile(times, q) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}
