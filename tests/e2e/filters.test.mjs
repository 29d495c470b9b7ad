/* Known values of a filter that the caller may see. */

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';

let d;
before(async () => { d = await startDaemon(); });
after(() => d?.stop());

const values = async (name, text, claims = {}) => {
  const query = text === undefined ? '' : `?${new URLSearchParams({ q: text })}`;
  const { status, body } = await d.rest(mintToken({ role: 'manager', ...claims })).get(`/api/v1/filters/${encodeURIComponent(name)}/values${query}`);

  assert.equal(status, 200);
  return body;
};
const names = async (...args) => (await values(...args)).data.map(({ value }) => value);

it('known values of a filter have their parent value and their label', async () => {
  const { data, has_more: hasMore } = await values('hub_zone');

  assert.deepEqual(data.find(({ value }) => value === 'NP15'), { value: 'NP15', label: 'NP15', group: 'CAISO' });
  assert.equal(hasMore, data.length === 40);
  assert.match((await values('status_color')).data.find(({ value }) => value === 'at_risk').label, /At risk$/);
  assert.deepEqual(await names('hub_zones', 'sp1'), ['SP15']);
  assert.deepEqual(await names('vendor', 'ascnd'), ['Ascend'], 'a similar value, if no value contains the text');
});

it('known values are from the data of the tenant only', async () => {
  const [own, other] = await Promise.all(['vesper', 'acme'].map((tenant_id) => names('project_name', '', { tenant_id })));

  assert.ok(own.includes('Nazareth Solar'));
  assert.deepEqual(other.filter((name) => own.includes(name) && name === 'Nazareth Solar'), []);
});

it('no values are listed without permission, without known values, and for unknown filters', async () => {
  assert.deepEqual(await names('hub_zone', undefined, { role: 'viewer' }), []);
  assert.deepEqual(await names('hub_zone', 'NP15', { role: 'viewer' }), []);
  assert.deepEqual(await names('year'), []);
  assert.deepEqual(await names('no such filter'), []);
  assert.deepEqual(await names('hub_zone', "' OR 1=1 --"), []);
  checkProblem(await d.rest(mintToken({ permissions: [] })).get('/api/v1/filters/hub_zone/values'), 403);
});
