/* Every suggested follow-up, sent as a question, returns data, and so do its own follow-ups. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const SEEDS = [
  'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?',
  'Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025',
  'Which curves are available for HB_NORTH?',
  'Show the hourly prices for SP15 in 2025 from Ascend',
  'Compare NP15 and SP15 in 2025',
  'Which reports had the most views last month?',
  'Who are the most active users?',
  'What is the health status of Nazareth Solar?',
  'Show me all projects at risk',
  'What milestone dates changed in the last week?',
  'What is the budget of Mojave BESS?',
  'What are the milestone dates of Kern Wind?',
  'What are the task risks of Sierra Wind?',
];
const QUESTIONS_MAX = 80;
/* Questions without results, without permission, or ambiguous: their suggestions must work too. */
const UNANSWERED = [
  'What milestone dates changed on 2026-02-22?',
  'What milestone dates changed in January 2019?',
  'What was the average day-ahead price for NP15 in CAISO for 2031 from Ascend?',
  'What was the average day-ahead price for NP99 in CAISO for 2025 from Ascend?',
  'What is the health status of Gondor Solar?',
  'What is the budget of Sierra?',
  'Which reports had the most views in 2019?',
  'Show me all projects in PJM on hold',
  'What is the price?',
  'hello',
  'What is the weather in Rome?',
];

describe('follow-ups', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  for (const role of ['manager', 'viewer'])
    it(`suggested to a ${role} return data`, async () => {
      const rest = d.rest(mintToken({ role }));
      const queue = SEEDS.map((question) => ({ question, from: null }));
      const known = new Set(SEEDS);
      const failures = [];
      let asked = 0;

      while (queue.length > 0 && asked < QUESTIONS_MAX) {
        const { question, session, from } = queue.shift();
        const { status, body } = await rest.post('/api/v1/chat', { content: question, ...(session && { session_id: session }) });

        asked++;
        assert.equal(status, 200, JSON.stringify(body));
        const works = body.status === 'ok' && body.outcomes.length > 0 && body.outcomes.every((o) => o.outcome === 'rows');
        if (from && !works)
          failures.push(`${from} -> ${question}: ${body.status} ${body.outcomes.map((o) => `${o.tool} ${o.outcome}`)} ${body.text.slice(0, 100)}`);
        for (const next of body.suggestions ?? [])
          if (works && !known.has(next.question)) {
            known.add(next.question);
            queue.push({ question: next.question, session: body.session_id, from: question });
          }
      }
      assert.ok(known.size > (role === 'manager' ? 25 : 10), `${known.size} questions`);
      assert.deepEqual(failures, []);
    });

  for (const role of ['manager', 'viewer'])
    it(`suggested to a ${role} after empty results work as well`, async () => {
      const rest = d.rest(mintToken({ role }));
      const failures = [];
      let tried = 0;

      for (const question of UNANSWERED) {
        const { body } = await rest.post('/api/v1/chat', { content: question });
        const suggested = [...body.suggestions.map((s) => s.question), ...(body.ask?.options ?? []).slice(0, 2).map((o) => o.label)];

        for (const content of suggested) {
          const session = body.ask ? body.session_id : undefined;
          const next = (await rest.post('/api/v1/chat', { content, ...(session && { session_id: session }) })).body;
          const works = (next.status === 'ok' && next.outcomes.some((o) => o.outcome === 'rows'))
            || (next.status === 'ask' && next.ask.options?.length > 0);

          tried++;
          if (!works)
            failures.push(`${question} -> ${content}: ${next.status} ${next.outcomes?.map((o) => `${o.tool} ${o.outcome}`)} ${next.text?.slice(0, 100)}`);
          if (body.ask && content !== suggested.at(-1)) /* a clarifying question can be answered once, so it is asked again */
            body.session_id = (await rest.post('/api/v1/chat', { content: question })).body.session_id;
        }
      }
      assert.ok(tried > 8, `${tried} suggestions`);
      assert.deepEqual(failures, []);
    });
});

describe('a follow-up that changes the presentation', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  async function conversation(...turns) {
    const rest = d.rest(mintToken({ role: 'manager' }));
    let session_id;

    for (const [content, check] of turns) {
      const { body } = await rest.post('/api/v1/chat', { content, ...(session_id && { session_id }) });
      const tools = (body.outcomes ?? []).map(({ tool, outcome }) => `${tool}:${outcome}`).join(' ');
      const charts = (body.views ?? []).map(({ chart_type: type }) => type).filter(Boolean).join(' ');

      session_id ??= body.session_id;
      check({ tools, charts, text: body.text ?? '', filters: Object.fromEntries((body.filters ?? []).map(({ name, value }) => [name, value])), suggestions: body.suggestions }, content);
    }
  }

  it('shows the same data as a chart, as bars or as a table', async () => {
    const expectChart = (charts) => (turn, content) => assert.deepEqual([turn.tools, turn.charts], ['get_hourly_price_distribution:rows', charts], content);

    await conversation(['Show me the hourly average prices for NP15 in CAISO for 2025 from Ascend', expectChart('layered')],
      ['as a chart', expectChart('layered')], ['show it as a bar chart please', expectChart('bar')], ['as a table', expectChart('')], ['plot that', expectChart('layered')]);
  });

  it('reports that the data allows no chart', () => conversation(
    ['How many projects are there?', ({ tools }) => assert.equal(tools, 'query_metrics:rows')],
    ['draw it', ({ tools, charts, text }) => {
      assert.equal(tools, 'query_metrics:rows');
      assert.equal(charts, '');
      assert.match(text, /do not make a chart/);
    }],
  ));

  it('uses other time steps if the tool has them', () => conversation(
    ['Views of Budget Tracker by month since January 2026', ({ filters }) => assert.equal(filters.step, 'month')],
    ['and per day', ({ tools, filters }) => assert.deepEqual([tools, filters.step, filters.report_name], ['get_views_trend:rows', 'day', 'Budget Tracker'])],
    ['per decade', ({ tools, text }) => {
      assert.equal(tools, '');
      assert.match(text, /can't use "per decade"/);
    }],
    ['monthly', ({ tools, filters }) => assert.deepEqual([tools, filters.step], ['get_views_trend:rows', 'month'])],
  ));

  it('shows the other end of a ranking over the map', () => conversation(
    ['Which hub-zone has the highest average price in 2025, per Ascend?', ({ tools }) => assert.equal(tools, 'query_metrics:rows')],
    ['and the cheapest?', ({ tools }) => assert.equal(tools, 'query_metrics:rows')],
  ));

  it('names the words that it cannot use and keeps the subject', () => conversation(
    ['Which projects are at risk?', ({ tools }) => assert.match(tools, /get_portfolio_summary:rows/)],
    ['why?', ({ text, suggestions }) => {
      assert.match(text, /can't use "why"/);
      assert.ok(suggestions.length > 0);
    }],
    ['as a bar chart', ({ tools }) => assert.match(tools, /get_portfolio_summary:rows/)],
    ['which of them slipped dates?', ({ tools, text }) => {
      assert.equal(tools, '', 'changes can\'t be narrowed to those projects');
      assert.match(text, /can't use "them"/);
    }],
  ));

  it('does not repeat an answer if presentation words mean something else', async () => {
    for (const second of ['the chart is wrong', 'chart only my team', 'don\'t chart it', 'is everything ok'])
      await conversation(['Top reports by views', ({ tools }) => assert.match(tools, /get_top_reports_by_views:rows/)],
        [second, ({ tools }) => assert.equal(tools, '', second)]);
    await conversation(['projects at risk and hourly prices for NP15 in 2025 from Ascend', ({ tools }) => assert.match(tools, / /)],
      ['as a chart', ({ tools }) => assert.equal(tools, '', 'it is unclear which of two answers is meant')]);
  });

  it('finds a row of the last list by its position, and a single row by "it"', async () => {
    const expectBudget = (project) => ({ tools, filters }, content) => assert.deepEqual([tools, filters.project_name], ['get_budget_overview:rows', project], content);

    await conversation(['Which projects are off track?', ({ tools }) => assert.match(tools, /get_portfolio_summary:rows/)],
      ['and the budget of the first one?', expectBudget('Sierra Wind')],
      ['is the second one healthy?', ({ tools, filters }) => assert.deepEqual([tools, filters.project_name], ['get_project_health:rows', 'Pecos Ridge Wind'])],
      ['budget of the third project', expectBudget('Mojave BESS')],
      ['the budget of the ninth one', ({ tools }) => assert.equal(tools, '', 'the list has three rows')],
      ['budget of the last one', expectBudget('Mojave BESS')]);
    await conversation(['How many projects per sponsor?', ({ tools }) => assert.match(tools, /query_metrics:rows/)],
      ['which projects does the second one have?', ({ filters }) => assert.equal(filters.sponsor, 'Helios Partners')],
      ['budget of the third project', ({ tools }) => assert.equal(tools, 'get_budget_overview:rows', 'the last list is that of projects')]);
    await conversation(['Which ERCOT project has the highest budget?', ({ tools }) => assert.equal(tools, 'query_metrics:rows')],
      ['its budget?', expectBudget('Bayou Hybrid')],
      ['is it late?', ({ tools, text }) => {
        assert.equal(tools, '');
        assert.match(text, /can't use ".*late"/);
      }]);
  });

  it('applies the period of a list to its rows', () => conversation(
    ['Which 5 reports were viewed most in January 2026?', ({ tools }) => assert.equal(tools, 'get_top_reports_by_views:rows')],
    ['who opened the second one most?', ({ tools, filters }) => assert.deepEqual([tools, filters.report_name, filters.date_range_start],
      ['get_top_users:rows', 'Project Overview', '2026-01-01'])],
    ['show the views of the last report by month', ({ filters }) => assert.deepEqual([filters.report_name, filters.step], ['Hourly Price Curves', 'month'])],
  ));

  it('reports rows that cannot be used', () => conversation(
    ['Which projects are off track?', ({ tools }) => assert.match(tools, /get_portfolio_summary:rows/)],
    ['which of those slipped dates?', ({ tools }) => assert.equal(tools, '')],
    ['as a table', ({ tools }) => assert.match(tools, /get_portfolio_summary:rows/, 'an unanswered question does not change the context')],
    ['Which report is the first please', ({ tools }) => assert.match(tools, /get_top_reports_by_views:rows/, 'these words name no row')],
  ));

  it('does not answer "top ones" without a subject', () => conversation(['top ones', ({ tools, text }) => {
    assert.equal(tools, '');
    assert.match(text, /can't use "top"/);
  }]));
});
