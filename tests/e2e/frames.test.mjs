/* Invalid frames of all kinds: each gets a clear answer, and the session continues if possible. */

import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { checkTurn } from './turn.mjs';

const slowAnswer = [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(60) }, fault: { token_ms: 20 } },
  { reply: 'demo' }];

describe('an invalid frame', () => {
  let mock;
  let d;
  let chat;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  async function checkPing(c) {
    c.send({ type: 'ping', t: 42 });
    const pong = await c.until((f) => f.type === 'pong');
    assert.equal(pong.t, 42);
    assert.equal(pong.seq, undefined);
  }

  describe('is answered, and the socket stays open', () => {
    beforeEach(async () => {
      chat = await d.connect();
    });
    afterEach(() => chat.close());

    const deep = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
    const invalid = {
      'no JSON': '{"type":"chat.message",', 'empty text': '', 'a list': '[]', 'a number': '3', 'a text': '"ping"',
      null: 'null', 'two objects': '{"type":"ping"}{"type":"ping"}', 'no type': '{"content":"hi"}',
      'a type that is not text': '{"type":7}', 'deep nesting': `{"type":"ping","t":${deep}}`,
      'deep nesting of lists': `{"type":"ping","t":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'a repeated member': '{"type":"chat.message","content":"a","content":"b"}',
      'no content': '{"type":"chat.message"}', 'content that is not text': '{"type":"chat.message","content":{"a":1}}',
      'empty content': '{"type":"chat.message","content":""}', 'blank content': '{"type":"chat.message","content":" \\n\\t "}',
      'a NUL in the content': '{"type":"chat.message","content":"a\\u0000b"}',
      'a lone surrogate': '{"type":"chat.message","content":"\\ud83d"}',
      'filters that are not an object': '{"type":"chat.message","content":"hi","filters":[1]}',
      'a client_msg_id that is not text': '{"type":"chat.message","content":"hi","client_msg_id":5}',
      'select without an ask_id': '{"type":"chat.select","values":["x"]}',
      'resume without a turn_id': '{"type":"resume","last_seq":1}',
      'resume with last_seq as text': '{"type":"resume","turn_id":"x","last_seq":"1"}',
    };
    for (const [name, text] of Object.entries(invalid))
      it(name, async () => {
        chat.sendText(text);
        assert.equal((await chat.refusal()).code, 'bad_frame');
        await checkPing(chat);
      });

    it('an unknown type', async () => {
      chat.send({ type: 'chat.dance' });
      assert.equal((await chat.refusal()).code, 'unknown_type');
      chat.send({ type: 'chat.token', token: 'mine' });
      assert.equal((await chat.refusal()).code, 'unknown_type', 'a frame of the server from a client');
      await checkPing(chat);
    });

    it('a message above 16 KiB; one of exactly 16 KiB is accepted', async () => {
      chat.send({ type: 'chat.message', content: 'x'.repeat(16385) });
      assert.equal((await chat.refusal()).code, 'too_long');
      chat.send({ type: 'chat.message', content: 'ж'.repeat(8193) });
      assert.equal((await chat.refusal()).code, 'too_long', 'the limit is in bytes, not characters');
      assert.ok((await chat.ask('x'.repeat(16384))).closing);
    });

    it('a reply to a nonexistent clarifying question', async () => {
      chat.send({ type: 'chat.select', ask_id: '0198c0de-0000-7000-8000-000000000002', values: ['Ascend'] });
      assert.equal((await chat.turn()).error?.code, 'expired', 'the same error as for an expired question');
    });

    it('a cancel without a running turn has no effect', async () => {
      chat.send({ type: 'chat.cancel' });
      chat.send({ type: 'chat.cancel', turn_id: '0198c0de-0000-7000-8000-000000000003' });
      await checkPing(chat);
    });

    it('all of these on one socket, and a later question is answered', async () => {
      for (const text of Object.values(invalid)) {
        chat.sendText(text);
        await chat.refusal();
      }
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    });
  });

  describe('closes the socket if the protocol requires it', () => {
    const closes = {
      'a binary frame: 1003': [1003, (ws) => ws.send(Buffer.from('{"type":"ping"}'))],
      'a frame above 64 KiB: 1009': [1009, (ws) => ws.send(JSON.stringify({ type: 'ping', t: 'x'.repeat(65536) }))],
      'fragments above 64 KiB together: 1009': [1009, (ws) => {
        for (let i = 0; i < 40; i++)
          ws.send('x'.repeat(2000), { fin: false });
      }],
      'invalid UTF-8: 1007': [1007, (ws) => ws.send(Buffer.from([0x22, 0xc3, 0x28, 0x22]), { binary: false })],
      'an overlong encoding: 1007': [1007, (ws) => ws.send(Buffer.from([0x22, 0xc0, 0xaf, 0x22]), { binary: false })],
    };
    for (const [name, [code, send]] of Object.entries(closes))
      it(name, async () => {
        const c = await d.connect();
        send(c.ws);
        assert.equal((await c.closed).code, code);
      });

    it('the daemon continues', async () => assert.ok(await d.isAlive()));
  });

  describe('may be fragmented if it is valid', () => {
    it('a message in fragments, split inside a character', async () => {
      const c = await d.connect();
      const bytes = Buffer.from(JSON.stringify({ type: 'ping', t: 'größer 🟢' }));
      for (let i = 0; i < bytes.length; i += 3)
        c.ws.send(bytes.subarray(i, i + 3), { binary: false, fin: i + 3 >= bytes.length });
      assert.equal((await c.next()).t, 'größer 🟢');
      await c.close();
    });

    it('a protocol ping is answered', async () => {
      const c = await d.connect();
      const pong = new Promise((done) => c.ws.once('pong', (data) => done(data.toString())));
      c.ws.ping('still there?');
      assert.equal(await pong, 'still there?');
      await c.close();
    });

    it('unknown members are ignored', async () => {
      const c = await d.connect();
      assert.match((await c.ask(REFERENCE, { mood: 'curious', nested: { a: [1] } })).text, /48\.73/);
      await c.close();
    });
  });

  describe('a very long answer', () => {
    const text = 'word '.repeat(15000);
    const long = [{ when: { kind: 'answer' }, reply: { text } }, { reply: 'demo' }];

    it('reaches a client completely, even if it stops reading for a while', async () => {
      mock.use(long);
      const c = await d.connect();
      c.send({ type: 'chat.message', content: REFERENCE });
      await c.untilTokens(1);
      c.ws.pause();
      await new Promise((r) => setTimeout(r, 1500));
      c.ws.resume();
      await c.frames();
      const turn = checkTurn(c.all.filter((f) => f.seq !== undefined));
      assert.equal(turn.text, text);
      assert.equal((await d.rest().messages(c.session))[1].content, text);
      mock.use('demo');
      await c.close();
    });

    it('is truncated at the limit, marked, and stored as shown', async () => {
      mock.use([{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(60000) } }, { reply: 'demo' }]);
      const turn = await d.ask(REFERENCE);
      assert.ok(turn.complete, JSON.stringify(turn.closing));
      assert.equal(turn.status, 'partial');
      const stored = (await d.rest().messages(turn.session))[1];
      assert.equal(stored.status, 'partial');
      assert.equal(stored.content.length, turn.text.length);
      assert.equal(stored.content, turn.text);
      mock.use('demo');
    });
  });

  describe('one turn at a time', () => {
    it('a second message is refused as busy, and the first turn continues', async () => {
      mock.use(slowAnswer);
      const c = await d.connect();
      await c.begin(REFERENCE);
      c.send({ type: 'chat.message', content: 'and another' });
      const busy = await c.until((f) => f.type === 'chat.error');
      assert.equal(busy.code, 'busy');
      assert.equal(busy.seq, undefined);
      assert.equal(busy.retryable, true);
      const closing = await c.until((f) => f.type === 'chat.complete');
      assert.equal(closing.status, 'ok');
      mock.use('demo');
      assert.equal((await d.rest().messages(c.session)).length, 2, 'the refused message is not stored');
      await c.close();
    });

    it('a message from another socket of the same session is refused as well', async () => {
      mock.use(slowAnswer);
      const first = await d.connect();
      await first.begin(REFERENCE);
      const second = await d.connect({ session: first.session });
      second.send({ type: 'chat.message', content: 'and another' });
      const busy = await second.until((f) => f.type === 'chat.error');
      assert.equal(busy.code, 'busy');
      await first.until((f) => f.type === 'chat.complete');
      mock.use('demo');
      await first.close();
      await second.close();
    });

    it('two sessions run concurrently', async () => {
      mock.use(slowAnswer);
      const turns = await Promise.all([d.ask(REFERENCE), d.ask(REFERENCE), d.ask(REFERENCE)]);
      assert.equal(new Set(turns.map((t) => t.id)).size, 3);
      mock.use('demo');
    });
  });

  describe('the same client_msg_id', () => {
    it('while the turn runs: the client is attached from its first frame', async () => {
      mock.use(slowAnswer);
      const first = await d.connect();
      await first.begin(REFERENCE, { client_msg_id: 'twice' });
      await first.untilTokens(3);
      const second = await d.connect({ session: first.session });
      const turn = await second.ask(REFERENCE, { client_msg_id: 'twice' });
      await first.until((f) => f.type === 'chat.complete');
      assert.equal(turn.id, first.all[1].turn_id);
      assert.equal(turn.text, first.all.filter((f) => f.type === 'chat.token').map((f) => f.token).join(''));
      mock.use('demo');
      await first.close();
      await second.close();
    });

    it('after the turn: its frames are replayed, and nothing runs', async () => {
      const c = await d.connect();
      const turn = await c.ask(REFERENCE, { client_msg_id: 'again' });
      const calls = mock.count;
      const again = await c.ask(REFERENCE, { client_msg_id: 'again' });
      assert.deepEqual([again.id, again.text], [turn.id, turn.text]);
      assert.equal(mock.count, calls);
      assert.equal((await d.rest().messages(c.session)).length, 2);
      await c.close();
    });

    it('in another session: it is another message', async () => {
      const one = await d.ask(REFERENCE, { extra: { client_msg_id: 'same' } });
      const two = await d.ask(REFERENCE, { extra: { client_msg_id: 'same' } });
      assert.notEqual(one.id, two.id);
    });
  });
});

describe('/ws/echo', () => {
  it('echoes messages if it is configured', async (t) => {
    const d = await startDaemon({ env: { VESPER_WS_ECHO: 'true' } });
    t.after(() => d.stop());
    const { chat } = await d.open({ path: '/ws/echo' });
    const received = [];
    chat.ws.removeAllListeners('message');
    const allReceived = new Promise((done) => chat.ws.on('message', (data, isBinary) => {
      received.push([data.toString('latin1'), isBinary]);
      if (received.length === 3)
        done();
    }));
    chat.ws.send('hi');
    chat.ws.send(Buffer.from([0, 255]));
    chat.ws.send('x'.repeat(60000));
    await allReceived;
    assert.deepEqual(received, [['hi', false], ['\0\xff', true], ['x'.repeat(60000), false]]);
    await chat.close();
  });
});
