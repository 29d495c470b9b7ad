/*
 * Conditions for the services' prompt caches: tools and system prompt are identical for all users of a role, on any day,
 * in any conversation; and a request never has more cache marks than allowed.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const NEAR = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';
const FAR = 'Will it be dear for our friends in the south of the state, from Hitachi, in 2026?';
const EXPLORE = { json: { do: [{ Run: 'dayahead_agent' }] } };

const prefixOf = (call) => Buffer.from(JSON.stringify([call.body.tools ?? [], call.body.system]));
const marksIn = (value) => (value && typeof value === 'object'
  ? Number('cache_control' in value) + Object.values(value).reduce((n, v) => n + marksIn(v), 0) : 0);

function commonShare(a, b) {
  let n = 0;
  while (n < Math.min(a.length, b.length) && a[n] === b[n])
    n++;
  return n / Math.max(a.length, b.length);
}

describe('two users of one role', () => {
  let mock;
  let calls;

  before(async () => {
    mock = await startMock({ script: [{ when: { kind: 'structured' }, reply: EXPLORE }, { reply: 'demo' }] });
    calls = [];
    for (const [sub, today] of [['ann', '2026-02-27'], ['bob', '2026-02-28']]) {
      const d = await startDaemon({ mock, env: { VESPER_TODAY: today } });
      const chat = await d.connect({ token: mintToken({ sub, role: 'analyst' }) });
      mock.reset();
      await chat.ask(NEAR);
      await chat.ask(sub === 'ann' ? REFERENCE : `${REFERENCE} Please.`);
      await chat.close();
      calls.push([...mock.calls]);
      await d.stop();
    }
  });
  after(() => mock?.close());

  for (const kind of ['structured', 'tools', 'answer'])
    it(`share the prefix of a call for: ${kind}`, (t) => {
      const [a, b] = calls.map((list) => list.find((c) => c.kind === kind));
      assert.ok(a && b, `both users caused such a call: ${calls.map((l) => l.map((c) => c.kind))}`);
      const share = commonShare(prefixOf(a), prefixOf(b));
      t.diagnostic(`${(100 * share).toFixed(1)} % of ${prefixOf(a).length} bytes`);
      assert.ok(share >= 0.9);
    });

  it('share the supervisor\'s schema for all questions', async () => {
    const d = await startDaemon({ mock });
    const sent = [];
    for (const [sub, question] of [['ann', NEAR], ['bob', FAR]]) {
      mock.reset();
      await d.ask(question, { token: mintToken({ sub, role: 'analyst' }) });
      sent.push(mock.calls.find((c) => c.kind === 'structured').body);
    }
    await d.stop();
    const [stable, newest] = [(b) => JSON.stringify([b.output_config, b.system]), (b) => JSON.stringify(b.messages)];
    assert.equal(stable(sent[0]), stable(sent[1]));
    assert.doesNotMatch(stable(sent[0]), /get_average_annual_price|hub_zone:/);
    assert.match(newest(sent[0]), /- get_average_annual_price: .*Filters: vendor, hub_zone, year/);
  });

  it('share the prefix of all later calls of a kind within a session', () => {
    for (const list of calls)
      for (const kind of ['structured', 'tools', 'answer'])
        assert.equal(new Set(list.filter((c) => c.kind === kind).map((c) => prefixOf(c).toString())).size, 1, kind);
  });

  it('every request has one to four cache marks', () => {
    for (const call of calls.flat()) {
      const marks = marksIn(call.body);
      assert.ok(marks >= 1 && marks <= 4, `${call.kind}: ${marks}`);
    }
  });
});
