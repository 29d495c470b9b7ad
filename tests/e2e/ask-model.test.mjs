/*
 * Questions that a model answers over the Anthropic protocol. The mock rejects invalid requests as the service does, so
 * an invalid request appears here as a turn that fell back to rules.
 */

import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { demoReply } from '../mock/demo.mjs';
import { COMPARISON, freePort, REFERENCE, startDaemon } from './harness.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';
const SHORT_TIMEOUTS = {
  VESPER_LLM_TIMEOUTS_MS_CONNECT: '1000', VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '1500',
  VESPER_LLM_TIMEOUTS_MS_IDLE: '1500', VESPER_LLM_BREAKER_FAILURES: '1000',
};
/* The rule applies to calls that write the answer; other calls get the demo replies. */
const answering = (rule) => [{ when: { kind: 'answer' }, ...rule }, { reply: 'demo' }];
const slow = { token_ms: 50 };

describe('through the model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: SHORT_TIMEOUTS });
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

  describe('a working model', () => {
    it('answers the reference question from the data', async () => {
      const turn = await d.ask(REFERENCE);
      assert.equal(turn.status, 'ok');
      assert.equal(turn.complete.provider, 'anthropic');
      assert.match(turn.complete.model, /^claude-/);
      assert.match(turn.text, /\$48\.73\/MWh/);
      assert.match(turn.text, /8,760/);
      assert.equal(turn.tables[0].source.tool, 'get_average_annual_price');
    });

    it('takes at most two calls, counts them, and adds up their tokens', async () => {
      const { complete } = await d.ask(REFERENCE);
      assert.ok(mock.count >= 1 && mock.count <= 2, `${mock.count} calls`);
      assert.equal(complete.usage.calls, mock.count);
      const sum = (name) => mock.calls.reduce((n, c) => n + c.message.usage[name], 0);
      assert.equal(complete.usage.input_tokens, sum('input_tokens'));
      assert.equal(complete.usage.output_tokens, sum('output_tokens'));
      assert.equal(complete.usage.cache_read_tokens, sum('cache_read_input_tokens'));
    });

    it('compares two vendors from the derived facts', async () => {
      const turn = await d.ask(COMPARISON);
      assert.equal(turn.complete.provider, 'anthropic');
      for (const figure of ['52.14', '54.80', '2.66', '5.1'])
        assert.ok(turn.text.includes(figure), `${figure} in: ${turn.text}`);
    });

    it('routes questions that code cannot route with structured output', async () => {
      const turn = await d.ask(OPEN_QUESTION);
      assert.ok(turn.complete);
      const route = mock.calls.find((c) => c.kind === 'structured');
      assert.ok(route, `no structured call among ${mock.calls.map((c) => c.kind)}`);
      assert.doesNotMatch(turn.text, /"intent"|\{"/, 'the JSON is not shown');
    });

    it('shows only the answer, not intermediate model text', async () => {
      mock.use([{ reply: (body) => {
        const reply = demoReply(body);
        if (reply.kind === 'answer')
          return { text: `${reply.text} ANSWERMARK` };
        return { ...reply, text: reply.json ? undefined : 'LOOPMARK', thinking: 'THINKMARK' };
      } }]);
      for (const question of [REFERENCE, OPEN_QUESTION]) {
        const turn = await d.ask(question);
        assert.match(turn.text, /ANSWERMARK/);
        assert.doesNotMatch(JSON.stringify(turn.frames), /LOOPMARK|THINKMARK/);
      }
    });

    it('gets prompts without secrets, tenant or date', async () => {
      await d.ask(REFERENCE);
      for (const call of mock.calls) {
        assert.ok(call.body.max_tokens > 0);
        assert.doesNotMatch(call.raw, /mock-key|end-to-end-secret|eyJ/, 'no key, no token');
        assert.doesNotMatch(call.raw, /tenant_id/, 'the tenant is in no prompt');
        assert.doesNotMatch(JSON.stringify([call.body.system, call.body.tools]), /2026-02-27/,
          'no date in the stable prefix');
      }
    });

    it('gets an identical stable prefix in all turns', async () => {
      await d.ask(REFERENCE);
      await d.ask(COMPARISON);
      const prefixes = new Map();
      for (const call of mock.calls) {
        const prefix = JSON.stringify([call.body.tools, call.body.system]);
        prefixes.set(call.kind, [...(prefixes.get(call.kind) ?? []), prefix]);
      }
      for (const [kind, all] of prefixes)
        assert.equal(new Set(all).size, 1, `${kind}: ${all.length} calls, several prefixes`);
    });

    it('stores the text that was shown', async () => {
      const turn = await d.ask(REFERENCE);
      const messages = await d.rest().messages(turn.session);
      assert.equal(messages[1].content, turn.text);
      assert.equal(messages[1].provider, 'anthropic');
    });
  });

  describe('a stream in an unusual form', () => {
    const text = 'Preis — “größer” 🟢 als üblich.\n\n| Größe | Wert |\n|---|---|\n| ä | 🟡 |\n';
    const shapes = { 'byte by byte': { split: 'byte' }, 'inside characters': { split: 'utf8' }, CRLF: { crlf: true },
      'bare CR, chunks of 7 bytes': { cr: true, split: 7 }, 'a byte order mark': { bom: true }, pings: { ping: true },
      comments: { comments: true }, 'unknown events, deltas, members': { unknown: true },
      'data over two lines': { multi_data: true }, 'a late first event': { first_event_ms: 300 },
      'slow tokens': { token_ms: 60 }, 'a pause': { stall: { after: 4, ms: 500 } }, 'an event of 9 MB': { huge: { after: 1, bytes: 9 * 1024 * 1024 } }, 'no message_stop after a stop_reason': { no_message_stop: true } };
    for (const [name, fault] of Object.entries(shapes))
      it(name, async () => {
        mock.use(answering({ reply: { text }, fault }));
        const turn = await d.ask(REFERENCE);
        assert.equal(turn.complete?.provider, 'anthropic', JSON.stringify(turn.closing));
        assert.equal(turn.status, 'ok');
        assert.equal(turn.text, text);
      });

    it('an unknown stop_reason ends the answer', async () => {
      mock.use(answering({ reply: { text, stop_reason: 'out_of_ink' } }));
      const turn = await d.ask(REFERENCE);
      assert.deepEqual([turn.status, turn.text], ['ok', text]);
    });

    it('thinking before the text is not shown', async () => {
      mock.use(answering({ reply: { thinking: 'secretly', text } }));
      assert.equal((await d.ask(REFERENCE)).text, text);
    });

    it('a paused answer is sent back and continued, at most four times', async () => {
      const pauses = { reply: { thinking: 'hm', text: 'On and ', stop_reason: 'pause_turn' } };
      mock.use([{ ...pauses, times: 2 }, { reply: { text } }]);
      const turn = await d.ask(REFERENCE);
      assert.deepEqual([turn.status, turn.text], ['ok', `On and On and ${text}`]);
      assert.deepEqual([mock.count, turn.complete.usage.calls], [3, 3]);
      assert.deepEqual(mock.calls.map((c) => c.status), [200, 200, 200], 'the service accepts the paused content');

      mock.reset();
      mock.use([pauses]);
      const endless = await d.ask(REFERENCE);
      assert.deepEqual([endless.status, mock.count], ['partial', 5]);
      assert.equal(endless.text, 'On and '.repeat(5));
    });

    it('an answer that reached the token limit is kept', async () => {
      mock.use(answering({ reply: { text, stop_reason: 'max_tokens' } }));
      const turn = await d.ask(REFERENCE);
      assert.ok(['ok', 'partial'].includes(turn.status), turn.status);
      assert.ok(turn.text.startsWith(text));
    });
  });

  describe('failures before the first token: rules answer', () => {
    const faults = {
      'error 500': { status: 500 }, 'overloaded 529': { status: 529 },
      '429 without retry-after': { status: 429 }, '429 with retry-after': { status: 429, headers: { 'retry-after': '1' } },
      '429 with a retry-after of an hour': { status: 429, headers: { 'retry-after': '3600' } },
      'a wrong key 401': { status: 401 }, 'bad request 400': { status: 400 }, 'billing 402': { status: 402 },
      'an HTML page with 200': { html: true }, 'an HTML page with 502': { html: true, status: 502 },
      'an empty 200': { empty: true }, 'a 200 without a stream': { body: '{"hello":"there"}' },
      'invalid bytes before tokens': { garbled: { after: 0 } }, 'an error event before tokens': { error: { after: 0 } },
      'an early end before tokens': { end: { after: 0 } }, 'a lost connection before tokens': { cut: { after: 0 } },
      'a connection reset': { reset: true }, 'no first byte': { hang: true },
      'no first event': { first_event_ms: 60000 }, 'an event of 11 MB': { huge: { after: 0, bytes: 11 * 1024 * 1024 } },
    };
    for (const [name, fault] of Object.entries(faults))
      it(name, async () => {
        mock.use([{ fault }]);
        const turn = await d.ask(REFERENCE);
        assert.ok(mock.count >= 1, 'the model was asked');
        assert.deepEqual([turn.status, turn.complete?.provider], ['ok', 'rules'], JSON.stringify(turn.closing));
        assert.match(turn.text, /\$48\.73\/MWh/);
        assert.equal(turn.text.match(/8,760/g).length, 1, 'the answer is given once');
      });

    it('an open question reports that no model is available, without the cause', async () => {
      for (const status of [401, 404, 500]) {
        mock.use([{ fault: { status } }]);
        const turn = await d.ask(OPEN_QUESTION);
        assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'rules']);
        assert.match(turn.text, /can't be asked right now/);
        assert.doesNotMatch(turn.text, /401|404|500|authentication|key/);
        assert.doesNotMatch(JSON.stringify(turn.frames), /authentication|api.key/);
      }
      assert.match(d.output, /401 authentication_error: the key was rejected/);
      assert.match(d.output, /404 not_found_error/);
    });

    it('retries after a short overload', async () => {
      mock.use([{ times: 1, fault: { status: 529 } }, { reply: 'demo' }]);
      const turn = await d.ask(REFERENCE);
      assert.equal(turn.complete.provider, 'anthropic');
      assert.ok(mock.count >= 2);
    });

    it('recovers from an incomplete route', async () => {
      mock.use([{ when: { kind: 'structured' }, reply: { text: '{"intent":"dayah' } }, { reply: 'demo' }]);
      const turn = await d.ask(OPEN_QUESTION);
      assert.ok(turn.complete, JSON.stringify(turn.closing));
      assert.notEqual(turn.text, '');
    });

    it('reports a refusal', async () => {
      mock.use(answering({ reply: { stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: null, explanation: null } } }));
      const turn = await d.ask(REFERENCE);
      assert.equal(turn.status, 'refused');
      assert.notEqual(turn.text, '');
      const messages = await d.rest().messages(turn.session);
      assert.equal(messages[1].status, 'refused');
    });
  });

  describe('failures after tokens: shown text is kept, and templates add the rest of the findings', () => {
    const text = 'red orange yellow green blue violet white black grey brown'; /* no numbers, so the number check withholds nothing */
    const faults = {
      'a lost connection': { cut: { after: 4 } }, 'an error event': { error: { after: 4 } },
      'an early end': { end: { after: 4 } }, 'invalid bytes': { garbled: { after: 4 } }, 'a stall': { stall: { after: 4, ms: 60000 } },
      'an event of 11 MB': { huge: { after: 4, bytes: 11 * 1024 * 1024 } },
    };
    for (const [name, fault] of Object.entries(faults))
      it(name, async () => {
        mock.use(answering({ reply: { text }, fault: { token_ms: 20, ...fault } }));
        const turn = await d.ask(REFERENCE);
        assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'rules'], JSON.stringify(turn.closing));
        const [shown, added] = turn.text.split('…\n\n');
        assert.ok(shown !== '' && text.startsWith(shown), `shown: ${turn.text}`);
        assert.match(added, /^The rest of the findings, without a model:\n\n.*48\.73/s);
        const messages = await d.rest().messages(turn.session);
        assert.deepEqual([messages[1].status, messages[1].content], ['complete', turn.text]);
      });

    it('a refusal after tokens is stored as shown, and enters no prompt', async () => {
      mock.use(answering({ reply: { text, stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: null, explanation: null } }, fault: { token_ms: 20 } }));
      const turn = await d.ask(REFERENCE);
      assert.equal(turn.status, 'refused');
      const messages = await d.rest().messages(turn.session);
      assert.deepEqual([messages[1].status, messages[1].content], ['refused', turn.text]);
      mock.use('demo');
      mock.reset();
      const chat = await d.connect({ session: turn.session });
      await chat.ask(OPEN_QUESTION);
      await chat.close();
      assert.ok(mock.calls.length > 0);
      assert.ok(mock.calls.every((c) => !c.raw.includes('red orange')), 'the refused text is in no prompt');
    });
  });

  describe('a hostile model', () => {
    it('cannot call nonexistent tools or act as another user', async () => {
      const hostile = { tenant_id: 'vesper', vendor: "Ascend' OR '1'='1", hub_zone: 'NP15"; DROP TABLE x; --', year: 2025 };
      mock.use([{ when: { kind: 'tools' }, times: 3,
        reply: { tools: [{ name: 'general_sql_query', input: { sql: 'SELECT * FROM sqlite_master' } },
          { name: 'get_average_annual_price', input: hostile }] } }, { reply: 'demo' }]);
      for (const question of [OPEN_QUESTION, REFERENCE]) {
        const turn = await d.ask(question);
        assert.ok(turn.closing);
        assert.doesNotMatch(JSON.stringify(turn.frames), /sqlite_master|CREATE TABLE/i);
      }
      assert.equal((await d.rest(null).get('/health')).body.status, 'healthy');
    });
  });

  describe('cancellation', () => {
    const longAnswer = { text: 'word '.repeat(400) };

    async function beginSlowTurn(chat) {
      mock.use(answering({ reply: longAnswer, fault: slow }));
      const { turn_id: id } = await chat.begin(REFERENCE);
      await chat.untilTokens(2);
      return { id, call: mock.calls[mock.calls.length - 1] };
    }

    async function checkCancelled(t, call, from) {
      await mock.when(() => call.aborted, 5000);
      t.diagnostic(`the transfer ended ${call.endedAt - from} ms after the cancellation`);
      const count = mock.count;
      await sleep(500);
      assert.equal(mock.count, count, 'no further call is made');
    }

    it('by chat.cancel', async (t) => {
      const chat = await d.connect();
      const { id, call } = await beginSlowTurn(chat);
      const from = Date.now();
      chat.send({ type: 'chat.cancel', turn_id: id });
      const closing = await chat.until((f) => f.type === 'chat.complete');
      assert.equal(closing.status, 'cancelled');
      await checkCancelled(t, call, from);
      const shown = chat.all.filter((f) => f.type === 'chat.token').map((f) => f.token).join('');
      const messages = await d.rest().messages(chat.session);
      assert.deepEqual([messages[1].status, messages[1].content], ['cancelled', shown]);
      mock.use('demo');
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/, 'the session continues');
      await chat.close();
    });

    it('by a close with 1000', async (t) => {
      const chat = await d.connect();
      const { call } = await beginSlowTurn(chat);
      const from = Date.now();
      await chat.close(1000);
      await checkCancelled(t, call, from);
      const messages = await d.rest().messagesWhen(chat.session, (m) => m.length === 2);
      assert.equal(messages[1].status, 'cancelled');
      assert.ok(longAnswer.text.startsWith(messages[1].content) && messages[1].content !== '');
    });

    it('by DELETE of the turn', async (t) => {
      const chat = await d.connect();
      const { id, call } = await beginSlowTurn(chat);
      const from = Date.now();
      const reply = await d.rest().delete(`/api/v1/turns/${id}`);
      assert.ok([200, 202, 204].includes(reply.status), `${reply.status} ${reply.text}`);
      assert.equal((await chat.until((f) => f.type === 'chat.complete')).status, 'cancelled');
      await checkCancelled(t, call, from);
      await chat.close();
    });

    it('does not happen during the grace period after a lost connection', async () => {
      const chat = await d.connect();
      const { call } = await beginSlowTurn(chat);
      await chat.cut();
      await sleep(600);
      assert.equal(call.aborted, false, 'still running');
      const again = await d.connect({ session: chat.session });
      again.send({ type: 'resume', turn_id: chat.all[1].turn_id, last_seq: 0 });
      await again.untilTokens(5);
      await again.close(1000);
      await mock.when(() => call.aborted, 5000);
    });

    it('by a close before the model has started', async (t) => {
      const chat = await d.connect();
      mock.use([{ fault: { hang: true } }]);
      const called = mock.when(() => mock.count === 1);
      await chat.begin(REFERENCE);
      await called;
      const from = Date.now();
      await chat.close(1000);
      await checkCancelled(t, mock.calls[0], from);
    });
  });
});

describe('without a grace period', () => {
  it('a lost connection cancels at once', async (t) => {
    const mock = await startMock({ script: answering({ reply: { text: 'word '.repeat(400) }, fault: slow }) });
    t.after(() => mock.close());
    const d = await startDaemon({ mock, env: { VESPER_LIMITS_GRACE_S: '0' } });
    t.after(() => d.stop());
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const call = mock.calls[mock.calls.length - 1];
    const from = Date.now();
    await chat.cut();
    await mock.when(() => call.aborted, 5000);
    t.diagnostic(`the transfer ended ${call.endedAt - from} ms after the connection was lost`);
    const count = mock.count;
    await sleep(500);
    assert.equal(mock.count, count);
    const messages = await d.rest().messagesWhen(chat.session, (m) => m.length === 2);
    assert.ok(['cancelled', 'interrupted'].includes(messages[1].status), messages[1].status);
  });
});

describe('the model is unavailable', () => {
  it('if its port is closed, rules answer, and health reports it', async (t) => {
    const d = await startDaemon({ env: { ...SHORT_TIMEOUTS, ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${await freePort()}`, VESPER_LLM_BREAKER_FAILURES: '2' } });
    t.after(() => d.stop());
    for (let i = 0; i < 3; i++) {
      const turn = await d.ask(REFERENCE);
      assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'rules']);
      assert.match(turn.text, /48\.73/);
    }
    const { status, body } = await d.rest(null).get('/health');
    assert.equal(status, 200);
    assert.equal(body.status, 'degraded', JSON.stringify(body));
    assert.equal((await d.rest(null).get('/readyz')).status, 200, 'rules can answer, so the daemon is ready');
  });

  it('a health probe calls no model', async (t) => {
    const mock = await startMock();
    t.after(() => mock.close());
    const d = await startDaemon({ mock });
    t.after(() => d.stop());
    for (const path of ['/livez', '/readyz', '/health'])
      await d.rest(null).get(path);
    assert.equal(mock.count, 0);
  });
});
