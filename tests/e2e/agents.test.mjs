/* What the API reports about agents, by role. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as planted from '../calc/planted/planted.mjs';
import { analyst, deleteSources } from './analyst.mjs';
import { startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { ROLES, mintToken } from './token.mjs';

describe('GET /api/v1/agents', () => {
  let d;
  const agentsOf = async (role) => (await d.rest(mintToken({ sub: role, role })).get('/api/v1/agents')).body.data;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('describes the capabilities, inputs and outputs of each agent', async () => {
    const agents = await agentsOf('admin');
    const dayahead = agents.find((a) => a.agent === 'dayahead_agent');
    assert.ok(dayahead.capabilities.some((c) => c.tool === 'get_average_annual_price' && c.about.length > 20));
    assert.ok(dayahead.inputs.some((i) => i.name === 'year' && i.type === 'integer'));
    assert.ok(dayahead.outputs.some((o) => o.kind === 'column' && o.unit === '$/MWh'));
    assert.ok(dayahead.outputs.some((o) => o.kind === 'fact' && o.name === 'gap'));
    assert.ok(dayahead.examples.length > 0);
    const portfolio = agents.find((a) => a.agent === 'per_agent');
    assert.ok(portfolio.flows.includes('weekly_briefing'), JSON.stringify(portfolio.flows));
    for (const agent of agents) {
      for (const list of [agent.inputs, agent.outputs])
        assert.equal(new Set(list.map((x) => x.name)).size, list.length, `${agent.agent} lists a name twice`);
      assert.ok(agent.capabilities.length > 0, `${agent.agent} has no capabilities`);
    }
  });

  it('lists the same tools as GET /api/v1/tools, for every role', async () => {
    for (const role of ['admin', 'manager', 'analyst', 'viewer']) {
      const rest = d.rest(mintToken({ sub: role, role }));
      const tools = (await rest.get('/api/v1/tools')).body.data;
      const agents = await agentsOf(role);
      const listed = new Set(agents.flatMap((a) => a.capabilities.map((c) => c.tool)));
      for (const tool of listed)
        assert.ok(tools.some((t) => t.name === tool), `${role}: ${tool}`);
      for (const agent of agents)
        for (const c of agent.capabilities)
          assert.ok(tools.find((t) => t.name === c.tool).agents.includes(agent.agent), `${agent.agent} ${c.tool}`);
    }
  });

  it('shows no column that the caller may not see', async () => {
    const rest = d.rest(mintToken({ sub: 'admin', role: 'admin' }));
    const guarded = (await rest.get('/api/v1/tools')).body.data.flatMap((t) => t.columns.filter((c) => c.permission).map((c) => c.name));
    assert.ok(guarded.length > 0);
    const columns = async (role) => (await agentsOf(role)).flatMap((a) => a.outputs.filter((o) => o.kind === 'column').map((o) => o.name));
    const visible = await columns('admin');
    assert.ok(guarded.every((name) => visible.includes(name)));
    const viewer = await columns('viewer');
    assert.deepEqual(guarded.filter((name) => viewer.includes(name)), []);
  });
});

describe('GET /api/v1/turns/{id}/agents', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());
  const ask = async (role, content) => {
    const rest = d.rest(mintToken({ sub: 'ann', role }));

    return { rest, answer: (await rest.post('/api/v1/chat', { content })).body };
  };
  const agentsOf = async (rest, turn) => (await rest.get(`/api/v1/turns/${turn}/agents`)).body;

  it('shows the calls and status texts of each agent, and SQL to permitted users', async () => {
    const { rest, answer } = await ask('manager', 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?');
    const report = await agentsOf(rest, answer.turn_id);
    const [agent] = report.agents;
    const view = answer.views.find((v) => v.view_type === 'data');

    assert.deepEqual([report.turn_id, report.message_id, report.status, report.agents.length], [answer.turn_id, answer.message_id, 'complete', 1]);
    assert.deepEqual([agent.agent, agent.status, agent.metadata.calls], ['dayahead_agent', 'completed', 1]);
    const [result] = agent.results;
    assert.deepEqual([result.tool, result.outcome, result.view_id, result.row_count, result.truncated],
      ['get_average_annual_price', 'rows', view.view_id, view.row_count, false]);
    assert.ok(result.purpose.length > 10);
    /* Without a model, the answer consists of text from code. */
    assert.equal(agent.insights.findings.length, 1);
    assert.ok(answer.text.startsWith(agent.insights.summary), `${agent.insights.summary} | ${answer.text}`);
    assert.match(agent.queries_executed[0].sql, /^SELECT/);
    const asAnalyst = await agentsOf(d.rest(mintToken({ sub: 'ann', role: 'analyst' })), answer.turn_id);
    assert.equal(asAnalyst.agents[0].queries_executed, undefined);
    assert.deepEqual(asAnalyst.agents[0].results, agent.results);
  });

  it('is masked like its answer and hidden from other users', async () => {
    const { answer } = await ask('manager', 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?');
    const masked = await agentsOf(d.rest(mintToken({ sub: 'ann', role: 'viewer' })), answer.turn_id);

    assert.deepEqual([masked.masked, masked.agents], [true, []]);
    for (const claims of [{ sub: 'bob', role: 'admin' }, { sub: 'ann', tenant_id: 'acme', role: 'admin' }])
      checkProblem(await d.rest(mintToken(claims)).get(`/api/v1/turns/${answer.turn_id}/agents`), 404);
    const own = d.rest(mintToken({ sub: 'ann', role: 'manager' }));
    for (const id of ['0193b0a0-0000-7000-8000-00000000ffff', 'no-turn'])
      checkProblem(await own.get(`/api/v1/turns/${id}/agents`), 404);
  });

  it('lists every agent of a two-part question in plan order, with failures', async () => {
    const { rest, answer } = await ask('manager', 'What is the average price for NP15 in 2025 from Ascend, and which projects are off track?');
    const report = await agentsOf(rest, answer.turn_id);

    assert.deepEqual([...new Set(answer.outcomes.map((o) => o.agent))], report.agents.map((a) => a.agent));
    assert.deepEqual(report.agents.flatMap((a) => a.results.map((r) => r.call)).sort(), answer.outcomes.map((o) => o.call).sort());
    assert.ok(report.agents.length > 1, JSON.stringify(report));
  });

  it('shows the claims of an analysis', async () => {
    const { ask: askAnalyst, sources } = await analyst(d, 'customers', planted.tiers(), ROLES.manager);
    const answer = await askAnalyst('Segment the customers by sales');
    const [agent] = (await agentsOf(sources.rest, answer.turn_id)).agents;

    assert.equal(agent.agent, 'segmentation_agent');
    assert.match(agent.insights.summary, /\*\*40\*\* of 200/);
    assert.equal(agent.insights.visualization_hint, answer.views.find((v) => v.view_type === 'chart').chart_type);
    await deleteSources();
  });
});
