/*
 * Questions with a guardrail model, over the real wire protocol: `checks.guardrails: model`. Late, broken and busy
 * models, turns that are cancelled meanwhile, and recordings.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, REFERENCE, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';

const OPEN = 'What would you tell a new colleague about the work we do here?';
const GUARDRAIL = { kind: 'structured', user: 'Judge this question' };
const withGuardrail = (rule) => [{ when: GUARDRAIL, ...rule }, { reply: 'demo' }];
const verdict = (word) => ({ reply: { json: { verdict: word } } });
const LATE_MS = 2000; /* the time limit of the guardrail check */

describe('questions with a guardrail model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { VESPER_CHECKS_GUARDRAILS: 'model', VESPER_LLM_BREAKER_FAILURES: '1000' } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => mock.reset());
  const guardrailCalls = () => mock.calls.filter((c) => /Judge this question/.test(c.raw));

  it('the guardrail model is called once, in parallel with the supervisor, only if code is unsure', async () => {
    mock.use(withGuardrail(verdict('fine')));
    await d.ask(REFERENCE);
    assert.equal(guardrailCalls().length, 0);
    const turn = await d.ask(OPEN);
    assert.equal(turn.status, 'ok');
    assert.equal(guardrailCalls().length, 1);
    assert.equal(turn.complete.usage.by.route.calls, 2);
    assert.ok(JSON.stringify(guardrailCalls()[0].body).length < 6000, 'its prompt is short');
  });

  it('the guardrail model and the supervisor are called concurrently', async () => {
    mock.use([{ when: GUARDRAIL, fault: { first_byte_ms: 400 }, ...verdict('fine') },
      { when: { kind: 'structured' }, fault: { first_byte_ms: 400 }, reply: { json: { do: [] } } }, { reply: 'demo' }]);
    const asked = d.ask(OPEN);
    await mock.when(() => mock.calls.length === 2);
    assert.ok(mock.calls.every((c) => !c.done), 'neither has answered');
    assert.equal((await asked).status, 'ok');
  });

  for (const [word, code] of [['no_antecedent', 'AMBIGUOUS_REFERENCE'], ['outside_data', 'OUT_OF_CONTEXT'],
    ['impossible', 'MISLEADING_QUERY'], ['injection', 'INPUT_VALIDATION_FAILED']])
    it(`${word} is refused as by code, with suggested questions that work`, async () => {
      mock.use(withGuardrail(verdict(word)));
      const turn = await d.ask(OPEN);
      assert.equal(turn.status, 'refused');
      const view = turn.views.find((v) => v.view_type === 'error');
      assert.equal(view.error_code, code);
      assert.ok(view.suggestions.length > 0);
      assert.deepEqual(turn.complete.outcomes, []);
      assert.ok(!mock.calls.some((c) => c.kind === 'answer'), 'no answer is written');
      const next = await d.ask(view.suggestions[0]);
      assert.equal(next.status, 'ok');
    });

  it('a refusal that arrives first cancels the supervisor', async () => {
    mock.use([{ when: GUARDRAIL, ...verdict('injection') }, { when: { kind: 'structured' }, fault: { hang: true } }]);
    assert.equal((await d.ask(OPEN)).status, 'refused');
    await mock.when(() => mock.calls.some((c) => c.aborted));
  });

  for (const [name, rule] of Object.entries({
    'returns an unknown verdict': { reply: { json: { verdict: 'perhaps' } } },
    'answers in prose': { reply: { text: 'I would call this an injection.' } },
    'returns nothing': { reply: { text: '' } },
    'is overloaded': { fault: { status: 529 } },
    'loses its connection': { fault: { reset: true } },
    'refuses the request': { fault: { status: 400 } },
    'never answers': { fault: { hang: true } },
  }))
    it(`a guardrail model that ${name} prevents no answer`, async () => {
      mock.use(withGuardrail(rule));
      const turn = await d.ask(OPEN);
      assert.equal(turn.status, 'ok');
      assert.equal(turn.complete.provider, 'anthropic');
      assert.ok(turn.complete.latency_ms < LATE_MS + 8000);
    });

  it('a cancelled turn cancels the guardrail call', async () => {
    mock.use([{ when: { kind: 'structured' }, fault: { hang: true } }]);
    const chat = await d.connect();
    const turn = chat.ask(OPEN);
    await mock.when(() => mock.calls.length === 2);
    chat.send({ type: 'chat.cancel' });
    assert.equal((await turn).status, 'cancelled');
    await mock.when(() => mock.calls.filter((c) => c.aborted).length === 2);
    await chat.close();
  });
});

describe('the guardrail call and the budget', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock({ script: withGuardrail(verdict('injection')) });
    d = await startDaemon({ mock, env: { VESPER_CHECKS_GUARDRAILS: 'model', VESPER_LLM_ROLES_ROUTE_MAX_TOKENS: '200',
      VESPER_LLM_ROLES_ANSWER_MAX_TOKENS: '200',
      VESPER_LLM_BUDGETS: JSON.stringify([{ scope: 'user', period: 'day', tokens: 3800 }]) } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  it('the supervisor gets the remaining budget; the guardrail call is skipped', async () => {
    const turn = await d.ask(OPEN);
    assert.ok(mock.count > 0);
    assert.ok(!mock.calls.some((c) => /Judge this question/.test(c.raw)));
    assert.equal(turn.status, 'ok');
  });
});

describe('a recorded guardrail call', () => {
  it('gives the same result when the turn is replayed', async () => {
    const folder = join(await tempDir('vetted'), 'rec');
    const mock = await startMock({ script: withGuardrail(verdict('outside_data')) });
    const d = await startDaemon({ mock, args: ['--record', folder], env: { VESPER_CHECKS_GUARDRAILS: 'model' } });
    assert.equal((await d.ask(OPEN)).status, 'refused');
    await d.stop();
    await mock.close();
    const env = { PATH: process.env.PATH, VESPER_WAREHOUSE_DIR: await demoWarehouse(), ANTHROPIC_API_KEY: 'never-used',
      VESPER_CHECKS_GUARDRAILS: 'model',
      ...Object.fromEntries(Object.entries(process.env).filter(([n]) => /^[ALU]+SAN_OPTIONS$|^ODBC/.test(n))) };
    const { stdout } = await run(VESPERCTL, ['eval', folder, '--json'], { cwd: ROOT, env });
    const [result] = JSON.parse(stdout);
    assert.equal(result.ok, true, stdout);
  });
});
