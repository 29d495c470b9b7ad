/* What is suggested leads to an answer: all that the page offers first, and whatever is suggested from there on. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const WALK_MAX = 400;

describe('suggestions', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  for (const role of ['viewer', 'analyst', 'manager'])
    it(`lead a ${role} to answers, however long they are followed`, async (t) => {
      const token = mintToken({ role });
      const { data } = await (await fetch(`${d.url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).json();
      const queue = data.flatMap((agent) => agent.examples);
      const seen = new Map(queue.map((question) => [question, 'an example']));
      let asks = 0;
      for (let i = 0; i < queue.length && i < WALK_MAX; i++) {
        const turn = await d.ask(queue[i], { token });
        const from = `"${queue[i]}", from ${seen.get(queue[i])}`;
        assert.ok(turn.complete, `${from}: ${JSON.stringify(turn.closing)}`);
        assert.ok(['ok', 'ask'].includes(turn.status), `${from}: ${turn.text}`);
        asks += turn.status === 'ask';
        assert.ok(turn.status === 'ask' || turn.complete.outcomes.some((o) => ['rows', 'empty', 'out_of_window'].includes(o.outcome)),
          `${from}: ${turn.text}`);
        for (const { question } of turn.complete.suggestions)
          if (!seen.has(question)) {
            seen.set(question, `"${queue[i]}"`);
            queue.push(question);
          }
      }
      t.diagnostic(`${role}: ${Math.min(queue.length, WALK_MAX)} of ${queue.length} questions, ${asks} ask`);
      assert.ok(queue.length > data.flatMap((agent) => agent.examples).length, 'something was suggested');
    });
});
