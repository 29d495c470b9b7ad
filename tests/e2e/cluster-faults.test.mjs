/*
 * Faults of replicas and their services: different clocks, an unavailable database, a crash while an answer is stored.
 * The time of each recovery is printed; a client with a ledger checks that nothing is lost, duplicated or out of order.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { FaultyProxy } from './between.mjs';
import { Ledger, startCluster } from './cluster.mjs';
import { REFERENCE, ROOT, run, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { textOf } from './turn.mjs';

const AHEAD_S = 30;
const OUTAGE_MS = 20000;
const SILENCE_MS = 5000; /* longer than a replica may be silent before it is declared dead */
const words = (n) => Array.from({ length: n }, (_, i) => `word${i} `).join('');
const slow = (count, token_ms) => [{ when: { kind: 'answer' }, reply: { text: words(count) }, fault: { token_ms } }, { reply: 'demo' }];

describe('faults of replicas and their services', () => {
  let mock, cluster, two, three;

  before(async () => {
    mock = await startMock({ script: slow(60, 20) });
    cluster = await startCluster(2, { mock });
    [two, three] = cluster.daemons;
  });
  after(async () => {
    await cluster?.redis.tell('resume').catch(() => {});
    await cluster?.pg.service('resume').catch(() => {});
    await cluster?.stop();
    await mock?.close();
  });

  /* Asks on `source`, waits for the first text, applies `fault` and continues on `target`. tookMs: from the fault to the end. */
  async function askAndMove(source, target, fault) {
    let at = source;
    const client = new Ledger(() => at.url, `client${Math.random()}`);
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(10);
    await cluster.waitForLease(client.entries[0].turn_id);
    await sleep(100); /* the received text is stored by then */
    await fault();
    const faultAt = Date.now();
    at = target;
    const { frames } = await asking;
    const tookMs = Date.now() - faultAt;
    assert.deepEqual(await client.compare(target.rest(client.token)), []);
    return { end: frames.at(-1).status ?? frames.at(-1).code, tookMs, client };
  }

  it(`with a clock that is ${AHEAD_S} s ahead, no replica is declared dead, and turns move both ways`, async () => {
    const shim = join(await tempDir('clock'), 'clock.so');
    await run('cc', ['-shared', '-fPIC', `-DAHEAD_S=${AHEAD_S}`, '-o', shim, join(ROOT, 'tests/services/clock.c')]);
    const env = { LD_PRELOAD: shim, ASAN_OPTIONS: 'verify_asan_link_order=0' };
    let ahead = await cluster.add({ env });
    const aheadMs = Number(new Date(JSON.parse(ahead.output.split('\n')[0]).ts)) - Date.now();
    assert.ok(aheadMs > (AHEAD_S - 20) * 1000, `the clock is not ahead: ${aheadMs} ms`);
    await cluster.waitForReplicas(3);
    await sleep(SILENCE_MS);
    assert.equal((await cluster.alive()).length, 3);
    assert.doesNotMatch(cluster.daemons.map((d) => d.output).join(''), /cluster\.dead/);
    const from = await askAndMove(ahead, two, () => ahead.kill());
    ahead = await cluster.add({ env });
    const to = await askAndMove(two, ahead, () => two.kill());
    two = await cluster.add();
    console.log(`clocks ${AHEAD_S} s apart: from the one ahead ${from.end} after ${from.tookMs} ms, to it ${to.end} after ${to.tookMs} ms`);
    assert.deepEqual([from.end, to.end], ['ok', 'ok']);
    await ahead.stop();
  });

  it('if one replica is disconnected from Redis, its user gets the text that is stored', async (t) => {
    mock.use(slow(300, 30));
    const proxy = new FaultyProxy(cluster.redis.port);
    const isolated = await cluster.add({ env: { VESPER_REDIS_URL: cluster.redis.url.replace(/:\d+$/, `:${await proxy.listen()}`) } });
    const client = new Ledger(() => isolated.url, 'split');
    t.after(async () => {
      proxy.close();
      await isolated.kill();
    });
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(10);
    proxy.mode = 'silent';
    const { frames } = await asking;
    for (const until = Date.now() + patient(20000); Date.now() < until; await sleep(100))
      if ((await two.rest(client.token).messages(client.session)).length > 1)
        break; /* another replica has taken over the turn */
    const [, answer] = await two.rest(client.token).messages(client.session);
    console.log(`disconnected: ${frames.at(-1).type} ${frames.at(-1).status ?? frames.at(-1).code} of ${textOf(frames).length} characters, ${answer?.status} of ${answer?.content.length} stored`);
    assert.deepEqual(await client.compare(two.rest(client.token)), []);
    mock.use(slow(60, 20));
  });

  it('if a replica is killed while it stores an answer, one answer is stored', async () => {
    mock.use(slow(20, 5));
    const locker = spawn('psql', ['-X', '-q', '-h', '127.0.0.1', '-p', `${cluster.pg.port}`, '-U', 'postgres', '-d', 'postgres'],
      { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
    const client = new Ledger(() => at.url, 'stored');
    let at = three;
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(5);
    locker.stdin.write("BEGIN; LOCK TABLE dbo.chat_messages IN EXCLUSIVE MODE; SELECT 'held';\n");
    await new Promise((done) => locker.stdout.once('data', done));
    while (!textOf(client.entries[0].frames).includes('word19'))
      await sleep(10);
    await cluster.waitForLease(client.entries[0].turn_id);
    await sleep(300);
    at = two;
    await three.kill();
    const faultAt = Date.now();
    await sleep(200);
    locker.stdin.end('ROLLBACK;\n');
    const { frames } = await asking;
    console.log(`killed while storing: ${frames.at(-1).status} after ${Date.now() - faultAt} ms`);
    assert.deepEqual(await client.compare(two.rest(client.token)), []);
    assert.equal(frames.at(-1).status, 'ok');
    mock.use(slow(60, 20));
    three = await cluster.add();
  });

  it(`if the database is unavailable for ${OUTAGE_MS / 1000} s, answers work again afterwards`, async () => {
    mock.use(slow(60, 20));
    const client = new Ledger(() => two.url, 'outage');
    await client.ask(`${REFERENCE} (before)`);
    const asking = client.ask(`${REFERENCE} (running)`);
    while (!textOf(client.entries[1].frames).length)
      await sleep(10);
    await cluster.pg.service('pause');
    const faultAt = Date.now();
    const outcome = asking.then(({ frames }) => `${frames.at(-1).status ?? frames.at(-1).code} after ${Date.now() - faultAt} ms`, (e) => e.message);
    await sleep(OUTAGE_MS);
    await cluster.pg.service('resume');
    const resumedAt = Date.now();
    const end = await outcome;
    for (const until = Date.now() + patient(40000); ; await sleep(200)) {
      const turn = await three.ask(`${REFERENCE} (later)`).catch((e) => ({ status: e.message }));
      if (turn.status === 'ok')
        break;
      assert.ok(Date.now() < until, `no answer since the database is back: ${turn.status}`);
    }
    console.log(`database unavailable for ${OUTAGE_MS} ms: the running answer ${end}; answered again ${Date.now() - resumedAt} ms after the outage`);
    const stored = await three.rest(client.token).messagesWhen(client.session, (m) => m.length === 4, patient(40000));
    assert.deepEqual(stored.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
  });

  it('a turn that a replica with another catalogue cannot run is continued by the next replica', async () => {
    mock.use(slow(60, 20));
    const late = await cluster.add({ env: { VESPER_CLUSTER_LEASE_MS: `${2 * SILENCE_MS}` } }); /* waits longer before it takes over turns */
    const other = await cluster.add({ env: { VESPER_TENANTS: JSON.stringify({ acme: { warehouse: 'acme.db', store: 'acme.db' } }) } });
    await two.stop();
    await sleep(2 * SILENCE_MS + 2000); /* both may take over turns by now */
    const { end, tookMs } = await askAndMove(three, late, () => three.kill());
    console.log(`another catalogue: ${end} after ${tookMs} ms`);
    assert.match(other.output, /cannot run here/);
    assert.doesNotMatch(other.output, /no replica can run this turn/);
    assert.match(late.output, /cluster\.take_over/);
    assert.ok(['ok', 'partial'].includes(end), end);
    await Promise.all([late.stop(), other.stop()]);
  });
});
