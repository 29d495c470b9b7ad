/* Every tool is called once over REST and once over the socket: all its views are as documented. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COMPARISON, REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';
import { viewChecker } from './views.mjs';

const QUESTIONS = [
  REFERENCE, COMPARISON,
  'Which curves are available for HB_NORTH?',
  'Show the hourly prices for SP15 in 2025 from Ascend',
  'Compare NP15 and SP15 in 2025',
  'Compare CAISO and ERCOT in 2025 from Ascend',
  'What is the daily price shape of SP15 in 2025 from Ascend?',
  'What is the peak vs off-peak spread for NP15 in 2025 from Ascend?',
  'What is the seasonal shape of SP15 in 2025 from Ascend?',
  'Which reports had the most views last month?',
  'Who are the most active users?',
  'How did report views develop over the last months?',
  'Which projects are there in CAISO?',
  'Which projects have Sierra in the name?',
  'What is the budget of Mojave BESS?',
  'Which projects have the most red?',
  'What are the milestone dates of Kern Wind?',
  'Show me all projects at risk',
  'What is the health status of Nazareth Solar?',
  'Give me an overview of Sierra Wind',
  'What milestone dates changed in the last week?',
  'What milestone dates changed on 2026-02-22?',
  'What are the task risks of Kern Wind?',
  REFERENCE.replace('2025', '2031'),
  REFERENCE.replace('NP15', 'NP99'),
  REFERENCE.replace('from Ascend', ''),
];

describe('views', () => {
  let d;
  let rest;
  let checkView;
  const tools = new Set();
  const types = new Set();

  before(async () => {
    d = await startDaemon();
    rest = d.rest(mintToken());
    checkView = await viewChecker(d);
  });
  after(() => d?.stop());

  function check(view) {
    checkView(view);
    types.add(view.view_type);
    if (view.source)
      tools.add(view.source.tool);
    if (view.data_dict)
      for (const name of view.columns)
        assert.equal(view.data_dict[name].length, view.row_count, name);
  }

  it('are as documented for all questions', async () => {
    for (const content of QUESTIONS) {
      const { body, status, text } = await rest.post('/api/v1/chat', { content });
      assert.equal(status, 200, text);
      body.views.forEach(check);
      const turn = await d.ask(content);
      turn.views.forEach(check);
      assert.deepEqual(turn.views.map((v) => [v.view_type, v.text]),
        body.views.filter((v) => v.view_type !== 'selection').map((v) => [v.view_type, v.text]), content);
      for (const f of turn.frames.filter((x) => x.view?.source))
        assert.ok(f.agent && f.task && f.task === f.view.source.task, 'a frame names the agent and task of its view');
    }
  });

  it('come from every tool', async () => {
    const { body } = await rest.get('/api/v1/tools');
    /* Tools that take a query over the map are excluded: map.test.mjs and analytics.test.mjs check their views. */
    const missing = (body.data ?? body.tools ?? body).filter((t) => !t.schema.properties.query && !tools.has(t.name)).map((t) => t.name);
    assert.deepEqual(missing, []);
    assert.deepEqual([...types].sort(), ['base', 'chart', 'data', 'selection']);
  });

  it('report the error of a turn', async () => {
    const chat = await d.connect();
    chat.send({ type: 'chat.select', ask_id: '0193b0a0-0000-7000-8000-00000000ffff', values: ['x'] });
    const turn = await chat.turn();
    assert.ok(turn.error?.view, JSON.stringify(turn.closing));
    assert.equal(checkView(turn.error.view).text, turn.error.message);
    await chat.close();
  });
});
