/*
 * Two daemons on one store share limits: each learns the consumption of the other within seconds, and both stop
 * calling the model when the limit is reached.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';

const LIMIT = 18000;
const TRIES = 80;
const PAUSE_MS = 500;
const usage = (input, output) => ({ input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
  output_tokens: output });
const answer = (input, output) => [{ when: { kind: 'answer' }, reply: { text: 'It was so.', usage: usage(input, output) } },
  { reply: 'demo' }];

describe('a limit that two daemons share', () => {
  const env = { VESPER_LLM_BUDGETS: JSON.stringify([{ scope: 'tenant', period: 'day', tokens: LIMIT }]),
    VESPER_LLM_ROLES_ANSWER_MAX_TOKENS: '200' };
  let pg;
  let mock;
  let one;
  let other;

  before(async () => {
    pg = await installedPostgres();
    mock = await startMock({ script: answer(100, 10) });
    one = await pg.start({ mock, env });
    other = await pg.start({ mock, env });
  });
  after(async () => {
    await one?.stop();
    await other?.stop();
    await mock?.close();
    await pg?.service('stop');
  });

  it('is exhausted for both when one exhausts it', async () => {
    assert.equal((await other.ask(REFERENCE)).complete.provider, 'anthropic');
    mock.use(answer(17000, 100));
    assert.equal((await one.ask(REFERENCE)).complete.provider, 'anthropic');
    mock.use(answer(10, 1));
    const before = mock.count;
    let last;
    for (let i = 0; i < TRIES && last !== 'rules'; i++) {
      last = (await other.ask(REFERENCE)).complete.provider;
      await sleep(PAUSE_MS);
    }
    assert.equal(last, 'rules', 'the other daemon did not learn of the consumption');
    const ledger = Number(await pg.admin('SELECT sum(tokens) FROM dbo.chat_ledger'));
    console.log(`calls of the other daemon until it noticed: ${mock.count - before}; ledger: ${ledger} of ${LIMIT} tokens`);
    assert.ok(ledger <= LIMIT + (mock.count - before) * 11, `${ledger}`);
    assert.equal((await one.ask(REFERENCE)).complete.provider, 'rules');
  });
});
