/*
 * Tools over HTTP for each tenant of the demo, one of each pack, and for data that a user uploaded: what a question in chat
 * was answered with is what a program gets for the same call, number by number. (The energy pack: tools-http.test.mjs.)
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startDemo, tokenOf } from './demo-packs.mjs';
import { ROOT } from './harness.mjs';
import { Sources } from './sources.mjs';

/* Only an agent's protocol calls them, step by step: a program has the query and the statement themselves. */
const STEPS_OF_AGENTS = ['refine_query', 'run_select'];
const MEMBERS = ['columns', 'meta', 'data_dict', 'row_count', 'truncated'];

const labelled = async (name) => (await readFile(join(ROOT, `tests/route/${name}.jsonl`), 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line));

describe('a tool of another pack over HTTP', () => {
  let d;

  before(async () => {
    d = await startDemo();
  });
  after(() => d?.stop());

  /* The tool of a question that one call answered, once its numbers were compared; undefined: it was another kind of answer. */
  async function compare(question, tenant, more = []) {
    const token = tokenOf(tenant, 'admin', ['chat:upload']);
    const rest = d.rest(token);
    const turn = await d.ask(question, { token });
    const [outcome] = turn.complete?.outcomes ?? [];
    if (turn.complete?.outcomes?.length !== 1 || outcome.outcome !== 'rows' || turn.tables.length === 0 || more.includes(outcome.tool))
      return undefined;
    const receipt = (await rest.get(`/api/v1/receipts/${turn.complete.receipt_id}`)).body.content;
    const { schema } = (await rest.get(`/api/v1/tools/${outcome.tool}`)).body;
    const given = Object.fromEntries(Object.entries(receipt.calls[0].args).filter(([name]) => name in schema.properties));
    const reply = await rest.post(`/api/v1/tools/${outcome.tool}`, given);
    assert.equal(reply.status, 200, `${question}: ${reply.text}`);
    assert.equal(reply.body.status, 'ok', `${question}: ${reply.text.slice(0, 300)}`);
    const sets = Object.values(reply.body.result.sets);
    for (const view of turn.tables)
      assert.ok(sets.some((set) => MEMBERS.every((m) => JSON.stringify(set[m]) === JSON.stringify(view[m]))),
        `${outcome.tool}: ${question}: ${JSON.stringify(view).slice(0, 300)} is none of ${JSON.stringify(sets).slice(0, 600)}`);
    const own = (await rest.get(`/api/v1/receipts/${reply.body.receipt_id}`)).body.content;
    assert.equal(own.calls[0].result_hash, receipt.calls[0].result_hash, outcome.tool);
    return outcome.tool;
  }

  const toolsOf = async (tenant) => (await d.rest(tokenOf(tenant)).get('/api/v1/tools')).body.data
    .filter((t) => t.name === 'query_metrics' || !t.schema.properties.query) /* analyses: analytics.test.mjs */
    .map((t) => t.name).filter((name) => !STEPS_OF_AGENTS.includes(name)).sort();

  async function general(tenant, sql) {
    const { body } = await d.rest(tokenOf(tenant)).post('/api/v1/tools/general_sql_query', { sql });
    assert.equal(body.status, 'ok', JSON.stringify(body).slice(0, 300));
    return 'general_sql_query';
  }

  it('gives the numbers that chat gives, for every tool of plants', async () => {
    const compared = new Set([await general('mesa', 'SELECT COUNT(*) AS n FROM pv.loggers')]);
    for (const { question, tools, history } of await labelled('solar'))
      if (tools?.length === 1 && !history && !compared.has(tools[0]))
        compared.add(await compare(question, 'mesa', [...compared]));
    compared.delete(undefined);
    assert.deepEqual([...compared].sort(), await toolsOf('mesa'));
  });

  it('gives the numbers that chat gives, for queries over the map of a city', async (t) => {
    const compared = new Set([await general('noor', 'SELECT COUNT(*) AS n FROM city.ent_vendors')]);
    let questions = 0;
    for (const { question, history } of await labelled('city')) {
      const tool = history ? undefined : await compare(question, 'noor');
      questions += tool !== undefined;
      compared.add(tool);
    }
    compared.delete(undefined);
    t.diagnostic(`${questions} questions`);
    assert.ok(questions >= 30, `${questions} questions were answered by a table`);
    assert.deepEqual([...compared].sort(), await toolsOf('noor'));
  });

  it('gives the numbers that chat gives, for what a user uploaded', async () => {
    const sources = new Sources(d, tokenOf('vesper', 'admin', ['chat:upload']));
    await sources.loaded('Shop,Product,Sold\nNorth,Tea,12\nNorth,Coffee,30\nSouth,Tea,7\nSouth,Coffee,9\n', 'name=Kiosk.csv');
    const compared = [];
    for (const question of ['Total sold by shop in Kiosk', 'sold by product in Kiosk', 'How many rows of Kiosk are there by shop?'])
      compared.push(await compare(question, 'vesper'));
    assert.ok(compared.includes('query_metrics'), compared.join());
  });
});
