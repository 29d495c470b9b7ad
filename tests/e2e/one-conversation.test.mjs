/*
 * One conversation over every interface, each with its usual client: tools, a chart, components, a clarifying
 * question and its answer, a cancelled answer, and an error. Text, checked numbers and final state are compared by
 * a hash with those of the socket.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { HttpAgent } from '@ag-ui/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const CHART = 'What are the hourly prices for SP15 in CAISO for 2025 from Ascend, as a bar chart?';
const UNCLEAR = 'What was the average day-ahead price in 2025 from Ascend for CAISO?';
const WORDS = 'word '.repeat(3000);
const LOCK = `
import sqlite3, sys
stores = [sqlite3.connect(path, isolation_level=None) for path in sys.argv[1:]]
for store in stores: store.execute('BEGIN EXCLUSIVE')
print('locked', flush=True)
sys.stdin.read()`;

const env = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0', VESPER_LIMITS_GRACE_S: '60' };
const token = (sub) => mintToken({ sub, role: 'admin' });
const numbers = (marks) => marks.map((m) => [m.start, m.len, m.kind]);
const resultOf = ({ text, checked, status }) => ({ text, numbers: numbers(checked?.items ?? []), status });
const comparable = ({ text, numbers: marks, status, message }) => ({ text, numbers: marks, status, ...(message && { message }) });
const hashOf = (result) => createHash('sha256').update(JSON.stringify(comparable(result))).digest('hex');
const failed = (message) => ({ text: '', numbers: [], status: 'failed', message });

/* ---- interfaces: each asks in one conversation and returns what its client received; `stop` is called during the answer ---- */

async function socket(d, sub) {
  const chat = await d.connect({ token: token(sub) });
  return { close: () => chat.close(), ask: async (question, { stop } = {}) => {
    if (stop) {
      await chat.begin(question);
      await chat.until((f) => f.type === 'chat.token');
      chat.send({ type: 'chat.cancel' });
      return { status: (await chat.until((f) => f.type === 'chat.complete')).status };
    }
    chat.send({ type: 'chat.message', content: question });
    const frames = [];
    for (;;) {
      const frame = await chat.next();
      if (frame.type === 'chat.error')
        return failed(frame.message);
      frames.push(frame);
      if (frame.type === 'chat.complete')
        return { views: frames.filter((f) => f.type === 'chat.view').map((f) => f.view.view_type), steps: frames.filter((f) => f.tool).length,
          ...resultOf({ ...frame, text: frames.filter((f) => f.type === 'chat.token').map((f) => f.token).join('') }) };
    }
  } };
}

async function* blocks(reply) {
  let text = '';
  for await (const part of reply.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const all = text.split('\n\n');
    text = all.pop();
    for (const block of all) {
      const data = block.split('\n').find((line) => line.startsWith('data: {'));
      if (data)
        yield JSON.parse(data.slice(6));
    }
  }
}

async function rest(d, sub, path) {
  let session_id;
  const post = (question) => fetch(`${d.url}/api/v1/${path}`, { method: 'POST', body: JSON.stringify({ content: question, session_id }),
    headers: { authorization: `Bearer ${token(sub)}`, 'content-type': 'application/json' } });
  return { post, setSession: (id) => { session_id = id; } };
}

async function events(d, sub) {
  const { post, setSession } = await rest(d, sub, 'chat/stream');
  return { ask: async (question, { stop } = {}) => {
    const reply = await post(question);
    let stopped;
    setSession(reply.headers.get('vesper-session'));
    for await (const event of blocks(reply)) {
      if (stop && !stopped && event.type === 'item.updated')
        stopped = stop(reply.headers.get('vesper-turn'));
      if (event.type === 'turn.completed')
        return stop ? { status: event.response.status } : resultOf(event.response);
      if (event.type === 'turn.failed')
        return failed(event.frame.message);
    }
    return null;
  } };
}

async function wholeAnswer(d, sub) {
  const { post, setSession } = await rest(d, sub, 'chat');
  return { ask: async (question, { stop } = {}) => {
    const waiting = post(question);
    if (stop)
      await stop(null, sub);
    const reply = await waiting;
    const body = await reply.json();
    setSession(body.session_id);
    if (!reply.ok)
      return failed(body.detail);
    return stop ? { status: body.status } : resultOf(body);
  } };
}

async function ai(d, sub) {
  const id = randomUUID();
  let messages = [], turn;
  const transport = new DefaultChatTransport({ api: `${d.url}/api/v1/ui/chat`, headers: { authorization: `Bearer ${token(sub)}` } });
  return { ask: async (question, { stop } = {}) => {
    const chunks = [];
    let stopped;
    messages = [...messages, { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: question }] }];
    const stream = (await transport.sendMessages({ trigger: 'submit-message', chatId: id, messages })).pipeThrough(new TransformStream({ transform(chunk, out) {
      chunks.push(chunk);
      turn = chunk.messageMetadata?.turnId ?? turn;
      if (stop && !stopped && chunk.type === 'text-delta')
        stopped = stop(turn);
      out.enqueue(chunk);
    } }));
    let last;
    for await (const message of readUIMessageStream({ stream, onError: () => {} }))
      last = message;
    messages = [...messages, last];
    const end = chunks.at(-1);
    if (end.type === 'error')
      return failed(end.errorText);
    if (stop)
      return { status: end.type === 'abort' && end.reason };
    const parts = (type) => last.parts.filter((p) => p.type === type);
    return { text: parts('text').map((p) => p.text).join(''), numbers: numbers(parts('data-mark').map((p) => p.data)), status: last.metadata.status };
  } };
}

async function agui(d, sub) {
  const agent = new HttpAgent({ url: `${d.url}/api/v1/agui`, headers: { authorization: `Bearer ${token(sub)}` }, threadId: randomUUID() });
  let asked;
  return { ask: async (question, { stop } = {}) => {
    const all = [];
    let stopped;
    const resume = asked && [{ interruptId: asked, status: 'cancelled' }];
    const runId = randomUUID();
    asked = undefined;
    agent.addMessage({ id: randomUUID(), role: 'user', content: question });
    await agent.runAgent({ runId, ...(resume && { resume }) }, { onEvent: ({ event }) => {
      all.push(event);
      if (stop && !stopped && event.type === 'TEXT_MESSAGE_CONTENT')
        stopped = stop(null, sub);
    } }).catch(() => {});
    const end = all.at(-1);
    if (end.type === 'RUN_ERROR')
      return failed(end.message);
    if (stop)
      return { status: end.outcome.type };
    asked = end.outcome.interrupts?.[0].id;
    return { text: all.filter((e) => e.type === 'TEXT_MESSAGE_CONTENT').map((e) => e.delta).join(''),
      numbers: numbers(all.filter((e) => e.name === 'vesper.mark').map((e) => e.value)), status: { success: 'ok', interrupt: 'ask' }[end.outcome.type] };
  } };
}

const withoutTables = (content, result) => {
  assert.equal(content.slice(result.text.length).trim() === '' || content.slice(result.text.length).startsWith('\n\n'), true, 'tables and reports follow the text');
  return { ...result, text: content.slice(0, result.text.length) };
};

/* The text of a completion also contains its tables, so it is compared up to the length of the socket's text. */
function completions(stream) {
  return async (d, sub) => {
    const client = new OpenAI({ apiKey: token(sub), baseURL: `${d.url}/v1`, maxRetries: 0, defaultHeaders: { 'X-Vesper-Session-Id': randomUUID() } });
    return { ask: async (question, { stop, native } = {}) => {
      const body = { model: 'vesper', stream, messages: [{ role: 'user', content: question }] };
      try {
        const reply = client.chat.completions.create(body);
        let content = '', extension, stopped;
        if (stop && !stream)
          await stop(null, sub);
        if (stream)
          for await (const chunk of await reply) {
            content += chunk.choices[0]?.delta.content ?? '';
            extension = chunk.x_vesper ?? extension;
            if (stop && !stopped && content)
              stopped = stop(null, sub);
          }
        else
          ({ choices: [{ message: { content } }], x_vesper: extension } = await reply);
        if (stop)
          return { status: extension.status };
        return withoutTables(content, { ...resultOf(extension), text: native.text });
      } catch (e) {
        return failed(e.error?.message ?? e.message);
      }
    } };
  };
}

function mcp(connect) {
  return async (d, sub) => {
    const requestInit = { headers: { Authorization: `Bearer ${token(sub)}` } };
    const client = await connect(new URL(`${d.url}/mcp`), requestInit);
    let session;
    return { close: () => client.close(), ask: async (question, { stop } = {}) => {
      let stopped;
      const onprogress = () => { stopped ??= stop?.(null, sub); };
      const result = await client.callTool({ name: 'vesper_ask', arguments: { question, ...(session && { session }) } }, ...(client instanceof LegacyClient ? [undefined] : []), { onprogress });
      const answer = result.structuredContent;
      session = answer.session_id ?? session;
      if (result.isError)
        return failed(result.content[0].text);
      return stop ? { status: answer.status } : resultOf(answer);
    } };
  };
}

const connected = (client, Transport) => async (url, requestInit) => {
  await client.connect(new Transport(url, { requestInit }));
  return client;
};
const INFO = { name: 'test', version: '1' };
const INTERFACES = {
  'server-sent events': events,
  'a whole answer': wholeAnswer,
  'the AI SDK': ai,
  'AG-UI': agui,
  'Chat Completions in chunks': completions(true),
  'Chat Completions, whole': completions(false),
  'MCP with a handshake': mcp((...to) => connected(new LegacyClient(INFO, { capabilities: {} }), LegacyTransport)(...to)),
  'MCP without a handshake': mcp((...to) => connected(new Client(INFO, { versionNegotiation: { mode: 'auto' } }), StreamableHTTPClientTransport)(...to)),
  'MCP with a handshake, by the newer client': mcp((...to) => connected(new Client(INFO, { versionNegotiation: { mode: 'legacy' } }), StreamableHTTPClientTransport)(...to)),
};

let d, long, mock, dataDir, questions, native;

/* Stops the turn with this id, or the user's running turn if the client does not know the id yet. */
async function stopAt(daemon, turn, sub) {
  const headers = { authorization: `Bearer ${token(sub)}` };
  for (;;) {
    if (turn === null) {
      const { data } = await (await fetch(`${daemon.url}/api/v1/sessions?archived=all`, { headers })).json();
      const { data: openaiSessions } = await (await fetch(`${daemon.url}/api/v1/sessions?dialect=openai`, { headers })).json();
      const [session] = [...data, ...openaiSessions];
      const messages = session ? (await (await fetch(`${daemon.url}/api/v1/sessions/${session.session_id}/messages`, { headers })).json()).data : [];
      turn = messages.at(-1)?.role === 'user' ? messages.at(-1).turn_id : null;
    }
    if (turn && (await fetch(`${daemon.url}/api/v1/turns/${turn}`, { method: 'DELETE', headers })).status === 204)
      return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

before(async () => {
  mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: WORDS }, fault: { token_ms: 10 } }, { reply: 'demo' }] });
  dataDir = await tempDir();
  d = await startDaemon({ dataDir, env });
  long = await startDaemon({ mock, env });
  const flows = await (await fetch(`${d.url}/mcp`, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'weekly_briefing' } }),
    headers: { authorization: `Bearer ${token('flows')}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' } })).json();
  questions = [['a tool', REFERENCE], ['a chart', CHART], ['components', flows.result.messages[0].content.text], ['a clarifying question', UNCLEAR], ['its answer', 'NP15']];
  native = [];
  const way = await socket(d, 'native');
  for (const [, question] of questions)
    native.push(await way.ask(question));
  await way.close();
});
after(async () => {
  await d?.stop();
  await long?.stop();
  await mock?.close();
});

it('the conversation has all required parts', () => {
  assert.deepEqual(native.map((turn) => turn.status), ['ok', 'ok', 'ok', 'ask', 'ok']);
  assert.ok(native[0].steps > 0 && native[1].views.includes('chart') && native[2].views.includes('component'), JSON.stringify(native.map((turn) => [turn.steps, turn.views])));
  assert.ok(native.filter((turn) => turn.numbers.length > 0).length >= 3, JSON.stringify(native.map((turn) => turn.numbers.length)));
});

for (const [name, open] of Object.entries(INTERFACES))
  describe(name, () => {
    it('shows the conversation like the socket', async () => {
      const way = await open(d, `way-${name}`);
      for (const [i, [what, question]] of questions.entries()) {
        const result = await way.ask(question, { native: native[i] });
        assert.deepEqual(comparable(result), comparable(native[i]), what);
        assert.equal(hashOf(result), hashOf(native[i]), what);
      }
      await way.close?.();
    });

    it('ends as cancelled if its turn is cancelled', async () => {
      const sub = `stop-${name}`;
      const way = await open(long, sub);
      assert.deepEqual(await way.ask(REFERENCE, { stop: (turn) => stopAt(long, turn, sub) }), { status: 'cancelled' });
      await way.close?.();
    });
  });

it('the socket ends as cancelled if its turn is cancelled', async () => {
  const way = await socket(long, 'stop-socket');
  assert.deepEqual(await way.ask(REFERENCE, { stop: true }), { status: 'cancelled' });
  await way.close();
});

/* The last test, because nothing can be stored while the database is locked. */
it('all interfaces report the same error', async () => {
  const stores = (await readdir(dataDir, { recursive: true })).filter((file) => file.endsWith('.db')).map((file) => join(dataDir, file));
  const clients = await Promise.all([socket, ...Object.values(INTERFACES)].map((open, i) => open(d, `error-${i}`)));
  const lock = spawn('python3', ['-c', LOCK, ...stores], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(lock.stdout, 'data');
  const results = await Promise.all(clients.map((way) => way.ask(REFERENCE, { native: { text: '' } })));
  lock.stdin.end();
  await once(lock, 'close');
  assert.ok(results[0].message, 'the socket received the error');
  for (const [i, name] of Object.keys(INTERFACES).entries()) {
    assert.deepEqual(results[i + 1], results[0], name);
    assert.equal(hashOf(results[i + 1]), hashOf(results[0]), name);
  }
  await Promise.all(clients.map((way) => way.close?.()));
});
