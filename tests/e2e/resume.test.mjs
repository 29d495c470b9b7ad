/* A connection that is interrupted at any frame and resumed loses nothing and repeats nothing. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, REPLICAS, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';
import { checkTurn } from './turn.mjs';

const UNKNOWN_TURN = '0198c0de-0000-7000-8000-00000000000f';

describe('resume', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock({ script: [{ when: { kind: 'answer' }, fault: { token_ms: 4 } }, { reply: 'demo' }] });
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  async function checkAgainstStore(turn, session) {
    const messages = await d.rest().messages(session);
    assert.equal(messages.length, 2);
    assert.equal(messages[1].content, turn.text, 'the stored answer equals the shown one');
    assert.equal(messages[1].message_id, turn.complete.message_id);
  }

  /* Asks, disconnects after the k-th frame and reconnects. Undefined if the turn has fewer frames. */
  async function cutAt(k, resumeTurn) {
    const chat = await d.connect();
    chat.send({ type: 'chat.message', content: REFERENCE });
    const before = await chat.frames({ stop: (f, all) => all.length === k });
    await chat.cut();
    if (before.length < k)
      return undefined;
    const last = before[k - 1];
    const after = last.type === 'chat.complete' ? [] : await resumeTurn(chat.session, last);
    const turn = checkTurn([...before, ...after]);
    assert.match(turn.text, /48\.73/);
    await checkAgainstStore(turn, chat.session);
    return turn;
  }

  async function cutEverywhere(t, resumeTurn) {
    let k = 1;
    let closed = false;
    while (!closed) {
      const turn = await cutAt(k, resumeTurn);
      closed = !turn || turn.frames.length <= k;
      k++;
    }
    t.diagnostic(`cut at ${k - 1} places`);
    assert.ok(k > 10, 'the turn has enough frames');
  }

  it('over the socket, cut at every frame', (t) => cutEverywhere(t, async (session, last) => {
    const resumed = await d.connect({ session });
    resumed.send({ type: 'resume', turn_id: last.turn_id, last_seq: last.seq });
    const frames = await resumed.frames();
    await resumed.close();
    return frames;
  }));

  it('over SSE, cut at every frame', (t) => cutEverywhere(t, async (session, last) => {
    /* The stream numbers its own events; the frame in an event identifies the last one that the socket received. */
    const path = `/api/v1/turns/${last.turn_id}/events`;
    let after = 0;
    const full = await d.rest().stream(path);
    for await (const event of full) {
      after = event.id;
      if (event.data.frame?.seq === last.seq)
        break;
    }
    full.leave();
    const sse = await d.rest().stream(`${path}?after=${after}`);
    return (await sse.turn({ firstSeq: last.seq + 1 })).frames;
  }));

  describe('of a finished turn', () => {
    let turn;

    before(async () => {
      turn = await d.ask(REFERENCE);
    });

    it('replays all frames, the remaining ones, or none', async () => {
      const chat = await d.connect({ session: turn.session });
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: 0 });
      const all = await chat.turn();
      assert.deepEqual([all.text, all.lastSeq], [turn.text, turn.lastSeq]);
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: turn.lastSeq - 1 });
      assert.deepEqual(await chat.frames(), [turn.closing]);
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: turn.lastSeq });
      chat.send({ type: 'ping', t: 1 });
      assert.equal((await chat.next()).type, 'pong', 'no frame is left to replay');
      await chat.close();
    });

    it('works from any of the user\'s sockets', async () => {
      const chat = await d.connect();
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: 0 });
      assert.equal((await chat.turn()).text, turn.text);
      await chat.close();
    });

    it('a last_seq that is negative or beyond the log is a bad frame', async () => {
      const chat = await d.connect({ session: turn.session });
      for (const seq of [turn.lastSeq + 1, 1e9, -1, 1.5]) {
        chat.send({ type: 'resume', turn_id: turn.id, last_seq: seq });
        assert.equal((await chat.refusal()).code, 'bad_frame', `last_seq ${seq}`);
      }
      await chat.close();
    });

    it('SSE replays all events, those after Last-Event-ID, or none', async () => {
      const rest = d.rest();
      const path = `/api/v1/turns/${turn.id}/events`;
      const all = await rest.stream(path);
      assert.equal((await all.turn()).text, turn.text);
      const last = all.events.length; /* the stream has more events than the socket */
      const half = Math.floor(last / 2);
      const firstSeq = all.events.slice(half).find((e) => e.data.frame).data.frame.seq;
      const sse = await rest.stream(path, { headers: { 'last-event-id': String(half) } });
      assert.equal((await sse.turn({ firstSeq })).lastSeq, turn.lastSeq);
      const done = await rest.stream(`${path}?after=${last}`);
      assert.ok([200, 204].includes(done.status));
      assert.equal(await done.res.text(), '');
      for (const after of ['-1', 'x', String(last + 1)])
        checkProblem(await rest.get(`${path}?after=${after}`), 400);
    });

    it('an unknown turn and a foreign one look the same', async () => {
      for (const [token, id] of [[mintToken(), UNKNOWN_TURN], [mintToken({ sub: 'other' }), turn.id],
        [mintToken({ tenant_id: 'acme' }), turn.id]]) {
        const chat = await d.connect({ token });
        chat.send({ type: 'resume', turn_id: id, last_seq: 0 });
        const error = await chat.until((f) => f.type === 'chat.error');
        assert.equal(error.code, 'expired');
        assert.ok(!chat.all.some((f) => f.type === 'chat.token'));
        await chat.close();
        checkProblem(await d.rest(token).get(`/api/v1/turns/${encodeURIComponent(id)}/events`), 410);
        checkProblem(await d.rest(token).delete(`/api/v1/turns/${encodeURIComponent(id)}`), 404);
      }
    });
  });

  it('two watchers of one running turn see the same', async () => {
    const chat = await d.connect();
    const { turn_id: id } = await chat.begin(REFERENCE);
    const other = await d.connect({ session: chat.session });
    other.send({ type: 'resume', turn_id: id, last_seq: 0 });
    const [seen, viaSse] = await Promise.all([other.turn(), d.rest().stream(`/api/v1/turns/${id}/events`)
      .then((sse) => sse.turn())]);
    await chat.until((f) => f.type === 'chat.complete');
    const first = chat.all.filter((f) => f.type === 'chat.token').map((f) => f.token).join('');
    assert.deepEqual([seen.text, viaSse.text], [first, first]);
    await chat.close();
    await other.close();
  });

  it('one of two watchers leaving does not end the turn', async () => {
    const chat = await d.connect();
    const { turn_id: id } = await chat.begin(REFERENCE);
    const other = await d.connect({ session: chat.session });
    other.send({ type: 'resume', turn_id: id, last_seq: 0 });
    await other.untilTokens(1);
    await chat.close(1000);
    const closing = await other.until((f) => f.type === 'chat.complete');
    assert.equal(closing.status, 'ok');
    await other.close();
  });

  it('a cursor of earlier replicas is valid for later ones', { skip: !REPLICAS }, async () => {
    const first = await startDaemon({ mock });
    const turn = await first.ask(REFERENCE);
    await first.stop();
    const second = await startDaemon({ mock, dataDir: first.dataDir });
    const chat = await second.connect({ session: turn.session });
    chat.send({ type: 'resume', turn_id: turn.id, last_seq: 0 });
    const all = await chat.turn();
    assert.deepEqual([all.text, all.lastSeq], [turn.text, turn.lastSeq]);
    chat.send({ type: 'resume', turn_id: turn.id, last_seq: turn.lastSeq - 1 });
    assert.deepEqual(await chat.frames(), [turn.closing]);
    await chat.close();
    await second.stop();
  });

  /* A cursor counts the items of one log, so it is invalid in the next process, for example after an upgrade. */
  it('a cursor of an earlier process has expired, and the session has the answer', { skip: REPLICAS > 0 }, async () => {
    const first = await startDaemon({ mock });
    const turn = await first.ask(REFERENCE);
    await first.stop();
    const second = await startDaemon({ mock, dataDir: first.dataDir });
    for (const seq of [0, 3, turn.lastSeq]) {
      const chat = await second.connect({ session: turn.session });
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: seq });
      const error = await chat.until((f) => f.type === 'chat.error');
      assert.deepEqual([error.code, error.retryable], ['expired', false]);
      await chat.close();
      checkProblem(await second.rest().get(`/api/v1/turns/${turn.id}/events?after=${seq}`), 410);
    }
    const messages = await second.rest().messages(turn.session);
    assert.deepEqual(messages.map((m) => m.content), [REFERENCE, turn.text]);
    await second.stop();
  });
});
