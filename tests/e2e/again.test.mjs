/*
 * An idempotent retry after the event log of its turn has expired: the stored answer is sent again, in each dialect,
 * and nothing is stored twice. Also requests for turns of other users, and for finished or nonexistent turns.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REFERENCE, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const UNCLEAR = 'What was the average day-ahead price in 2025 from Ascend for CAISO?';
const CHART = 'Which reports are viewed most?';
const QUESTIONS = { 'an answer with a table': REFERENCE, 'a clarifying question': UNCLEAR, 'a chart': CHART };
/* Sets the expiry time of every open clarifying question to the past. */
const A_DAY_LATER = `
import sqlite3, sys
for path in sys.argv[1:]:
    store = sqlite3.connect(path)
    if store.execute("SELECT 1 FROM sqlite_master WHERE name = 'chat_messages'").fetchone():
        store.execute("UPDATE chat_messages SET standing = json_set(standing, '$.ask.expires_ms', 1) WHERE standing LIKE '%expires_ms%'")
    store.commit()`;
const env = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };

let dataDir, d;
const start = () => startDaemon({ dataDir, env });
before(async () => {
  dataDir = await tempDir();
  d = await start();
});
after(() => d?.stop());

let role; /* the role of the caller, if it has changed */
const headers = (sub, more = {}) => ({ authorization: `Bearer ${mintToken({ sub, ...(role && { role }) })}`, 'content-type': 'application/json',
  accept: 'application/json, text/event-stream', ...more });
const post = async (path, body, sub, more) => {
  const reply = await fetch(d.url + path, { method: 'POST', body: JSON.stringify(body), headers: headers(sub, more) });
  return { status: reply.status, session: reply.headers.get('vesper-session'), text: await reply.text() };
};
const eventsOf = (text) => text.split('\n\n').filter((e) => e.startsWith('data: {')).map((e) => JSON.parse(e.slice(6)));
const ofType = (events, type, pick) => events.filter((e) => e.type === type).map(pick);

/* For each dialect: a function that sends the same request each time, and one that extracts what a client shows of the reply. */
const dialects = {
  'the AI SDK': (question, sub) => {
    const body = { id: randomUUID(), trigger: 'submit-message', messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: question }] }] };
    return { ask: () => post('/api/v1/ui/chat', body, sub), shown: (text) => {
      const events = eventsOf(text);
      return { text: ofType(events, 'text-delta', (e) => e.delta).join(''), marks: ofType(events, 'data-mark', (e) => e.data), views: ofType(events, 'data-view', (e) => e.data),
        links: ofType(events, 'source-url', (e) => e.url), ask: ofType(events, 'tool-input-available', (e) => e).filter((e) => e.toolName === 'request_user_selection').map((e) => e.input),
        status: events.at(-1).messageMetadata.status, receipt: events.at(-1).messageMetadata.receiptId, id: events[0].messageId };
    } };
  },
  'AG-UI': (question, sub) => {
    const body = { threadId: randomUUID(), runId: randomUUID(), messages: [{ id: 'm', role: 'user', content: question }] };
    return { ask: () => post('/api/v1/agui', body, sub), shown: (text) => {
      const events = eventsOf(text);
      return { text: ofType(events, 'TEXT_MESSAGE_CONTENT', (e) => e.delta).join(''), views: ofType(events, 'ACTIVITY_SNAPSHOT', (e) => e.content),
        marks: events.filter((e) => e.name === 'vesper.mark').map((e) => e.value), links: events.filter((e) => e.name === 'vesper.links').map((e) => e.value),
        end: events.at(-1).outcome };
    } };
  },
  'Chat Completions': (question, sub) => {
    const body = { model: 'vesper', stream: true, messages: [{ role: 'user', content: question }] };
    const key = { 'Idempotency-Key': randomUUID() };
    return { ask: () => post('/v1/chat/completions', body, sub, key), shown: (text) => {
      const events = eventsOf(text);
      const { status, checked, ask, links, receipt_id } = events.find((e) => e.x_vesper).x_vesper;
      return { text: events.map((e) => e.choices[0]?.delta.content ?? '').join(''), status, checked, ask, links, receipt_id };
    } };
  },
  MCP: (question, sub) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vesper_ask', arguments: { question, request_id: randomUUID() } } };
    return { ask: () => post('/mcp', body, sub), shown: (text) => {
      const { content, structuredContent: result, isError } = JSON.parse(text).result;
      const members = ['text', 'status', 'checked', 'ask', 'components', 'pbi_deep_links', 'receipt_id', 'session_id'];
      return { content, isError, result: Object.fromEntries(members.map((name) => [name, result[name]])) };
    } };
  },
};

for (const [name, dialect] of Object.entries(dialects))
  describe(`${name}, after the log has expired`, () => {
    for (const [what, question] of Object.entries(QUESTIONS))
      it(`shows ${what} as before`, async () => {
        const sub = `again-${randomUUID()}`;
        const { ask, shown } = dialect(question, sub);
        const first = await ask();
        assert.equal(first.status, 200, first.text);
        assert.equal(/"ask_id"|interrupt/.test(first.text), question === UNCLEAR);
        await d.stop();
        d = await start();
        const second = await ask();
        assert.deepEqual(shown(second.text), shown(first.text));
        assert.equal((await ask()).status, 200);
        const sessions = (await d.rest(mintToken({ sub })).get('/api/v1/sessions?archived=all')).body.data
          .concat((await d.rest(mintToken({ sub })).get('/api/v1/sessions?dialect=openai')).body.data);
        assert.equal(sessions.length, 1);
        assert.equal((await d.rest(mintToken({ sub })).messages(sessions[0].session_id)).length, 2, 'one question, one answer');
      });
  });

describe('a stored answer', () => {
  it('is masked without the permissions that it needs', async () => {
    const { ask, shown } = dialects['AG-UI'](REFERENCE, 'masked');
    assert.match(shown((await ask()).text).text, /48\.73/);
    await d.stop();
    d = await start();
    role = 'viewer';
    const second = shown((await ask()).text);
    role = undefined;
    assert.doesNotMatch(JSON.stringify(second), /48\.73/);
    assert.deepEqual([second.views, second.marks, second.links, second.end], [[], [], [], { type: 'success' }]);
  });

  it('with an open clarifying question accepts one reply', async () => {
    const sub = 'late-reply';
    const body = { threadId: randomUUID(), runId: randomUUID(), messages: [{ id: 'm', role: 'user', content: UNCLEAR }] };
    await post('/api/v1/agui', body, sub);
    await d.stop();
    d = await start();
    const outcome = eventsOf((await post('/api/v1/agui', body, sub)).text).at(-1).outcome;
    assert.equal(outcome.type, 'interrupt');
    const [{ id, responseSchema }] = outcome.interrupts;
    const resume = (runId, user = sub) => post('/api/v1/agui', { threadId: body.threadId, runId, messages: [],
      resume: [{ interruptId: id, status: 'resolved', payload: { values: [responseSchema.properties.values.items.enum[0]] } }] }, user);
    const run = randomUUID();
    const answered = await resume(run);
    assert.deepEqual(eventsOf(answered.text).at(-1).outcome, { type: 'success' });
    assert.equal((await resume(run)).text, answered.text, 'the same run is the same turn');
    assert.equal(eventsOf((await resume(randomUUID())).text).at(-1).code, 'expired', 'answered twice');
    assert.equal(eventsOf((await resume(randomUUID(), 'stranger')).text).at(-1).code, 'expired', 'by another user');
  });
});

describe('a clarifying question that has expired', () => {
  it('accepts no reply, in any format', async () => {
    const ui = { id: 'late', trigger: 'submit-message', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: UNCLEAR }] }] };
    const run = { threadId: 'late', runId: 'r1', messages: [{ id: 'm', role: 'user', content: UNCLEAR }] };
    const call = (args) => post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vesper_ask', arguments: args } }, 'late-mcp');
    const part = eventsOf((await post('/api/v1/ui/chat', ui, 'late-ai')).text).find((e) => e.toolName === 'request_user_selection');
    const [interrupt] = eventsOf((await post('/api/v1/agui', run, 'late-agui')).text).at(-1).outcome.interrupts;
    const mcp = JSON.parse((await call({ question: UNCLEAR })).text).result.structuredContent;
    const value = mcp.ask.options[0].value;
    await d.stop();
    const stores = (await readdir(dataDir, { recursive: true })).filter((file) => file.endsWith('.db')).map((file) => join(dataDir, file));
    await promisify(execFile)('python3', ['-c', A_DAY_LATER, ...stores]);
    d = await start();
    const answers = [
      eventsOf((await post('/api/v1/ui/chat', { ...ui, messages: [{ id: 'm2', role: 'user', parts: [{ type: 'text', text: 'x' }], metadata: { ask_id: part.toolCallId, values: [value] } }] }, 'late-ai')).text).at(-1).errorText,
      eventsOf((await post('/api/v1/agui', { ...run, runId: 'r2', messages: [], resume: [{ interruptId: interrupt.id, status: 'resolved', payload: { values: [value] } }] }, 'late-agui')).text).at(-1).message,
      JSON.parse((await call({ session: mcp.session_id, ask_id: mcp.ask.ask_id, values: [value] })).text).result.structuredContent,
    ];
    assert.equal(answers[2].code, 'expired', JSON.stringify(answers));
    assert.ok(answers[0] && answers[0] === answers[1], JSON.stringify(answers));
  });
});

describe('a turn that its caller cannot follow', () => {
  const resume = async (chat, sub) => {
    const reply = await fetch(`${d.url}/api/v1/ui/chat/${chat}/stream`, { headers: headers(sub) });
    return [reply.status, await reply.text(), [...reply.headers].filter(([name]) => !['date', 'x-request-id'].includes(name) && !name.startsWith('ratelimit'))];
  };

  it('gives the AI SDK the same reply if it belongs to another user, is finished or does not exist', async () => {
    const body = { id: 'mine', trigger: 'submit-message', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] };
    await post('/api/v1/ui/chat', body, 'owner');
    const finished = await resume('mine', 'owner');
    assert.equal(finished[0], 204);
    assert.deepEqual(await resume('mine', 'foreign'), finished);
    assert.deepEqual(await resume('never', 'owner'), finished);
  });

  it('is separate for each user, even with the same run, message or request ID', async () => {
    const bodies = [['/api/v1/agui', { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: REFERENCE }] }],
      ['/api/v1/ui/chat', { id: 'c', trigger: 'submit-message', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] }],
      ['/v1/chat/completions', { model: 'vesper', stream: true, client_msg_id: 'x', messages: [{ role: 'user', content: REFERENCE }] }]];
    for (const [path, body] of bodies) {
      const [mine, theirs, again] = [await post(path, body, 'u1'), await post(path, body, 'u2'), await post(path, body, 'u1')];
      assert.notEqual(mine.session, theirs.session, path);
      assert.equal(again.text, mine.text);
    }
  });
});
