/*
 * 300 generated queries over the map, each with a statement from templates in this file: on SQLite and on PostgreSQL
 * both give the same rows. This file does not depend on how code writes SQL of the map.
 */

import { after, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';

const QUERIES = 300;
const NO_LIMITS = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };

/* For each view: metrics and dimensions with their SQL. `p` is the project of the row; `only` is the condition of valid rows. */
const PROJECT = { technology: 'p.technology', project_stage: 'p.currentprojectstage', sponsor: 'p.sponsor', market_of_project: 'p.market' };
const ACTIVE = 'COALESCE(p.is_archived, 0) = 0';
const SUBJECTS = [
  { from: 'dbo.per_project p', only: ACTIVE, by: PROJECT, number: ['budget', 'p.Total_Operating_Budget', 1e6], exists: true, metrics: {
    projects: 'COUNT(*)', budget: 'SUM(p.Total_Operating_Budget)', actuals: 'SUM(p.Actuals_LTD)', forecast: 'SUM(p.Total_Operating_Forecast)',
    generation_capacity: 'SUM(p.gencap)', storage_capacity: 'SUM(p.storecap)',
    spend_share: '100.0 * SUM(p.Actuals_LTD) / NULLIF(SUM(p.Total_Operating_Budget), 0)', over_forecast: 'SUM(p.Total_Operating_Forecast) - SUM(p.Total_Operating_Budget)' } },
  { from: 'Stage.pbi_activity_events p', only: "p.activity_type = 'ViewReport'", by: { report_name: 'p.report_name', report_workspace: 'p.workspace_name' }, day: 'p.activity_date',
    metrics: { views: 'COUNT(*)', viewers: 'COUNT(DISTINCT p.user_email)' } },
  { from: 'dbo.per_tasks t LEFT JOIN dbo.per_project p ON p.name = t.projectname', only: ACTIVE, by: { task_type: 't.task_type', task_status: 't.status', ...PROJECT }, day: 't.finishdate',
    metrics: { tasks: 'COUNT(*)' } },
  { from: 'dbo.per_projecthealth t LEFT JOIN dbo.per_project p ON p.gid = t.project_gid', only: ACTIVE, by: PROJECT,
    metrics: { complete: 'AVG(t.pctcomplete)', health_rows: 'COUNT(*)' } },
].map((s) => ({ ...s, values: {} }));

let state = 20260227;
const pick = (n) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pickOne = (list) => list[pick(list.length)];
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

const SIGNS = { over: '>', at_least: '>=', under: '<', at_most: '<=' };

/* A condition on a dimension. If values are excluded, rows without a value remain. */
function condition(subject, name, column) {
  const values = subject.values[name], chosen = [...new Set([pickOne(values), pickOne(values)])], list = chosen.map(quoted).join(', ');
  return pickOne([
    [{ name, op: 'is', values: chosen }, `${column} IN (${list})`],
    [{ name, op: 'not', values: chosen }, `(${column} NOT IN (${list}) OR ${column} IS NULL)`],
    [{ name, op: 'present' }, `${column} IS NOT NULL`],
  ]);
}

function generateQuery() {
  const subject = pickOne(SUBJECTS), names = Object.keys(subject.metrics), dimensions = Object.keys(subject.by);
  const metrics = [...new Set([pickOne(names), pickOne(names)])];
  const by = [...new Set(Array.from({ length: pick(3) }, () => pickOne(dimensions)))];
  const query = { metrics, where: [] }, where = [subject.only];
  for (let i = pick(3); i > 0; i--) {
    const name = pickOne(dimensions), [json, sql] = condition(subject, name, subject.by[name]);
    query.where.push(json);
    where.push(sql);
  }
  if (subject.number && pick(3) === 0) {
    const [name, column, scale] = subject.number, op = pickOne(Object.keys(SIGNS)), number = scale * (1 + pick(6));
    query.where.push({ name, op, values: [number] });
    where.push(`${column} ${SIGNS[op]} ${number}`);
  }
  if (subject.exists && pick(4) === 0) {
    query.where.push({ name: 'risk_level', op: 'is', values: ['High'] });
    where.push("EXISTS (SELECT 1 FROM dbo.per_tasks x WHERE x.projectname = p.name AND x.risk = 'High')");
  }
  if (subject.day && pick(2)) {
    const start = `2026-0${1 + pick(2)}-01`, end = `2026-0${2 + pick(5)}-28`;
    query.period = { start, end };
    where.push(`${subject.day} >= ${quoted(start)} AND ${subject.day} <= ${quoted(end)}`);
  }
  const columns = by.map((name) => subject.by[name]), first = subject.metrics[metrics[0]];
  let sql = `SELECT ${[...columns.map((c, i) => `${c} AS d${i}`), ...metrics.map((m, i) => `${subject.metrics[m]} AS m${i}`)].join(', ')} FROM ${subject.from}`;
  sql += ` WHERE ${where.join(' AND ')}`;
  if (by.length) {
    query.by = by;
    sql += ` GROUP BY ${columns.join(', ')}`;
    if (pick(3) === 0) {
      const op = pickOne(Object.keys(SIGNS)), number = pick(12);
      query.having = [{ name: metrics[0], op, values: [number] }];
      sql += ` HAVING ${first} ${SIGNS[op]} ${number}`;
    }
    if (pick(3) === 0) {
      const rows = 1 + pick(5), end = pickOne(['top', 'bottom']);
      query[end] = rows;
      sql += ` ORDER BY CASE WHEN ${first} IS NULL THEN 1 ELSE 0 END, ${first}${end === 'top' ? ' DESC' : ''}, ${columns.join(', ')} FETCH NEXT ${rows} ROWS ONLY`;
    }
  }
  return [query, sql];
}

/* Numbers to six digits: databases return averages with different numbers of digits. */
const rounded = (cell) => (cell === null || cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell).toPrecision(6));

async function rows(d, tool, args) {
  const { body } = await d.rest(mintToken({ role: 'admin' })).call('POST', `/api/v1/tools/${tool}`, { json: args });
  if (body.status === 'no_data' || body.outcome?.kind === 'empty')
    return [];
  assert.equal(body.status, 'ok', JSON.stringify([args, body]).slice(0, 1200));
  const { columns, data_dict: cells, row_count: count } = body.result.sets.rows;
  return Array.from({ length: count }, (_, i) => columns.map((c) => rounded(cells[c][i])).join('|')).sort();
}

async function compare(d) {
  for (const subject of SUBJECTS)
    for (const [name, column] of Object.entries(subject.by))
      subject.values[name] = (await rows(d, 'general_sql_query', { sql: `SELECT DISTINCT ${column} AS v FROM ${subject.from} WHERE ${column} IS NOT NULL` })).slice(0, 8);
  let found = 0;
  state = 20260227;
  for (let i = 0; i < QUERIES; i++) {
    const [query, sql] = generateQuery();
    const result = await rows(d, 'query_metrics', { query });
    assert.deepEqual(result, await rows(d, 'general_sql_query', { sql }), `${JSON.stringify(query)}\n${sql}`);
    found += result.length > 0;
  }
  assert.ok(found > QUERIES / 2, `${found} of ${QUERIES} queries have rows`);
}

describe(`${QUERIES} generated queries equal independent statements`, () => {
  let d, pg;

  after(() => pg?.service('stop'));

  it('on SQLite', async () => {
    d = await startDaemon({ env: NO_LIMITS });
    await compare(d).finally(() => d.stop());
  });

  it('on PostgreSQL', async () => {
    pg = await installedPostgres();
    d = await pg.start({ env: NO_LIMITS });
    await compare(d).finally(() => d.stop());
  });
});
