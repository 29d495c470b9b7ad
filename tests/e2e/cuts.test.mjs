/*
 * Interrupted and resumed streams of other wire formats. The second stream begins with all bytes of the first, its text
 * is the stored one, and no model is called for it. A running answer is interrupted at every event, a finished one at
 * 200 byte positions.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const OFFSETS = 200;
const EVENTS_MIN = 10;

let mock, d;
before(async () => {
  mock = await startMock({ script: [{ when: { kind: 'answer' }, fault: { token_ms: 2 } }, { reply: 'demo' }] });
  d = await startDaemon({ mock, env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(async () => {
  await d?.stop();
  await mock?.close();
});

const headers = () => ({ authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json' });

function post(path, body, more = {}) {
  return () => fetch(d.url + path, { method: 'POST', body: JSON.stringify(body), headers: { ...headers(), ...more } });
}

/* For each dialect: a request with a question, a request that resumes its answer, and the text of an event. */
const dialects = {
  'the AI SDK': () => {
    const id = randomUUID();
    const ask = post('/api/v1/ui/chat', { id, trigger: 'submit-message', messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] });
    const resume = () => fetch(`${d.url}/api/v1/ui/chat/${id}/stream`, { headers: headers() });
    return { ask, again: async () => {
      const reply = await resume();
      return reply.status === 204 ? ask() : reply;
    }, text: (e) => e.type === 'text-delta' ? e.delta : '' };
  },
  'AG-UI': () => {
    const ask = post('/api/v1/agui', { threadId: randomUUID(), runId: randomUUID(), messages: [{ id: 'm', role: 'user', content: REFERENCE }] });
    return { ask, again: ask, text: (e) => e.type === 'TEXT_MESSAGE_CONTENT' ? e.delta : '' };
  },
  'Chat Completions': () => {
    const ask = post('/v1/chat/completions', { model: 'vesper', stream: true, messages: [{ role: 'user', content: REFERENCE }] }, { 'Idempotency-Key': randomUUID() });
    return { ask, again: ask, text: (e) => e.choices[0].delta.content ?? '' };
  },
  'MCP': () => {
    const ask = post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vesper_ask', _meta: { progressToken: 'p' },
      arguments: { question: REFERENCE, request_id: randomUUID() } } }, { accept: 'application/json, text/event-stream' });
    return { ask, again: ask, text: (e) => e.result?.content[0].text ?? '', minEvents: 5 }; /* progress events, and the answer in one event */
  },
};

/* Reads until `enough` returns true, then disconnects. */
async function read(request, enough = () => false) {
  const reply = await request();
  assert.equal(reply.status, 200);
  let bytes = Buffer.alloc(0);
  for await (const chunk of reply.body) {
    bytes = Buffer.concat([bytes, chunk]);
    if (enough(bytes))
      break; /* closes the connection */
  }
  return { bytes, turn: reply.headers.get('vesper-turn'), session: reply.headers.get('vesper-session') };
}

const eventsOf = (bytes) => bytes.toString().split('\n\n').slice(0, -1);
const textOf = (bytes, text) => eventsOf(bytes).filter((e) => e.startsWith('data: {')).map((e) => text(JSON.parse(e.slice(6)))).join('');

async function checkStored(whole, text) {
  const messages = await d.rest().messages(whole.session);
  assert.equal(messages.length, 2, 'one question, one answer');
  const shown = textOf(whole.bytes, text);
  assert.match(messages[1].content, /48\.73/);
  assert.ok(shown.startsWith(messages[1].content), 'the shown text is the stored one');
}

for (const [name, question] of Object.entries(dialects)) {
  describe(name, () => {
    it('is resumed after an interruption at any event', async (t) => {
      let k = 1, events = Infinity, minEvents = EVENTS_MIN;
      for (; k < events; k++) {
        const { ask, again, text, minEvents: least = EVENTS_MIN } = question();
        const before = mock.count;
        const first = await read(ask, (bytes) => eventsOf(bytes).length >= k);
        const whole = await read(again);
        assert.equal(whole.turn, first.turn);
        assert.ok(whole.bytes.subarray(0, first.bytes.length).equals(first.bytes), `interrupted after event ${k}`);
        await checkStored(whole, text);
        const calls = mock.count - before;
        const third = await read(ask);
        assert.ok(third.bytes.equals(whole.bytes));
        assert.equal(mock.count - before, calls, 'no model is called again');
        assert.ok(calls >= 1 && calls <= 2, `${calls} calls`);
        events = eventsOf(whole.bytes).length;
        minEvents = least;
      }
      t.diagnostic(`interrupted at ${k - 1} events`);
      assert.ok(k > minEvents, 'the answer has enough events');
    });

    it(`is the same after an interruption at any of ${OFFSETS} byte positions`, async () => {
      const { ask, text } = question();
      const whole = await read(ask);
      await checkStored(whole, text);
      const before = mock.count;
      for (let i = 1; i <= OFFSETS; i++) {
        const offset = Math.ceil(i * whole.bytes.length / (OFFSETS + 1));
        const first = await read(ask, (bytes) => bytes.length >= offset);
        assert.ok(first.bytes.subarray(0, offset).equals(whole.bytes.subarray(0, offset)));
        if (i % 20 === 0)
          assert.ok((await read(ask)).bytes.equals(whole.bytes), `after byte ${offset}`);
      }
      assert.equal(mock.count, before, 'no model is called again');
    });
  });
}
