/*
 * Questions that a model answers over Chat Completions, and over two providers: which one is called first, and which
 * one answers if it fails. The mock rejects invalid requests as the service does.
 */

import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { MODEL_KEY, REFERENCE, startDaemon } from './harness.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';
const EXPLORE = { json: { do: [{ Run: 'dayahead_agent' }] } };
const SHORT_TIMEOUTS = { VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '1500', VESPER_LLM_TIMEOUTS_MS_IDLE: '1500',
  VESPER_LLM_BREAKER_FAILURES: '1000' };
const answering = (rule) => [{ when: { kind: 'answer' }, ...rule }, { reply: 'demo' }];
const openaiAt = (mock) => ({ ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined,
  OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: `${mock.url}/v1` });

describe('through Chat Completions', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ env: { ...SHORT_TIMEOUTS, ...openaiAt(mock) } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => {
    mock.use('demo');
    mock.reset();
  });
  afterEach(() => {
    const refused = mock.calls.filter((c) => c.error && !c.fault?.status);
    assert.deepEqual(refused.map((c) => c.error), [], 'the service accepts all requests');
  });

  it('the reference question is answered from the data, in one call', async () => {
    const turn = await d.ask(REFERENCE);
    assert.deepEqual([turn.status, turn.complete.provider, turn.complete.model], ['ok', 'openai', 'gpt-5']);
    assert.match(turn.text, /\$48\.73\/MWh/);
    assert.equal(mock.count, 1);
    assert.equal(mock.calls[0].headers.authorization, `Bearer ${MODEL_KEY}`);
    const { usage } = mock.calls[0].message;
    assert.equal(turn.complete.usage.output_tokens, usage.output_tokens);
    assert.equal(turn.complete.usage.input_tokens + turn.complete.usage.cache_read_tokens, usage.input_tokens
      + usage.cache_read_input_tokens + usage.cache_creation_input_tokens);
  });

  it('the supervisor fills a strict schema', async () => {
    const turn = await d.ask(OPEN_QUESTION);
    assert.ok(turn.complete);
    const route = mock.calls.find((c) => c.kind === 'structured');
    assert.equal(route.chat.response_format.json_schema.strict, true);
    assert.doesNotMatch(turn.text, /"intent"|\{"/);
  });

  const variants = { 'streamed as by OpenAI': {}, 'sent whole, without index or id, with "stop"': { whole_calls: true, no_index: true,
    no_id: true, always_stop: true }, 'without usage or [DONE]': { no_usage: true, no_done: true }, 'with reasoning': { reasoning: true } };
  for (const [name, fault] of Object.entries(variants))
    it(`an agent's loop calls tools ${name}`, async () => {
      mock.use([{ when: { kind: 'structured' }, reply: EXPLORE }, { fault, reply: 'demo' }]);
      const turn = await d.ask('How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?');
      assert.equal(turn.complete?.provider, 'openai', JSON.stringify(turn.closing));
      const tools = mock.calls.filter((c) => c.kind === 'tools');
      assert.ok(tools.length >= 2, 'one call selects tools, the next has their results');
      assert.ok(tools[tools.length - 1].chat.messages.some((m) => m.role === 'tool'));
      assert.equal(turn.complete.outcomes[0]?.outcome, 'rows', JSON.stringify(turn.complete.outcomes));
    });

  const text = 'Preis — “größer” 🟢 als üblich.\n';
  const shapes = { 'byte by byte': { split: 'byte' }, 'inside characters': { split: 'utf8' }, CRLF: { crlf: true },
    'bare CR': { cr: true, split: 7 }, 'a byte order mark': { bom: true }, comments: { comments: true },
    'unknown chunks': { unknown: true }, 'no [DONE]': { no_done: true }, 'a pause': { stall: { after: 2, ms: 300 } },
    'a late first chunk': { first_event_ms: 300 }, 'slow tokens': { token_ms: 60 }, 'chunks of 7 bytes': { split: 7 },
    'an event of 9 MB': { huge: { after: 1, bytes: 9 * 1024 * 1024 } } };
  for (const [name, fault] of Object.entries(shapes))
    it(`the stream: ${name}`, async () => {
      mock.use(answering({ reply: { text }, fault }));
      const turn = await d.ask(REFERENCE);
      assert.deepEqual([turn.complete?.provider, turn.status, turn.text], ['openai', 'ok', text]);
    });

  const faults = { 'error 500': { status: 500 }, 'overloaded 529': { status: 529 }, '429 without retry-after': { status: 429 },
    '429 with retry-after': { status: 429, headers: { 'retry-after': '1' } }, 'a connection reset': { reset: true },
    'an HTML page with 502': { html: true, status: 502 }, 'a 200 without a stream': { body: '{"hello":"there"}' },
    'an early end before tokens': { end: { after: 0 } }, 'no first chunk': { first_event_ms: 60000 }, 'an exhausted quota': { status: 429, error: { type: 'insufficient_quota',
    code: 'insufficient_quota' } }, 'an HTML page with 200': { html: true }, 'an empty 200': { empty: true },
  'invalid bytes before tokens': { garbled: { after: 0 } }, 'an error before tokens': { error: { after: 0 } },
  'a lost connection before tokens': { cut: { after: 0 } }, 'no first byte': { hang: true },
  'an event of 11 MB': { huge: { after: 0, bytes: 11 * 1024 * 1024 } } };
  const callCounts = { 'an exhausted quota': 1, 'an HTML page with 200': 1, 'an event of 11 MB': 1 };
  for (const [name, fault] of Object.entries(faults))
    it(`before the first token, rules answer: ${name}`, async () => {
      mock.use([{ fault }]);
      const turn = await d.ask(REFERENCE);
      assert.deepEqual([turn.status, turn.complete?.provider], ['ok', 'rules'], JSON.stringify(turn.closing));
      assert.match(turn.text, /\$48\.73\/MWh/);
      /* libcurl resends a request if its reused connection is lost before any answer. */
      const resent = fault.reset && mock.count === 4 ? 1 : 0;
      assert.equal(mock.count, (callCounts[name] ?? 3) + resent);
    });

  const laterFaults = { 'a lost connection': { cut: { after: 2 } }, 'an error': { error: { after: 2 } }, 'an early end': { end: { after: 2 } },
    'invalid bytes': { garbled: { after: 2 } }, 'a stall': { stall: { after: 2, ms: 60000 } },
    'an event of 11 MB': { huge: { after: 2, bytes: 11 * 1024 * 1024 } } };
  for (const [name, fault] of Object.entries(laterFaults))
    it(`after the first token, shown text is kept and templates add the rest, without another call: ${name}`, async () => {
      mock.use(answering({ reply: { text: 'red orange yellow green' }, fault }));
      const turn = await d.ask(REFERENCE);
      assert.equal(turn.status, 'ok');
      assert.match(turn.text, /^red orange ?…\n\nThe rest of the findings, without a model:\n\n.*48\.73/s);
      assert.equal(mock.count, 1);
    });

  it('a refusal is reported, and its text is not shown as an answer', async () => {
    mock.use(answering({ reply: { refusal: 'NOTSHOWN' } }));
    const turn = await d.ask(REFERENCE);
    assert.equal(turn.status, 'refused');
    assert.doesNotMatch(JSON.stringify(turn.frames), /NOTSHOWN/);
  });
});

describe('two providers', () => {
  let first;
  let second;
  let d;

  before(async () => {
    [first, second] = [await startMock(), await startMock()];
    d = await startDaemon({ mock: first, env: { ...SHORT_TIMEOUTS, OPENAI_API_KEY: 'other-key', OPENAI_BASE_URL: `${second.url}/v1`,
      VESPER_LLM_ROLES_ROUTE_PROVIDER: 'openai' } });
  });
  after(async () => {
    await d?.stop();
    await Promise.all([first?.close(), second?.close()]);
  });
  beforeEach(() => {
    for (const m of [first, second]) {
      m.use('demo');
      m.reset();
    }
  });

  it('each role has its own preferred provider', async () => {
    const turn = await d.ask(OPEN_QUESTION);
    assert.deepEqual([second.calls.map((c) => c.kind), turn.complete.provider], [['structured'], 'anthropic']);
  });

  it('a failure before the first token falls back to the next provider', async () => {
    first.use([{ fault: { status: 529 } }]);
    const turn = await d.ask(REFERENCE);
    assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'openai']);
    assert.match(turn.text, /48\.73/);
    assert.deepEqual([first.count, second.count], [3, 1]);
  });

  it('a bad request is not repeated, but sent to the next provider', async () => {
    first.use([{ fault: { status: 400 } }]);
    const turn = await d.ask(REFERENCE);
    assert.deepEqual([turn.complete.provider, first.count, second.count], ['openai', 1, 1]);
  });

  it('rules answer if both fail; neither sees the other\'s key', async () => {
    first.use([{ fault: { status: 401 } }]);
    second.use([{ fault: { status: 401 } }]);
    const turn = await d.ask(REFERENCE);
    assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'rules']);
    assert.match(turn.text, /48\.73/);
    assert.doesNotMatch(JSON.stringify(first.calls.map((c) => [c.headers, c.raw])), /other-key/);
    assert.doesNotMatch(JSON.stringify(second.calls.map((c) => [c.headers, c.raw])), /mock-key/);
  });
});
