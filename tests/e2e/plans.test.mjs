/*
 * Plans of several steps: read by code alone, or chosen by a scripted supervisor. Dependent steps run in sequence,
 * all others concurrently; filters can be edited without calling the model again; clarifying questions are
 * answered in every form.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';

import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const VAGUE = 'How dear is electricity going to be where our friends live?';

const toolsOf = (turn) => turn.complete.outcomes.map((o) => o.tool);
const sources = (turn) => Object.fromEntries(turn.frames.filter((f) => f.type === 'chat.filters')
  .flatMap((f) => f.filters).map((f) => [f.name, f.source]));

/* What happened to the tools, in order: "+t" started, "-t" ended. */
function toolEvents(turn) {
  return turn.frames.filter((f) => f.type === 'chat.status' && f.tool)
    .map((f) => `${f.state === 'started' ? '+' : '-'}${f.tool}`);
}

function assertConcurrent(turn, ...tools) {
  const events = toolEvents(turn);
  const firstEnd = events.findIndex((e) => e.startsWith('-'));
  for (const tool of tools)
    assert.ok(events.indexOf(`+${tool}`) >= 0 && events.indexOf(`+${tool}`) < firstEnd,
      `${tool} starts before anything ends: ${events}`);
}

function assertSequential(turn, first, second) {
  const events = toolEvents(turn);
  assert.ok(events.indexOf(`-${first}`) >= 0 && events.indexOf(`-${first}`) < events.indexOf(`+${second}`),
    `${second} waits for ${first}: ${events}`);
}

describe('without a model', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('shows the hours of the higher of two vendors', async () => {
    const turn = await d.ask('Compare Ascend and Hitachi for SP15 in 2025 and then show the hourly shape of the higher one');
    assert.equal(turn.status, 'ok');
    assert.deepEqual(toolsOf(turn), ['compare_vendors', 'get_hourly_price_distribution']);
    assertSequential(turn, 'compare_vendors', 'get_hourly_price_distribution');
    assert.match(turn.text, /\$2\.66\/MWh/);
    assert.match(turn.text, /Prices by hour of day for \*\*SP15 in CAISO for 2025\*\* \(Hitachi/);
    assert.doesNotMatch(turn.text.split('Prices by hour')[1], /Ascend/, 'only the higher vendor');
    assert.equal(turn.complete.checked.unbound, 0);
  });

  it('shows the cheaper of two hub-zones', async () => {
    const turn = await d.ask('Compare NP15 and SP15 for 2025, then show the seasonal shape of the cheaper one');
    assert.deepEqual(toolsOf(turn), ['compare_hub_zones', 'get_seasonal_shape']);
    assert.match(turn.text, /\*\*NP15 in CAISO\*\*/);
  });

  it('shows the milestones of the project with the most red ones', async () => {
    const turn = await d.ask('Which project has the most red, and show its milestones');
    assert.deepEqual(toolsOf(turn), ['get_color_ranking', 'get_milestone_dates']);
    assert.match(turn.text, /\*\*Nazareth Solar\*\*, with \*\*2\*\*/);
    assert.match(turn.text, /COD\) on \*\*15 June 2027\*\*/);
  });

  it('the period of the first half applies to the second', async () => {
    const turn = await d.ask('Which report had the most views last month and who are its top users?');
    assert.deepEqual(toolsOf(turn), ['get_top_reports_by_views', 'get_top_users']);
    assert.match(turn.text, /user of Day-Ahead Curves Dashboard \(January 2026\)/);
  });

  it('edited filters run both halves again', async () => {
    const chat = await d.connect();
    const question = 'Compare Ascend and Hitachi for SP15 in 2025 and then show the hourly shape of the higher one';
    await chat.ask(question);
    const again = await chat.ask(question, { filters: { hub_zone: 'NP15' } });
    assert.deepEqual(toolsOf(again), ['compare_vendors', 'get_hourly_price_distribution']);
    assert.equal(again.filters.hub_zone, 'NP15');
    assert.equal(sources(again).hub_zone, 'edited');
    assert.equal(sources(again).year, 'carried');
    assert.match(again.text, /48\.73/);
    await chat.close();
  });

  it('two domains run concurrently and both are named', async () => {
    const turn = await d.ask(`${REFERENCE.slice(0, -1)} and what is the health status of Nazareth Solar?`);
    assert.equal(turn.status, 'ok');
    assertConcurrent(turn, 'get_average_annual_price', 'get_project_health');
    assert.match(turn.text, /48\.73/);
    assert.match(turn.text, /Nazareth Solar/);
    assert.deepEqual(turn.complete.pbi_deep_links.map((l) => l.report_key).sort(),
      ['dayahead_curve_report', 'per_project_health_report', 'per_project_report']);
  });

  it('runs nothing without the required permission', async () => {
    const turn = await d.ask('Which project has the most red, and show its milestones',
      { token: mintToken({ permissions: ['chat:use', 'chat:read_market_data'] }) });
    assert.doesNotMatch(turn.text, /Nazareth/);
    assert.equal(turn.tables.length, 0);
  });
});

describe('edited filters', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('are shown as edited, removed by null, and leave the rest', async () => {
    const chat = await d.connect();
    const question = 'Average day-ahead price for NP15 in CAISO for 2025 from Ascend as of Jan_2025';
    const first = await chat.ask(question);
    assert.equal(first.tables[0].row_count, 1);
    const all = await chat.ask(question, { filters: { asof_date: null } });
    assert.ok(all.tables[0].row_count > 1, 'every as-of file');
    assert.ok(!('asof_date' in all.filters));
    const other = await chat.ask(question, { filters: { year: 2026 } });
    assert.equal(other.filters.year, 2026);
    assert.equal(sources(other).year, 'edited');
    await chat.close();
  });

  it('work over REST as over the socket', async () => {
    const res = await fetch(`${d.url}/api/v1/chat`, { method: 'POST',
      headers: { authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: REFERENCE, filters: { hub_zone: 'SP15' } }) });
    const body = await res.json();
    assert.equal(res.status, 200, JSON.stringify(body));
    assert.match(body.text, /52\.14/);
    assert.equal(body.filters.find((f) => f.name === 'hub_zone').source, 'edited');
  });

  it('that are unknown lead to a question with the closest values', async () => {
    const turn = await d.ask(REFERENCE, { extra: { filters: { hub_zone: 'SP99' } } });
    assert.equal(turn.status, 'ask');
    assert.match(turn.text, /SP99/);
    assert.doesNotMatch(turn.text, /\$\d/);
  });
});

describe('through a scripted supervisor', () => {
  let mock;
  let d;
  const route = (...list) => ({ when: { kind: 'structured' }, reply: { json: { do: list } } });
  const use = (...rules) => mock.use([...rules, { reply: 'demo' }]);
  const run = (name) => ({ Run: name });
  const step = (id, name, over = {}) => ({ Step: id, Run: name, With: [], From: [], After: [], If: '', ...over });
  const filters = (object) => Object.entries(object).map(([name, value]) => ({ Set: `${name}=${value}` }));
  const structured = () => mock.calls.filter((c) => c.kind === 'structured').length;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => {
    mock.use('demo');
    mock.reset();
  });

  const higherVendorPlan = () => route(...filters({ hub_zone: 'sp15', year: '2025' }),
    step('t2', 'get_hourly_price_distribution', { From: ['vendor=t1.facts.higher_vendor'], If: 't1.row_count > 1' }),
    step('t1', 'compare_vendors'));

  it('a step takes its value from an earlier step', async () => {
    use(higherVendorPlan());
    const turn = await d.ask(VAGUE);
    assert.equal(turn.status, 'ok');
    assertSequential(turn, 'compare_vendors', 'get_hourly_price_distribution');
    const hours = turn.tables.find((t) => t.source.tool === 'get_hourly_price_distribution');
    assert.deepEqual([...new Set(hours.data_dict.Vendor)], ['Hitachi']);
  });

  it('the supervisor\'s filters are resolved, shown before any data, and kept for the next question', async () => {
    const chat = await d.connect();
    use(route(run('get_average_annual_price'), ...filters({ hub_zone: 'np-15', year: '2025', vendor: 'icf' })));
    const turn = await chat.ask(VAGUE);
    assert.deepEqual({ ...turn.filters }, { ...turn.filters, hub_zone: 'NP15', year: 2025 });
    assert.equal(structured(), 1);
    const next = await chat.ask('and for SP15?');
    assert.equal(next.filters.hub_zone, 'SP15');
    assert.equal(next.filters.year, 2025);
    assert.equal(structured(), 1, 'the follow-up is understood without a model');
    await chat.close();
  });

  it('filters read by code stay unless the model repeats them: a value corrects, an empty one removes', async () => {
    const READ = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';
    const HIGH = READ.replace('from Ascend', 'from Ascend in the high case');
    const askWith = async (list = {}, question = READ) => {
      use(route(run('get_average_annual_price'), ...filters(list)));
      return d.ask(question);
    };
    const turn = await askWith();
    const call = mock.calls.find((c) => c.kind === 'structured');
    assert.match(call.raw, /already read, and that stand: {\\"/);
    assert.equal(turn.filters.vendor, 'Ascend');
    assert.equal(turn.filters.hub_zone, 'NP15');
    assert.equal(turn.filters.year, 2025);
    assert.ok(turn.tables[0].data_dict.AvgPrice_PerMWh.map(Number).includes(48.73));
    const other = await askWith({ year: '2026' });
    assert.equal(other.filters.year, 2026);
    assert.equal(other.filters.vendor, 'Ascend');
    assert.equal((await askWith({ year: '2026' }, HIGH)).filters.reference, 'High');
    const without = await askWith({ reference: '', year: '2026' }, HIGH);
    assert.notEqual(without.filters.reference, 'High');
    assert.equal(without.filters.hub_zone, 'NP15');
  });

  it('a tool that the supervisor was not given runs for permitted users', async () => {
    const list = [run('get_average_annual_price'), ...filters({ hub_zone: 'SP15', year: '2026', vendor: 'Hitachi' })];
    use(route(...list));
    const turn = await d.ask('How dear is electricity going to be where our friends live?');
    assert.doesNotMatch(mock.calls.find((c) => c.kind === 'structured').raw, /get_average_annual_price/);
    assert.deepEqual(toolsOf(turn), ['get_average_annual_price']);
    use(route(...list));
    const other = await d.ask('How dear is electricity going to be where our friends live?',
      { token: mintToken({ sub: 'vic', permissions: ['chat:use', 'chat:read_pbi_metrics'] }) });
    assert.deepEqual(toolsOf(other), []);
  });

  it('edited filters run the plan again without the supervisor', async () => {
    const chat = await d.connect();
    use(higherVendorPlan());
    await chat.ask(VAGUE);
    assert.equal(structured(), 1);
    const again = await chat.ask(VAGUE, { filters: { hub_zone: 'NP15' } });
    assert.equal(structured(), 1);
    assert.deepEqual(toolsOf(again).sort(), ['compare_vendors', 'get_hourly_price_distribution']);
    assert.equal(again.filters.hub_zone, 'NP15');
    assert.equal(sources(again).hub_zone, 'edited');
    await chat.close();
  });

  it('a flow is the whole plan, writes its answer itself, and runs again with edited filters', async () => {
    const chat = await d.connect();
    use(route(run('flow:weekly_briefing'), run('get_top_users')));
    const turn = await chat.ask(VAGUE);
    const tools = ['get_recent_changes', 'get_portfolio_summary', 'get_task_risks'];
    assert.match(mock.calls.find((c) => c.kind === 'structured').raw, /- flow:weekly_briefing: What changed/);
    assert.deepEqual(toolsOf(turn), tools);
    assertConcurrent(turn, ...tools);
    assert.equal(turn.complete.provider, 'rules');
    assert.equal(mock.calls.length, 1, 'only the supervisor was called');
    assert.match(turn.text, /\*\*\d+\*\* projects are off track/);
    assert.doesNotMatch(turn.text, /Not looked up/, 'a line that does not apply is not reported as missing');
    assert.equal(turn.complete.checked.unbound, 0);
    assert.equal(turn.complete.suggestions[0].label, 'Show the risks');
    const again = await chat.ask(VAGUE, { filters: { project_name: 'Nazareth Solar' } });
    assert.equal(mock.calls.length, 1);
    assert.deepEqual(toolsOf(again), tools);
    assert.equal(again.filters.project_name, 'Nazareth Solar');
    await chat.close();
  });

  it('asks about an unknown value; the choice runs the plan', async () => {
    for (const how of ['select', 'number', 'words']) {
      const chat = await d.connect();
      use(route(run('get_average_annual_price'), ...filters({ hub_zone: 'SP51', year: '2025', vendor: 'Ascend' })));
      mock.reset();
      const turn = await chat.ask(VAGUE);
      assert.equal(turn.status, 'ask', turn.text);
      assert.equal(turn.ask.filter, 'hub_zone');
      const at = turn.ask.options.findIndex((o) => o.value === 'SP15');
      assert.ok(at >= 0, JSON.stringify(turn.ask));
      if (how === 'select')
        chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['SP15'] });
      else
        chat.send({ type: 'chat.message', content: how === 'number' ? `${at + 1}` : 'sp15' });
      const answer = await chat.turn();
      assert.equal(structured(), 1, how);
      assert.ok(answer.tables[0].data_dict.AvgPrice_PerMWh.map(Number).includes(52.14), how);
      assert.equal(answer.filters.hub_zone, 'SP15');
      await chat.close();
    }
  });

  it('the supervisor\'s clarifying question has its options; a choice for an answered one is refused', async () => {
    const chat = await d.connect();
    use({ ...route({ Ask: 'Prices or projects?' }, { Option: 'Prices' }, { Option: 'Projects' }), times: 1 });
    const turn = await chat.ask(VAGUE);
    assert.equal(turn.status, 'ask');
    assert.deepEqual(turn.ask.options.map((o) => o.label), ['Prices', 'Projects']);
    use(route(run('get_portfolio_summary')));
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['Projects'] });
    const answer = await chat.turn();
    assert.equal(answer.status, 'ok');
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['Prices'] });
    const stale = await chat.turn();
    assert.equal(stale.error.code, 'expired');
    assert.match(stale.error.message, /earlier question/);
    await chat.close();
  });

  it('chosen agents run concurrently, each in its own loop, and both are in the answer', async () => {
    const call = (name, input) => ({ tools: [{ name, input }] });
    const done = (body) => body.messages.some((m) => Array.isArray(m.content)
      && m.content.some((b) => b.type === 'tool_result'));
    use(route(run('dayahead_agent'), run('pbi_metrics_agent')),
      { when: { kind: 'tools' }, reply: (body) => {
        if (done(body))
          return { text: 'done' };
        return body.tools.some((t) => t.name === 'get_top_users') ? call('get_top_users', {})
          : call('get_average_annual_price', { vendor: 'Ascend', hub_zone: 'NP15', year: 2025 });
      } });
    const turn = await d.ask(VAGUE);
    assert.equal(turn.status, 'ok');
    assertConcurrent(turn, 'get_average_annual_price', 'get_top_users');
    const agents = new Set(turn.complete.outcomes.map((o) => o.agent));
    assert.deepEqual([...agents].sort(), ['dayahead_agent', 'pbi_metrics_agent']);
    for (const c of mock.calls.filter((x) => x.kind === 'tools'))
      assert.ok(!c.raw.includes('@vesper.example'), 'prompts that may call tools contain no text of the data');
  });

  it('an agent uses hidden values by reference', async () => {
    const rounds = [
      { tools: [{ name: 'get_color_ranking', input: {} }] },
      { tools: [{ name: 'get_milestone_dates', input: { project_name: { $ref: 'c1.rows[0].ProjectName' } } }] },
      { text: 'done' }];
    let round = 0;
    use(route(run('per_agent')),
      { when: { kind: 'tools' }, reply: () => rounds[Math.min(round++, 2)] });
    const turn = await d.ask(VAGUE);
    assert.deepEqual(toolsOf(turn), ['get_color_ranking', 'get_milestone_dates']);
    assert.deepEqual(turn.complete.outcomes.map((o) => o.outcome), ['rows', 'rows']);
    assert.ok(turn.tables[1].data_dict.Milestone?.length > 5);
    for (const c of mock.calls.filter((x) => x.kind === 'tools'))
      assert.ok(!c.raw.includes('Nazareth'), 'the name is in no prompt that may call tools');
  });

  it('a dependent agent gets earlier results without their text', async () => {
    use(route(step('t1', 'get_color_ranking'), step('t2', 'per_agent', { After: ['t1'] })),
    { when: { kind: 'tools', call: undefined }, reply: (body) => {
      const text = JSON.stringify(body.messages);
      if (text.includes('tool_result'))
        return { text: 'done' };
      assert.ok(text.includes('Found before, as t1'), text);
      assert.ok(!text.includes('Nazareth'));
      return { tools: [{ name: 'get_project_health', input: { project_name: { $ref: 't1.rows[0].ProjectName' } } }] };
    } });
    const turn = await d.ask(VAGUE);
    assert.deepEqual(toolsOf(turn), ['get_color_ranking', 'get_project_health']);
    assert.equal(turn.complete.outcomes[1].outcome, 'rows');
  });

  it('reports a failed agent', async () => {
    use(route(run('get_average_annual_price'), run('pbi_metrics_agent'),
      ...filters({ vendor: 'Ascend', hub_zone: 'NP15', year: '2025' })),
    { when: { kind: 'tools' }, fault: { status: 400, error: { type: 'invalid_request_error', message: 'no' } } },
    { when: { kind: 'answer' }, fault: { status: 400, error: { type: 'invalid_request_error', message: 'no' } } });
    const turn = await d.ask(VAGUE);
    assert.match(turn.text, /48\.73/, 'the successful part is answered');
    assert.match(turn.text, /Use of Power BI reports and dashboards: not everything could be looked up/);
    assert.deepEqual(turn.complete.outcomes.map((o) => o.outcome), ['rows', 'error']);
  });

  it('a step with an unmet condition is skipped and reported', async () => {
    use(route(...filters({ hub_zone: 'SP15', year: '2025' }), step('t1', 'compare_vendors'),
      step('t2', 'get_hourly_price_distribution', { If: 't1.row_count > 100' })),
    { when: { kind: 'answer' }, fault: { status: 400, error: { type: 'invalid_request_error', message: 'no' } } });
    const turn = await d.ask(VAGUE);
    assert.match(turn.text, /Not looked up: .*condition was not met/);
    assert.equal(turn.complete.outcomes.length, 2);
  });

  it('an invalid plan is refused and code answers', async () => {
    for (const steps of [
      [step('t1', 'compare_vendors', { After: ['t2'] }), step('t2', 'compare_vendors', { After: ['t1'] })],
      [step('t1', 'compare_vendors', { If: 'system("rm")' })],
      [step('t1', 'find_projects')]]) {
      use(route(...filters({ hub_zone: 'SP15', year: '2025' }), ...steps));
      const turn = await d.ask(VAGUE);
      assert.ok(turn.complete, JSON.stringify(turn.closing));
      assert.equal(turn.complete.outcomes.length, 0);
    }
  });

  it('gets similar questions with permitted calls, after the cached prefix', async () => {
    const question = 'What was the average day-ahead price from Ascend where our friends live, in 2025?';
    const askAs = async (role) => {
      mock.reset();
      use(route(run('get_average_annual_price'), ...filters({ hub_zone: 'NP15' })));
      const turn = await d.ask(question, { token: mintToken({ sub: `like-${role}`, role }) });
      const asked = mock.calls.filter((c) => c.kind === 'structured');
      assert.ok(asked.every((c) => !/Questions like it/.test(JSON.stringify(c.body.system))));
      return [turn, asked.map((c) => JSON.stringify(c.body.messages.at(-1)))];
    };
    const [turn, [newest]] = await askAs('manager');
    assert.match(newest, /Questions like it.*average day-ahead price for NP15.*\{\\+"Run\\+":\\+"get_average_annual_price\\+"\},\{\\+"Set\\+":\\+"hub_zone=NP15/);
    const { body } = await d.rest(mintToken({ sub: 'like-manager', role: 'manager' })).get(`/api/v1/receipts/${turn.complete.receipt_id}`);
    assert.deepEqual((body.content ?? body).examples[0], { id: 'file:dayahead:1', role: 'route' });
    const [, viewed] = await askAs('viewer');
    assert.ok(viewed.every((message) => !/get_average_annual_price|day-ahead price for NP15/.test(message)), String(viewed));
  });

  it('offers and runs only domains and tools of this caller', async () => {
    use(route(run('get_top_users'), run('pbi_metrics_agent')));
    const turn = await d.ask(VAGUE, { token: mintToken({ role: 'analyst' }) });
    const call = mock.calls.find((c) => c.kind === 'structured');
    assert.ok(!call.raw.includes('get_top_users') && !call.raw.includes('pbi_metrics_agent'));
    assert.equal(turn.complete.outcomes.length, 0);
  });
});
