/*
 * The official SDK of Anthropic with the mock: text, tools, errors and usage are read as from the real service.
 * Requests that the SDK cannot send use fetch.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { startMock } from '../mock/anthropic.mjs';
import { rowsIn } from '../mock/demo.mjs';

const MODEL = 'claude-sonnet-5-5';
const QUESTION = 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?';
const ASK = { model: MODEL, max_tokens: 256, messages: [{ role: 'user', content: QUESTION }] };
const TOOL = {
  name: 'get_average_annual_price', description: 'Average day-ahead price of a year', strict: true,
  input_schema: { type: 'object', additionalProperties: false, required: ['vendor', 'hub_zone', 'year', 'asof'],
    properties: { vendor: { type: 'string' }, hub_zone: { type: 'string' }, year: { type: 'integer' },
      asof: { type: ['string', 'null'] } } },
};
const ROUTE = {
  type: 'object', additionalProperties: false, required: ['intent', 'agents', 'filters', 'tools', 'clarification'],
  properties: {
    intent: { type: 'string', enum: ['dayahead_curve', 'pbi_metrics', 'general'] },
    agents: { type: 'array', items: { type: 'string', enum: ['dayahead_agent', 'per_agent'] } },
    filters: { type: 'object', additionalProperties: false, required: ['vendor', 'year', 'sponsor'],
      properties: { vendor: { type: ['string', 'null'] }, year: { type: ['integer', 'null'] },
        sponsor: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    tools: { type: 'array', items: { $ref: '#/$defs/call' } },
    clarification: { type: ['string', 'null'] },
  },
  $defs: { call: { type: 'object', additionalProperties: false, required: ['name', 'args'],
    properties: { name: { type: 'string', enum: [TOOL.name, 'compare_vendors'] },
      args: { type: 'array', items: { type: 'object', additionalProperties: false, required: ['name', 'value'],
        properties: { name: { type: 'string' }, value: { type: 'string' } } } } } } },
};

let mock;
let client;

before(async () => {
  mock = await startMock();
  client = new Anthropic({ apiKey: 'k', baseURL: mock.url, maxRetries: 0 });
});
after(() => mock.close());
beforeEach(() => {
  mock.use('demo');
  mock.reset();
});

async function post(body, { headers = {}, version = '2026-10-21', raw } = {}) {
  const res = await fetch(`${mock.url}/v1/messages`, { method: 'POST', body: raw ?? JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-api-key': 'k',
      ...(version && { 'anthropic-version': version }), ...headers } });
  const text = await res.text();
  return { status: res.status, headers: res.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

async function streamedText(extra = {}) {
  const stream = client.messages.stream({ ...ASK, ...extra });
  let text = '';
  stream.on('text', (delta) => {
    text += delta;
  });
  const final = await stream.finalMessage();
  return { text, final };
}

describe('the SDK reads', () => {
  it('text, streamed and complete, with usage', async () => {
    mock.use([{ reply: { text: 'The price was $48.73/MWh — “exact” ✓ 🟢.', usage: { output_tokens: 17 } } }]);
    const { text, final } = await streamedText();
    assert.equal(text, 'The price was $48.73/MWh — “exact” ✓ 🟢.');
    assert.equal(final.stop_reason, 'end_turn');
    assert.equal(final.usage.output_tokens, 17);
    assert.ok(final.usage.input_tokens > 0);
    const whole = await client.messages.create(ASK);
    assert.equal(whole.content[0].text, text);
    assert.equal(mock.count, 2);
    assert.equal(mock.calls[0].headers.authorization, 'Bearer k');
    assert.equal(mock.calls[0].body.messages[0].content, QUESTION);
  });

  it('tool calls, and an answer to their results', async () => {
    const call = await client.messages.stream({ ...ASK, tools: [TOOL] }).finalMessage();
    assert.equal(call.stop_reason, 'tool_use');
    const use = call.content.find((b) => b.type === 'tool_use');
    assert.deepEqual(use.input, { vendor: 'Ascend', hub_zone: 'NP15', year: 2025, asof: null });
    const rows = [{ Vendor: 'Ascend', Market: 'CAISO', HubZone: 'NP15', AsOf: 'Jan_2025', ForecastYear: 2025,
      AvgPrice_PerMWh: 48.73, DataPoints: 8760 }];
    const { text } = await streamedText({ tools: [TOOL], messages: [...ASK.messages,
      { role: 'assistant', content: call.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: JSON.stringify(rows) }] }] });
    assert.match(text, /\*\*\$48\.73\/MWh\*\*/);
    assert.match(text, /8,760/);
    assert.match(text, /Jan_2025/);
  });

  it('structured output that fills the schema', async () => {
    const { text } = await streamedText({ output_config: { format: { type: 'json_schema', schema: ROUTE } } });
    assert.deepEqual(JSON.parse(text), {
      intent: 'dayahead_curve', agents: ['dayahead_agent'],
      filters: { vendor: 'Ascend', year: 2025, sponsor: null },
      tools: [{ name: TOOL.name, args: [{ name: 'vendor', value: 'Ascend' }, { name: 'market', value: 'CAISO' },
        { name: 'hub_zone', value: 'NP15' }, { name: 'year', value: '2025' }] }],
      clarification: null,
    });
  });

  it('a thinking block first, and accepts it back only unchanged', async () => {
    mock.use([{ times: 1, reply: { thinking: 'hm', tools: [{ name: TOOL.name, input: {} }] } }, { reply: 'demo' }]);
    const first = await client.messages.stream({ ...ASK, tools: [TOOL] }).finalMessage();
    assert.deepEqual(first.content.map((b) => b.type), ['thinking', 'tool_use']);
    assert.ok(first.content[0].signature);
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: first.content[1].id, content: '[]' }] };
    const again = (content) => client.messages.create({ ...ASK, tools: [TOOL],
      messages: [...ASK.messages, { role: 'assistant', content }, result] });
    await again(first.content);
    await assert.rejects(again([{ ...first.content[0], thinking: 'ho' }, first.content[1]]), /cannot be modified/);
    await assert.rejects(again([{ ...first.content[0], signature: 'x' }, first.content[1]]), /signature/);
  });

  it('models, one model, and a count of tokens', async () => {
    const ids = [];
    for await (const m of client.models.list({ limit: 3 }))
      ids.push(m.id);
    assert.ok(ids.includes(MODEL) && ids.length > 3, 'all pages are read');
    assert.equal((await client.models.retrieve(MODEL)).capabilities.structured_outputs.supported, true);
    await assert.rejects(client.models.retrieve('nope'), { status: 404 });
    const { input_tokens: n } = await client.messages.countTokens({ model: MODEL, messages: ASK.messages });
    assert.ok(n > 10 && n < 200);
    assert.equal(mock.count, 0, 'only /v1/messages counts as a call');
  });

  it('cache counters: a marked prefix is written once, then read', async () => {
    const system = [{ type: 'text', text: 'rule. '.repeat(900), cache_control: { type: 'ephemeral', ttl: '1h' } }];
    const first = await client.messages.create({ ...ASK, system });
    const second = await client.messages.create({ ...ASK, system });
    assert.ok(first.usage.cache_creation_input_tokens > 1000);
    assert.equal(first.usage.cache_read_input_tokens, 0);
    assert.equal(second.usage.cache_read_input_tokens, first.usage.cache_creation_input_tokens);
  });
});

describe('the SDK reads a stream in any form', () => {
  const text = 'Preis: **$48.73/MWh** — “größer” als 🟡.\n\n| a | b |\n|---|---|\n';
  const faults = { 'byte by byte': { split: 'byte' }, 'inside characters': { split: 'utf8' },
    CRLF: { crlf: true }, 'bare CR': { cr: true, split: 7 }, pings: { ping: true },
    comments: { comments: true }, 'unknown events, deltas and members': { unknown: true },
    'data over two lines': { multi_data: true }, 'a late first byte': { first_byte_ms: 30 },
    'a late first event': { first_event_ms: 30 }, 'slow tokens': { token_ms: 1 },
    'a stall': { stall: { after: 3, ms: 40 } } };
  for (const [name, fault] of Object.entries(faults))
    it(name, async () => {
      mock.use([{ reply: { text }, fault }]);
      assert.equal((await streamedText()).text, text);
    });

  it('the stream can begin with a byte order mark', async () => {
    mock.use([{ reply: { text }, fault: { bom: true } }]);
    const res = await fetch(`${mock.url}/v1/messages`, { method: 'POST', body: JSON.stringify({ ...ASK, stream: true }),
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2026-10-21' } });
    const bytes = Buffer.from(await res.arrayBuffer());
    assert.deepEqual([...bytes.subarray(0, 9)], [0xef, 0xbb, 0xbf, ...Buffer.from('event:')]);
  });
});

describe('the SDK reports failures', () => {
  const failureOf = async (fault, reply = { text: 'one two three four five' }) => {
    mock.use([{ reply, fault }]);
    let shown = '';
    const stream = client.messages.stream(ASK);
    stream.on('text', (t) => {
      shown += t;
    });
    const error = await stream.finalMessage().then(() => null, (e) => e);
    return { error, shown };
  };

  it('an HTTP status with its error and retry-after', async () => {
    const { error } = await failureOf({ status: 429, headers: { 'retry-after': '7' },
      error: { message: 'slow down', details: { error_code: 'ramp_limit_exceeded' } } });
    assert.ok(error instanceof Anthropic.RateLimitError);
    assert.equal(error.headers.get('retry-after'), '7');
    assert.equal(error.error.error.details.error_code, 'ramp_limit_exceeded');
    assert.equal((await failureOf({ status: 529 })).error.status, 529);
    assert.equal((await failureOf({ status: 401 })).error.status, 401);
  });

  it('an error event before and after tokens', async () => {
    const early = await failureOf({ error: { after: 0 } });
    assert.match(early.error.message, /Overloaded/);
    assert.equal(early.shown, '');
    const late = await failureOf({ error: { after: 2, type: 'api_error', message: 'gone' } });
    assert.match(late.error.message, /gone/);
    assert.equal(late.shown, 'one two');
  });

  it('a lost connection, an early end, garbled data, an empty 200, an HTML page', async () => {
    const cut = await failureOf({ cut: { after: 2 } });
    assert.ok(cut.error);
    assert.equal(cut.shown, 'one two');
    assert.ok((await failureOf({ garbled: { after: 2 } })).error);
    assert.ok((await failureOf({ empty: true })).error);
    assert.ok((await failureOf({ html: true, status: 502 })).error);
    assert.ok((await failureOf({ reset: true })).error);
    assert.equal((await failureOf({ end: { after: 2 } })).shown, 'one two');
  });

  it('the mock counts retries, and a rule applies a limited number of times', async () => {
    mock.use([{ times: 2, fault: { status: 529 } }, { reply: { text: 'at last' } }]);
    const retrying = new Anthropic({ apiKey: 'k', baseURL: mock.url, maxRetries: 2 });
    assert.equal((await retrying.messages.create(ASK)).content[0].text, 'at last');
    assert.equal(mock.count, 3);
  });

  it('the mock records an abort by the client', async () => {
    mock.use([{ reply: { text: 'a b c d e f g h i j' }, fault: { token_ms: 50 } }]);
    const stream = client.messages.stream(ASK);
    stream.on('text', () => stream.abort());
    await assert.rejects(stream.finalMessage());
    await mock.when(() => mock.calls[0].aborted);
    assert.equal(mock.calls[0].done, false);
  });
});

describe('the mock refuses', () => {
  const user = (content) => ({ role: 'user', content });
  const use = { type: 'tool_use', id: 'toolu_1', name: TOOL.name, input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
  const mark = { cache_control: { type: 'ephemeral' } };
  const format = (schema) => ({ output_config: { format: { type: 'json_schema', schema } } });
  const cases = {
    'temperature on this version': [{ temperature: 0 }, /sampling/],
    'top_p on this version': [{ top_p: 1 }, /sampling/],
    'no max_tokens': [{ max_tokens: undefined }, /max_tokens/],
    'an unknown member': [{ frequency_penalty: 1 }, /Extra inputs/],
    'no messages': [{ messages: [] }, /at least one message/],
    'empty content': [{ messages: [user('')] }, /non-empty/],
    'an empty text block': [{ messages: [user([{ type: 'text', text: '' }])] }, /non-empty/],
    prefill: [{ messages: [user('x'), { role: 'assistant', content: '{' }] }, /prefill/],
    'an assistant first': [{ messages: [{ role: 'assistant', content: 'x' }, user('y')] }, /first message/],
    'a fifth cache mark': [{ messages: [user(Array.from({ length: 5 }, () => ({ type: 'text', text: 'x', ...mark })))] },
      /maximum of 4/],
    '1h after 5m': [{ system: [{ type: 'text', text: 'a', ...mark },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } }] }, /must not come after/],
    'an unanswered tool call': [{ messages: [user('x'), { role: 'assistant', content: [use] }, user('y')] },
      /without `tool_result`/],
    'a text before the results': [{ messages: [user('x'), { role: 'assistant', content: [use] },
      user([{ type: 'text', text: 'y' }, result])] }, /must come first/],
    'a result without its call': [{ messages: [user([result])] }, /unexpected `tool_use_id`/],
    'a repeated result': [{ messages: [user('x'), { role: 'assistant', content: [use] }, user([result, result])] },
      /single result/],
    'forced tool use': [{ tools: [TOOL], tool_choice: { type: 'tool', name: TOOL.name } }, /forced tool use/],
    'any tool': [{ tools: [TOOL], tool_choice: { type: 'any' } }, /forced tool use/],
    'two tools of one name': [{ tools: [TOOL, TOOL] }, /unique/],
    'a bad tool name': [{ tools: [{ ...TOOL, name: 'day ahead' }] }, /pattern/],
    'a strict tool that is open': [{ tools: [{ ...TOOL, input_schema: { type: 'object', properties: {} } }] },
      /additionalProperties/],
    'an open schema': [format({ type: 'object', properties: {} }), /additionalProperties/],
    'an open schema inside': [format({ type: 'object', additionalProperties: false,
      properties: { a: { type: 'array', items: { type: 'object' } } } }), /additionalProperties/],
    'a numeric range': [format({ type: 'object', additionalProperties: false,
      properties: { a: { type: 'integer', minimum: 1 } } }), /not supported/],
    'a recursive schema': [format({ type: 'object', additionalProperties: false, properties: { a: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'object', additionalProperties: false, properties: { a: { $ref: '#/$defs/n' } } } } }), /recursive/],
    'too many optional members': [format({ type: 'object', additionalProperties: false,
      properties: Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`p${i}`, { type: 'string' }])) }), /optional/],
    'manual thinking': [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, /not supported/],
    'thinking off': [{ thinking: { type: 'disabled' } }, /not supported/],
    'an unknown effort': [{ output_config: { effort: 'heroic' } }, /effort/],
  };
  for (const [name, [change, message]] of Object.entries(cases))
    it(name, async () => {
      const { status, body } = await post({ ...ASK, ...change });
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(body.error.type, 'invalid_request_error');
      assert.match(body.error.message, message);
      assert.match(body.request_id, /^req_/);
    });

  it('no key, no version, an unknown model, no JSON, another method or path', async () => {
    assert.equal((await post(ASK, { headers: { 'x-api-key': '' } })).status, 401);
    assert.equal((await post(ASK, { version: null })).status, 400);
    assert.equal((await post(ASK, { version: '2024-01-01' })).status, 400);
    assert.equal((await post({ ...ASK, model: 'gpt-1' })).body.error.type, 'not_found_error');
    assert.equal((await post(null, { raw: '{"model":' })).status, 400);
    assert.equal((await fetch(`${mock.url}/v1/messages`)).status, 405);
    assert.equal((await fetch(`${mock.url}/v2/messages`, { method: 'POST' })).status, 404);
  });

  it('but accepts both key headers, and sampling on the old version', async () => {
    assert.equal((await post(ASK)).status, 200);
    assert.equal((await post(ASK, { headers: { 'x-api-key': '', authorization: 'Bearer k' } })).status, 200);
    assert.equal((await post({ ...ASK, temperature: 0 }, { version: '2023-06-01' })).status, 200);
  });
});

describe('the demo replies', () => {
  const answerOf = async (question, data = '') => {
    const { text } = await streamedText({ messages: [{ role: 'user',
      content: `Today is 2026-02-27.\n\n${data}\n\nQuestion: ${question}` }] });
    return text;
  };

  it('are from rows in JSON, tables and plain lines', () => {
    const expected = [{ Vendor: 'Ascend', AvgPrice_PerMWh: '48.73' }];
    const norm = (rows) => rows.map((r) => ({ Vendor: r.Vendor, AvgPrice_PerMWh: String(r.AvgPrice_PerMWh) }));
    for (const text of [
      'rows (1): [{"Vendor":"Ascend","AvgPrice_PerMWh":48.73}] end',
      '{"columns":["Vendor","AvgPrice_PerMWh"],"rows":[["Ascend",48.73]]}',
      '{"columns":[{"name":"Vendor"},{"name":"AvgPrice_PerMWh"}],"rows":[["Ascend",48.73]],"stats":{"n":1}}',
      'data\n| Vendor | AvgPrice_PerMWh |\n|---|---|\n| Ascend | 48.73 |\n',
      'Vendor\tAvgPrice_PerMWh\nAscend\t48.73\n',
      'Vendor,AvgPrice_PerMWh\nAscend,48.73\n',
      '- Vendor: Ascend, AvgPrice_PerMWh: 48.73\n',
      'Vendor=Ascend; AvgPrice_PerMWh=48.73',
    ])
      assert.deepEqual(norm(rowsIn(text)), expected, text);
  });

  it('have a price, a comparison, hours and a list from the data in the request', async () => {
    assert.match(await answerOf(QUESTION, '[{"Vendor":"Ascend","AvgPrice_PerMWh":48.73,"DataPoints":8760}]'),
      /\$48\.73\/MWh.*8,760/);
    const compared = await answerOf('Compare Ascend vs Hitachi for SP15 in CAISO for 2025',
      '| Vendor | AsOf | AvgPrice_PerMWh |\n|---|---|---|\n| Ascend | Jan_2025 | 52.14 |\n| Hitachi | Q1_2025 | 54.80 |');
    assert.match(compared, /\$2\.66\/MWh \(5\.1%\) higher/);
    assert.match(await answerOf('hourly prices for NP15', 'HOUR,AvgPrice_PerMWh\n3,20.10\n19,80.25\n'), /hour 3 .*20\.10.*hour 19/);
    assert.match(await answerOf('Which curves are available for SP15?',
      '[{"vendor":"Ascend","market":"CAISO","hubzone":"SP15","asof":"Jan_2025"}]'), /Ascend, CAISO, SP15, Jan_2025/);
  });

  it('have no price without data', async () => {
    assert.doesNotMatch(await answerOf('price for NP99 in 2031 from Ascend', 'outcome: no_data, rows: 0'), /\$\d/);
    assert.doesNotMatch(await answerOf('What can you do?'), /\$\d/);
  });
});
