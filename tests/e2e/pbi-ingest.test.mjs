/*
 * `vesperctl pbi ingest` with a Power BI that returns events page by page: without duplicates, without loss,
 * within the rate limit.
 */

import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CLIENT_SECRET, PowerBi, REPORT, WORKSPACE } from '../mock/powerbi.mjs';
import { run, startDaemon, tempDir } from './harness.mjs';
import { ctl, installedPostgres, READ_PASSWORD, smallWarehouse } from './postgres.mjs';

const TODAY = '2026-02-27';
const OTHER_WORKSPACE = 'aaaa0000-0000-4000-8000-000000000001';

const event = (id, day, more = {}) => ({ Id: id, CreationTime: `${day}T08:12:01Z`, Operation: 'ViewReport', Activity: 'ViewReport',
  UserId: 'jürgen@contoso.com', WorkSpaceName: 'Märkte', WorkspaceId: WORKSPACE, ReportName: "Bob's “Curves” 日本", ReportId: REPORT,
  DatasetName: 'x', IsSuccess: true, ...more });

const EVENTS = [
  ...Array.from({ length: 5 }, (_, i) => event(`a-${i}`, '2026-02-25')), event('b-0', '2026-02-26'),
  event('other', '2026-02-26', { WorkspaceId: OTHER_WORKSPACE }), event('dashboard', '2026-02-26', { ReportId: undefined }),
  event(undefined, '2026-02-26'), event('c-0', TODAY, { Activity: undefined, Operation: 'ExportReport', ReportName: undefined }),
];
const ROWS = "SELECT source_id || ':' || activity_type || ':' || activity_date FROM %t WHERE report_id = '%r' ORDER BY source_id";
const rowsOf = (table) => ROWS.replace('%t', table).replace('%r', REPORT);
const EXPECTED = [...Array.from({ length: 5 }, (_, i) => `a-${i}:ViewReport:2026-02-25`), 'b-0:ViewReport:2026-02-26', `c-0:ExportReport:${TODAY}`];

describe('usage of reports', () => {
  let pbi;
  let small;
  let file;
  let state;
  const ingest = (args = [], env = {}) => ctl(['pbi', 'ingest', '--tenant', 'vesper', '--workspace', `${OTHER_WORKSPACE.replace('1', '9')}, ${WORKSPACE}`,
    '--state', state, ...args], { ...pbi.env(), VESPER_TODAY: TODAY, ...env });
  const toFile = (args = [], env) => ingest(['--file', file, ...args], env);
  const sqlite = async (sql) => (await run('python3', ['-c', 'import sqlite3,sys\nfor r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*r)', file, sql]))
    .stdout.split('\n').filter(Boolean);
  const pages = () => pbi.count('/activityevents');

  before(async () => {
    small = await smallWarehouse();
  });
  beforeEach(async () => {
    await pbi?.close();
    pbi = await new PowerBi({ events: EVENTS }).start();
    const dir = await tempDir('ingest');
    [file, state] = [join(dir, 'vesper.db'), join(dir, 'state.json')];
    await copyFile(join(small, 'vesper.db'), file);
  });
  after(() => pbi?.close());

  it('is read day by day to the last page, and returned by the tools', async () => {
    const done = await toFile();
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(await sqlite(rowsOf('pbi_activity_events')), EXPECTED);
    assert.equal(done.stdout.split('\n').length, 29);
    assert.match(done.stdout, /2026-02-26: 1 new, 0 known, 3 skipped/);
    assert.equal(pages(), 28 + 4 + 2, 'five events need three pages and two empty ones between them; four need two and one');
    assert.equal(pbi.serviceTokens.length, 1);
    assert.deepEqual(await sqlite(`SELECT DISTINCT user_email, workspace_name, tenant_id, created_at FROM pbi_activity_events WHERE source_id = 'a-0'`),
      ['jürgen@contoso.com Märkte vesper 2026-02-25 08:12:01']);
    assert.equal(JSON.parse(await readFile(state)).days.vesper, TODAY);
    assert.ok(!`${done.stdout}${done.stderr}${await readFile(state)}`.includes(CLIENT_SECRET));
    const d = await startDaemon({ warehouse: join(file, '..'), env: { VESPER_TENANTS: '{"vesper":{"warehouse":"vesper.db","store":"vesper.db"}}' } });
    const turn = await d.ask('Who viewed the most Power BI reports on 2026-02-25?');
    assert.match(turn.text, /jürgen@contoso\.com/);
    await d.stop();
  });

  it('is read again for two days only, without duplicates', async () => {
    await toFile();
    const before = pages();
    pbi.events.push(event('late', '2026-02-26'), event('older', '2026-02-25'));
    const done = await toFile();
    pbi.events.length -= 2;
    assert.match(done.stdout, /^2026-02-26: 1 new, 1 known, 3 skipped\n2026-02-27: 0 new, 1 known, 0 skipped\n$/);
    assert.equal(pages() - before, 3 + 2 + 1);
    const again = await toFile(['--from', '2026-02-25', '--to', '2026-02-25']);
    assert.match(again.stdout, /^2026-02-25: 0 new, 5 known, 0 skipped\n$/);
    assert.equal(JSON.parse(await readFile(state)).days.vesper, TODAY);
  });

  it('is requested at most 200 times an hour, over several runs', async () => {
    const hour = Array.from({ length: 190 }, (_, i) => Date.now() - 3000000 + i);
    await writeFile(state, JSON.stringify({ days: {}, calls: [Date.now() - 4000000, ...hour] }));
    const done = await toFile();
    assert.equal(done.code, 1);
    assert.match(done.stderr, /2026-02-10: the service allows only 200 calls an hour: continue in (9|10|11) minutes/);
    assert.equal(pages(), 10);
    assert.equal((await toFile()).code, 1);
    assert.equal(pages(), 10);
    await writeFile(state, JSON.stringify({ ...JSON.parse(await readFile(state)), calls: [] }));
    const rest = await toFile();
    assert.match(rest.stdout, /^2026-02-08: /, 'it continues one day before where it stopped');
    assert.deepEqual(await sqlite(rowsOf('pbi_activity_events')), EXPECTED);
  });

  it('is continued from the interrupted day', async () => {
    let pagesLeft = 3;
    pbi.behave = ({ url }) => (url.search.includes('continuationToken') && pagesLeft-- === 0 ? { status: 500 } : undefined);
    const done = await toFile();
    assert.equal(done.code, 1);
    assert.match(done.stderr, /2026-02-25: Power BI: status 500/);
    assert.equal(JSON.parse(await readFile(state)).days.vesper, '2026-02-24');
    assert.equal((await toFile()).code, 0);
    assert.deepEqual(await sqlite(rowsOf('pbi_activity_events')), EXPECTED);
  });

  it('stops when the service throttles or refuses', async () => {
    pbi.behave = ({ path }) => (path.endsWith('activityevents') ? { status: 429, headers: { 'retry-after': '90' } } : undefined);
    assert.match((await toFile()).stderr, /retry in 90 s/);
    pbi.behave = ({ path }) => (path.endsWith('activityevents') ? { body: { activityEventEntities: [], lastResultSet: false, continuationToken: 'x\r\nHost: evil' } } : undefined);
    assert.match((await toFile()).stderr, /continuation/);
  });

  it('is refused for an invalid target or another tenant', async () => {
    const refused = async (args, pattern, env) => {
      const done = await ctl(['pbi', 'ingest', ...args], { ...pbi.env(), VESPER_TODAY: TODAY, ...env });
      assert.equal(done.code, 1);
      assert.match(done.stderr, pattern);
    };
    const here = ['--tenant', 'vesper', '--workspace', WORKSPACE, '--state', state];
    await refused(['--tenant', 'nobody', '--file', file], /--tenant/);
    await refused(['--tenant', 'vesper', '--file', file, '--state', state], /--workspace/);
    await refused(here, /--file or --dsn/);
    await refused([...here, '--file', join(small, 'acme.db')], /not the warehouse of tenant vesper/);
    await refused([...here, '--file', '/nowhere/x.db'], /nowhere/);
    await refused([...here, '--file', file, '--from', '2026-01-01'], /28 days/);
    await refused([...here, '--file', file, '--to', '2026-02-28'], /--to/);
    await refused([...here, '--file', file, '--from', 'soon'], /not a date/);
    await refused([...here, '--file', file], /are not set/, { VESPER_PBI_TENANT_ID: undefined, VESPER_PBI_CLIENT_ID: undefined, VESPER_PBI_CLIENT_SECRET: undefined });
    await refused([], /usage|--tenant/);
    assert.equal(pages(), 0);
  });

  it('is written to PostgreSQL in the same way', async () => {
    const pg = await installedPostgres();
    try {
      for (const fresh of [EXPECTED.length, 0]) {
        const done = await ingest(['--dsn', pg.dsn('postgres')]);
        assert.equal(done.code, 0, done.stderr);
        assert.equal([...done.stdout.matchAll(/: (\d+) new/g)].reduce((sum, m) => sum + Number(m[1]), 0), fresh);
        assert.deepEqual((await pg.admin(rowsOf('base.pbi_activity_events'))).split('\n'), EXPECTED);
      }
      assert.equal(await pg.admin("SELECT DISTINCT user_email || workspace_name || report_name || tenant_id FROM base.pbi_activity_events WHERE source_id = 'a-0'"),
        "jürgen@contoso.comMärkteBob's “Curves” 日本vesper");
      assert.ok(!(await ingest(['--dsn', pg.dsn('postgres', READ_PASSWORD)])).stderr.includes(READ_PASSWORD));
    } finally {
      await pg.service('stop');
    }
  });
});
