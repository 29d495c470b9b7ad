/*
 * query_metrics: queries have names and values, and code writes the SQL. Each result is compared with that of a
 * hand-written statement, which passes the SQL gate over the same data.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoWarehouse, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { mintToken } from './token.mjs';
import { rowsOf } from './turn.mjs';
import { viewChecker } from './views.mjs';
import { startMock } from '../mock/anthropic.mjs';

let d;
let mock;
before(async () => {
  mock = await startMock();
  d = await startDaemon({ mock, env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(async () => {
  await d?.stop();
  await mock?.close();
});

const call = (tool, args, role = 'admin') => d.rest(mintToken({ role, sub: role })).call('POST', `/api/v1/tools/${tool}`, { json: args });
const ask = (query, role) => call('query_metrics', { query }, role);

function rows({ body }) {
  assert.equal(body.status, 'ok', JSON.stringify(body).slice(0, 400));
  const { columns, data_dict: cells, row_count: count } = body.result.sets.rows;
  return Array.from({ length: count }, (_, i) => columns.map((c) => cells[c][i]));
}

/* Numbers to six digits: databases return averages with different numbers of digits. */
const rounded = (list) => list.map((row) => row.map((cell) => cell === null || cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell).toPrecision(6)));

async function checkSame(query, sql) {
  assert.deepEqual(rounded(rows(await ask(query))), rounded(rows(await call('general_sql_query', { sql }))), JSON.stringify(query));
}

const is = (name, ...values) => ({ name, op: 'is', values });
const not = (name, ...values) => ({ name, op: 'not', values });

describe('a query over the map equals a hand-written statement', () => {
  it('counts, sums and averages by dimension', async () => {
    await checkSame({ metrics: ['views'], by: ['report_name'], bottom: 5 },
      "SELECT report_name, COUNT(*) AS n FROM Stage.pbi_activity_events WHERE activity_type = 'ViewReport' GROUP BY report_name ORDER BY n, report_name FETCH NEXT 5 ROWS ONLY");
    await checkSame({ metrics: ['budget'], by: ['technology'] },
      'SELECT technology, SUM(Total_Operating_Budget) AS b FROM dbo.per_project WHERE COALESCE(is_archived, 0) = 0 GROUP BY technology ORDER BY b DESC, technology');
  });

  it('counts what the tools count', async () => {
    const [[views]] = rows(await ask({ metrics: ['views'] }));
    const { body: reports } = await call('get_top_reports_by_views', {});
    assert.equal(Number(views), Number(Object.values(reports.result.sets).find((set) => set.data_dict.AllViews).data_dict.AllViews[0]), JSON.stringify(reports).slice(0, 600));
    const { body } = await call('get_portfolio_summary', {});
    const [[projects]] = rows(await ask({ metrics: ['projects'] }));
    assert.equal(Number(projects), body.result.sets.rows.row_count);
    const { ProjectName: names, COD: dates } = body.result.sets.rows.data_dict;
    const planned = rows(await ask({ list: 'project', show: ['project_name', 'cod'] }));
    assert.deepEqual(planned.map(([name, day]) => `${name} ${day ?? ''}`).sort(), names.map((name, i) => `${name} ${dates[i] ?? ''}`).sort());
    const risks = await call('get_task_risks', {});
    const [[tasks]] = rows(await ask({ metrics: ['tasks'], where: [is('risk_level', 'High', 'Medium', 'Low')] }));
    assert.equal(Number(tasks), risks.body.result.sets.rows.row_count);
  });

  it('keeps rows without a value when one value is excluded', async () => {
    const listed = rows(await ask({ list: 'project', show: ['project_name'], where: [not('status_color', 'on_track')] }));
    const [[all]] = rows(await call('general_sql_query', { sql: 'SELECT COUNT(*) AS n FROM dbo.per_project WHERE COALESCE(is_archived, 0) = 0' }));
    const tracked = rows(await ask({ list: 'project', show: ['project_name'], where: [is('status_color', 'on_track')] }));
    assert.equal(listed.length + tracked.length, Number(all));
  });

  it('answers questions without a dedicated tool', async () => {
    const three = rows(await ask({ list: 'project', show: ['project_name', 'budget'], top: 3, order: [{ name: 'budget', dir: 'desc' }],
      where: [is('technology', 'Solar'), not('status_color', 'on_track'), { name: 'budget', op: 'over', values: ['$2M'] }] }));
    assert.ok(three.length > 0);
    for (const row of three)
      assert.ok(row.some((cell) => Number(cell) > 2_000_000), row.join(' '));
  });

  /* tests/unit/nlu/test_metrics.c checks that these questions are parsed into the same queries. */
  it('answers the labelled questions of a business user', async () => {
    const folder = join(import.meta.dirname, '../route'), lines = (await readFile(join(folder, 'business_map.jsonl'), 'utf8')).trim().split('\n');
    for (const { id, question, query } of lines.map((line) => JSON.parse(line))) {
      const sql = await readFile(join(folder, 'business_sql', `${id.split('-')[1]}.sql`), 'utf8');
      const expected = rounded(rows(await call('general_sql_query', { sql }))), width = expected[0].length;
      const found = rounded(rows(await ask(query))).map((row) => row.slice(0, width));
      assert.ok(expected.length > 0);
      assert.deepEqual(found.map((row) => row.join('|')).sort(), expected.map((row) => row.join('|')).sort(), question);
    }
  });

  it('answers a question without a dedicated tool and without a model, only with the permission', async () => {
    const question = 'Which three solar projects above $2M are not on track?';
    const rules = await startDaemon();
    const answerFor = async (role) => (await rules.ask(question, { token: mintToken({ role, sub: role }) })).text;
    const listed = rows(await ask({ list: 'project', show: ['project_name'], top: 3, order: [{ name: 'budget', dir: 'desc' }],
      where: [is('technology', 'Solar'), not('status_color', 'on_track'), { name: 'budget', op: 'over', values: ['$2M'] }] })).map(([name]) => name);
    const text = await answerFor('admin');
    for (const name of listed)
      assert.ok(text.includes(name), text);
    const viewer = await answerFor('viewer');
    await rules.stop();
    assert.match(viewer, /permission/i);
    for (const name of listed)
      assert.ok(!viewer.includes(name), viewer);
  });

  it('uses conditions that the pack defines', async () => {
    const overdue = "t.finishdate < '2026-02-27' AND (t.status <> 'Completed' OR t.status IS NULL)";
    const open = 'NOT EXISTS (SELECT 1 FROM dbo.per_project x WHERE x.name = t.projectname AND x.is_archived = 1)';
    const has = `EXISTS (SELECT 1 FROM dbo.per_tasks t WHERE t.projectname = p.name AND ${overdue})`;
    await checkSame({ metrics: ['tasks'], where: [{ name: 'overdue', op: 'is' }] }, `SELECT COUNT(*) AS n FROM dbo.per_tasks t WHERE ${overdue} AND ${open}`);
    await checkSame({ metrics: ['tasks'], where: [{ name: 'overdue', op: 'not' }] }, `SELECT COUNT(*) AS n FROM dbo.per_tasks t WHERE (t.finishdate >= '2026-02-27' OR t.finishdate IS NULL OR t.status = 'Completed') AND ${open}`);
    for (const [op, sql] of [['is', has], ['not', `NOT ${has}`]])
      await checkSame({ list: 'project', show: ['project_name'], where: [is('technology', 'Solar'), { name: 'overdue', op }] },
        `SELECT p.name FROM dbo.per_project p WHERE p.technology = 'Solar' AND COALESCE(p.is_archived, 0) = 0 AND ${sql} ORDER BY p.name`);
  });

  it('compares a period with the previous one and computes the change', async () => {
    const { body } = await ask({ metrics: ['views'], by: ['report_name'], period: { start: '2026-01-01', end: '2026-01-31' }, compare: 'previous_period' });
    const { data_dict: cells, meta, row_count: count } = body.result.sets.rows;
    assert.ok(count > 3);
    const [now, before, change, percent] = meta.slice(1).map((m) => cells[m.name].map(Number));
    for (let i = 0; i < count; i++) {
      assert.equal(change[i], now[i] - before[i]);
      assert.ok(Math.abs(percent[i] - (100 * change[i]) / before[i]) < 0.01);
    }
    assert.equal(meta.at(-1).unit, '%');
  });
});

describe('a conversation over the map, without a model', () => {
  let rules;
  before(async () => {
    rules = await startDaemon();
  });
  after(() => rules?.stop());

  const chat = async (content, more = {}) => {
    const { status, body } = await rules.rest(mintToken({ role: 'admin', sub: 'admin' })).post('/api/v1/chat', { content, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    const table = body.views.find((view) => view.view_type === 'data');
    return { ...body, rows: table && rowsOf(table), tools: body.outcomes.map(({ tool }) => tool), filter: Object.fromEntries(body.filters.map((f) => [f.name, f])) };
  };
  const names = (answer) => answer.rows.map(({ Project }) => Project).sort();
  const projects = async (where) => rows(await call('general_sql_query', { sql: `SELECT name FROM dbo.per_project WHERE ${where}` })).map(([name]) => name).sort();

  it('continues from the previous answer', async () => {
    const first = await chat('solar projects above $2M'), session_id = first.session_id;
    assert.deepEqual(names(first), await projects("technology = 'Solar' AND Total_Operating_Budget > 2000000"));
    assert.equal(first.filter.technology.value, 'Solar');
    assert.deepEqual([first.filter.budget.editable, first.filter.budget.label], [false, '> 2000000 $']);
    const wind = await chat('only wind', { session_id });
    assert.deepEqual(names(wind), await projects("technology = 'Wind' AND Total_Operating_Budget > 2000000"));
    const grouped = await chat('by market', { session_id });
    assert.deepEqual(grouped.rows.map((row) => Object.values(row).join('|')).sort(), rows(await call('general_sql_query', {
      sql: "SELECT market, COUNT(*) AS n FROM dbo.per_project WHERE technology = 'Wind' AND Total_Operating_Budget > 2000000 GROUP BY market" })).map((row) => row.join('|')).sort());
    assert.equal(grouped.filter.technology.source, 'carried');
  });

  it('continues from the result of a tool whose parameters do not cover the follow-up', async () => {
    const first = await chat('np15 hourly prices 2026'), second = await chat('excluding weekends', { session_id: first.session_id });
    assert.deepEqual([first, second].map(({ tools }) => tools), [['get_hourly_price_distribution'], ['query_metrics']]);
    assert.match(JSON.stringify(second.views), /day ≠ Saturday, Sunday/);
    const { rows: expected } = await chat('NP15 price by hour in 2026, not on weekends');
    assert.deepEqual(second.rows, expected);
  });

  it('runs the query with edited filters', async () => {
    const first = await chat('solar projects above $2M'), session_id = first.session_id;
    const edited = await chat('solar projects above $2M', { session_id, filters: { technology: 'BESS', budget: first.filter.budget.value } });
    assert.deepEqual(names(edited), await projects("technology = 'BESS' AND Total_Operating_Budget > 2000000"));
    assert.equal(edited.filter.technology.source, 'edited');
    const all = await chat('solar projects above $2M', { session_id, filters: { technology: null, budget: first.filter.budget.value } });
    assert.deepEqual(names(all), await projects('Total_Operating_Budget > 2000000'));
    const unknown = await chat('solar projects above $2M', { session_id, filters: { technology: 'steam' } });
    assert.ok(unknown.ask, JSON.stringify(unknown));
    const months = await chat('views by workspace in 2025', { session_id });
    const year = await chat('what about last year', { session_id });
    assert.deepEqual([year.filter.date_range_start.value, year.filter.date_range_end.value], ['2025-01-01', '2025-12-31']);
    assert.deepEqual(year.rows, months.rows);
  });
});

describe('a query over the map', () => {
  it('that is invalid is refused with the reason and alternatives', async () => {
    const cases = [
      [{ metrics: ['budget'], by: ['risk_level'] }, /more than once/, 2],
      [{ metrics: ['budgett'] }, /budgett/, 1],
      [{ metrics: ['price'], where: [{ name: 'price', op: 'over', values: ['60 MW'] }] }, /./, 0],
      [{ metrics: ['views'], where: [is('report_name', 'Nowhere Report')] }, /do not know/, 0],
    ];
    for (const [query, pattern, minSuggestions] of cases) {
      const { body } = await ask(query);
      assert.equal(body.status, 'error', JSON.stringify(query));
      assert.match(body.error.message, pattern);
      assert.ok(body.error.suggestions.length >= minSuggestions, JSON.stringify(body.error));
      assert.deepEqual(body.result.sets, {});
    }
  });

  it('of an invalid form is refused before anything runs', async () => {
    for (const query of ['nonsense', '[]', 7, [], { metrics: [], query: 'x'.repeat(20000) }]) {
      const reply = await ask(query);
      assert.ok(reply.status === 422 || reply.body.status === 'error', JSON.stringify(query).slice(0, 40));
    }
  });

  it('shows only what the user may see', async () => {
    const budget = { metrics: ['budget'], by: ['technology'] };
    const refused = (await ask(budget, 'viewer')).body;
    assert.equal(refused.error.code, 'not_permitted');
    for (const query of [{ list: 'project', where: [{ name: 'budget', op: 'over', values: ['1'] }] }, { list: 'project', order: [{ name: 'budget', dir: 'desc' }] },
      { list: 'project', show: ['budget'] }])
      assert.equal((await ask(query, 'viewer')).body.status, 'error', JSON.stringify(query));
    const listed = (await ask({ list: 'project' }, 'viewer')).body.result.sets.rows;
    assert.ok(!listed.meta.some((m) => /budget/i.test(`${m.name} ${m.label}`)), 'a list omits columns that the user may not see');
  });

  it('has a heading with metrics and filters', async (t) => {
    const rules = await startDaemon({});
    t.after(() => rules.stop());
    const heading = async (query) => (await rules.ask(query, { token: mintToken({ role: 'manager' }) })).text.split('\n')[0];
    assert.equal(await heading('top 3 markets by budget'), '**Operating budget by market, top 3**');
    assert.equal(await heading('How many solar projects are there?'), '**Projects (technology = Solar)**');
    assert.match(await heading('projects with a budget of at least $2M'), /operating budget ≥ \$2M\)/);
    assert.match(await heading('projects with a budget above $2,149,500'), /operating budget > 2149500\)/);
    assert.equal(await heading('price by hub-zone in 2026 from Ascend'), '**Average price by hub-zone (vendor = Ascend; reference case = Base; 2026-01-01 – 2026-12-31)**');
  });

  it('reads only data of its tenant', async () => {
    const names = async (tenant) => {
      const reply = await d.rest(mintToken({ tenant_id: tenant, role: 'admin' })).call('POST', '/api/v1/tools/query_metrics', { json: { query: { list: 'project', show: ['project_name'] } } });
      return rows(reply).map(([name]) => name);
    };
    const [ours, theirs] = [await names('vesper'), await names('acme')];
    assert.ok(ours.length > 0 && theirs.length > 0);
    assert.deepEqual(ours.filter((name) => theirs.includes(name)), []);
  });
});

it('a model names metrics, code computes them, and the call in the receipt gives the same result again', async () => {
  const query = { metrics: ['budget'], by: ['technology'] };
  mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'per_agent' }] } } },
    { when: { kind: 'tools' }, times: 1, reply: { tools: [{ name: 'query_metrics', input: { query: JSON.stringify(query) } }] } },
    { reply: 'demo' }]);
  const turn = await d.ask('How is our money spread, in a way that no report shows?', { token: mintToken({ role: 'manager' }) });
  const checkView = await viewChecker(d);
  turn.views.forEach(checkView);
  assert.ok(turn.tables.some((t) => t.source.tool === 'query_metrics'));
  const [outcome] = turn.complete.outcomes;
  assert.deepEqual([outcome.tool, outcome.outcome], ['query_metrics', 'rows']);
  const offered = mock.calls.flatMap((c) => c.body.tools ?? []).find((t) => t.name === 'query_metrics');
  assert.match(offered.description, /^metrics: .*\bbudget\b.*\nentities: .*\bproject\b.*\ndimensions: .*\btechnology\b/m);
  const receipt = (await d.rest(mintToken({ role: 'manager' })).get(`/api/v1/receipts/${turn.complete.receipt_id}`)).body.content;
  assert.deepEqual(JSON.parse(receipt.calls[0].args.query), query);
  const again = await d.rest(mintToken({ role: 'manager' })).call('POST', '/api/v1/tools/query_metrics', { json: receipt.calls[0].args });
  const second = (await d.rest(mintToken({ role: 'manager' })).get(`/api/v1/receipts/${again.body.receipt_id}`)).body.content;
  assert.equal(second.calls[0].result_hash, receipt.calls[0].result_hash);
});

it('vesperctl map check --live finds invalid keys and edges without a target', async () => {
  const dir = await tempDir('live');
  await copyFile(join(await demoWarehouse(), 'acme.db'), join(dir, 'acme.db'));
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  const check = () => run(VESPERCTL, ['map', 'check', '--live', '--tenant', 'acme', '--json'],
    { env: { ...own, VESPER_ROOT: ROOT, VESPER_DEMO: '1', VESPER_LOG_LEVEL: 'error', VESPER_WAREHOUSE_DIR: dir } })
    .then(({ stdout }) => JSON.parse(stdout), (e) => ({ ...JSON.parse(e.stdout), code: e.code }));
  const change = (sql) => run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.execute(sys.argv[2])\nd.commit()', join(dir, 'acme.db'), sql]);

  const good = await check();
  assert.deepEqual(good.problems, []);
  assert.ok(good.ok && good.statements > 30);
  await change('DELETE FROM per_project WHERE gid = (SELECT MIN(gid) FROM per_project)');
  const dangling = await check();
  assert.equal(dangling.code, 1);
  assert.ok(dangling.problems.some((p) => p.of === 'health_of_project' && p.what === 'leads to no row'), JSON.stringify(dangling.problems));
  await change('DROP TABLE per_project45');
  assert.ok((await check()).problems.some((p) => p.what === 'could not be read'));
});
