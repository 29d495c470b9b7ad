/*
 * Tools over HTTP for each tenant of the demo, one of each pack, and for uploaded data with analyses: a program
 * gets the same numbers for a call as a question in chat. (The energy pack: tools-http.test.mjs.)
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as planted from '../calc/planted/planted.mjs';
import { startDemo, tokenOf } from './demo-packs.mjs';
import { ROOT } from './harness.mjs';
import { Sources, until } from './sources.mjs';
import { mintToken, ROLES } from './token.mjs';

/* Only an agent's protocol uses these tools; programs call the tools for queries and statements directly. */
const AGENT_STEP_TOOLS = ['refine_query', 'run_select'];
const MEMBERS = ['columns', 'meta', 'data_dict', 'row_count', 'truncated'];

/* For each analysis: a file of tests/calc/planted and a question that the analysis answers. */
const ANALYSES = [
  ['trend', 'sales', 'Is there a trend in sales by month?', 'trend'],
  ['season', 'sales', 'Are sales seasonal?', 'seasonality'],
  ['shift', 'sales', 'How have sales changed over time?', 'change'],
  ['season', 'sales', 'What is the projection of sales?', 'project'],
  ['outliers', 'invoices', 'Which invoices are outliers?', 'outliers'],
  ['concentration', 'customers', 'How concentrated are sales?', 'concentration'],
  ['bimodal', 'tickets', 'What is the distribution of waiting time?', 'distribution'],
  ['tiers', 'customers', 'Segment the customers by sales', 'value_tiers'],
  ['clusters', 'customers', 'Cluster the customers by sales', 'clusters'],
  ['decline', 'orders', 'Which customers are at risk?', 'decline'],
  ['growth', 'orders', 'Which products are growing in revenue?', 'growth'],
  ['peers', 'customers', 'Profile the regions by sales', 'group_profile'],
  ['peers', 'customers', 'Which regions are underserved in sales?', 'underserved'],
  ['peers', 'customers', 'What would losing the top 5 customers do to sales?', 'lose_top_n'],
  ['peers', 'customers', 'How does Borealis Foods compare to the average in sales?', 'vs_average'],
  ['peers', 'customers', 'Which customers are most similar to Borealis Foods by sales and visits?', 'similar_to_entity'],
  ['feedback', 'survey', 'Which comments look like complaints?', 'match_values'],
  ['feedback', 'survey', 'Classify the comments as complaint, praise or question', 'classify_values'],
  ['decline', 'orders', 'Which customers need attention?', 'risk_scores'],
  ['elasticity', 'orders', 'How sensitive are units to price?', 'elasticity'],
  ['noise', 'sales', 'What if sales drop by 15 percent?', 'what_if'],
  ['mix', 'customers', 'Show the tiers by region for sales', 'cross_segment'],
  ['trend', 'sales', 'What is the moving average of sales?', 'moving'],
  ['trend', 'sales', 'What is the baseline of sales?', 'baseline'],
  ['trend', 'sales', 'Run a sensitivity analysis of sales', 'sensitivity'],
  ['trend', 'sales', 'Compare scenarios of sales', 'scenarios'],
  ['accounts', 'accounts', 'Find upsell candidates by visits and sales', 'gap_candidates'],
  ['alikes', 'accounts', 'Find lookalikes by sales, visits and calls', 'lookalikes'],
  ['accounts', 'accounts', 'Which accounts have the highest potential by visits and calls?', 'opportunity_scores'],
  ['quiet', 'orders', 'Which customers have gone quiet?', 'inactivity'],
  ['losses', 'customers', 'Which customers are like the lost ones by sales and visits per churned?', 'like_losses'],
  ['places', 'orders', 'Where is the risk in sales by region and customer?', 'risk_by'],
  ['peers', 'customers', 'Who is best in each region by sales?', 'best_in_class'],
  ['peers', 'customers', 'Where does Borealis Foods rank within its region by sales?', 'rank_in_group'],
  ['climber', 'orders', 'How does Juniper Works compare to its past in sales?', 'vs_history'],
];

const labelled = async (name) => (await readFile(join(ROOT, `tests/route/${name}.jsonl`), 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line));

describe('a tool of another pack over HTTP', () => {
  let d;

  before(async () => {
    d = await startDemo();
  });
  after(() => d?.stop());

  /* If one call answered the question: compares its numbers and returns the tool. Otherwise undefined. */
  async function compare(question, tenant, skipped = [], token = tokenOf(tenant, 'admin', ['chat:upload'])) {
    const rest = d.rest(token);
    const turn = await d.ask(question, { token });
    const [outcome] = turn.complete?.outcomes ?? [];
    if (turn.complete?.outcomes?.length !== 1 || outcome.outcome !== 'rows' || turn.tables.length === 0 || skipped.includes(outcome.tool))
      return undefined;
    const receipt = (await rest.get(`/api/v1/receipts/${turn.complete.receipt_id}`)).body.content;
    const { schema } = (await rest.get(`/api/v1/tools/${outcome.tool}`)).body;
    const toolArgs = Object.fromEntries(Object.entries(receipt.calls[0].args).filter(([name]) => name in schema.properties));
    const reply = await rest.post(`/api/v1/tools/${outcome.tool}`, toolArgs);
    assert.equal(reply.status, 200, `${question}: ${reply.text}`);
    assert.equal(reply.body.status, 'ok', `${question}: ${reply.text.slice(0, 300)}`);
    const sets = Object.values(reply.body.result.sets);
    for (const view of turn.tables)
      assert.ok(sets.some((set) => MEMBERS.every((m) => JSON.stringify(set[m]) === JSON.stringify(view[m]))),
        `${outcome.tool}: ${question}: ${JSON.stringify(view).slice(0, 300)} is not among ${JSON.stringify(sets).slice(0, 600)}`);
    const own = (await rest.get(`/api/v1/receipts/${reply.body.receipt_id}`)).body.content;
    assert.equal(own.calls[0].result_hash, receipt.calls[0].result_hash, outcome.tool);
    return outcome.tool;
  }

  const isAnalysis = (t) => t.name !== 'query_metrics' && t.schema.properties.query && !AGENT_STEP_TOOLS.includes(t.name);
  const toolsOf = async (tenant) => (await d.rest(tokenOf(tenant)).get('/api/v1/tools')).body.data.filter((t) => !isAnalysis(t))
    .map((t) => t.name).filter((name) => !AGENT_STEP_TOOLS.includes(name)).sort();

  async function runSql(tenant, sql) {
    const { body } = await d.rest(tokenOf(tenant)).post('/api/v1/tools/general_sql_query', { sql });
    assert.equal(body.status, 'ok', JSON.stringify(body).slice(0, 300));
    return 'general_sql_query';
  }

  it('returns the same numbers as chat, for every tool of the solar pack', async () => {
    const compared = new Set([await runSql('mesa', 'SELECT COUNT(*) AS n FROM pv.loggers')]);
    for (const { question, tools, history } of await labelled('solar'))
      if (tools?.length === 1 && !history && !compared.has(tools[0]))
        compared.add(await compare(question, 'mesa', [...compared]));
    compared.delete(undefined);
    assert.deepEqual([...compared].sort(), await toolsOf('mesa'));
  });

  it('returns the same numbers as chat, for queries over the map of a city', async (t) => {
    const compared = new Set([await runSql('noor', 'SELECT COUNT(*) AS n FROM city.ent_vendors')]);
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

  it('returns the same numbers as chat, for uploaded data', async () => {
    const sources = new Sources(d, tokenOf('vesper', 'admin', ['chat:upload']));
    await sources.loaded('Shop,Product,Sold\nNorth,Tea,12\nNorth,Coffee,30\nSouth,Tea,7\nSouth,Coffee,9\n', 'name=Kiosk.csv');
    const compared = [];
    for (const question of ['Total sold by shop in Kiosk', 'sold by product in Kiosk', 'How many rows of Kiosk are there by shop?'])
      compared.push(await compare(question, 'vesper'));
    assert.ok(compared.includes('query_metrics'), compared.join());
  });

  it('returns the same numbers as chat, for every analysis', async () => {
    let listed;
    for (const [i, [file, name, question, tool]] of ANALYSES.entries()) {
      const token = mintToken({ sub: `analyst-${i}`, permissions: [...ROLES.analyst, 'chat:upload'] });
      assert.equal((await new Sources(d, token).loaded(planted[file](), `name=${name}.csv`)).state, 'ready');
      /* The overlay is ready after the rows. Until then, questions do not find the file. */
      assert.equal(await until(question, () => compare(question, 'vesper', [], token)), tool);
      listed ??= (await d.rest(token).get('/api/v1/tools')).body.data.filter(isAnalysis).map((t) => t.name);
    }
    assert.deepEqual(ANALYSES.map(([, , , tool]) => tool).sort(), listed.sort());
  });
});
