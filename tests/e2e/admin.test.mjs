/* Administrators: tool switches that apply on every replica, and deletion of a user's data. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const API = '/api/v1';
const TOOL = 'get_average_annual_price';
const SWITCH = `${API}/admin/tools/dayahead_agent/${TOOL}`;
const SAME_TOOL = `${API}/admin/tools/price_curve_agent/${TOOL}`; /* of another agent */
const APPLY_LIMIT_MS = patient(5000);

describe('administrators', () => {
  let d;
  let other;
  let admin;
  let user;
  const setEnabled = (rest, enabled, path = SWITCH) => rest.call('PUT', path, { json: { enabled } });
  const tools = async (rest) => (await rest.get(`${API}/tools`)).body.data.map((t) => t.name);
  const outcome = async (rest) => {
    const { body } = await rest.post(`${API}/chat`, { content: REFERENCE });
    return (body.outcomes ?? []).map((o) => `${o.tool}:${o.outcome}`).join(' ');
  };

  before(async () => {
    d = await startDaemon();
    other = await startDaemon({ dataDir: d.dataDir });
    admin = d.rest(mintToken({ sub: 'chief', role: 'admin' }));
    user = d.rest(mintToken({ sub: 'ann' }));
  });
  after(async () => {
    await other?.stop();
    await d?.stop();
  });

  it('switch tools off and on for their tenant, on every replica within five seconds', async () => {
    assert.equal(await outcome(user), `${TOOL}:rows`);
    assert.deepEqual((await setEnabled(admin, false)).body, { agent: 'dayahead_agent', tool: TOOL, enabled: false });
    assert.ok((await tools(user)).includes(TOOL), 'the other agent still has the tool');
    assert.equal((await setEnabled(admin, false, SAME_TOOL)).status, 200);
    const deadline = Date.now() + APPLY_LIMIT_MS;
    const onOther = other.rest(mintToken({ sub: 'ann' }));
    for (const rest of [user, onOther]) {
      while ((await tools(rest)).includes(TOOL) && Date.now() < deadline)
        await sleep(50);
      assert.ok(!(await tools(rest)).includes(TOOL), 'within five seconds');
      assert.ok(!(await outcome(rest)).includes(`${TOOL}:rows`));
    }
    const listed = (await admin.get(`${API}/admin/tools`)).body.data;
    assert.deepEqual(listed.filter((t) => !t.enabled), ['dayahead_agent', 'price_curve_agent'].map((agent) => ({ agent, tool: TOOL, enabled: false })));
    const acme = d.rest(mintToken({ sub: 'ann', tenant_id: 'acme' }));
    assert.ok((await tools(acme)).includes(TOOL), 'the tool of other tenants stays enabled');
    assert.equal((await setEnabled(admin, true)).status, 200);
    assert.equal((await setEnabled(admin, true, SAME_TOOL)).status, 200);
    for (let i = 0; i < 100 && !(await tools(user)).includes(TOOL); i++)
      await sleep(50);
    assert.equal(await outcome(user), `${TOOL}:rows`);
  });

  it('only administrators switch tools, and only existing ones', async () => {
    for (const role of ['viewer', 'analyst', 'manager'])
      checkProblem(await setEnabled(d.rest(mintToken({ role })), false), 403);
    checkProblem(await setEnabled(admin, false, `${API}/admin/tools/dayahead_agent/drop_table`), 404);
    checkProblem(await setEnabled(admin, false, `${API}/admin/tools/nobody/${TOOL}`), 404);
    for (const json of [{}, { enabled: 'no' }, { enabled: true, why: 'x' }])
      checkProblem(await admin.call('PUT', SWITCH, { json }), 422);
    checkProblem(await admin.post(SWITCH, { enabled: true }), 405);
  });

  const SECTIONS = ['access', 'usage', 'quality', 'budgets', 'receipts'];

  it('see totals of their own tenant only; other users see none', async () => {
    const acme = d.rest(mintToken({ sub: 'ann', tenant_id: 'acme' }));
    const { body } = await user.post(`${API}/chat`, { content: 'Blorb the frobnicator' });
    await user.post(`${API}/messages/${body.message_id}/feedback`, { rating: 'down', comment: 'What?' });
    await acme.post(`${API}/chat`, { content: 'Frobnicate the blorb' });
    for (const section of SECTIONS) {
      assert.equal((await admin.get(`${API}/admin/${section}`)).status, 200, section);
      for (const role of ['viewer', 'analyst', 'manager'])
        checkProblem(await d.rest(mintToken({ role })).get(`${API}/admin/${section}`), 403);
    }
    assert.deepEqual((await admin.get(`${API}/admin/budgets`)).body, { data: [] }, 'no budget is configured');
    const { numbers, statuses, ratings, unanswered } = (await admin.get(`${API}/admin/quality?days=1`)).body;
    assert.equal(statuses.reduce((sum, { answers }) => sum + answers, 0), numbers.answers);
    assert.deepEqual(unanswered.map(({ question, status, times }) => [question, status, times]), [['blorb the frobnicator', 'complete', 1]]);
    assert.deepEqual(ratings, [{ rating: 'down', answers: 1 }]);
    for (const days of ['0', '367', '-1', '1.5', 'x', ''])
      checkProblem(await admin.get(`${API}/admin/usage?days=${days}`), 400);
    assert.equal((await admin.get(`${API}/admin/usage?days=366`)).status, 200);
    const { data } = (await admin.get(`${API}/admin/receipts?after=1`)).body;
    assert.ok(data.every(({ number, content }) => number > 1 && content === undefined));
  });

  it('get a rated answer as an evaluation case if they may see its data', async () => {
    const { body } = await user.post(`${API}/chat`, { content: REFERENCE });
    const path = `${API}/admin/feedback/${body.message_id}/case`;
    const { content, permissions, tenant } = (await admin.get(path)).body;
    assert.deepEqual([content, permissions, tenant], [REFERENCE, ['chat:use', 'chat:read_market_data'], 'vesper']);
    checkProblem(await user.get(path), 403);
    checkProblem(await d.rest(mintToken({ permissions: ['chat:use', 'chat:admin'] })).get(path), 404);
    checkProblem(await d.rest(mintToken({ role: 'admin', tenant_id: 'acme' })).get(path), 404);
    checkProblem(await admin.get(`${API}/admin/feedback/x/case`), 404);
  });

  it('delete all data of a user of their own tenant', async () => {
    const sub = 'leaver/with a slash';
    const leaver = d.rest(mintToken({ sub }));
    const namesake = d.rest(mintToken({ sub, tenant_id: 'acme' }));
    const { body } = await leaver.post(`${API}/chat`, { content: REFERENCE });
    await namesake.post(`${API}/chat`, { content: REFERENCE });
    checkProblem(await leaver.delete(`${API}/admin/users/${encodeURIComponent('leaver')}`), 403);
    const path = `${API}/admin/users/leaver`;
    assert.equal((await admin.delete(path)).status, 204);
    assert.equal((await leaver.get(`${API}/sessions`)).body.data.length, 1, 'a user with a similar id is not deleted');
    const similar = d.rest(mintToken({ sub: 'leaver' }));
    const answer = (await similar.post(`${API}/chat`, { content: REFERENCE })).body;
    assert.equal((await admin.delete(path)).status, 204);
    assert.deepEqual((await similar.get(`${API}/sessions`)).body.data, []);
    checkProblem(await similar.get(`${API}/turns/${answer.turn_id}/events`), 410);
    assert.equal((await namesake.get(`${API}/sessions`)).body.data.length, 1);
    assert.equal((await admin.delete(`${API}/admin/users/${encodeURIComponent(sub)}`)).status, 204);
    checkProblem(await leaver.get(`${API}/sessions/${body.session_id}`), 404);
  });
});

it('administrators see how many answers the first provider failed to give', async () => {
  const mock = await startMock({ script: [{ when: { kind: 'answer' }, fault: { status: 400 }, times: 1 }, { reply: 'demo' }] });
  const d = await startDaemon({ mock });
  const admin = d.rest(mintToken({ role: 'admin' }));
  const failedOver = async () => (await admin.get(`${API}/admin/quality`)).body.numbers.failed_over;

  assert.equal((await d.ask(REFERENCE)).complete.provider, 'rules');
  assert.equal(await failedOver(), 1);
  assert.equal((await d.ask(REFERENCE)).complete.provider, 'anthropic');
  assert.equal(await failedOver(), 1);
  await d.stop();
  await mock.close();
});
