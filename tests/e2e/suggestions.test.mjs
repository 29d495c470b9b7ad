/* What is suggested leads to an answer: all that the page offers first, and whatever is suggested from there on. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const WALK_MAX = 400;
/* What the page offers before anything was asked. */
const [, STARTED] = /STARTERS = \[([^]*?)\];/.exec(await readFile(join(ROOT, 'src/widget/pages/demo.js'), 'utf8'));
const STARTERS = [...STARTED.matchAll(/'([^']+)'/g)].map(([, text]) => text);

describe('suggestions', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  /* What is asked back is answered with the first choice. */
  async function answer(question, token) {
    const chat = await d.connect({ token });
    let turn = await chat.ask(question);
    let asked = 0;
    for (; turn.status === 'ask' && turn.ask?.options?.length > 0 && asked < 3; asked++) {
      chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: [turn.ask.options[0].value] });
      turn = await chat.turn();
    }
    await chat.close();
    return { turn, asked };
  }

  for (const role of ['viewer', 'analyst', 'manager'])
    it(`lead a ${role} to answers, however long they are followed`, async (t) => {
      const token = mintToken({ role });
      assert.ok(STARTERS.length > 0);
      const { data } = await (await fetch(`${d.url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).json();
      /* Entrances: an example of a domain may need what this role lacks, and is offered in no chat where code can't read it. */
      const queue = [...new Set([...STARTERS, 'What can you do?', 'Hello', ...data.flatMap((agent) => agent.examples),
        ...data.flatMap((agent) => agent.starters)])];
      const entrances = queue.length;
      assert.ok(data.some((agent) => agent.starters.length > 0), 'flows are offered');
      const seen = new Map(queue.map((question) => [question, 'an entrance']));
      let asks = 0;
      for (let i = 0; i < queue.length && i < WALK_MAX; i++) {
        const { turn, asked } = await answer(queue[i], token);
        const from = `"${queue[i]}", from ${seen.get(queue[i])}`;
        assert.ok(turn.complete, `${from}: ${JSON.stringify(turn.closing)}`);
        assert.ok(i < entrances || ['ok', 'ask'].includes(turn.status), `${from}: ${turn.text}`);
        asks += asked;
        assert.ok(turn.status === 'ok' || role !== 'manager' || !STARTERS.includes(queue[i]), from);
        assert.ok(i < entrances || turn.status === 'ask' || turn.complete.outcomes.some((o) => ['rows', 'empty', 'out_of_window'].includes(o.outcome)),
          `${from}: ${turn.text}`);
        for (const { question } of turn.complete.suggestions)
          if (!seen.has(question)) {
            seen.set(question, `"${queue[i]}"`);
            queue.push(question);
          }
      }
      t.diagnostic(`${role}: ${Math.min(queue.length, WALK_MAX)} of ${queue.length} questions, ${asks} ask`);
      assert.ok(queue.length > entrances, 'something was suggested');
    });
});
