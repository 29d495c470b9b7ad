/*
 * Data that analyses cannot process, or only in part, and users who ask for data of others: each answer states the
 * problem, and every number of an answer is valid. Wrong replies of models are in semantic.test.mjs.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { csv, month } from '../calc/planted/planted.mjs';
import { analyst, deleteSources } from './analyst.mjs';
import { startDaemon } from './harness.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const rows = (n, row) => Array.from({ length: n }, (_, i) => row(i));
const shops = (n, names, ...values) => csv(['Place', ...names], rows(n, (i) => [`Place ${String(i + 1).padStart(3, '0')}`, ...values.map((value) => value(i))]));
const days = (list) => csv(['Day', 'Sales'], list.map((day, i) => [day, 10.5 + i]));
/* A frame has at most 200,000 rows. Of a larger result, every second row is read, then every fourth, and so on: of a
 * million rows, 1 in 8. The file is created before the first question, because this blocks the test process. */
const GROUPS = Number(process.env.VESPER_E2E_GROUPS ?? 210000);
const many = csv(['Customer', 'Sales'], rows(GROUPS, (i) => [`C${i}`, (i % 1000) + 0.5]));
let d;

before(async () => { d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } }); });
after(() => d.stop());
afterEach(deleteSources);

/* Data, questions about it, and the expected answers. */
const BAD = {
  'values that hardly differ': [shops(40, ['Sales'], (i) => `1000.00000${1 + (i % 2)}`), {
    'Are there outliers in sales?': /\*\*0\*\* of 40 .* No value of Sales stands out/,
    'What is the distribution of sales?': /Standard deviation: 0\.000000506\. Shape: not normal/,
    'Segment by sales per place': /At least 10 different values above zero are needed for tiers/,
    'How concentrated are sales?': /The top 10 % hold \*\*10%\*\*/,
  }],
  'numbers that are too large for computations': [shops(40, ['Sales', 'Visits'], (i) => `${i + 1}e200`, (i) => i + 0.5), {
    'What is the total sales?': /I did not answer, because I can't use "total sales"/,
  }],
  'dates that are far apart, and several on one day': [days(['2019-01-03', '2019-01-03', '2019-01-03', '2019-02-28', '2020-07-01', '2020-07-01',
    '2022-12-31', '2023-01-01', '2023-01-01', '2023-05-05', '2024-02-29', '2024-02-29']), {
    'Is there a trend in sales by month?': /More than 20 % of the months have no value, so no conclusion is drawn/,
    'Are sales seasonal?': /More than 20 % of the months have no value, so no conclusion is drawn/,
    'What is the projection of sales?': /More than 20 % of the months have no value, so no conclusion is drawn/,
  }],
  'two rows on each date': [days(rows(24, (i) => month(Math.floor(i / 2), 2023))), {
    'Is there a trend in sales by month?': /changes by \*\*4\*\* per month .* 12 months/,
    'How have sales changed over time?': /was 66 in 2023-12, 62 in 2023-11: a change of \*\*4\*\*/,
  }],
  'a single date': [days(rows(24, () => '2024-01-05')), {
    'Is there a trend in sales by month?': /At least 8 months are needed for a trend; there is 1/,
    'How have sales changed over time?': /At least two months are needed for a change; there is 1/,
    'What is the projection of sales?': /At least 12 months are needed for a projection; there is 1/,
  }],
  'percentages that are texts': [shops(40, ['Margin'], (i) => `${i + 1}.5%`), {
    'Are there outliers in margin?': /\*\*0\*\* of 40 values of \*\*Average Margin\*\* lie outside -30\.9% to 72\.9%/,
    'Segment by margin per place': /\*\*8\*\* of 40 are in the high tier \(20%\), 37% each on average; .* Average Margin is not additive, so tiers have no shares of it/,
    'How concentrated is margin per place?': /Average Margin is not additive, so there are no shares of it/,
  }],
  'texts where a number is needed': [shops(40, ['Mood', 'Sales'], (i) => (i % 2 ? 'good' : 'bad'), (i) => 10.5 + i), {
    'What is the average mood?': /could not match|did not answer/,
    'Cluster by mood per place': /This analysis of data takes fewer groups\. Name one thing/,
  }],
  'more groups than an analysis reads': [many, {
    'Segment the customers by sales': /^There are too many values to examine all of them, .* are not known\.\s+This was computed from a sample/,
    'Which customers look like bakers?': /^There are too many values to examine all of them, .* are not known\.\s+This was computed from a sample/,
    'What would losing the top 5 customers do to sales?': /^There are too many values to examine all of them, .* are not known\.\s+This was computed from a sample/,
    'Profile the customers by sales': /^There are too many values to examine all of them, .* are not known\.\s+This was computed from a sample/,
    'Cluster the customers by sales': /no natural groups .*\s+This was computed from a sample: 1 in \d+ of \d+ rows/,
  }],
};

/* A daemon with sanitizers needs a minute to load more rows than a frame has. */
const skip = (bytes) => bytes === many && !process.env.VESPER_LONG && 'VESPER_LONG=1 loads 210,000 rows';

for (const [name, [bytes, questions]] of Object.entries(BAD))
  test(`${name}: each answer states the problem`, { skip: skip(bytes) }, async () => {
    const { sources } = await analyst(d, 'data', Buffer.from(bytes), ['chat:use']);

    for (const [question, expected] of Object.entries(questions)) {
      let text = '';

      /* The catalogue overlay of a source is ready after its rows. */
      await until(question, async () => {
        ({ text } = (await sources.rest.call('POST', '/api/v1/chat', { json: { content: question } })).body);
        return expected.test(text);
      }).catch(() => assert.match(text, expected, question));
      assert.doesNotMatch(text, /\b(nan|inf|infinity)\b/i, question);
    }
  });

test('another user gets no data by question, tool call or SQL', async () => {
  const { ask, sources } = await analyst(d, 'treasure', days(rows(12, (i) => month(i, 2023))), ROLES.analyst);
  const question = 'Is there a trend in sales by month?';
  const answer = await ask(question);
  const { body: receipt } = await sources.rest.get(`/api/v1/receipts/${answer.receipt_id}`);
  const { query } = receipt.content.calls[0].args;
  const call = (user, tool, args) => user.rest.call('POST', `/api/v1/tools/${tool}`, { json: args });
  const other = new Sources(d, mintToken({ sub: 'another-user', permissions: [...ROLES.analyst, 'chat:upload', 'chat:advanced_sql', 'chat:view_sql'] }));

  assert.equal((await call(sources, 'trend', { query })).body.result.facts.direction, 'up');
  const refused = (await call(other, 'trend', { query })).body;
  assert.match(refused.message, /^You do not have permission to see this data/);
  assert.deepEqual(refused.result.facts, {});
  for (const sql of ['SELECT Sales FROM treasure', `SELECT * FROM "${(await sources.list())[0].id}"`])
    assert.match((await call(other, 'general_sql_query', { sql })).body.message, /^The SQL is refused: .* not an approved view/);
  const { text } = (await other.rest.call('POST', '/api/v1/chat', { json: { content: question } })).body;
  assert.doesNotMatch(text, /treasure|changes by/);
  assert.match(text, /could not match|did not answer|do not have permission/);
});
