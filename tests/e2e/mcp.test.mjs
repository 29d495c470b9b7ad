/*
 * The MCP server, with two client libraries: users get the same as over the other interfaces. Requests that the
 * libraries do not send use plain HTTP.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const PRICE = { vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025 };
const TOOL = 'get_average_annual_price';
const INFO = { name: 'test', version: '1' };
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

let d;
before(async () => {
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(() => d?.stop());

const token = (sub, role = 'manager') => mintToken({ sub, role });

const UNCLEAR = 'What was the average day-ahead price in 2025 from Ascend for CAISO?';
async function native(sub, ...questions) {
  const chat = await d.connect({ token: token(sub) });
  const turns = [];
  for (const question of questions)
    turns.push(await chat.ask(question));
  await chat.close();
  return turns;
}

/* The newer client library, which negotiates the newer protocol version. `answer` replies to forms for the user. */
async function modern(sub, answer, { role, mode = 'auto' } = {}) {
  const client = new Client(INFO, { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } });
  if (answer)
    client.setRequestHandler('elicitation/create', (request) => answer(request.params));
  const requestInit = { headers: { Authorization: `Bearer ${token(sub, role)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${d.url}/mcp`), { requestInit }));
  opened.push(client);
  return client;
}

const opened = [];
async function legacy(sub, role) {
  const client = new LegacyClient(INFO, { capabilities: {} });
  const requestInit = { headers: { Authorization: `Bearer ${token(sub, role)}` } };
  await client.connect(new LegacyTransport(new URL(`${d.url}/mcp`), { requestInit }));
  opened.push(client);
  return client;
}
after(() => Promise.all(opened.map((c) => c.close())));

/* Sends a raw message, without a client library. */
async function post(body, headers = {}, sub = 'raw') {
  const reply = await fetch(`${d.url}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token(sub)}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text ? JSON.parse(text) : null };
}
const message = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
const envelope = (more) => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
});
const modernHeaders = (method, name) => ({ 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) });
const modernPost = (method, params = {}, more = {}) =>
  post(message(method, { ...params, _meta: envelope() }), { ...modernHeaders(method, params.name), ...more });

describe('a client of the older protocol', () => {
  it('lists the same tools as REST, each with both schemas', async () => {
    for (const role of ['manager', 'viewer']) {
      const client = await legacy(`list-${role}`, role);
      const { tools, nextCursor } = await client.listTools();
      const rest = (await d.rest(token(`list-${role}`, role)).get('/api/v1/tools')).body.data;
      assert.deepEqual(tools.map((t) => t.name).filter((n) => n !== 'vesper_ask').sort(), rest.map((t) => t.name).sort());
      assert.equal(nextCursor, undefined);
      for (const t of rest) {
        const { inputSchema, outputSchema, annotations, title, description } = tools.find((x) => x.name === t.name);
        assert.deepEqual(inputSchema, t.schema);
        assert.deepEqual(outputSchema.required, ['outcome', 'row_count']);
        assert.ok(annotations.readOnlyHint && !annotations.destructiveHint && title && description);
      }
    }
  });

  it('continues a list at its cursor, and refuses invalid cursors', async () => {
    const client = await legacy('cursor');
    const { tools } = await client.listTools();
    assert.deepEqual((await client.listTools({ cursor: '2' })).tools, tools.slice(2));
    for (const cursor of ['', 'x', '-1', '0', '99999', '999999999999999999999'])
      await assert.rejects(client.listTools({ cursor }), { code: -32602 });
  });

  it('returns the rows of a tool like REST, and a receipt', async () => {
    const client = await legacy('call');
    await client.listTools(); /* afterwards, the client checks results against their schema */
    const result = await client.callTool({ name: TOOL, arguments: PRICE });
    const rest = (await d.rest(token('call')).post(`/api/v1/tools/${TOOL}`, PRICE)).body;
    const { outcome, row_count, rows, facts, truncated, receipt_id } = result.structuredContent;
    const table = rest.result.sets.rows;
    assert.deepEqual([outcome, row_count, truncated, result.isError], ['rows', table.row_count, false, false]);
    assert.deepEqual(rows, [...Array(row_count).keys()].map((i) =>
      Object.fromEntries(Object.entries(table.data_dict).map(([name, cells]) => [name, cells[i]]))));
    assert.deepEqual(facts, rest.result.summaryStats);
    assert.deepEqual(JSON.parse(result.content.at(-1).text), result.structuredContent);
    assert.equal((await d.rest(token('call')).get(`/api/v1/receipts/${receipt_id}`)).status, 200);
  });

  it('gets results that fit their schema from every tool without required arguments', async () => {
    const client = await legacy('all', 'admin');
    const { tools } = await client.listTools();
    const callable = tools.filter((t) => t.name !== 'vesper_ask' && t.inputSchema.required.length === 0);
    assert.ok(callable.length > 5);
    for (const t of callable) {
      const result = await client.callTool({ name: t.name, arguments: {} });
      assert.ok(result.structuredContent?.outcome, `${t.name}: ${JSON.stringify(result).slice(0, 300)}`);
    }
  });

  it('reports the outcome of a call without rows', async () => {
    const client = await legacy('ends');
    await client.listTools();
    const unknown = await client.callTool({ name: TOOL, arguments: { ...PRICE, hub_zone: 'Atlantis' } });
    assert.deepEqual([unknown.isError, unknown.structuredContent.outcome], [true, 'unknown_entity']);
    assert.match(unknown.content[0].text, /Atlantis/);
    const late = await client.callTool({ name: TOOL, arguments: { ...PRICE, year: 2031 } });
    assert.equal(late.isError, false);
    assert.match(late.structuredContent.outcome, /empty|no_data|out_of_window/);
    assert.ok(late.content[0].text && !late.content[0].text.startsWith('{'));
  });

  it('reports invalid arguments as a result', async () => {
    const client = await legacy('args');
    const wrong = await client.callTool({ name: TOOL, arguments: { year: 'soon', colour: 'red' } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /year/);
    assert.match(wrong.content[0].text, /colour/);
  });

  it('can call only tools that its user may call', async () => {
    const tools = async (role) => (await (await legacy(`may-${role}`, role)).listTools()).tools.map((t) => t.name);
    const [allTools, viewerTools] = [await tools('admin'), await tools('viewer')];
    const [hidden] = allTools.filter((name) => !viewerTools.includes(name));
    const client = await legacy('may', 'viewer');
    const denied = await client.callTool({ name: hidden, arguments: {} });
    assert.equal(denied.isError, true);
    assert.match(denied.content[0].text, /permission/);
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: -32602 });
  });

  it('pings, and negotiates the protocol version', async () => {
    const client = await legacy('ping');
    assert.deepEqual(await client.ping(), {});
    assert.equal(client.getServerVersion().name, 'vesper');
    const negotiated = async (protocolVersion) =>
      (await post(message('initialize', { protocolVersion, capabilities: {}, clientInfo: INFO }))).body.result.protocolVersion;
    assert.equal(await negotiated('2024-11-05'), '2024-11-05');
    assert.equal(await negotiated('1999-01-01'), LEGACY);
    assert.equal((await post(message('initialize', {}))).body.error.code, -32602);
  });
});

describe('a message', () => {
  it('is answered with the same id of the same type', async () => {
    for (const id of [0, -1, 7, '', 'a"b', '0'])
      assert.deepStrictEqual((await post(message('ping', undefined, id))).body, { jsonrpc: '2.0', id, result: {} });
  });

  it('that is invalid is refused with a code', async () => {
    const bad = [
      ['{', -32700], ['', -32700], ['{"a":1,"a":2}', -32700],
      [[], -32600], [[message('ping')], -32600], ['7', -32600], ['null', -32600],
      [{ id: 1, method: 'ping' }, -32600], [{ jsonrpc: '1.0', id: 1, method: 'ping' }, -32600],
      [message('ping', undefined, null), -32600], [message('ping', undefined, 1.5), -32600], [message('ping', undefined, {}), -32600],
      [{ jsonrpc: '2.0', id: 1 }, -32600], [{ jsonrpc: '2.0', id: 1, method: 7 }, -32600],
      [message('ping', []), -32602], [message('ping', 'x'), -32602],
    ];
    for (const [body, code] of bad) {
      const reply = await post(body);
      assert.deepEqual([reply.status, reply.body.error.code, reply.body.jsonrpc], [400, code, '2.0'], JSON.stringify(body));
      assert.ok(reply.body.error.message && 'id' in reply.body);
    }
    assert.equal((await post(message('tools/call', { name: 7 }))).body.error.code, -32602);
    assert.equal((await post(message('tools/call', { name: TOOL, arguments: [] }))).body.error.code, -32602);
    assert.deepEqual([(await post(message('no/such'))).status, (await post(message('no/such'))).body.error.code], [200, -32601]);
    assert.equal((await post(message('tools/list', { _meta: { progressToken: {} } }))).body.error.code, -32602);
  });

  it('that is a notification is accepted', async () => {
    for (const body of [{ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', method: 'no/such' },
      { jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }]) {
      const reply = await post(body);
      assert.deepEqual([reply.status, reply.body], [202, null]);
    }
  });

  it('is accepted only by POST, with a token, and not from pages of other origins', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const reply = await fetch(`${d.url}/mcp`, { method, headers: { Authorization: `Bearer ${token('get')}` } });
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST']);
    }
    const noToken = await fetch(`${d.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    assert.deepEqual([noToken.status, (await noToken.json()).jsonrpc], [401, '2.0']);
    const foreign = await post(message('ping'), { Origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.body.error.code], [403, -32600]);
    assert.equal((await post(message('ping'), { Origin: d.url })).status, 200);
    assert.equal((await post(message('ping'))).headers.get('mcp-session-id'), null);
  });
});

describe('the two protocol versions', () => {
  it('are distinguished by header and envelope, which must agree', async () => {
    const ping = message('ping');
    assert.equal((await post(ping, { 'MCP-Protocol-Version': LEGACY })).status, 200);
    const unknown = await post(ping, { 'MCP-Protocol-Version': '2031-01-01' });
    assert.deepEqual([unknown.status, unknown.body.error.code, unknown.body.error.data],
      [400, -32022, { supported: [MODERN], requested: '2031-01-01' }]);
    const discover = message('server/discover', { _meta: envelope() });
    const mixed = [
      [discover, {}], [discover, { 'MCP-Protocol-Version': LEGACY }],
      [discover, { 'MCP-Protocol-Version': MODERN }], [discover, modernHeaders('tools/list')],
      [message('tools/list', { _meta: envelope({ 'io.modelcontextprotocol/protocolVersion': LEGACY }) }), modernHeaders('tools/list')],
      [message('tools/call', { name: TOOL, _meta: envelope() }), modernHeaders('tools/call')],
      [message('tools/call', { name: TOOL, _meta: envelope() }), modernHeaders('tools/call', 'other')],
    ];
    for (const [body, headers] of mixed) {
      const reply = await post(body, headers);
      assert.deepEqual([reply.status, reply.body.error.code], [400, -32020], JSON.stringify([body.method, headers]));
    }
  });

  it('have different methods', async () => {
    for (const method of ['initialize', 'ping', 'no/such']) {
      const reply = await modernPost(method);
      assert.deepEqual([reply.status, reply.body.error.code], [404, -32601]);
    }
    assert.equal((await post(message('server/discover'))).body.error.code, -32601);
    const { result } = (await modernPost('server/discover')).body;
    assert.deepEqual([result.resultType, result.supportedVersions, result.cacheScope, result.ttlMs], ['complete', [MODERN], 'private', 60000]);
  });

  it('require a complete envelope or none', async () => {
    const headers = modernHeaders('tools/list');
    const broken = [undefined, {}, 7, envelope({ 'io.modelcontextprotocol/clientCapabilities': 1 }),
      envelope({ 'io.modelcontextprotocol/clientCapabilities': undefined }), envelope({ 'io.modelcontextprotocol/clientInfo': 'x' })];
    for (const _meta of broken) {
      const reply = await post(message('tools/list', { _meta }), headers);
      assert.deepEqual([reply.status, reply.body.error.code], [400, -32602], JSON.stringify(_meta));
    }
  });
});

const ASK = 'vesper_ask';
const ask = (client, args, ...more) => client.callTool({ name: ASK, arguments: args }, ...more);
const textOf = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');
const marksOf = (checked) => checked.items.map((m) => [m.start, m.len, m.kind]);

/* Both client libraries, the newer one with each protocol version. */
for (const [name, connect] of [['the older client', legacy], ['the newer client', (sub) => modern(sub)],
  ['the newer client with the older protocol', (sub) => modern(sub, null, { mode: 'legacy' })]])
  describe(`vesper_ask and ${name}`, () => {
    const user = (n) => `${name.replaceAll(' ', '-')}-${n}`;

    it('returns text, numbers, tables and reports of the native turn', async () => {
      const [turn] = await native(user(1), REFERENCE);
      const client = await connect(user(2));
      assert.ok((await client.listTools()).tools.some((t) => t.name === ASK && t.outputSchema));
      const result = await ask(client, { question: REFERENCE });
      const answer = result.structuredContent;
      assert.deepEqual([answer.status, answer.text, result.isError], [turn.status, turn.text, false]);
      assert.ok(textOf(result).startsWith(turn.text));
      assert.match(textOf(result), /\| --- \|/);
      assert.deepEqual(marksOf(answer.checked), marksOf(turn.complete.checked));
      assert.deepEqual(result.content.filter((c) => c.type === 'resource_link').map((c) => [c.name, c.uri]),
        turn.complete.pbi_deep_links.filter((l) => l.url).map((l) => [l.report_key, l.url]));
      assert.equal((await d.rest(token(user(2))).get(`/api/v1/receipts/${answer.receipt_id}`)).status, 200);
    });

    it('continues a session by its id or by a name that the client has chosen', async () => {
      const [, turn] = await native(user(3), REFERENCE, 'and for SP15?');
      const client = await connect(user(4));
      const first = await ask(client, { question: REFERENCE });
      const second = await ask(client, { question: 'and for SP15?', session: first.structuredContent.session_id });
      assert.equal(second.structuredContent.text, turn.text);
      await ask(client, { question: REFERENCE, session: 'my talk' }).then((r) => assert.match(textOf(r), /session: must have only visible/));
      await ask(client, { question: REFERENCE, session: 'my-talk' });
      const named = await ask(client, { question: 'and for SP15?', session: 'my-talk' });
      assert.equal(named.structuredContent.text, turn.text);
    });

    it('returns the same answer for the same request_id', async () => {
      const client = await connect(user(5));
      const [first, again] = [await ask(client, { question: REFERENCE, request_id: 'r1' }), await ask(client, { question: REFERENCE, request_id: 'r1' })];
      assert.equal(again.structuredContent.turn_id, first.structuredContent.turn_id);
      assert.deepEqual(again.content, first.content);
      const other = await connect(user(6));
      const foreign = await ask(other, { question: REFERENCE, request_id: 'r1' });
      assert.notEqual(foreign.structuredContent.turn_id, first.structuredContent.turn_id);
    });

    it('returns a clarifying question as text, and accepts the reply', async () => {
      const [, turn] = await native(user(7), UNCLEAR, 'NP15');
      const client = await connect(user(8));
      const question = await ask(client, { question: UNCLEAR });
      const answer = question.structuredContent;
      assert.deepEqual([answer.status, question.isError], ['ask', false]);
      const option = answer.ask.options.find((o) => o.label.startsWith('NP15'));
      assert.ok(textOf(question).includes(option.label));
      const reply = { session: answer.session_id, ask_id: answer.ask.ask_id, values: [option.value] };
      assert.match(textOf(await ask(client, { ...reply, session: undefined })), /session/);
      assert.match(textOf(await ask(client, { ...reply, values: undefined })), /values/);
      const answered = await ask(client, reply);
      assert.equal(answered.structuredContent.text, turn.text);
      const late = await ask(client, reply);
      assert.deepEqual([late.isError, late.structuredContent.code], [true, 'expired']);
      const other = await connect(user(9));
      assert.equal((await ask(other, reply)).isError, true);
    });

    it('reports increasing progress on request', async () => {
      const client = await connect(user(10));
      const seen = [];
      const result = await ask(client, { question: REFERENCE }, ...(connect === legacy ? [undefined] : []), { onprogress: (p) => seen.push(p) });
      assert.equal(result.isError, false);
      assert.ok(seen.length >= 2 && seen.every((p) => p.message));
      assert.ok(seen.every((p, i) => i === 0 || p.progress > seen[i - 1].progress));
    });

    it('reports an invalid question', async () => {
      const client = await connect(user(11));
      for (const question of ['', '  ', undefined, 7, 'x'.repeat(16385)]) {
        const result = await ask(client, { question });
        assert.equal(result.isError, true);
        assert.match(textOf(result), /question/);
      }
      assert.equal((await ask(client, { question: REFERENCE, request_id: 'x'.repeat(101) })).isError, true);
      const off = await ask(client, { question: 'Write me a poem about the sea' });
      assert.equal(off.isError, false);
    });
  });

describe('a form', () => {
  const choose = (field, value) => ({ action: 'accept', content: { [field]: value } });

  it('is sent to a client that supports forms', async () => {
    const [asked, turn] = await native('form-1', UNCLEAR, 'NP15');
    const seen = [];
    const client = await modern('form-2', (params) => {
      seen.push(params);
      const [[field, { oneOf }]] = Object.entries(params.requestedSchema.properties);
      return choose(field, oneOf.find((o) => o.title.startsWith('NP15')).const);
    });
    const result = await ask(client, { question: UNCLEAR, request_id: 'f1' });
    assert.equal(result.structuredContent.text, turn.text);
    assert.equal(seen.length, 1);
    assert.deepEqual([seen[0].mode, seen[0].message], ['form', asked.ask.prompt]);
    assert.deepEqual(Object.values(seen[0].requestedSchema.properties)[0].oneOf.map((o) => o.const), asked.ask.options.map((o) => o.value));
    assert.deepEqual(seen[0].requestedSchema.required, Object.keys(seen[0].requestedSchema.properties));
  });

  it('cancels the turn if it is declined or closed', async () => {
    for (const action of ['decline', 'cancel']) {
      const client = await modern(`form-${action}`, () => ({ action }));
      const result = await ask(client, { question: UNCLEAR });
      assert.deepEqual([result.structuredContent.status, result.isError], ['cancelled', false]);
      const sessions = (await d.rest(token(`form-${action}`)).get('/api/v1/sessions')).body.data;
      const { body } = await d.rest(token(`form-${action}`)).get(`/api/v1/sessions/${sessions[0].session_id}/messages`);
      assert.equal(body.data.length, 2);
    }
  });

  const capable = envelope({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } });
  const call = (sub, more = {}) => post(message('tools/call', { name: ASK, arguments: { question: UNCLEAR }, ...more, _meta: capable }),
    modernHeaders('tools/call', ASK), sub);

  it('is accepted once, from its user, with its unchanged state', async () => {
    const { result } = (await call('seal')).body;
    assert.equal(result.resultType, 'input_required');
    const [[id, { params }]] = Object.entries(result.inputRequests);
    const [[field, { oneOf }]] = Object.entries(params.requestedSchema.properties);
    const inputResponses = { [id]: choose(field, oneOf[0].const) };
    const { requestState } = result;
    const expectClosed = async (sub, more) => {
      const reply = (await call(sub, { inputResponses, requestState, ...more })).body.result;
      assert.deepEqual([reply.isError, /no longer open/.test(reply.content[0].text)], [true, true], JSON.stringify(reply).slice(0, 300));
    };
    await expectClosed('other');
    for (let i = 0; i < requestState.length; i += 7)
      await expectClosed('seal', { requestState: requestState.slice(0, i) + (requestState[i] === 'A' ? 'B' : 'A') + requestState.slice(i + 1) });
    await expectClosed('seal', { requestState: '' });
    await expectClosed('seal', { requestState: 'AAAA' });
    const refused = [{ requestState: 7 }, { inputResponses: [] }, { inputResponses: undefined }, { inputResponses: {} },
      { inputResponses: { [id]: {} } }, { inputResponses: { [id]: { action: 'maybe' } } }, { inputResponses: { [id]: { action: 'accept' } } },
      { inputResponses: { [id]: { action: 'accept', content: { a: 1 } } } }, { inputResponses: { [id]: { action: 'accept', content: { a: 'x', b: 'y' } } } }];
    for (const more of refused)
      assert.equal((await call('seal', { inputResponses, requestState, ...more })).body.error?.code, -32602, JSON.stringify(more));
    const none = (await call('seal', { inputResponses: { [id]: choose(field, 'Atlantis') }, requestState })).body.result;
    assert.equal(none.isError, true);
    const answered = (await call('seal', { inputResponses, requestState })).body.result;
    assert.equal(answered.structuredContent.status, 'ok');
    const again = (await call('seal', { inputResponses, requestState })).body.result;
    assert.deepEqual([again.isError, again.structuredContent.code], [true, 'expired']);
  });
});

describe('an interrupted stream', () => {
  let mock;
  let interrupted;
  before(async () => {
    mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(40) }, fault: { token_ms: 5 } }, { reply: 'demo' }] });
    interrupted = await startDaemon({ mock });
  });
  after(async () => {
    await interrupted?.stop();
    await mock?.close();
  });

  const send = (id, signal) => fetch(`${interrupted.url}/mcp`, {
    method: 'POST', signal,
    body: JSON.stringify(message('tools/call', { name: ASK, arguments: { question: REFERENCE, request_id: id }, _meta: { progressToken: 1 } })),
    headers: { Authorization: `Bearer ${token('cut')}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  const readAll = async (id) => (await send(id)).text();
  /* Reads until `enough` accepts the text, then disconnects. */
  const readUntil = async (id, enough) => {
    const leaving = new AbortController();
    const reply = await send(id, leaving.signal);
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = '', chunk; !enough(text) && !(chunk = await reader.read()).done;)
      text += chunk.value;
    leaving.abort();
    return reply.headers.get('vesper-turn');
  };
  const resultOf = (text) => JSON.parse(text.trim().split('\n\n').at(-1).slice(6)).result;

  it('is identical after an interruption at any position', async () => {
    const start = mock.count;
    const text = await readAll('uncut');
    const calls = mock.count - start;
    const { content, structuredContent: answer } = resultOf(text);
    const events = text.trim().split('\n\n').length;
    assert.ok(events > 4 && calls > 0 && answer.status === 'ok');
    for (let event = 1; event <= events; event++) {
      const before = mock.count;
      const turn = await readUntil(`event-${event}`, (seen) => seen.split('\n\n').length > event);
      const again = resultOf(await readAll(`event-${event}`));
      assert.equal(mock.count - before, calls, `event ${event}`);
      assert.deepEqual([again.structuredContent.turn_id, again.structuredContent.status, again.content], [turn, 'ok', content]);
    }
    const before = mock.count;
    for (let i = 0; i < 200; i++) {
      const offset = Math.floor(i * text.length / 200);
      assert.equal(await readUntil('uncut', (seen) => seen.length >= offset), answer.turn_id);
    }
    assert.equal(await readAll('uncut'), text);
    assert.equal(mock.count, before);
  });
});

describe('a component', () => {
  it('is returned as text and as structured content', async () => {
    const client = await legacy('component', 'admin');
    const { prompts } = await client.listPrompts();
    const { messages } = await client.getPrompt({ name: 'weekly_briefing' });
    const question = messages[0].content.text;
    assert.ok(prompts.some((p) => p.title === question));
    const chat = await d.connect({ token: token('component-2', 'admin') });
    const turn = await chat.ask(question);
    await chat.close();
    const shown = turn.views.filter((v) => v.view_type === 'component');
    assert.ok(shown.length > 0);
    const result = await ask(client, { question });
    assert.deepEqual(result.structuredContent.components.map((c) => [c.component, c.props]), shown.map((c) => [c.component, c.props]));
    for (const { text } of shown)
      assert.ok(!text || textOf(result).includes(text));
  });
});

describe('an error', () => {
  it('has the text of the native turn', async () => {
    const chat = await d.connect({ token: token('error-1') });
    await chat.ask(UNCLEAR);
    const ask_id = '01900000-0000-7000-8000-00000000abcd';
    chat.send({ type: 'chat.select', session_id: chat.session, ask_id, values: ['x'] });
    const frame = await chat.until((f) => f.type === 'chat.error');
    await chat.close();
    const client = await legacy('error-2');
    const { structuredContent: answer } = await ask(client, { question: UNCLEAR });
    const result = await ask(client, { session: answer.session_id, ask_id, values: ['x'] });
    assert.deepEqual([result.isError, textOf(result), result.structuredContent.code, result.structuredContent.status],
      [true, frame.message, frame.code, 'failed']);
  });
});

describe('a chart', () => {
  it('is returned as the same image as over REST', async () => {
    const client = await legacy('chart');
    const result = await ask(client, { question: 'What are the hourly prices for SP15 in CAISO for 2025 from Ascend, as a bar chart?' });
    const [image] = result.content.filter((c) => c.type === 'image');
    assert.equal(image.mimeType, 'image/svg+xml');
    const rest = d.rest(token('chart'));
    const { message_id, session_id } = result.structuredContent;
    const { body } = await rest.get(`/api/v1/sessions/${session_id}/messages`);
    const { view_id } = body.data.find((m) => m.message_id === message_id).views.find((v) => v.view_type === 'chart');
    const picture = await rest.raw('GET', `/api/v1/messages/${message_id}/views/${view_id}/svg`);
    assert.equal(Buffer.from(image.data, 'base64').toString(), await picture.text());
  });
});

describe('prompts', () => {
  it('are the flows and example questions of the caller, in both protocol versions', async () => {
    const names = {};
    for (const role of ['admin', 'viewer']) {
      const [older, newer] = [await legacy(`prompts-${role}`, role), await modern(`prompts-${role}`, null, { role })];
      const { prompts } = await older.listPrompts();
      assert.deepEqual((await newer.listPrompts()).prompts, prompts);
      names[role] = prompts.map((p) => p.name);
      assert.equal(new Set(names[role]).size, prompts.length);
      const agents = (await d.rest(token(`prompts-${role}`, role)).get('/api/v1/agents')).body.data;
      const examples = agents.flatMap((a) => a.examples);
      assert.ok(examples.length > 0 && examples.every((e) => prompts.some((p) => p.title === e)));
      for (const { name, title, description } of prompts) {
        const prompt = await newer.getPrompt({ name });
        assert.deepEqual([prompt.messages, prompt.description], [[{ role: 'user', content: { type: 'text', text: title } }], description]);
      }
    }
    assert.ok(names.viewer.every((n) => names.admin.includes(n)) && names.viewer.length < names.admin.length);
    const [hidden] = names.admin.filter((n) => !names.viewer.includes(n));
    const client = await legacy('prompts-viewer', 'viewer');
    for (const name of [hidden, 'no such', ''])
      await assert.rejects(client.getPrompt({ name }), { code: -32602 });
    assert.equal((await post(message('prompts/get', {}))).body.error.code, -32602);
  });
});

describe('the metadata of the authorization server', () => {
  const PATHS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];

  it('is published if the public address of the server is configured', async () => {
    for (const path of PATHS)
      assert.equal((await fetch(d.url + path)).status, 404);
    const named = await startDaemon({ env: { VESPER_SERVER_PUBLIC_URL: 'https://vesper.example', VESPER_AUTH_ISSUER: 'https://login.example/v2.0',
      VESPER_AUTH_AUDIENCE: 'api://vesper', VESPER_SIGNIN_SCOPES: 'openid,api://vesper/chat' } });
    for (const path of PATHS) {
      const reply = await fetch(named.url + path);
      assert.deepEqual([reply.status, await reply.json()], [200, {
        resource: 'https://vesper.example/mcp', authorization_servers: ['https://login.example/v2.0'],
        scopes_supported: ['api://vesper/chat'], bearer_methods_supported: ['header'], resource_name: 'Vesper' }]);
    }
    for (const headers of [{}, { Authorization: 'Bearer x' }]) {
      const reply = await fetch(`${named.url}/mcp`, { method: 'POST', headers, body: '{}' });
      assert.equal(reply.status, 401);
      const challenge = reply.headers.get('www-authenticate');
      assert.match(challenge, /resource_metadata="https:\/\/vesper\.example\/\.well-known\/oauth-protected-resource\/mcp", scope="api:\/\/vesper\/chat"$/);
      assert.equal(challenge.includes('invalid_token'), 'Authorization' in headers);
    }
    assert.doesNotMatch((await fetch(`${named.url}/api/v1/tools`)).headers.get('www-authenticate'), /resource_metadata/);
    await named.stop();
  });
});

describe('a slow answer', () => {
  let mock;
  let slow;

  before(async () => {
    mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(400) }, fault: { token_ms: 30 } }, { reply: 'demo' }] });
    slow = await startDaemon({ mock, env: { VESPER_LIMITS_GRACE_S: '0' } });
  });
  after(async () => {
    await slow?.stop();
    await mock?.close();
  });

  const connect = async (sub) => {
    const client = new LegacyClient(INFO, { capabilities: {} });
    await client.connect(new LegacyTransport(new URL(`${slow.url}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${token(sub)}` } } }));
    opened.push(client);
    return client;
  };
  const send = (sub, body, signal) => fetch(`${slow.url}/mcp`, {
    method: 'POST', signal, body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${token(sub)}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  const question = (id, progressToken) => message('tools/call',
    { name: ASK, arguments: { question: REFERENCE }, ...(progressToken !== undefined && { _meta: { progressToken } }) }, id);
  const cancel = (sub, requestId) => send(sub, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  const storedStatus = async (sub) => {
    for (;;) {
      const rest = slow.rest(token(sub));
      const [session] = (await rest.get('/api/v1/sessions')).body.data;
      const messages = session ? (await rest.get(`/api/v1/sessions/${session.session_id}/messages`)).body.data : [];
      const answer = messages.find((m) => m.role === 'assistant');
      if (answer)
        return answer.status;
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  /* Starts a turn and waits for its first progress. Returns a function that reads the rest. */
  const startTurn = async (sub, id) => {
    const reply = await send(sub, question(id, 'p'));
    assert.match(reply.headers.get('content-type'), /event-stream/);
    assert.match(reply.headers.get('vesper-turn'), /^[0-9a-f-]{36}$/);
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value;
    return async () => {
      for (let chunk; !(chunk = await reader.read()).done;)
        text += chunk.value;
      return text.split('\n\n').filter((block) => block.startsWith('data: ')).map((block) => JSON.parse(block.slice(6)));
    };
  };

  it('is cancelled by its user with the request id', async () => {
    for (const id of [0, 'a']) {
      const rest = await startTurn(`stop-${id}`, id);
      assert.equal((await cancel(`stop-${id}`, id)).status, 202);
      const messages = await rest();
      const { result, id: answered } = messages.at(-1);
      assert.deepEqual([answered, result.structuredContent.status, result.isError], [id, 'cancelled', false]);
      assert.ok(messages.slice(0, -1).every((m) => m.method === 'notifications/progress' && m.params.progressToken === 'p'));
    }
  });

  it('continues if a cancellation is from another user or for another or an ambiguous id', async () => {
    const [rest, second] = [await startTurn('on', 5), await startTurn('on', 6)];
    for (const [sub, id] of [['off', 5], ['on', '5'], ['on', 7], ['on', undefined], ['on', null]])
      assert.equal((await cancel(sub, id)).status, 202);
    const third = await startTurn('on', 6); /* the same id as the second call: ambiguous, so a cancellation affects neither */
    await cancel('on', 6);
    await cancel('on', 5);
    assert.equal((await rest()).at(-1).result.structuredContent.status, 'cancelled');
    const ended = await Promise.all([second(), third()]);
    assert.deepEqual(ended.map((messages) => messages.at(-1).result.structuredContent.status), ['ok', 'ok']);
  });

  it('is cancelled if the client disconnects or aborts the call', async () => {
    const leaving = new AbortController();
    const disconnected = send('leave', question(1), leaving.signal).catch((e) => e.name);
    const client = await connect('abort');
    const aborting = new AbortController();
    const seen = [];
    const aborted = client.callTool({ name: ASK, arguments: { question: REFERENCE } }, undefined,
      { signal: aborting.signal, onprogress: (p) => { seen.push(p); aborting.abort(); } }).catch((e) => e);
    assert.ok(await aborted instanceof Error);
    assert.ok(seen.length > 0);
    leaving.abort();
    assert.equal(await disconnected, 'AbortError');
    assert.deepEqual([await storedStatus('leave'), await storedStatus('abort')], ['cancelled', 'cancelled']);
  });
});
