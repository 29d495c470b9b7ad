/* Tests of the checks: a turn that breaks any rule must be detected, otherwise the other suites prove nothing. */

import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { checkTurn } from './turn.mjs';
import { checkSse } from './rest.mjs';

const ID = '0198c0de-0000-7000-8000-000000000001';

function goodTurn() {
  return [
    { type: 'chat.thinking', user_message_id: ID },
    { type: 'chat.status', phase: 'running', state: 'started', item_id: 'i1', text: 'Looking' },
    { type: 'chat.filters', filters: [{ name: 'vendor', value: 'Ascend', label: 'Vendor', source: 'said', editable: true }] },
    { type: 'chat.view', view: { view_type: 'data', view_id: 'v1', text: 'x', columns: ['a'], data_dict: { a: [null] },
      meta: [{ name: 'a', label: 'A', type: 'int', priority: 'high' }], row_count: 1, truncated: false,
      source: { call: 'c1', agent: 'x_agent', tool: 'x' } } },
    { type: 'chat.token', token: '🟢 $48.73', mark: { kind: 'bound', start: 2, len: 6 } },
    { type: 'chat.token', token: ' it was', seq_first: 6 },
    { type: 'chat.complete', session_id: ID, message_id: ID, status: 'ok', provider: 'rules', pbi_deep_links: [],
      suggestions: [], outcomes: [], usage: { calls: 0, input_tokens: 0, output_tokens: 0 }, latency_ms: 3 },
  ].map((f, i) => ({ turn_id: ID, ...f, seq: i + 1 + (i >= 5 ? 2 : 0) }));
}

const violations = {
  'a gap in seq': (f) => f.splice(1, 1),
  'a repeated frame': (f) => f.splice(2, 0, f[1]),
  'a wrong seq_first': (f) => (f[5].seq_first = 7),
  'another turn_id': (f) => (f[2].turn_id = ID.replace(/1$/, '2')),
  'an id that is not a UUIDv7': (f) => f.forEach((x) => (x.turn_id = 'abc')),
  'no thinking': (f) => (f[0] = { ...f[1], seq: 1 }),
  'no closing frame': (f) => f.pop(),
  'two closing frames': (f) => f.push({ ...f[6], seq: 9 }),
  'a frame after the closing frame': (f) => f.push({ ...f[1], seq: 9 }),
  'a null member': (f) => (f[1].tool = null),
  'a null member deep inside': (f) => (f[3].view.meta[0].unit = null),
  'an unknown type': (f) => (f[1].type = 'chat.tool'),
  'an unknown phase': (f) => (f[1].phase = 'dreaming'),
  'an empty token': (f) => (f[4] = { ...f[4], token: '', mark: undefined }),
  'a mark beyond its token': (f) => (f[4].mark.len = 7),
  'columns that differ from the data': (f) => (f[3].view.columns = ['b']),
  'a wrong row count': (f) => (f[3].view.row_count = 2),
  'filters after the data': (f) => ([f[2], f[3]] = [{ ...f[3], seq: 3 }, { ...f[2], seq: 4 }]),
  'an unknown status': (f) => (f[6].status = 'fine'),
  'a partial without its error': (f) => (f[6].status = 'partial'),
  'a model name in an answer by rules': (f) => (f[6].model = 'claude'),
  'an embed token': (f) => (f[6].pbi_deep_links = [{ report_key: 'a', report_name: 'b', menu_key: 'c', url: 'd', embed_token: 'e' }]),
};

describe('checkTurn', () => {
  it('accepts a valid turn and joins its text', () => {
    const turn = checkTurn(goodTurn());
    assert.equal(turn.text, '🟢 $48.73 it was');
    assert.deepEqual(turn.filters, { vendor: 'Ascend' });
  });

  it('accepts the rest of a resumed turn', () => {
    assert.equal(checkTurn(goodTurn().slice(2), { firstSeq: 3 }).lastSeq, 9);
  });

  for (const [name, violate] of Object.entries(violations))
    it(`detects ${name}`, () => {
      const frames = goodTurn();
      violate(frames);
      assert.throws(() => checkTurn(frames), assert.AssertionError);
    });
});

describe('checkSse', () => {
  const event = (change = {}) => {
    const frame = goodTurn()[0];
    return { id: '1', event: 'turn.started', data: { type: 'turn.started', seq: 1, timestamp: '2026-02-27T12:00:00.214Z', thread_id: 's1', frame }, ...change };
  };

  it('detects an id that is not seq, a name that is not the type, a wrong name', () => {
    checkSse([event()], { open: true });
    for (const change of [{ id: '2' }, { event: 'response' }, { event: 'response', data: { ...event().data, type: 'response' } }])
      assert.throws(() => checkSse([event(change)], { open: true }), assert.AssertionError);
  });
});
