/*
 * Tools that describe data sources: which exist, their contents and quality, and which columns could join two of
 * them. By question or by name, limited to what the caller may use; an ambiguous name leads to a question. A
 * source reported as ready can be queried at once, and a file is accepted once the port is open.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDaemon } from './harness.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const ORDERS = 'order_no,sold on,region,customer,amount\nA1,2025-01-01,North,C1,5.5\nA2,2025-01-02,South,C2,\nA3,2025-01-05,North,C3,7\n'
  + 'A3,2025-01-05,North,C3,7\n';
const CUSTOMERS = 'customer,name\nC1,Ann\nC2,Bob\nC9,Eve\n';

const run = promisify(execFile);
const caller = (sub) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] });
const tool = async (s, name, args = {}) => (await s.rest.post(`/api/v1/tools/${name}`, args)).body;
const chat = async (s, content) => (await s.rest.post('/api/v1/chat', { content })).body;
const columns = (result) => result.result.sets.rows.data_dict;

let d;
before(async () => {
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(() => d?.stop());

const AGE = 'import sqlite3,sys\nc = sqlite3.connect(sys.argv[1])\n'
  + 'c.execute("UPDATE chat_data_sources SET updated_at = ? WHERE source_uid = ?", ("2020-01-01T00:00:00.000Z", sys.argv[2]))\nc.commit()';

describe('retention', () => {
  it('deletes only sources that were not changed for the retention time', async () => {
    const daemon = await startDaemon({ env: { VESPER_UPLOADS_RETENTION_DAYS: '30' } });
    try {
      const ann = new Sources(daemon, caller('ann'));
      const { id } = await ann.loaded(ORDERS, 'name=Old.csv');
      await run('python3', ['-c', AGE, join(daemon.dataDir, 'store/vesper.db'), id]);
      await ann.loaded(CUSTOMERS, 'name=New.csv');
      await until('the old source is deleted', async () => (await ann.one(id)).status === 404);
      assert.deepEqual((await ann.list()).map((s) => s.name), ['New']);
      assert.equal((await chat(ann, 'total amount by region')).views.some((v) => v.view_type === 'data'), false);
    } finally {
      await daemon.stop();
    }
  });
});

describe('a data source', () => {
  it('is accepted once the port is open, and queried once it is ready', async () => {
    const early = new Sources(d, caller('early'));
    const source = await early.loaded(ORDERS, 'name=Orders.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    assert.match((await chat(early, 'total amount by region')).text, /North \| 19\.5/);
    assert.match((await chat(early, 'total amount for the region North')).text, /19\.5/);
  });

  it('is described by tools', async () => {
    const ann = new Sources(d, caller('ann'));
    assert.equal((await ann.rest.post('/api/v1/tools/list_sources', {})).status, 403);
    await ann.loaded(ORDERS, 'name=Orders.csv');
    const alone = await tool(ann, 'describe_source');
    assert.equal(alone.result.facts.source, 'Orders');
    assert.deepEqual(columns(alone).Type, ['text', 'date', 'text', 'text', 'decimal']);
    assert.equal(alone.result.facts.rows, '4');

    const quality = await tool(ann, 'data_quality', { source: 'orders' });
    assert.deepEqual(columns(quality).Column, ['sold on', 'amount', null]);
    assert.deepEqual(columns(quality).Count, [2, 1, 1]); /* days without a row, a missing value, a repeated row */
    assert.equal(quality.result.facts.quality_score, '93');

    await ann.loaded(CUSTOMERS, 'name=Customers.csv');
    assert.deepEqual(columns(await tool(ann, 'list_sources')).Source, ['Orders', 'Customers']);
    const keys = columns(await tool(ann, 'find_join_keys', { source: 'Orders', other: 'Customers' }));
    assert.deepEqual([keys.Column, keys['Other column'], keys['Common values'], keys.Cardinality], [['customer'], ['customer'], [2], ['n:1']]);
  });

  it('is described by questions, without a model', async () => {
    const bob = new Sources(d, caller('bob'));
    await bob.loaded(ORDERS, 'name=Orders.csv');
    await bob.loaded(CUSTOMERS, 'name=Customers.csv');
    assert.match((await chat(bob, 'Which data sources do I have?')).text, /\| Orders \| 4 \| 5 \|[^]*\| Customers \| 3 \| 2 \|/);
    assert.match((await chat(bob, 'What is the data quality of Orders?')).text, /Orders has a quality score of 93 of 100, with 3 findings/);
    assert.match((await chat(bob, 'Describe the data source Customers')).text, /Customers has 3 rows and 2 columns/);
    assert.match((await chat(bob, 'Which columns could join Orders and Customers?')).text, /customer[^]*n:1/i);
  });

  it('leads to a question if a name matches several', async () => {
    const eve = new Sources(d, caller('eve'));
    const first = await eve.loaded(ORDERS, 'name=Orders.csv'), second = await eve.loaded(ORDERS.replace('C3,7\nA3', 'C4,9\nA4'), 'name=Orders.csv');
    const both = await tool(eve, 'data_quality', { source: 'Orders' });
    assert.deepEqual(both.error.suggestions.toSorted(), [first.id, second.id].toSorted());
    assert.equal((await tool(eve, 'data_quality', { source: second.id })).result.facts.quality_score, '98');
    assert.match((await tool(eve, 'describe_source', { source: 'Nothing' })).message, /No data source that you may use is called "Nothing"/);
    const asked = await chat(eve, 'What is the data quality of Orders?');
    assert.match(asked.text, /Which one do you mean\?/);
  });

  it('is hidden from other users, including its name', async () => {
    const owner = new Sources(d, caller('owner')), other = new Sources(d, caller('other'));
    await owner.loaded(ORDERS, 'name=Secretname.csv');
    await other.loaded(CUSTOMERS, 'name=Plain.csv');
    for (const [name, args] of [['list_sources', {}], ['describe_source', { source: 'Secretname' }], ['find_join_keys', { source: 'Plain' }]])
      assert.doesNotMatch(JSON.stringify((await tool(other, name, args)).result), /Secretname|order_no/);
    assert.doesNotMatch((await chat(other, 'Describe the data source Secret')).text, /Secretname/);
  });

  it('is removed from the tools with the file', async () => {
    const leaver = new Sources(d, caller('leaver'));
    const { id } = await leaver.loaded(ORDERS, 'name=Orders.csv');
    assert.equal((await tool(leaver, 'list_sources')).result.facts.sources, '1');
    await leaver.rest.delete(`/api/v1/data-sources/${id}`);
    await until('no tool is left', async () => (await leaver.rest.post('/api/v1/tools/list_sources', {})).status === 403);
  });
});
