/* Known values of a filter that the caller may see. */

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';

let d;
before(async () => { d = await startDaemon(); });
after(() => d?.stop());

const values = async (name, text, who = {}) => {
  const query = text === undefined ? '' : `?${new URLSearchParams({ q: text })}`;
  const { status, body } = await d.rest(mintToken({ role: 'manager', ...who })).get(`/api/v1/filters/${encodeURIComponent(name)}/values${query}`);

  assert.equal(status, 200);
  return body;
};
const names = async (...of) => (await values(...of)).data.map(({ value }) => value);

it('have their parent value and their label', async () => {
  const { data, has_more: hasMore } = await values('hub_zone');

  assert.deepEqual(data.find(({ value }) => value === 'NP15'), { value: 'NP15', label: 'NP15', group: 'CAISO' });
  assert.equal(hasMore, data.length === 40);
  assert.match((await values('status_color')).data.find(({ value }) => value === 'at_risk').label, /At risk$/);
  assert.deepEqual(await names('hub_zones', 'sp1'), ['SP15']);
  assert.deepEqual(await names('vendor', 'ascnd'), ['Ascend'], 'what is like it, where nothing holds it');
});

it('include the tenant\'s data, and no other tenant\'s', async () => {
  const [own, other] = await Promise.all(['vesper', 'acme'].map((tenant_id) => names('project_name', '', { tenant_id })));

  assert.ok(own.includes('Nazareth Solar'));
  assert.deepEqual(other.filter((name) => own.includes(name) && name === 'Nazareth Solar'), []);
});

it('are empty without permission, without values, and for unknown filters', async () => {
  assert.deepEqual(await names('hub_zone', undefined, { role: 'viewer' }), []);
  assert.deepEqual(await names('hub_zone', 'NP15', { role: 'viewer' }), []);
  assert.deepEqual(await names('year'), []);
  assert.deepEqual(await names('no such filter'), []);
  assert.deepEqual(await names('hub_zone', "' OR 1=1 --"), []);
  checkProblem(await d.rest(mintToken({ permissions: [] })).get('/api/v1/filters/hub_zone/values'), 403);
});
