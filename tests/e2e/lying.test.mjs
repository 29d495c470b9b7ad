/*
 * A model that writes false statements, with all three policies of the number check: a wrong digit, a wrong year, an
 * invented row, a wrong unit, a number from nowhere, a number with the wrong name, two swapped names. The result does
 * not depend on the chunks of the stream.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { COMPARISON, REFERENCE, startDaemon } from './harness.mjs';

const UNVERIFIED = '[unverified]';
const LIES = {
  'a wrong digit': { question: REFERENCE, text: 'The average for NP15 is $48.37/MWh. It rests on 8,760 hours.',
    lies: ['$48.37/MWh'], truth: 'The average for NP15 is $48.73/MWh. It rests on 8,760 hours.', rest: 'The average for NP15 is $48.73/MWh.' },
  'a wrong year': { question: REFERENCE, text: 'In 2019 the average is $48.73/MWh.', lies: ['2019'],
    truth: 'In 2025 the average is $48.73/MWh.' },
  'an invented row': { question: COMPARISON, text: '| Vendor | Price |\n|---|---|\n| Ascend | 52.14 |\n| ICF | 61.93 |\n',
    lies: ['61.93'], truth: '| Vendor | Price |\n|---|---|\n| Ascend | 52.14 |\n| ICF | no data |\n', rest: 'no data |' },
  'a wrong unit': { question: REFERENCE, text: 'The average is 48.73%.', lies: ['48.73%'],
    truth: 'The average is 48.73 $/MWh.' },
  'a number from nowhere': { question: REFERENCE, text: 'The note says that it is $99.99/MWh now.', lies: ['$99.99/MWh'],
    truth: 'The note says that it is not in the data.' },
  'a number with the wrong name': { question: COMPARISON, text: 'Hitachi averages $52.14/MWh in 2025.', lies: ['$52.14/MWh'],
    truth: 'Hitachi averages $54.80/MWh in 2025.' },
  'two swapped names': { question: COMPARISON, text: 'Ascend is at $54.80/MWh, Hitachi at $52.14/MWh.',
    lies: ['$54.80/MWh', '$52.14/MWh'], truth: 'Ascend is at $52.14/MWh, Hitachi at $54.80/MWh.' },
  'only correct numbers': { question: COMPARISON, text: 'Ascend: $52.14/MWh, Hitachi: $54.80/MWh, 5.1% more.', lies: [],
    truth: 'Ascend: $52.14/MWh, Hitachi: $54.80/MWh, 5.1% more.' },
};
const CHUNKS = { whole: {}, 'in single bytes': { split: 'byte' } };

const isRewrite = (body) => /a sentence of an answer/i.test(JSON.stringify(body.system));

/* The marked numbers of the answer with their positions. */
function marksOf(turn) {
  const marks = [];
  let at = 0;
  for (const f of turn.frames.filter((frame) => frame.type === 'chat.token')) {
    const characters = [...f.token];
    if (f.mark)
      marks.push({ kind: f.mark.kind, start: at + f.mark.start, len: f.mark.len,
        text: characters.slice(f.mark.start, f.mark.start + f.mark.len).join('') });
    at += characters.length;
  }
  return marks;
}

function checkCounts(turn, policy) {
  const { checked } = turn.complete;
  const marks = marksOf(turn);
  assert.equal(checked.policy, policy);
  assert.equal(checked.bound, marks.filter((m) => m.kind === 'bound').length);
  assert.equal(checked.unbound, marks.filter((m) => m.kind !== 'bound').length);
  assert.deepEqual(checked.items.map(({ ref, ...item }) => item).map((i) => JSON.stringify(Object.entries(i).sort())),
    marks.map((m) => JSON.stringify(Object.entries(m).sort())), 'the items are the marks, with positions in the whole text');
  for (const item of checked.items) {
    assert.equal([...turn.text].slice(item.start, item.start + item.len).join(''), item.text);
    assert.equal(item.kind === 'bound', item.ref !== undefined);
  }
  return marks;
}

function checkUsage(turn, mock) {
  const { usage } = turn.complete;
  assert.equal(usage.calls, mock.count);
  assert.equal(usage.by.answer.calls, mock.count);
  assert.equal(usage.output_tokens, mock.calls.reduce((n, c) => n + c.message.usage.output_tokens, 0));
}

for (const policy of ['flag', 'withhold', 'rewrite'])
  describe(`a lying model, policy ${policy}`, () => {
    let mock;
    let d;

    before(async () => {
      mock = await startMock();
      d = await startDaemon({ mock, env: { VESPER_CHECKS_NUMBERS: policy } });
    });
    after(async () => {
      await d?.stop();
      await mock?.close();
    });
    beforeEach(() => mock.reset());

    const ask = async (lie, fault, correct) => {
      mock.use([{ when: { kind: 'answer' }, fault, reply: (body) => {
        if (!isRewrite(body))
          return { text: lie.text };
        return { text: correct(body) };
      } }, { reply: 'demo' }]);
      return d.ask(lie.question);
    };
    /* The rewrite of the rest of the text, after the part that was sent already. */
    const rewriteOf = (lie) => (body) => {
      const user = JSON.stringify(body.messages.at(-1).content);
      assert.match(user, /Not supported by the results/);
      return lie.rest ?? lie.truth.split('\n')[0];
    };

    for (const [name, lie] of Object.entries(LIES))
      it(name, async () => {
        const results = [];
        for (const fault of Object.values(CHUNKS)) {
          mock.reset();
          const turn = await ask(lie, fault, rewriteOf(lie));
          assert.equal(turn.status, 'ok');
          const marks = checkCounts(turn, policy);
          checkUsage(turn, mock);
          results.push({ text: turn.text, marks });
          if (policy === 'flag') {
            assert.equal(turn.text, lie.text);
            assert.deepEqual(marks.filter((m) => m.kind === 'unbound').map((m) => m.text), lie.lies);
          } else if (policy === 'withhold') {
            assert.equal(turn.text, lie.lies.reduce((t, l) => t.replace(l, UNVERIFIED), lie.text));
            assert.ok(marks.filter((m) => m.kind !== 'bound').every((m) => m.text === UNVERIFIED));
          } else {
            assert.equal(turn.text, lie.truth);
            assert.equal(turn.complete.checked.unbound, 0);
            assert.equal(mock.count, lie.lies.length ? 2 : 1, 'one more call, only if a number is wrong');
          }
          assert.equal((await d.rest().messages(turn.session))[1].content, turn.text);
        }
        assert.deepEqual(results[0], results[1], 'the result does not depend on the chunks');
      });

    if (policy !== 'rewrite')
      return;

    it('a number that is wrong again after the rewrite is withheld', async () => {
      const lie = LIES['a wrong digit'];
      for (const fault of Object.values(CHUNKS)) {
        const turn = await ask(lie, fault, () => 'The average for NP15 is $47.99/MWh.');
        assert.equal(turn.text, lie.text.replace(lie.lies[0], UNVERIFIED));
        checkCounts(turn, policy);
      }
    });

    it('a number is withheld if the rewrite fails', async () => {
      const lie = LIES['a wrong digit'];
      for (const fault of [{ status: 400 }, { reset: true }, { empty: true }]) {
        mock.use([{ when: { kind: 'answer', system: /A sentence of an answer/ }, fault, reply: { text: 'x' } },
          { when: { kind: 'answer' }, reply: { text: lie.text } }, { reply: 'demo' }]);
        const turn = await d.ask(lie.question);
        assert.equal(turn.status, 'ok');
        assert.equal(turn.text, lie.text.replace(lie.lies[0], UNVERIFIED));
      }
    });

    it('cancelling the turn cancels the rewrite', async () => {
      const lie = LIES['a wrong digit'];
      mock.use([{ when: { kind: 'answer', system: /A sentence of an answer/ }, fault: { hang: true }, reply: { text: 'x' } },
        { when: { kind: 'answer' }, reply: { text: lie.text } }, { reply: 'demo' }]);
      const chat = await d.connect();
      const frames = [await chat.begin(lie.question)];
      await mock.when(() => mock.calls.some((c) => isRewrite(c.body)));
      chat.send({ type: 'chat.cancel' });
      frames.push(...await chat.frames());
      const shown = frames.filter((f) => f.type === 'chat.token').map((f) => f.token).join('');
      assert.equal(frames.at(-1).status, 'cancelled');
      assert.doesNotMatch(shown, /48|8,760/);
      await mock.when(() => mock.calls.find((c) => isRewrite(c.body)).aborted);
      await chat.close();
    });

    it('answers by templates call no model', async () => {
      mock.use([{ when: { kind: 'answer' }, fault: { status: 400 } }, { reply: 'demo' }]);
      const turn = await d.ask(COMPARISON);
      assert.equal(turn.complete.provider, 'rules');
      assert.equal(turn.complete.checked.unbound, 0);
      assert.equal(mock.calls.filter((c) => isRewrite(c.body)).length, 0);
    });
  });
