/*
 * The store coordinates replicas: without Redis, a session still runs one turn at a time, a turn of a killed replica is
 * closed, and a replica that was paused stores nothing afterwards.
 */

import { after, afterEach, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { startCluster } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { patient } from './patience.mjs';
import { isClosing } from './turn.mjs';

const words = (n) => Array.from({ length: n }, (_, i) => `word${i} `).join('');
const slow = (count, token_ms) => [{ when: { kind: 'answer' }, reply: { text: words(count) }, fault: { token_ms } }, { reply: 'demo' }];
const CLOSE_LIMIT_MS = patient(40000);

describe('two replicas and a store', () => {
  let mock, cluster, one, two;

  before(async () => {
    mock = await startMock({ script: slow(60, 20) });
    cluster = await startCluster(2, { mock });
    [one, two] = cluster.daemons;
  });
  afterEach(() => cluster.redis.tell('resume').catch(() => {}));
  after(async () => {
    await cluster?.stop();
    await mock?.close();
  });

  const turnStates = () => cluster.pg.admin("SELECT state || ' ' || count(*) FROM dbo.chat_turns GROUP BY state ORDER BY state");
  const messages = async (d, session) => (await d.rest().messages(session)).map((m) => [m.role, m.status]);

  /* Waits until `count` messages are stored. Returns the time in ms. */
  async function waitForMessages(d, session, count) {
    const start = Date.now();
    while ((await d.rest().messages(session)).length < count) {
      assert.ok(Date.now() - start < CLOSE_LIMIT_MS, 'the turn was not closed');
      await sleep(100);
    }
    return Date.now() - start;
  }

  it('a running turn has a row, and another replica refuses a second turn, also without Redis', async () => {
    const chat = await one.connect();
    await cluster.redis.tell('pause');
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(3);
    assert.equal(await turnStates(), 'running 1');
    const second = await two.connect({ session: chat.session });
    second.send({ type: 'chat.message', content: REFERENCE });
    const refusal = (await second.frames()).at(-1);
    assert.equal(refusal.type, 'chat.error');
    assert.equal(refusal.code, 'busy');
    const end = (await chat.frames()).at(-1);
    assert.deepEqual([end.status, end.turn_id], ['ok', turn_id]);
    assert.equal(await turnStates(), 'done 1');
    await Promise.all([chat.close(), second.close()]);
    const third = await two.connect({ session: chat.session });
    third.send({ type: 'chat.message', content: REFERENCE });
    assert.equal((await third.frames()).at(-1).status, 'ok');
    await third.close();
    assert.deepEqual(await messages(two, chat.session), [['user', 'complete'], ['assistant', 'complete'], ['user', 'complete'], ['assistant', 'complete']]);
  });

  it('a replica that is paused and continued stores nothing: the answer of the next owner is kept', async () => {
    await cluster.untilShared(); /* only then has the turn a lease, and its next owner the text sent so far */
    mock.use(slow(200, 20));
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await cluster.waitForLease(turn_id);
    await chat.untilTokens(3);
    one.child.kill('SIGSTOP');
    const pausedAt = Date.now();
    const takeoverMs = await waitForMessages(two, chat.session, 2);
    one.child.kill('SIGCONT');
    await sleep(6000); /* as long as the rest of the answer would have taken */
    const stored = await two.rest().messages(chat.session);
    console.log(`paused for ${Date.now() - pausedAt - 6000} ms: stored by the next owner after ${takeoverMs} ms, ${stored.length} messages in the end`);
    assert.equal(stored.length, 2);
    assert.equal(stored[1].status, 'complete', 'the next owner completes the answer');
    const state = await cluster.pg.admin(`SELECT state FROM dbo.chat_turns WHERE turn_id = '${turn_id}'`);
    assert.equal(state, 'done');
    await chat.close();
  });

  it('if a replica is paused during a transaction, the next owner gets the locks on its rows', async () => {
    const until = async (sql) => {
      const deadline = Date.now() + CLOSE_LIMIT_MS;

      while (await cluster.pg.admin(`SELECT count(*) FROM pg_stat_activity WHERE ${sql}`) === '0') {
        assert.ok(Date.now() < deadline, sql);
        await sleep(20);
      }
    };
    await cluster.untilShared();
    mock.use(slow(200, 20));
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await cluster.waitForLease(turn_id);
    await chat.untilTokens(3);
    /* Stops the replica after a statement and before COMMIT: its heartbeat waits for the row lock and gets it. */
    const row = `SELECT 1 FROM dbo.chat_turns WHERE turn_id = '${turn_id}' FOR UPDATE`;
    const lock = cluster.pg.psql('postgres', `BEGIN; ${row}; SELECT pg_sleep(100)`);
    await until("wait_event_type = 'Lock' AND query LIKE '%UPDATE chat_turns%'");
    one.child.kill('SIGSTOP');
    const start = Date.now();
    await cluster.pg.admin(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%FOR UPDATE%' AND wait_event = 'PgSleep'`);
    await lock;
    await until("state = 'idle in transaction'");
    await waitForMessages(two, chat.session, 2);
    console.log(`paused in a transaction: stored by the next owner after ${Date.now() - start} ms`);
    one.child.kill('SIGCONT');
    assert.deepEqual(await messages(two, chat.session), [['user', 'complete'], ['assistant', 'complete']]);
    await chat.close();
  });

  it('if a replica is killed while Redis is unavailable, its turn is closed, and the session is free', async () => {
    mock.use(slow(400, 20));
    const three = await cluster.add();
    const chat = await three.connect();
    await cluster.redis.tell('pause');
    await chat.begin(REFERENCE);
    await chat.untilTokens(3);
    await three.kill();
    const closeMs = await waitForMessages(two, chat.session, 2);
    console.log(`killed without Redis: closed after ${closeMs} ms`);
    assert.deepEqual(await messages(two, chat.session), [['user', 'complete'], ['assistant', 'interrupted']]);
    mock.use(slow(10, 1));
    const next = await two.connect({ session: chat.session });
    next.send({ type: 'chat.message', content: REFERENCE });
    const frames = [];
    while (!frames.some(isClosing))
      frames.push(await next.next());
    assert.equal(frames.at(-1).status, 'ok');
    await next.close();
  });
});
