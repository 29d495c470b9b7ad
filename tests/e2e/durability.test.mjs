/* Acknowledged messages survive every kind of exit of the process; interrupted answers are stored and marked. */

import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, filesUnder, REFERENCE, REPLICAS, startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { Raw, upgrade } from './raw.mjs';
import { textOf } from './turn.mjs';

const ROUND_LIMIT_MS = patient(20000); /* for the messages of one round */

const slowAnswer = [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(2000) }, fault: { token_ms: 30 } },
  { reply: 'demo' }];

/* A mock and a data folder that outlive the daemons of the test. */
async function prepare(t, script, env) {
  const mock = script && (await startMock({ script }));
  const dataDir = await tempDir();
  t.after(() => mock?.close());
  const start = async () => {
    const d = await startDaemon({ mock, dataDir, env });
    t.after(() => d.exited ?? d.stop());
    return d;
  };
  return { mock, start };
}

describe('kill -9', () => {
  it('right after the acknowledgement: the message is stored', async (t) => {
    const { start } = await prepare(t, slowAnswer);
    let d = await start();
    const acknowledgedTurns = [];
    for (let i = 0; i < 5; i++) {
      const chat = await d.connect();
      const content = `${REFERENCE} (${i})`;
      const thinking = await chat.begin(content);
      acknowledgedTurns.push({ content, session: chat.session, message: thinking.user_message_id, turn: thinking.turn_id });
    }
    await d.kill();
    d = await start();
    for (const { content, session, message, turn } of acknowledgedTurns) {
      const messages = await d.rest().messages(session);
      assert.deepEqual([messages[0].role, messages[0].content, messages[0].message_id, messages[0].turn_id],
        ['user', content, message, turn]);
      for (const m of messages.slice(1))
        assert.equal(m.status, 'interrupted', 'a missing answer is marked as interrupted');
    }
    const chat = await d.connect({ session: acknowledgedTurns[0].session });
    assert.equal(chat.session, acknowledgedTurns[0].session);
    await chat.close();
    await d.stop();
  });

  it('right after chat.complete: the answer is stored', async (t) => {
    const { start } = await prepare(t);
    let d = await start();
    const chat = await d.connect();
    const turn = await chat.ask(REFERENCE);
    await d.kill();
    d = await start();
    const messages = await d.rest().messages(chat.session);
    assert.deepEqual(messages.map((m) => [m.role, m.content]), [['user', REFERENCE], ['assistant', turn.text]]);
    assert.equal(messages[1].message_id, turn.complete.message_id);
    assert.deepEqual(messages[1].views, turn.views);
    await d.stop();
  });

  it('repeatedly, with many clients: all acknowledged messages are stored', async (t) => {
    const { start } = await prepare(t);
    const acknowledged = [];
    let d = await start();
    for (let round = 0; round < 3; round++) {
      const clients = Array.from({ length: 8 }, async (_, i) => {
        const chat = await d.connect();
        for (let n = 0; ; n++) {
          const content = `${REFERENCE} (round ${round}, client ${i}, ${n})`;
          const thinking = await chat.begin(content);
          acknowledged.push({ session: chat.session, content, id: thinking.user_message_id });
          await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error');
        }
      });
      const ends = Promise.allSettled(clients);
      const enough = (round + 1) * 20;
      for (const until = Date.now() + ROUND_LIMIT_MS; Date.now() < until && acknowledged.length < enough;)
        await sleep(10);
      await d.kill();
      await ends;
      d = await start();
    }
    assert.ok(acknowledged.length >= 60, `only ${acknowledged.length} messages were acknowledged`);
    t.diagnostic(`${acknowledged.length} messages acknowledged over three kills`);
    const sessions = new Map();
    for (const { session } of acknowledged)
      if (!sessions.has(session))
        sessions.set(session, await d.rest().messages(session));
    for (const { session, content, id } of acknowledged) {
      const stored = sessions.get(session).filter((m) => m.message_id === id);
      assert.deepEqual(stored.map((m) => m.content), [content]);
    }
    await d.stop();
  });
});

describe('kill -TERM', () => {
  it('of all replicas during an answer: their successors close it, and its client can read it to the end', { skip: !REPLICAS }, async (t) => {
    const { mock, start } = await prepare(t, slowAnswer);
    let d = await start();
    const chat = await d.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    await d.stop();
    assert.equal((await chat.closed).code, 1012, 'the close code requests to reconnect');
    mock.use('demo');
    d = await start();
    const messages = await d.rest().messagesWhen(chat.session, (m) => m.length === 2);
    const again = await d.connect({ session: chat.session });
    again.send({ type: 'resume', turn_id, last_seq: 0 });
    assert.equal(textOf(await again.frames()), messages[1].content, 'the received text is the stored one');
    assert.match((await again.ask(REFERENCE)).text, /48\.73/, 'the session continues');
    await again.close();
    await d.stop();
  });

  it('during an answer: it is stored as shown and marked, and the client gets its end', { skip: REPLICAS > 0 }, async (t) => {
    const { mock, start } = await prepare(t, slowAnswer);
    let d = await start();
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    await d.stop();
    const closed = await chat.closed;
    assert.equal(closed.code, 1012, 'the close code requests to reconnect');
    const closing = chat.all.filter((f) => f.seq !== undefined && /complete|error/.test(f.type));
    assert.equal(closing.length, 1, 'the turn was closed');
    assert.equal(closing[0].status, 'interrupted');
    assert.ok(mock.calls[mock.calls.length - 1].aborted);

    d = await start();
    const shown = textOf(chat.all);
    const messages = await d.rest().messages(chat.session);
    assert.equal(messages.length, 2);
    assert.equal(messages[0].content, REFERENCE);
    assert.deepEqual([messages[1].status, messages[1].content], ['interrupted', shown]);
    mock.use('demo');
    const again = await d.connect({ session: chat.session });
    assert.match((await again.ask(REFERENCE)).text, /48\.73/, 'the session continues');
    await again.close();
    await d.stop();
  });

  it('with a hanging model, SSE clients and idle connections: the daemon shuts down in order', async (t) => {
    const { mock, start } = await prepare(t, [{ fault: { hang: true } }]);
    const d = await start();
    const idle = await Promise.all([d.connect(), d.connect(), d.connect()]);
    const sse = await d.rest().stream('/api/v1/chat/stream', { json: { content: REFERENCE } });
    const first = await sse[Symbol.asyncIterator]().next();
    assert.equal(first.value.event, 'turn.started');
    await mock.when(() => mock.count > 0);
    await d.stop();
    for (const chat of idle)
      assert.equal((await chat.closed).code, 1012);
  });
});

describe('a restart', () => {
  it('serves the history and answers as before', async (t) => {
    const { start } = await prepare(t);
    let d = await start();
    const sessions = [];
    for (let i = 0; i < 3; i++)
      sessions.push((await d.ask(REFERENCE)).session);
    const before = await Promise.all(sessions.map((s) => d.rest().messages(s)));
    const list = (await d.rest().get('/api/v1/sessions')).body.data;
    await d.stop();
    d = await start();
    assert.deepEqual(await Promise.all(sessions.map((s) => d.rest().messages(s))), before);
    assert.deepEqual((await d.rest().get('/api/v1/sessions')).body.data, list);
    const chat = await d.connect({ session: sessions[0] });
    assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    await chat.close();
    await d.stop();
  });

  it('recognizes a repeated client_msg_id', async (t) => {
    const { start } = await prepare(t);
    let d = await start();
    const first = await d.ask(REFERENCE, { extra: { client_msg_id: 'repeated' } });
    await d.stop();
    d = await start();
    const chat = await d.connect({ session: first.session });
    chat.send({ type: 'chat.message', content: REFERENCE, client_msg_id: 'repeated' });
    await chat.until((f) => f.type === 'chat.error' || f.type === 'chat.complete');
    assert.equal((await d.rest().messages(first.session)).length, 2, 'the question was run once');
    await chat.close();
    await d.stop();
  });
});

/* Locks a database as an open transaction of another program does. Resolves to a function that releases the lock. */
async function lock(path) {
  const locker = spawn('python3', ['-c', `import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()`, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((done, failed) => {
    locker.stdout.once('data', done);
    locker.once('error', failed);
    locker.once('exit', () => failed(new Error('the database was not locked')));
  });
  const released = new Promise((done) => {
    locker.once('close', done);
  });
  return () => {
    locker.stdin.end();
    return released;
  };
}

describe('a second daemon on the same files', { skip: REPLICAS > 0 }, () => {
  it('does not affect turns of the first one', async (t) => {
    const { mock, start } = await prepare(t, [{ fault: { hang: true } }]);
    const d = await start();
    const chat = await d.connect();
    const called = mock.when(() => mock.count === 1);
    await chat.begin(REFERENCE);
    await called;
    const second = await start();
    await second.stop();
    assert.deepEqual((await d.rest().messages(chat.session)).map((m) => m.role), ['user'], 'the turn is still running');
    await d.kill();
    const third = await start();
    assert.deepEqual((await third.rest().messages(chat.session)).map((m) => m.status), ['complete', 'interrupted']);
    await third.stop();
  });
});

/* Replicas use no database files; cluster-faults.test.mjs tests them with an unavailable database. */
describe('while another program locks a database', { skip: REPLICAS > 0 }, () => {
  it('a request with an Idempotency-Key can be repeated if its client disconnects while it is stored', { timeout: 120000 }, async (t) => {
    const { start } = await prepare(t);
    const d = await start();
    const [path] = (await filesUnder(d.dataDir)).filter((p) => /vesper\.db$/.test(p));
    const body = JSON.stringify({ title: 'Once' });
    for (const delayMs of [20, 300]) {
      const headers = { 'idempotency-key': `left-${delayMs}` };
      const release = await lock(path);
      t.after(release);
      const socket = net.connect(d.port, '127.0.0.1').on('error', () => {});
      await new Promise((done) => socket.once('connect', done));
      socket.write(`POST /api/v1/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${d.rest().token}\r\n`
        + `Content-Type: application/json\r\nIdempotency-Key: ${headers['idempotency-key']}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      await sleep(delayMs);
      socket.resetAndDestroy();
      await sleep(50);
      await release();
      let reply;
      for (const until = Date.now() + 20000; ; await sleep(50)) {
        reply = await d.rest().post('/api/v1/sessions', { title: 'Once' }, { headers });
        if (reply.status !== 409 || Date.now() > until)
          break;
      }
      assert.equal(reply.status, 201, reply.text);
    }
    assert.equal((await d.rest().get('/api/v1/sessions')).body.data.length, 2, 'each ran once');
    await d.stop();
  });

  it('the store acknowledges nothing, the client gets an error, and the daemon recovers later', { timeout: 120000 }, async (t) => {
    const { start } = await prepare(t);
    const d = await start();
    const [path] = (await filesUnder(d.dataDir)).filter((p) => /vesper\.db$/.test(p));
    const chat = await d.connect();
    const release = await lock(path);
    t.after(release);
    chat.send({ type: 'chat.message', content: REFERENCE });
    const error = await chat.until((f) => f.type === 'chat.error', 60000);
    assert.ok(!chat.all.some((f) => f.type === 'chat.thinking'), 'an unstored message is not acknowledged');
    assert.equal(error.retryable, true);
    assert.doesNotMatch(error.message, /sqlite|database is locked|\.db/i);
    await release();
    assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    await chat.close();
    await d.stop();
  });

  it('sockets that close during session lookup or turn start leak no descriptors and no turns', { timeout: 120000 }, async (t) => {
    /* With one worker, lookups wait for the question, which waits for the lock. */
    const { mock, start } = await prepare(t, [{ reply: 'demo' }], { VESPER_STORE_WORKERS: '1', VESPER_LIMITS_GRACE_S: '0' });
    const d = await start();
    const [path] = (await filesUnder(d.dataDir)).filter((p) => /vesper\.db$/.test(p));
    const { session } = await d.ask(REFERENCE);
    const callsBefore = mock.count;
    const history = async (id) => ((await d.rest().get(`/api/v1/sessions/${id}/messages`)).body.data ?? []).map((m) => m.status);
    const descriptors = () => readdirSync(`/proc/${d.child.pid}/fd`).length;
    const drain = async () => { /* waits until the daemon has read everything that was sent before */
      for (let i = 0; i < 2; i++)
        assert.equal((await d.rest().get('/livez')).status, 200);
    };
    const disconnect = async (method) => {
      const [asking, foreign] = [await d.connect(), await d.connect()];
      const { chat: unauthenticated } = await d.open({ session, origin: d.url });
      const release = await lock(path);
      t.after(release);
      asking.send({ type: 'chat.message', content: REFERENCE });
      await drain();
      foreign.send({ type: 'chat.message', content: REFERENCE, session_id: session });
      unauthenticated.send({ type: 'auth', token: d.rest().token });
      const handshake = await new Raw(d.port).write(upgrade({ path: `/ws/v1/chat?session_id=${session}` }));
      await drain();
      const during = handshake.text === '' && unauthenticated.all.length === 0;
      handshake.socket.resetAndDestroy();
      const closed = [asking, foreign, unauthenticated].map((chat) => chat[method]());
      await drain();
      await release();
      await Promise.all(closed);
      return { asking, during };
    };
    for (const method of ['close', 'cut', 'reset']) {
      await drain();
      const before = descriptors();
      let result;
      for (let tries = 0; !result?.during; tries++) { /* on a busy machine the question may have timed out before the lookup */
        assert.ok(tries < 10, 'no socket closed during a lookup');
        result = await disconnect(method);
      }
      const { asking } = result;
      for (const until = Date.now() + 20000; descriptors() > before; await sleep(20))
        assert.ok(Date.now() < until, `${before} descriptors, then ${descriptors()}`);
      for (const id of [session, asking.session]) {
        let stored;
        for (const until = Date.now() + 20000; (stored = await history(id)).length % 2; await sleep(20))
          assert.ok(Date.now() < until, 'the turn was not closed');
        assert.ok(stored.slice(id === session ? 2 : 0).every((status, i) => status === (i % 2 ? 'cancelled' : 'complete')), `${stored}`);
      }
      assert.equal(mock.count, callsBefore, 'no model was called');
    }
    const chat = await d.connect({ session });
    assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    await chat.close();
    await d.stop();
  });

  it('a turn that needs the warehouse reports an error, and the daemon recovers later', { timeout: 120000 }, async (t) => {
    const warehouse = await tempDir('warehouse');
    for (const path of await filesUnder(await demoWarehouse()))
      await copyFile(path, join(warehouse, path.split('/').pop()));
    const d = await startDaemon({ warehouse });
    t.after(() => d.stop());
    const release = await lock(join(warehouse, 'vesper.db'));
    t.after(release);
    const chat = await d.connect();
    chat.send({ type: 'chat.message', content: REFERENCE });
    const turn = await chat.turn({ limitMs: 60000 });
    assert.equal(turn.tables.length, 0);
    assert.doesNotMatch(turn.text, /\$\d/);
    assert.ok(turn.error || turn.complete.outcomes.some((o) => ['error', 'timeout'].includes(o.outcome)),
      JSON.stringify(turn.closing));
    await release();
    assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    await chat.close();
  });
});
