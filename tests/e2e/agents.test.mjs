/* The agents as programs see them: each role its own. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

describe('GET /api/v1/agents', () => {
  let d;
  const agentsOf = async (role) => (await d.rest(mintToken({ sub: role, role })).get('/api/v1/agents')).body.data;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('tells of each agent what it can do, takes and gives', async () => {
    const agents = await agentsOf('admin');
    const dayahead = agents.find((a) => a.agent === 'dayahead_agent');
    assert.ok(dayahead.capabilities.some((c) => c.tool === 'get_average_annual_price' && c.about.length > 20));
    assert.ok(dayahead.inputs.some((i) => i.name === 'year' && i.type === 'integer'));
    assert.ok(dayahead.outputs.some((o) => o.kind === 'column' && o.unit === '$/MWh'));
    assert.ok(dayahead.outputs.some((o) => o.kind === 'fact' && o.name === 'gap'));
    assert.ok(dayahead.examples.length > 0);
    const per = agents.find((a) => a.agent === 'per_agent');
    assert.ok(per.flows.includes('weekly_briefing'), JSON.stringify(per.flows));
    for (const agent of agents) {
      for (const list of [agent.inputs, agent.outputs])
        assert.equal(new Set(list.map((x) => x.name)).size, list.length, `${agent.agent} says something twice`);
      assert.ok(agent.capabilities.length > 0, `${agent.agent} can do nothing`);
    }
  });

  it('names the tools that GET /api/v1/tools names, for every role', async () => {
    for (const role of ['admin', 'manager', 'analyst', 'viewer']) {
      const rest = d.rest(mintToken({ sub: role, role }));
      const tools = (await rest.get('/api/v1/tools')).body.data;
      const agents = await agentsOf(role);
      const named = new Set(agents.flatMap((a) => a.capabilities.map((c) => c.tool)));
      for (const tool of named)
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
    const seen = await columns('admin');
    assert.ok(guarded.every((name) => seen.includes(name)));
    const viewer = await columns('viewer');
    assert.deepEqual(guarded.filter((name) => viewer.includes(name)), []);
  });
});
