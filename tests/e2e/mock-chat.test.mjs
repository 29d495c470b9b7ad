/*
 * The official SDK of OpenAI with the mock: text, tools, refusals, usage and errors are read as from the real service.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { startMock } from '../mock/anthropic.mjs';

const QUESTION = 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?';
const ASK = { model: 'gpt-5', messages: [{ role: 'user', content: QUESTION }] };
const TOOL = { type: 'function', function: { name: 'get_average_annual_price', description: 'Average price of a year',
  strict: true, parameters: { type: 'object', additionalProperties: false, required: ['vendor', 'hub_zone', 'year'],
    properties: { vendor: { type: 'string' }, hub_zone: { type: 'string' }, year: { type: 'integer' } } } } };

let mock;
let client;

before(async () => {
  mock = await startMock();
  client = new OpenAI({ apiKey: 'k', baseURL: `${mock.url}/v1`, maxRetries: 0 });
});
after(() => mock.close());
beforeEach(() => {
  mock.use('demo');
  mock.reset();
});

async function streamedText(extra = {}) {
  const stream = client.chat.completions.stream({ ...ASK, stream_options: { include_usage: true }, ...extra });
  let text = '';
  stream.on('content', (delta) => {
    text += delta;
  });
  const final = await stream.finalChatCompletion();
  return { text, final };
}

describe('the SDK reads', () => {
  it('text, streamed and complete, with usage', async () => {
    mock.use([{ reply: { text: 'The price was $48.73/MWh — “exact” ✓ 🟢.', usage: { output_tokens: 17 } } }]);
    const { text, final } = await streamedText();
    assert.equal(text, 'The price was $48.73/MWh — “exact” ✓ 🟢.');
    assert.equal(final.choices[0].finish_reason, 'stop');
    assert.equal(final.usage.completion_tokens, 17);
    assert.ok(final.usage.prompt_tokens > 0);
    assert.equal((await client.chat.completions.create(ASK)).choices[0].message.content, text);
    assert.equal(mock.count, 2);
    assert.equal(mock.calls[0].headers.authorization, 'Bearer k');
  });

  it('tool calls, and an answer to their results', async () => {
    const { final } = await streamedText({ tools: [TOOL] });
    const [choice] = final.choices;
    assert.equal(choice.finish_reason, 'tool_calls');
    const [call] = choice.message.tool_calls;
    assert.deepEqual(JSON.parse(call.function.arguments), { vendor: 'Ascend', hub_zone: 'NP15', year: 2025 });
    const { text } = await streamedText({ tools: [TOOL], messages: [...ASK.messages,
      { role: 'assistant', content: choice.message.content, tool_calls: choice.message.tool_calls.map(({ id, type, function: f }) =>
        ({ id, type, function: { name: f.name, arguments: f.arguments } })) },
      { role: 'tool', tool_call_id: call.id, content: '[{"Vendor":"Ascend","AvgPrice_PerMWh":48.73,"DataPoints":8760}]' }] });
    assert.match(text, /48\.73/);
  });

  it('structured output, a refusal, a truncated answer', async () => {
    const schema = { type: 'object', additionalProperties: false, required: ['vendor'], properties: { vendor: { type: 'string' } } };
    const { text } = await streamedText({ response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } });
    assert.deepEqual(JSON.parse(text), { vendor: 'Ascend' });
    mock.use([{ reply: { refusal: 'I cannot help with that.' } }]);
    assert.equal((await streamedText()).final.choices[0].message.refusal, 'I cannot help with that.');
    mock.use([{ reply: { text: 'cut', stop_reason: 'max_tokens' } }]);
    assert.equal((await client.chat.completions.create(ASK)).choices[0].finish_reason, 'length');
  });

  it('the list of models', async () => {
    const ids = [];
    for await (const m of client.models.list())
      ids.push(m.id);
    assert.ok(ids.includes('gpt-5'));
    assert.equal(mock.count, 0);
  });
});

describe('the SDK reads a stream in any form', () => {
  const text = 'Preis: **$48.73/MWh** — “größer” als 🟡.\n';
  const faults = { 'byte by byte': { split: 'byte' }, 'inside characters': { split: 'utf8' }, CRLF: { crlf: true },
    'bare CR': { cr: true, split: 7 }, comments: { comments: true }, 'unknown chunks and members': { unknown: true },
    reasoning: { reasoning: true }, 'slow tokens': { token_ms: 1 } };
  for (const [name, fault] of Object.entries(faults))
    it(name, async () => {
      mock.use([{ reply: { text }, fault }]);
      assert.equal((await streamedText()).text, text);
    });
});

describe('the SDK reports failures', () => {
  const failureOf = async (fault) => {
    mock.use([{ reply: { text: 'one two three' }, fault }]);
    return client.chat.completions.stream(ASK).finalChatCompletion().then(() => null, (e) => e);
  };

  it('a status with its error', async () => {
    const error = await failureOf({ status: 429, headers: { 'retry-after': '7' },
      error: { type: 'insufficient_quota', message: 'no money', code: 'insufficient_quota' } });
    assert.ok(error instanceof OpenAI.RateLimitError);
    assert.equal(error.code, 'insufficient_quota');
    assert.equal(error.headers.get('retry-after'), '7');
  });

  it('an error inside the stream, a lost connection, invalid bytes', async () => {
    assert.match((await failureOf({ error: { after: 1, type: 'server_error', message: 'gone' } })).message, /gone/);
    assert.ok(await failureOf({ cut: { after: 1 } }));
    assert.ok(await failureOf({ garbled: { after: 1 } }));
    assert.ok(await failureOf({ reset: true }));
    assert.ok(await failureOf({ html: true, status: 502 }));
  });
});

describe('the mock refuses', () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] };
  const cases = {
    'max_tokens with a reasoning model': { max_tokens: 5 },
    'sampling with a reasoning model': { temperature: 0 },
    'an unknown member': { output_config: {} },
    'no messages': { messages: [] },
    'a call without its result': { messages: [...ASK.messages, call] },
    'a result without its call': { messages: [...ASK.messages, { role: 'tool', tool_call_id: 'c', content: 'x' }] },
    'a strict schema that is open': { response_format: { type: 'json_schema',
      json_schema: { name: 'x', strict: true, schema: { type: 'object', properties: { a: { type: 'string' } } } } } },
    'a tool choice without tools': { tool_choice: 'none' },
  };
  for (const [name, change] of Object.entries(cases))
    it(name, async () => {
      await assert.rejects(client.chat.completions.create({ ...ASK, ...change }), { status: 400 });
    });

  it('an unknown model, a missing key', async () => {
    await assert.rejects(client.chat.completions.create({ ...ASK, model: 'claude-x' }), { status: 404, code: 'model_not_found' });
    const res = await fetch(`${mock.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(ASK) });
    assert.equal(res.status, 401);
  });
});
