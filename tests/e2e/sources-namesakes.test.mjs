/*
 * Data sources of several owners with the same names, shared with one user: a question is answered from the only
 * one that can answer it, or from the named owner's; otherwise it is asked which. Rows of two are never combined.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startDaemon } from './harness.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const ROWS = 40;
const file = (cents) => `order_no,cust,amount\n${Array.from({ length: ROWS }, (_, i) => `A${i},C${i % 4},${i}.${cents}`).join('\n')}\n`;
const sumOf = (cents, keep = () => true) => Array.from({ length: ROWS }, (_, i) => i).filter(keep).reduce((sum, i) => sum + i + cents / 100, 0);
const caller = (sub) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] });

let d, ann, bob;
before(async () => {
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
  ann = new Sources(d, caller('ann'));
  bob = new Sources(d, caller('bob'));
  await ann.loaded(file(25), 'name=Orders.csv');
  const theirs = await bob.loaded(file(75), 'name=Orders.csv');
  await bob.share(theirs.id, { visibility: 'tenant' });
  await ann.loaded('cust,segment\nC0,Retail\nC1,Public\n', 'name=Customers.csv');
  await until('all sources are ready', async () => (await ann.list()).length === 3);
});
after(() => d?.stop());

const withoutCommas = (text) => text.replaceAll(',', '');
const numbers = (turn) => withoutCommas(turn.text + JSON.stringify(turn.views ?? '')).match(/\d+\.?\d*/g).map(Number);

async function withChat(token, use) {
  const chat = await d.connect({ token });
  try {
    return await use(chat);
  } finally {
    await chat.close();
  }
}

describe('data sources of the same name', () => {
  it('lead to a question with owner, size and date, and are answered one at a time', async () => {
    for (const question of ['total amount', 'total amount in Orders', 'total amount by cust', 'total amount for cust C1', 'How many orders are there?'])
      for (const [owner, cents] of [['ann', 25], ['bob', 75]])
        await withChat(ann.token, async (chat) => {
          const asked = await chat.ask(question);
          assert.equal(asked.status, 'ask', `${question}: ${asked.text}`);
          assert.match(asked.text, /several data sources\. Which one do you mean\?/);
          assert.deepEqual(asked.ask.options.map((o) => o.label.replace(/\d{4}-\d\d-\d\d/, 'DAY')), ['Orders (ann, 40 rows, DAY)', 'Orders (bob, 40 rows, DAY)']);
          chat.send({ type: 'chat.select', ask_id: asked.ask.ask_id, values: [asked.ask.options.find((o) => o.label.includes(owner)).value] });
          const turn = await chat.turn();
          const expected = /cust C1/.test(question) ? sumOf(cents, (i) => i % 4 === 1) : /by cust/.test(question) ? sumOf(cents, (i) => i % 4 === 3)
            : /many/.test(question) ? ROWS : sumOf(cents);
          assert.ok(numbers(turn).includes(expected), `${question}, ${owner}: ${expected} in ${turn.text}`);
          assert.ok(!numbers(turn).includes(sumOf(25) + sumOf(75)) && !numbers(turn).includes(2 * ROWS));
        });
  });

  it('are distinguished by the given owner', async () => {
    for (const [owner, cents] of [['ann', 25], ['bob', 75]])
      for (const question of [`total amount in the Orders of ${owner}`, `total amount by cust in the orders of ${owner}`]) {
        const turn = await withChat(ann.token, (chat) => chat.ask(question));
        assert.equal(turn.status, 'ok', turn.text);
        assert.ok(numbers(turn).includes(/by cust/.test(question) ? sumOf(cents, (i) => i % 4 === 0) : sumOf(cents)), `${question}: ${turn.text}`);
      }
  });

  it('need no question if the user has one of them, or only one can answer', async () => {
    const alone = await withChat(bob.token, (chat) => chat.ask('total amount'));
    assert.ok(numbers(alone).includes(sumOf(75)), alone.text);
    const [orders] = (await ann.list()).filter((s) => s.name === 'Orders' && s.is_owner), [customers] = (await ann.list()).filter((s) => s.name === 'Customers');
    assert.equal((await ann.rest.call('PUT', `/api/v1/data-sources/${orders.id}/joins`, { json: { joins: [{ to: customers.id, on: [['cust', 'cust']] }] } })).status, 204);
    const turn = await until('the join is in use', async () => {
      const one = await withChat(ann.token, (chat) => chat.ask('total amount by segment'));
      return one.status === 'ok' && /Retail/.test(one.text) && one;
    });
    assert.ok(numbers(turn).includes(sumOf(25, (i) => i % 4 === 0)), turn.text);
  });
});

describe('many wide data sources', () => {
  it('are all queried, with more than a thousand columns', async () => {
    const one = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
    try {
      const headers = ['region', ...Array.from({ length: 60 }, (_, i) => `value ${i}`)];
      const text = (n) => `${headers.join(',')},only${n}\n${['N', 'S', 'N', 'S'].map((r, k) => `${r},${headers.slice(1).map((_, c) => `${(k * 7 + c * 3) % 11}.5`).join(',')},${k}.25`).join('\n')}\n`;
      for (let n = 0; n < 20; n++) /* a user may load ten files an hour */
        assert.equal((await new Sources(one, caller(`wide${n % 2}`)).loaded(text(n), `name=Wide${n}.csv`)).state, 'ready');
      const { body } = await new Sources(one, caller('wide1')).rest.post('/api/v1/chat', { content: 'total only19 by region' });
      assert.match(body.text, /S \| 4\.5/);
    } finally {
      await one.stop();
    }
  });
});
