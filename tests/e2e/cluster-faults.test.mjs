/*
 * Faults around replicas: different clocks, an unavailable database, a crash while an answer is stored. The figure
 * of each is printed; a client with a ledger checks that nothing is lost, duplicated or out of order.
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
const AWAY_MS = 20000;
const ALIVE_MS = 5000; /* longer than a replica may be silent */
const words = (n) => Array.from({ length: n }, (_, i) => `word${i} `).join('');
const slow = (count, token_ms) => [{ when: { kind: 'answer' }, reply: { text: words(count) }, fault: { token_ms } }, { reply: 'demo' }];

describe('faults around replicas', () => {
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

  /* Asks on `there` and continues on `here` after the first text and `fault`. Returns the time from the fault to the end. */
  async function movedFrom(there, here, fault) {
    let at = there;
    const client = new Ledger(() => at.url, `client${Math.random()}`);
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(10);
    await cluster.waitForLease(client.entries[0].turn_id);
    await sleep(100); /* the shown text is stored by then */
    await fault();
    const began = Date.now();
    at = here;
    const { frames } = await asking;
    const took = Date.now() - began;
    assert.deepEqual(await client.compare(here.rest(client.token)), []);
    return { end: frames.at(-1).status ?? frames.at(-1).code, took, client };
  }

  it(`a clock that is ${AHEAD_S} s ahead: no replica is declared dead, and turns move both ways`, async () => {
    const shim = join(await tempDir('clock'), 'clock.so');
    await run('cc', ['-shared', '-fPIC', `-DAHEAD_S=${AHEAD_S}`, '-o', shim, join(ROOT, 'tests/services/clock.c')]);
    const env = { LD_PRELOAD: shim, ASAN_OPTIONS: 'verify_asan_link_order=0' };
    let ahead = await cluster.add({ env });
    const said = Number(new Date(JSON.parse(ahead.output.split('\n')[0]).ts)) - Date.now();
    assert.ok(said > (AHEAD_S - 20) * 1000, `its clock is not ahead: ${said}`);
    await cluster.waitForReplicas(3);
    await sleep(ALIVE_MS);
    assert.equal((await cluster.alive()).length, 3);
    assert.doesNotMatch(cluster.daemons.map((d) => d.output).join(''), /cluster\.dead/);
    const from = await movedFrom(ahead, two, () => ahead.kill());
    ahead = await cluster.add({ env });
    const to = await movedFrom(two, ahead, () => two.kill());
    two = await cluster.add();
    console.log(`clocks ${AHEAD_S} s apart: from the one ahead ${from.end} after ${from.took} ms, to it ${to.end} after ${to.took} ms`);
    assert.deepEqual([from.end, to.end], ['ok', 'ok']);
    await ahead.stop();
  });

  it('one replica is disconnected from Redis: its user is shown what is stored', async (t) => {
    mock.use(slow(300, 30));
    const between = new FaultyProxy(cluster.redis.port);
    const alone = await cluster.add({ env: { VESPER_REDIS_URL: cluster.redis.url.replace(/:\d+$/, `:${await between.listen()}`) } });
    const client = new Ledger(() => alone.url, 'split');
    t.after(async () => {
      between.close();
      await alone.kill();
    });
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(10);
    between.mode = 'silent';
    const { frames } = await asking;
    for (const until = Date.now() + patient(20000); Date.now() < until; await sleep(100))
      if ((await two.rest(client.token).messages(client.session)).length > 1)
        break; /* another replica has taken over the turn */
    const [, answer] = await two.rest(client.token).messages(client.session);
    console.log(`alone: ${frames.at(-1).type} ${frames.at(-1).status ?? frames.at(-1).code} of ${textOf(frames).length} characters, ${answer?.status} of ${answer?.content.length} stored`);
    assert.deepEqual(await client.compare(two.rest(client.token)), []);
    mock.use(slow(60, 20));
  });

  it('a replica is killed while it stores an answer: one answer is stored', async () => {
    mock.use(slow(20, 5));
    const holder = spawn('psql', ['-X', '-q', '-h', '127.0.0.1', '-p', `${cluster.pg.port}`, '-U', 'postgres', '-d', 'postgres'],
      { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
    const client = new Ledger(() => at.url, 'stored');
    let at = three;
    const asking = client.ask(REFERENCE);
    while (!textOf(client.entries[0].frames).length)
      await sleep(5);
    holder.stdin.write("BEGIN; LOCK TABLE dbo.chat_messages IN EXCLUSIVE MODE; SELECT 'held';\n");
    await new Promise((done) => holder.stdout.once('data', done));
    while (!textOf(client.entries[0].frames).includes('word19'))
      await sleep(10);
    await cluster.waitForLease(client.entries[0].turn_id);
    await sleep(300);
    at = two;
    await three.kill();
    const began = Date.now();
    await sleep(200);
    holder.stdin.end('ROLLBACK;\n');
    const { frames } = await asking;
    console.log(`killed while it stores: ${frames.at(-1).status} after ${Date.now() - began} ms`);
    assert.deepEqual(await client.compare(two.rest(client.token)), []);
    assert.equal(frames.at(-1).status, 'ok');
    mock.use(slow(60, 20));
    three = await cluster.add();
  });

  it(`the database is unavailable for ${AWAY_MS / 1000} s: a running answer reports it, and later it recovers`, async () => {
    mock.use(slow(60, 20));
    const client = new Ledger(() => two.url, 'away');
    await client.ask(`${REFERENCE} (before)`);
    const asking = client.ask(`${REFERENCE} (under way)`);
    while (!textOf(client.entries[1].frames).length)
      await sleep(10);
    await cluster.pg.service('pause');
    const began = Date.now();
    const told = asking.then(({ frames }) => `${frames.at(-1).status ?? frames.at(-1).code} after ${Date.now() - began} ms`, (e) => e.message);
    await sleep(AWAY_MS);
    await cluster.pg.service('resume');
    const back = Date.now();
    const end = await told;
    for (const until = Date.now() + patient(40000); ; await sleep(200)) {
      const turn = await three.ask(`${REFERENCE} (later)`).catch((e) => ({ status: e.message }));
      if (turn.status === 'ok')
        break;
      assert.ok(Date.now() < until, `never again: ${turn.status}`);
    }
    console.log(`the database away for ${AWAY_MS} ms: the answer under way ${end}; answered again ${Date.now() - back} ms after it was back`);
    const stored = await three.rest(client.token).messagesWhen(client.session, (m) => m.length === 4, patient(40000));
    assert.deepEqual(stored.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
  });

  it('a replica with another catalogue gets a turn first: the next replica continues it', async () => {
    mock.use(slow(60, 20));
    const late = await cluster.add({ env: { VESPER_CLUSTER_LEASE_MS: `${2 * ALIVE_MS}` } }); /* it waits longer before it takes over turns */
    const other = await cluster.add({ env: { VESPER_TENANTS: JSON.stringify({ acme: { warehouse: 'acme.db', store: 'acme.db' } }) } });
    await two.stop();
    await sleep(2 * ALIVE_MS + 2000); /* both may take over turns by now */
    const { end, took } = await movedFrom(three, late, () => three.kill());
    console.log(`another catalogue: ${end} after ${took} ms`);
    assert.match(other.output, /cannot run here/);
    assert.doesNotMatch(other.output, /no replica can run this turn/);
    assert.match(late.output, /cluster\.take_over/);
    assert.ok(['ok', 'partial'].includes(end), end);
    await Promise.all([late.stop(), other.stop()]);
  });
});
