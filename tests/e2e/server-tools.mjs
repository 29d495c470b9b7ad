/* The calls of every tool on every database, and the comparison of their results. */

import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, tempDir } from './harness.mjs';
import { ctl } from './postgres.mjs';

const TODAY = { VESPER_TODAY: '2026-02-27' };

const NAZARETH = 'project_name=Nazareth Solar';

/* Queries over the map: the SQL written for each of them gives the same rows on every database. */
const METRICS = [
  { metrics: ['views'], by: ['report_name'], bottom: 5 },
  { metrics: ['budget', 'actuals'], by: ['technology'] },
  { metrics: ['price'], by: ['hub_zone', 'vendor'], where: [{ name: 'year', op: 'is', values: [2025] }] },
  { metrics: ['price'], by: ['price_date.month'], where: [{ name: 'vendor', op: 'is', values: ['Ascend'] }, { name: 'hub_zone', op: 'is', values: ['NP15'] }, { name: 'year', op: 'is', values: [2025] }] },
  { metrics: ['price'], by: ['price_date.weekday'], where: [{ name: 'vendor', op: 'is', values: ['Ascend'] }, { name: 'hub_zone', op: 'is', values: ['NP15'] }, { name: 'year', op: 'is', values: [2025] }] },
  { metrics: ['price'], by: ['price_date.quarter'], where: [{ name: 'year', op: 'is', values: [2025] }] },
  { metrics: ['price'], by: ['price_date.week'], top: 7, where: [{ name: 'vendor', op: 'is', values: ['Ascend'] }, { name: 'hub_zone', op: 'is', values: ['NP15'] }, { name: 'year', op: 'is', values: [2025] }] },
  { metrics: ['views'], by: ['report_name'], period: { start: '2026-01-01', end: '2026-01-31' }, compare: 'previous_period' },
  { metrics: ['views', 'viewers'], by: ['report_name'], order: [{ name: 'report_name', dir: 'asc' }] },
  { list: 'project', where: [{ name: 'status_color', op: 'not', values: ['on_track'] }], order: [{ name: 'project_name', dir: 'asc' }] },
  { list: 'project', where: [{ name: 'budget', op: 'over', values: ['$2M'] }, { name: 'technology', op: 'is', values: ['Solar'] }], top: 3 },
  { list: 'project', where: [{ name: 'project_stage', op: 'missing' }] },
  { list: 'project', where: [{ name: 'project_name', op: 'contains', values: ['solar'] }] },
  { list: 'project', where: [{ name: 'risk_level', op: 'is', values: ['High'] }] },
  { list: 'project', where: [{ name: 'risk_level', op: 'not', values: ['High'] }] },
  { metrics: ['budget'], by: ['risk_level'] },
  { metrics: ['nothing'] },
].flatMap((query) => [['query_metrics', `query=${JSON.stringify(query)}`], ['query_metrics', `query=${JSON.stringify(query)}`, '--role', 'viewer']]);

/* Calls with one result, no result, several results, or without permission. */
export const CALLS = [
  ['get_average_annual_price', 'vendor=Ascend', 'hub_zone=NP15', 'year=2025'],
  ['get_average_annual_price', 'vendor=Ascend', 'hub_zone=NP15', 'year=2025', 'asof=Jan_2025', 'market=CAISO', 'reference=High'],
  ['get_average_annual_price', 'vendor=Ascend', 'hub_zone=NP15', 'year=2031'],
  ['get_average_annual_price', 'vendor=Nobody', 'hub_zone=NP15', 'year=2025'],
  ['get_average_annual_price', 'vendor=Ascend', 'hub_zone=NP15', 'year=2025', '--role', 'viewer'],
  ['get_hourly_price_distribution', 'hub_zone=NP15', 'year=2025', 'vendor=Ascend'],
  ['get_hourly_price_distribution', 'hub_zone=SP15', 'year=2026', 'months=6', 'months=7', 'hours=15', 'hours=16', 'hours=17'],
  ['get_hourly_price_distribution', 'hub_zone=NP15', 'year=1999'],
  ['list_available_curves'],
  ['list_available_curves', 'year=2026', 'reference=High', 'from=2025-01-01', 'to=2025-12-31'],
  ['list_available_curves', 'from=2031-01-01'],
  ['compare_vendors', 'hub_zone=SP15', 'year=2025'],
  ['compare_vendors', 'hub_zone=SP15', 'year=2025', 'vendors=Ascend', 'vendors=Hitachi', 'market=CAISO'],
  ['compare_hub_zones', 'hub_zones=NP15', 'hub_zones=SP15', 'year=2025', 'vendor=Ascend'],
  ['compare_hub_zones', 'hub_zones=NP15', 'hub_zones=SP15', 'year=2025', 'months=1', 'months=12'],
  ['get_peak_offpeak_spread', 'hub_zone=NP15', 'year=2025'],
  ['get_peak_offpeak_spread', 'hub_zone=SP15'],
  ['get_seasonal_shape', 'hub_zone=NP15', 'year=2025', 'vendor=Ascend'],
  ['get_daily_shape', 'hub_zone=SP15', 'year=2025', 'months=7'],
  ['compare_markets', 'markets=CAISO', 'markets=ERCOT', 'year=2025'],
  ['compare_markets', 'markets=CAISO', 'markets=ERCOT', 'year=2025', 'hours=16', 'months=7', '--role', 'analyst'],
  ['get_top_reports_by_views', 'top_n=3'],
  ['get_top_reports_by_views', 'from=2026-01-01', 'to=2026-01-31', 'top_n=10'],
  ['get_top_reports_by_views', 'from=2031-01-01', 'to=2031-01-31'],
  ['get_top_reports_by_views', '--role', 'analyst'],
  ['get_top_users', 'top_n=5', 'from=2026-02-01'],
  ['get_top_users', 'report_name=curve'],
  ['get_top_users', 'report_name=100%'],
  ['get_views_trend', 'step=day', 'from=2026-02-01', 'to=2026-02-27'],
  ['get_views_trend', 'step=month'],
  ['get_project_overview', NAZARETH],
  ['get_project_overview', NAZARETH, '--role', 'viewer'],
  ['get_project_overview', "project_name=O'Brien"],
  ['get_project_overview', 'project_name=project_7'],
  ['get_project_overview', 'project_name=Sierra'],
  ['get_project_overview', 'project_name=Nowhere At All'],
  ['get_project_health', NAZARETH],
  ['get_project_health', 'project_name=100%'],
  ['get_milestone_dates', NAZARETH],
  ['get_milestone_dates', 'project_name=Sierra'],
  ['get_budget_overview', NAZARETH],
  ['get_budget_overview', NAZARETH, '--role', 'analyst'],
  ['get_task_risks'],
  ['get_task_risks', 'risk_level=High', 'project_name=Mojave'],
  ['get_portfolio_summary'],
  ['get_portfolio_summary', '--role', 'viewer'],
  ['get_portfolio_summary', 'status_color=off_track'],
  ['get_portfolio_summary', 'project_stage=Stage 4', 'technology=Solar', 'market=CAISO'],
  ['get_portfolio_summary', 'technology=Nuclear'],
  ['get_color_ranking'],
  ['get_recent_changes', 'since=2026-02-20', 'until=2026-02-27'],
  ['get_recent_changes', '--role', 'viewer'],
  ['get_recent_changes', 'since=2019-01-01', 'until=2019-02-01'],
  ['get_recent_changes', 'project_name=Sierra', 'since=2026-02-01'],
  ['get_task_risks', 'project_name=Sierra'],
  ['get_hourly_price_distribution', 'hub_zone=NP15', 'year=2025', '--role', 'viewer'],
  ['list_available_curves', '--role', 'viewer'],
  ...[['compare_vendors', 'hub_zone=SP15'], ['compare_hub_zones', 'hub_zones=NP15', 'hub_zones=SP15'], ['get_peak_offpeak_spread', 'hub_zone=NP15'],
    ['get_seasonal_shape', 'hub_zone=NP15'], ['get_daily_shape', 'hub_zone=NP15'], ['compare_markets', 'markets=CAISO', 'markets=ERCOT']]
    .flatMap((call) => [[...call, 'year=1999'], [...call, 'year=2025', '--role', 'viewer'], [...call, 'year=2025', 'reference=Nowhere']]),
  ...['get_top_users', 'get_views_trend'].flatMap((tool) => [[tool, 'from=2031-01-01', 'to=2031-01-31'], [tool, '--role', 'analyst']]),
  ...['get_project_health', 'get_milestone_dates', 'get_budget_overview'].flatMap((tool) =>
    [[tool, 'project_name=Sierra'], [tool, 'project_name=Nowhere At All']]),
  ...METRICS,
];

const REFUSED_SQL = /pg_catalog|sqlite_master|DELETE|pg_sleep/;

/* Ad hoc SQL of administrators: the gate's statement for each dialect gives the same rows. */
const AD_HOC_SQL = [
  'SELECT technology, COUNT(*) AS n, MIN(name) AS first FROM per_project GROUP BY technology ORDER BY n DESC, technology',
  'SELECT name, gid FROM dbo.per_project ORDER BY name OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY',
  'SELECT name FROM per_project WHERE name LIKE \'%100!%%\' ESCAPE \'!\' OR name = \'O\'\'Brien Solar\' ORDER BY name',
  'WITH h AS (SELECT project_gid, COUNT(*) AS n FROM per_projecthealth WHERE healthcolor = \'red\' GROUP BY project_gid) '
    + 'SELECT p.name, h.n FROM per_project p JOIN h ON h.project_gid = p.gid ORDER BY h.n DESC, p.name OFFSET 1 ROWS FETCH NEXT 5 ROWS ONLY',
  'SELECT p.name, CASE WHEN EXISTS (SELECT 1 FROM per_tasks t WHERE t.projectname = p.name AND t.risk = \'High\') THEN 1 ELSE 0 END AS risky '
    + 'FROM per_project p ORDER BY p.name',
  'SELECT name, ROW_NUMBER() OVER (PARTITION BY technology ORDER BY name) AS place FROM per_project ORDER BY technology, name',
  'SELECT vendor, market, COUNT(DISTINCT hubzone) AS zones FROM Stage.mc_vendor_files GROUP BY vendor, market ORDER BY vendor, market',
  'SELECT name AS what FROM per_project UNION SELECT projectname FROM per_tasks ORDER BY what',
  'SELECT ROUND(AVG(d.DAYAHEAD_PRICE), 2) AS mean FROM Stage.mc_dayahead d JOIN Stage.mc_vendor_files f ON f.file_info_key = d.FILE_INFO_KEY '
    + 'AND f.hubzone_key = d.HUBZONE_KEY WHERE f.hubzone = \'NP15\' AND f.vendor = \'Ascend\' AND d.YEAR = 2025',
  'SELECT UPPER(name) AS loud, COALESCE(market, \'none\') AS m FROM per_project WHERE is_archived = 0 ORDER BY loud',
  'SELECT tenant_id, COUNT(*) AS n FROM per_project WHERE tenant_id <> \'vesper\' OR 1 = 1 GROUP BY tenant_id',
  'SELECT name FROM per_project WHERE name = \'nobody\'',
  'SELECT * FROM pg_catalog.pg_roles', 'SELECT * FROM sqlite_master', 'DELETE FROM per_project', 'SELECT pg_sleep(1) FROM per_project',
].flatMap((sql) => [['general_sql_query', `sql=${sql}`, '--role', 'admin'], ['general_sql_query', `sql=${sql}`, '--role', 'manager']]);

/* Normalizes the text of a number: drivers write 57.50, .5 or 1E+2 for 57.5, 0.5 and 100. */
function normalizeNumber(text) {
  return typeof text === 'string' && /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) && /[.eE]/.test(text) ? `${Number(text)}` : text;
}

/* Databases return averages with different numbers of digits. */
function normalizeAverage(text) {
  const number = normalizeNumber(text);
  return typeof number === 'string' && /\.\d{6}/.test(number) ? `${Number(Number(number).toPrecision(12))}` : number;
}

/* Without a requested order, rows are compared as a set; with one, in the order returned. */
function sortUnlessOrdered(rows, isOrdered) {
  return isOrdered ? rows : rows.map((row) => JSON.stringify(row)).sort().map((row) => JSON.parse(row));
}

function comparable(stdout, words) {
  const { outcome, tables, facts, any_order: anyOrder } = JSON.parse(stdout);
  const isOrdered = !anyOrder || /\bORDER BY\b[^)]*$/i.test(words.find((word) => word.startsWith('sql=')) ?? '');
  return {
    outcome, facts: Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, normalizeNumber(value)])),
    tables: tables.map((t) => ({ ...t, rows: sortUnlessOrdered(t.rows.map((row) => row.map(words[0] === 'query_metrics' ? normalizeAverage : normalizeNumber)), isOrdered) })),
  };
}

/* The results of `vesperctl tool run` for each of these lists of arguments, from one process. */
export async function callTools(env, calls) {
  const file = join(await tempDir('calls'), 'batch');
  await writeFile(file, calls.map((words) => `${JSON.stringify(words)}\n`).join(''));
  const { code, stdout, stderr } = await ctl(['tool', 'run', '--batch', file], { ...TODAY, ...env });
  assert.equal(code, 0, stderr);
  return stdout.trim().split('\n').map((line, i) => comparable(line, calls[i]));
}

/* Administrators get rows or a refusal of the gate; other users have no permission. */
function checkAdHocOutcomes(results) {
  results.forEach(({ outcome, tables }, i) => {
    const [, sql, , role] = AD_HOC_SQL[i];
    const expected = role !== 'admin' ? 'not_permitted' : REFUSED_SQL.test(sql) ? 'error' : sql.includes('nobody') ? 'empty' : 'rows';
    assert.equal(outcome.kind, expected, `${role}: ${sql}`);
    const tenants = tables.flatMap((t) => t.rows.map((row) => row[t.columns.findIndex((c) => c.name === 'tenant_id')]));
    assert.deepEqual(tenants.filter((tenant) => tenant !== undefined && tenant !== 'vesper'), [], sql);
  });
}

/* Every tool returns the same results on this database as on SQLite. */
export async function compareTools(env, sqlite) {
  const calls = [...CALLS, ...AD_HOC_SQL];
  const [actual, onSqlite] = await Promise.all([callTools(env, calls), callTools({ VESPER_WAREHOUSE_DIR: sqlite }, calls)]);
  calls.forEach((words, i) => assert.deepEqual(actual[i], onSqlite[i], words.join(' ')));
  checkAdHocOutcomes(actual.slice(CALLS.length));
  for (const kind of ['rows', 'empty', 'out_of_window', 'unknown_entity', 'not_permitted'])
    assert.ok(actual.some((result) => result.outcome.kind === kind), `no call ended with ${kind}`);
}

/* A root folder with an additional role that may chat but not read data. */
export async function rootWithGuest() {
  const root = await tempDir('guest');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  const file = join(root, 'config/permissions.json');
  const permissions = JSON.parse(await readFile(file, 'utf8'));
  permissions.roles.guest = ['chat:use'];
  await writeFile(file, JSON.stringify(permissions));
  return root;
}

/* A root folder whose statements read the rows of all tenants: only row-level security separates them. */
export async function rootWithoutWhere() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  for (const name of await readdir(join(root, 'sql'), { recursive: true })) {
    const file = join(root, 'sql', name);
    if (!name.endsWith('.sql') || name.startsWith('schema') || name.startsWith('warehouse'))
      continue;
    const text = (await readFile(file, 'utf8'))
      .replaceAll(/(?:\w+\.)?tenant_id = (?::tenant_id|\w+\.tenant_id)/g, (found) => `(${found} OR 1 = 1)`);
    await writeFile(file, text);
  }
  return root;
}
