/*
 * Spending on models: it is counted from the usage that the service reports and causes a warning near the limit. At
 * the limit no model is called, and rules still answer. Spending is not lost if the process is killed.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, refusedStart, REPLICAS, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';
const limits = (...list) => ({ VESPER_LLM_BUDGETS: JSON.stringify(list), VESPER_LLM_ROLES_ANSWER_MAX_TOKENS: '200',
  VESPER_LLM_ROLES_ROUTE_MAX_TOKENS: '200' });
const usage = (input, output) => ({ input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
  output_tokens: output });
const answerWith = (input, output) => [{ when: { kind: 'answer' }, reply: { text: 'It was so.', usage: usage(input, output) } },
  { reply: 'demo' }];

describe('costs', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock({ script: answerWith(1000, 100) });
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  it('chat.complete states them in dollars, from the price list', async () => {
    const { complete } = await d.ask(REFERENCE);
    assert.equal(complete.usage.cost_usd, (1000 * 3 + 100 * 15) / 1e6);
    assert.equal(complete.usage.budget, undefined, 'without a limit, no budget is reported');
  });
});

/* Replicas read the spending of others with a delay of seconds: replicas.test.mjs tests the limits. */
const IN_ONE_PROCESS = { skip: REPLICAS > 0 };

describe('a daily limit for each user', IN_ONE_PROCESS, () => {
  let mock;
  let d;
  let dataDir;
  const env = limits({ scope: 'user', period: 'day', tokens: 18000 });
  const as = (sub) => ({ token: mintToken({ sub }) });

  before(async () => {
    dataDir = await tempDir();
    mock = await startMock({ script: answerWith(7000, 100) });
    d = await startDaemon({ mock, env, dataDir });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  it('causes a warning at 80 %; above the limit, rules answer and other questions end in quota', async () => {
    const first = await d.ask(REFERENCE, as('spender'));
    assert.deepEqual([first.complete.provider, first.complete.usage.budget], ['anthropic', undefined]);
    mock.use(answerWith(10000, 100));
    const second = await d.ask(REFERENCE, as('spender'));
    assert.equal(second.complete.provider, 'anthropic');
    assert.deepEqual(second.complete.usage.budget, { scope: 'user', period: 'day', unit: 'tokens', used_percent: 95 });
    const count = mock.count;
    const third = await d.ask(REFERENCE, as('spender'));
    assert.deepEqual([third.status, third.complete.provider], ['ok', 'rules']);
    assert.match(third.text, /48\.73/);
    assert.equal(mock.count, count, 'no call is made that could exceed the limit');
    const open = await d.ask(OPEN_QUESTION, as('spender'));
    assert.deepEqual([open.closing.type, open.closing.code], ['chat.error', 'quota'], JSON.stringify(open.closing));
    assert.equal(mock.count, count);
  });

  it('is visible to administrators, with the users closest to it', async () => {
    const ann = d.rest(mintToken({ sub: 'chief', role: 'admin' }));
    const most_spent = { who: 'spender', tokens: 17200 };
    let data;
    for (let i = 0; i < 100 && JSON.stringify(data?.[0].most_spent) !== JSON.stringify(most_spent); i++, await sleep(50))
      ({ data } = (await ann.get('/api/v1/admin/budgets')).body); /* rows are written asynchronously */
    assert.deepEqual(data, [{ scope: 'user', period: 'day', tokens: 18000, most_spent }]);
    assert.deepEqual((await d.rest(mintToken({ role: 'admin', tenant_id: 'acme' })).get('/api/v1/admin/budgets')).body.data,
      [{ scope: 'user', period: 'day', tokens: 18000 }], 'another tenant does not see the spending');
  });

  it('is separate for each user', async () => {
    assert.equal((await d.ask(REFERENCE, as('thrifty'))).complete.provider, 'anthropic');
  });

  it('survives kill -9', async () => {
    await sleep(300); /* rows are written asynchronously, after the answer */
    await d.kill();
    d = await startDaemon({ mock, env, dataDir });
    const count = mock.count;
    assert.equal((await d.ask(REFERENCE, as('spender'))).complete.provider, 'rules');
    assert.equal(mock.count, count);
    assert.equal((await d.ask(REFERENCE, as('new'))).complete.provider, 'anthropic');
  });
});

it('the latest costs are in the ledger after an orderly shutdown', async () => {
  const dataDir = await tempDir();
  const mock = await startMock({ script: answerWith(17000, 900) });
  const env = limits({ scope: 'user', period: 'day', tokens: 18000 });
  let d = await startDaemon({ mock, env, dataDir });
  assert.equal((await d.ask(REFERENCE)).complete.provider, 'anthropic');
  await d.stop();
  d = await startDaemon({ mock, env, dataDir });
  const { complete } = await d.ask(REFERENCE);
  assert.deepEqual([complete.provider, complete.usage.budget?.used_percent], ['rules', 99]);
  assert.equal(mock.count, 1);
  await d.stop();
  await mock.close();
});

it('a plan of agents does not start if the budget is too low for one', async () => {
  const mock = await startMock({ script: [
    { when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'dayahead_agent' }] }, usage: usage(7000, 20) } },
    { reply: 'demo' }] });
  const d = await startDaemon({ mock, env: { ...limits({ scope: 'user', period: 'day', tokens: 9000 }),
    VESPER_LLM_ROLES_AGENT_MAX_TOKENS: '4000' } });
  const turn = await d.ask(OPEN_QUESTION);
  assert.deepEqual([turn.closing.type, turn.closing.code], ['chat.error', 'quota'], JSON.stringify(turn.closing));
  assert.ok(!turn.frames.some((f) => f.type === 'chat.status' && ['planning', 'running'].includes(f.phase)),
    JSON.stringify(turn.frames));
  assert.equal(mock.count, 1);
  await d.stop();
  await mock.close();
});

describe('concurrent turns', IN_ONE_PROCESS, () => {
  it('never spend more than the limit together', async () => {
    const mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'It was so.' }, fault: { first_byte_ms: 500 } }] });
    const d = await startDaemon({ mock, env: limits({ scope: 'tenant', period: 'month', tokens: 6000 }) });
    try {
      const turns = await Promise.all(Array.from({ length: 8 }, (_, i) => d.ask(REFERENCE, { token: mintToken({ sub: `u${i}` }) })));
      const paid = turns.filter((t) => t.complete.provider === 'anthropic');
      assert.ok(paid.length >= 1, 'the budget allows some calls');
      assert.equal(mock.count, paid.length);
      assert.ok(mock.count < 8, `${mock.count} calls`);
      const spent = mock.calls.reduce((n, c) => n + c.message.usage.input_tokens + c.message.usage.cache_creation_input_tokens
        + c.message.usage.cache_read_input_tokens + c.message.usage.output_tokens, 0);
      assert.ok(spent <= 6000, `${spent} tokens`);
      assert.ok(turns.every((t) => t.status === 'ok'), 'every turn is answered');
    } finally {
      await d.stop();
      await mock.close();
    }
  });
});

it('a limit in dollars requires a price for every model', async () => {
  await refusedStart({ env: { ANTHROPIC_API_KEY: 'k', VESPER_LLM_ROLES_ANSWER_MODEL: 'nobody-knows',
    ...limits({ scope: 'tenant', period: 'day', usd: 5 }) } }, /price/, /nobody-knows/);
  await refusedStart({ env: { VESPER_LLM_BUDGETS: '[{"scope":"planet","period":"day","usd":1}]' } }, /scope/);
  await refusedStart({ env: { VESPER_LLM_BUDGETS: '[{"scope":"user","period":"day"}]' } }, /limits nothing/);
});
