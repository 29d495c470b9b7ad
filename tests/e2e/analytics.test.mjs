/*
 * Analyses of uploaded data without a model: planted findings are found and nothing else is claimed, answers state
 * when there is too little data, and the same question gives identical results. Files: tests/calc/planted/planted.mjs.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { csv, month, noise, normals } from '../calc/planted/planted.mjs';
import * as planted from '../calc/planted/planted.mjs';
import { analyst, dataOf, deleteSources, labelled } from './analyst.mjs';
import { startDaemon } from './harness.mjs';

let d;
before(async () => { d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } }); });
after(() => d.stop());
afterEach(deleteSources);

const owner = (name, bytes, permissions) => analyst(d, name, bytes, permissions);
const chartOf = (answer) => answer.views.find((view) => view.view_type === 'chart');
const lead = (answer) => answer.text.split('\n')[0];

/* Patterns of claims in answers. Answers about a file may contain only the claims expected of it. */
const CLAIMS = {
  trend: /changes by \*\*/, season: /is seasonal/, shift: /From \S+ on the mean is/, outliers: /\*\*[1-9]\d*\*\* of \d+ values/,
  groups: /There are \*\*\d\*\* natural groups/, decline: /are declining in/, growth: /are growing in/, peaks: /two or more peaks/,
  peers: /the mean of the others/, underserved: /are underserved in/, elasticity: /in past data is \*\*/,
  similar: /^Nearest to/m,
};

function claims(text) {
  return Object.keys(CLAIMS).filter((name) => CLAIMS[name].test(text)).sort();
}

const CASES = [
  { file: 'tiers', name: 'customers', question: 'Segment the customers by sales', says: /\*\*40\*\* of 200 .* \*\*60\.5%\*\*/, claims: [] },
  { file: 'trend', name: 'sales', question: 'Is there a trend in sales by month?', says: /changes by \*\*200\.98\*\* per month/,
    claims: ['trend'], chart: 'line' },
  { file: 'season', name: 'sales', question: 'Are sales seasonal?', says: /highest in \*\*December\*\*, lowest in \*\*June\*\*/,
    claims: ['season'], others: ['Is there a trend in sales?', 'How have sales changed over time?'] },
  { file: 'outliers', name: 'invoices', question: 'Which invoices are outliers?', says: /\*\*5\*\* of 200 .*INV-189-24/, claims: ['outliers'] },
  { file: 'clusters', name: 'customers', question: 'Cluster the customers by sales', says: /\*\*3\*\* natural groups among 150, of 50, 50, 50/,
    claims: ['groups'] },
  { file: 'cloud', name: 'customers', question: 'Cluster the customers by sales', says: /These 150 form no natural groups/, claims: [] },
  { file: 'decline', name: 'orders', question: 'Which customers are at risk?', says: /\*\*6\*\* of 40 are declining/, claims: ['decline'],
    others: ['Which customers are growing in sales?'] },
  { file: 'growth', name: 'orders', question: 'Which products are growing in revenue?', says: /\*\*5\*\* of 40 are growing/, claims: ['growth'],
    others: ['Which products are declining in revenue?'] },
  { file: 'shift', name: 'sales', question: 'How have sales changed over time?', says: /From 2023-01 on the mean is 10,051\.77; the mean up to then is 4,985\.28/,
    claims: ['shift'], others: ['Are sales seasonal?'] },
  { file: 'concentration', name: 'customers', question: 'How concentrated are sales?', says: /3 of 50 hold 80 %/, claims: [] },
  { file: 'bimodal', name: 'tickets', question: 'What is the distribution of waiting time?', says: /two or more peaks/, claims: ['peaks'] },
  { file: 'peers', name: 'customers', question: 'How does Borealis Foods compare to the average in sales?',
    says: /\*\*Borealis Foods\*\* has \*\*2,000\*\* of Sales, rank 1 of 60\. That is \*\*1\d\d(\.\d)?%\*\* above .* Percentile: 99\.2/, claims: ['peers'] },
  { file: 'peers', name: 'customers', question: 'Which customers are most similar to Borealis Foods by sales and visits?',
    says: /Nearest to \*\*Borealis Foods\*\* is \*\*/, claims: ['similar'], others: ['Are there outliers in visits?'] },
  { file: 'peers', name: 'customers', question: 'Which regions are underserved in sales?', says: /\*\*1\*\* of 4 .*: West \(25\.0 % of the rows/,
    claims: ['underserved'], others: ['Are there outliers in visits?'] },
  { file: 'elasticity', name: 'orders', permissions: ['chat:use'], question: 'How sensitive are units to price?',
    says: /The elasticity of \*\*Units\*\* to Average Price in past data is \*\*-1\.(19|2|21)\d*\*\*/, claims: ['elasticity'] },
  { file: 'unrelated', name: 'orders', permissions: ['chat:use'], question: 'What is the elasticity of units to price?',
    says: /cannot be distinguished from chance, so no elasticity is given/, claims: [] },
  { file: 'noise', name: 'sales', question: 'Is there a trend in sales?', says: /no clear direction|is stable/, claims: [],
    others: ['Are sales seasonal?', 'Are there anomalies in sales?', 'How have sales changed over time?'] },
];

for (const one of CASES)
  test(`${one.file}: finds only the planted findings`, async () => {
    const { ask } = await owner(one.name, planted[one.file](), one.permissions);
    const answer = await ask(one.question);

    assert.match(answer.text, one.says);
    assert.deepEqual(claims(answer.text), one.claims);
    if (one.chart)
      assert.equal(chartOf(answer)?.chart_type, one.chart);
    for (const other of one.others ?? []) {
      const text = (await ask(other)).text;

      assert.deepEqual(claims(text).filter((claim) => !one.claims.includes(claim)), [], `${other}: ${text}`);
    }
  });

test('the same question gives the same bytes', async () => {
  const { ask } = await owner('customers', planted.clusters());
  const first = await ask('Cluster the customers by visits');
  const again = await ask('Cluster the customers by visits');

  assert.equal(again.text, first.text);
  assert.deepEqual(dataOf(again).data_dict, dataOf(first).data_dict);
});

/* Each labelled question is answered by its tool, without a model. */
test('labelled questions are answered by the expected tools', async () => {
  const owners = {};

  for (const label of await labelled()) {
    const { ask } = owners[label.file] ??= await owner(label.name, planted[label.file](), ['chat:use']);
    const answer = await ask(label.question), { source } = dataOf(answer) ?? {};

    assert.equal(source?.tool, label.tool, `${label.id}: ${answer.text}`);
    assert.ok(answer.text.includes(label.says ?? ''), `${label.id}: ${answer.text}`);
  }
});

test('examples of the agents for uploaded data are answered without unbound numbers', async () => {
  const { sources } = await owner('customers', planted.peers(), ['chat:use']);
  const agents = (await sources.rest.get('/api/v1/agents')).body.data;
  const questions = [...agents.flatMap((agent) => agent.examples), 'Describe customers', 'How good is the data quality of customers?'];

  assert.ok(questions.length > 3);
  for (const content of questions) {
    const { body } = await sources.rest.call('POST', '/api/v1/chat', { json: { content } });

    assert.equal(body.status, 'ok', `${content}: ${body.text}`);
    assert.ok(body.outcomes.length > 0 && body.outcomes.every((outcome) => outcome.outcome === 'rows'), `${content}: ${body.text}`);
    assert.equal(body.checked.unbound, 0, `${content}: ${body.text}`);
  }
});

test('no claim is made from too little data', async () => {
  const { ask } = await owner('sales', noise(3, 7));

  assert.match((await ask('Is there a trend in sales?')).text, /At least 8 months are needed for a trend; there are 7/);
  assert.match((await ask('Are sales seasonal?')).text, /Three full cycles are needed/);
  assert.match((await ask('What is the projection of sales?')).text, /At least 12 months are needed for a projection; there are 7/);
  assert.match((await ask('Are there outliers in sales?')).text, /At least 12 values are needed for outliers; there are 7/);
  assert.match((await ask('What is the distribution of sales?')).text, /A shape needs 20 values; there are 7/);
});

test('no segments are made of too few items', async () => {
  const rows = Array.from({ length: 9 }, (_, i) => [`Shop ${String.fromCharCode(65 + i)}`, 100 + i * 7.5]);
  const { ask } = await owner('shops', csv(['Shop', 'Turnover'], rows));

  assert.match((await ask('Segment by turnover per shop')).text, /At least 10 different values above zero are needed for tiers/);
  assert.match((await ask('How concentrated is turnover by shop?')).text, /At least 10 values are needed for a concentration; there are 9/);
  assert.match((await ask('Cluster by turnover per shop')).text, /At least 30 are needed to find groups; there are 9/);
});

test('an item is compared with its peers, groups are profiled, and the loss of the largest is computed', async () => {
  const { ask } = await owner('customers', planted.peers());

  assert.match((await ask('Where does Borealis Foods rank among the customers by sales relative to peers in region East?')).text,
    /rank 1 of 15\. .* A percentile needs 20; there are 15/);
  assert.match((await ask('How does region West compare to the average in sales?')).text,
    /\*\*West\*\* has .* rank 4 of 4\. There are only 3 others to compare with; 5 are needed/);
  assert.match((await ask('How does Zenith Inc compare to the average in sales?')).text, /Zenith Inc has no value for Sales/);
  assert.match((await ask('Benchmark the customers by sales')).text, /The mean of \*\*Sales\*\* over 60 is .* the highest is Borealis Foods with 2,000/);

  const profile = await ask('Profile the regions by sales');
  assert.match(profile.text, /Of \*\*4\*\* groups, East has the most .* The most rows belong to \w+: 15 \(25%\)/);
  assert.equal(dataOf(profile).row_count, 4);

  const lost = await ask('What would losing the top 5 customers do to sales?');
  assert.match(lost.text, /Without the largest 5, .* They are Borealis Foods, /);
  assert.match((await ask('What if we lose our 3 largest customers by sales?')).text, /Without the largest 3, /);
  assert.match((await ask('What would losing the top 60 customers do to sales?')).text, /At least 61 groups are needed; there are 60/);
  /* One question with several measures. */
  assert.match((await ask('Cluster the customers by sales and visits')).text, /natural groups/);
});

test('risks are ranked if there are enough items', async () => {
  const { ask } = await owner('orders', planted.decline());
  const answer = await ask('Which customers are most at risk?');

  assert.match(answer.text, /\*\*Customer 00[1-6]\*\* has the highest of 40 risk scores: .* it is not a probability/);
  /* The six planted customers are listed first. */
  assert.deepEqual(dataOf(answer).data_dict.Customer.slice(0, 6).sort(),
    [1, 2, 3, 4, 5, 6].map((i) => `Customer 00${i}`));
  const few = csv(['Customer', 'Order date', 'Sales'], Array.from({ length: 9 * 12 }, (_, i) => [`Client ${'ABCDEFGHI'[i % 9]}`,
    month(Math.floor(i / 9), 2024), (500 + i % 9 * 11.5 - i).toFixed(2)]));
  assert.match((await (await owner('visits', few)).ask('risk scores of customers by sales')).text,
    /At least 10 are needed to rank risks; there are 9/);
});

test('the effect of a change is estimated from past data or from assumptions', async () => {
  const { ask } = await owner('orders', planted.elasticity(), ['chat:use']);

  assert.match((await ask('What would happen to units if we raise prices by 10%?')).text,
    /\*\*Units\*\* would go from .* \(-1[12](\.\d)?%\) with a change of Average Price by 10%\. An association in past data is not proof/);
  assert.match((await ask('What if units drop by 15 percent?')).text, /\(-15%\) with a change of Units by -15%/);
  assert.match((await ask('What if we raise prices by 5 %?')).text, /with a change of Average Price by 5%/);
  const { ask: few } = await owner('orders', planted.elasticity(23), ['chat:use']);
  const assumed = await few('What would happen to units if we raise prices by 10%?');

  assert.match(assumed.text, /At least 24 months with both above zero are needed for an elasticity; there are 23/);
  assert.match(assumed.text, /three assumed elasticities/);
  assert.equal(dataOf(assumed).row_count, 3);
});
/* The minimum amount of data of each analysis: with the minimum it makes a claim, with one item less it states what is
 * missing. */
const places = (names, n, value) => csv(names, Array.from({ length: n }, (_, i) => [`Place ${String(i + 1).padStart(3, '0')}`, ...value(i)]));
const panel = (count, periods, step = -40) => csv(['Place', 'Region', 'Day', 'Sales'], Array.from({ length: count * periods }, (_, i) =>
  [`Place ${String((i % count) + 1).padStart(3, '0')}`, i % count % 2 ? 'West' : 'East', month(Math.floor(i / count), 2023),
    (1000 + step * Math.floor(i / count) + (i % count)).toFixed(2)]));
const series = (n) => csv(['Day', 'Sales'], Array.from({ length: n }, (_, i) => [month(i, 2023), 100 + (i * 7) % 5 + 0.5]));
const zero = (n) => csv(['Day', 'Sales'], Array.from({ length: 6 }, (_, i) => [month(i, 2023), i === 0 ? (n * 10.5).toFixed(2) : '0.00']));
const regions = (n) => places(['Place', 'Region', 'Sales'], 36, (i) => [`Region ${'ABC'[i % n]}`, 100.5 + i]);
const MINIMUMS = [
  { name: 'moving', at: (n) => series(n), n: 4, question: 'What is the moving average of sales?', says: /At least 4 months are needed for means of 3; there are 3/,
    claims: /the mean of the last 3 months/ },
  { name: 'gaps', at: (n) => places(['Place', 'Visits', 'Sales'], n, (i) => [50 + i, i > 15 ? 10.5 : 100.5 + i]), n: 20,
    question: 'Find upsell candidates by visits and sales per place', says: /At least 20 with both values are needed; there are 19/, claims: /are high in/ },
  { name: 'likes', at: (n) => places(['Place', 'Sales', 'Visits'], n, (i) => [100.5 + i * 10, i % 9]), n: 30, question: 'Find lookalikes by sales and visits',
    says: /At least 30 are needed to look for others like the best; there are 29/, claims: /resemble|None of the others/ },
  { name: 'scores', at: (n) => places(['Place', 'Sales', 'Visits'], n, (i) => [100.5 + i * 10, i % 9]), n: 10, question: 'Rank by potential: sales and visits per place',
    says: /At least 10 with all values are needed for scores; there are 9/, claims: /has the highest of 10 scores/ },
  { name: 'lost', at: (n) => places(['Place', 'Churned', 'Sales'], n + 15, (i) => [i < n ? 'yes' : 'no', 100.5 + i]), n: 10,
    question: 'Churn patterns by sales per churned', says: /10 lost ones and 10 others are needed; there are 9 and 15/, claims: /lost ones than like the others|None of the others/ },
  { name: 'spots', at: (n) => panel(n, 8), n: 10, question: 'Where is the risk in sales by region and place?',
    says: /At least 10 with 6 or more months each are needed to locate the risk; there are 9/, claims: /of the value at risk/ },
  { name: 'silent', at: (n) => csv(['Place', 'Day', 'Sales'], Array.from({ length: n + 1 }, (_, i) => ['Harbour', `2024-03-${String(1 + i * 5).padStart(2, '0')}`, 10.5 + i])), n: 4,
    question: 'Which places have gone quiet by sales?', says: /Not scored: 1 with fewer than 4 intervals/, claims: /None is silent/ },
  { name: 'best', at: (n) => places(['Place', 'Region', 'Sales'], 12, (i) => [`Region ${'ABC'[i % n]}`, 100.5 + i]), n: 2,
    question: 'Best in class by sales per region and place', says: /At least 2 groups are needed; there is 1/, claims: /of \*\*2\*\* groups/ },
  { name: 'ranks', at: (n) => places(['Place', 'Region', 'Sales'], n + 1, (i) => ['East', 100.5 + i]), n: 5,
    question: 'Where does Place 003 rank within its region by sales per place?', says: /There are only 4 others in East to compare with; 5 are needed/, claims: /rank \*\*4\*\* of 6 in East/ },
  { name: 'climbs', at: (n) => panel(n, 13), n: 20, question: 'How does Place 003 compare to its past in sales?',
    says: /at least 20 others to compare with are needed for a change of percentile/, claims: /was at percentile/ },
  { name: 'mixes', at: (n) => places(['Place', 'Region', 'Sales'], n, (i) => [i % 2 ? 'East' : 'West', 100.5 + i]), n: 10,
    question: 'Show the tiers by region for sales per place', says: /At least 10 values above zero are needed for tiers; there are 9/, claims: /expected fewer than 5 times/ },
  { name: 'changes', at: (n) => series(n), n: 2, question: 'How have sales changed over time?', says: /At least two months are needed for a change; there is 1/,
    claims: /a change of/ },
  { name: 'basis', at: (n) => csv(['Day', 'Region', 'Sales'], Array.from({ length: 9 }, (_, i) => [month(i, 2023), i < 6 ? 'East' : 'West', i < 6 || i - 6 < n ? 10.5 + i : ''])),
    n: 1, question: 'What is the baseline of sales in region West?', says: /Sales has no value/, claims: /per month on average/ },
  { name: 'served', at: regions, n: 3, question: 'Which regions are underserved in sales?', says: /At least 3 groups are needed; there are 2/,
    claims: /No region of|are underserved/i },
  { name: 'sinks', at: (n) => panel(10, n), n: 6, question: 'Which places are declining in sales?',
    says: /At least 6 months of one Place are needed; none has that many/, claims: /\*\*10\*\* of 10 are declining in/ },
  { name: 'rises', at: (n) => panel(10, n, 40), n: 6, question: 'Which places are growing in sales?',
    says: /At least 6 months of one Place are needed; none has that many/, claims: /\*\*10\*\* of 10 are growing in/ },
  { name: 'parts', at: regions, n: 2, question: 'Profile the regions by sales', says: /All rows of Sales are in one group/,
    claims: /groups, Region \w has the most of/ },
  { name: 'nothing to change', at: zero, n: 1, question: 'What if sales drop by 15 percent?', says: /has no total above zero/, claims: /would go from/ },
  { name: 'nothing to vary', at: zero, n: 1, question: 'Run a sensitivity analysis of sales', says: /has no total above zero/, claims: /gives \*\*/ },
  { name: 'nothing to compare', at: zero, n: 1, question: 'Compare scenarios of sales', says: /has no total above zero/, claims: /3 scenarios of/ },
  { name: 'nearest', at: (n) => places(['Place', 'Sales', 'Visits'], n, (i) => [100.5 + i * 10, i % 9]), n: 10,
    question: 'Which places are most similar to Place 003 by sales and visits?', says: /At least 10 are needed to tell which are similar; there are 9/, claims: /Nearest to/ },
];

for (const one of MINIMUMS)
  test(`${one.name}: a claim needs the documented minimum of data`, async () => {
    const { ask } = await owner(`${one.name}.csv`, one.at(one.n - 1), ['chat:use']);
    const less = (await ask(one.question)).text;

    assert.match(less, one.says);
    assert.doesNotMatch(less, one.claims);
    const { ask: again } = await owner(`${one.name}.csv`, one.at(one.n), ['chat:use']);
    const enough = (await again(one.question)).text;

    assert.match(enough, one.claims);
    assert.doesNotMatch(enough, one.says);
  });

test('no difference is claimed without evidence, and long lists are shortened with a count', async () => {
  const { ask } = await owner('same', places(['Place', 'Region', 'Sales', 'Visits'], 40, () => ['East', 5.5, 5]), ['chat:use']);

  assert.match((await ask('Rank by potential: sales and visits per place')).text, /All have the same score/);
  assert.match((await ask('Show the tiers by region for sales per place')).text, /All rows are in one group/);
  const many = places(['Place', 'Churned', 'Sales'], 90, (i) => [i % 3 ? 'no' : 'yes', (i * 7) % 90 + 0.5]);
  const { ask: askMany } = await owner('many', many, ['chat:use']);

  assert.match((await askMany('Churn patterns by sales per churned and place')).text, /: (Place \d+, ){9}Place \d+ and \d+ more\./);
});

test('unsuitable data is reported instead of computed', async () => {
  const z = normals(4);
  const rows = Array.from({ length: 40 }, (_, i) => [`Site ${i + 1}`, month(i), i % 4 ? (100 + z()).toFixed(2) : '', 5.5, (i - 10.5) * 3]);
  const { ask } = await owner('sites', csv(['Site', 'Day', 'Output', 'Level', 'Profit'], rows));

  assert.match((await ask('How concentrated is profit by site?')).text, /11 of 40 totals of Profit are negative/);
  assert.match((await ask('Are there outliers in level?')).text, /All values of (Average )?Level are equal/);
  assert.match((await ask('Is there a trend in output?')).text, /More than 20 % of the months have no value/);
  assert.match((await ask('Cluster by level per site')).text, /no natural groups|has only one value/);
  const level = lead(await ask('Is there a trend in level?'));
  assert.doesNotMatch(level, CLAIMS.trend);
  assert.doesNotMatch(level, /nan|inf/i);
});
