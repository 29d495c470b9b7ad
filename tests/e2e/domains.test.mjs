/*
 * A domain that consists of text files: a fictitious transmission domain is added to those of the product, and the
 * running daemon loads it without compilation. An invalid file is refused, and the previous catalogue stays in use.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';
import { rowsOf } from './turn.mjs';
import { patient } from './patience.mjs';

const DOMAIN = join(ROOT, 'tests/e2e/transmission');
const RELOAD_LIMIT_MS = patient(20000);
const CREATE_DATABASE = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n'
  + 'for f in sys.argv[3:]: d.executescript(open(f).read())\n'
  + 'd.execute("INSERT INTO vesper_tenant VALUES (?)",(sys.argv[2],))\nd.commit()';

/* A copy of the text files that the product reads. */
async function makeRoot() {
  const root = await tempDir('root');
  for (const folder of ['sql', 'prompts', 'config'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true });
  return root;
}

describe('the domain that docs/authoring.md adds', () => {
  it('answers its question', async (t) => {
    const root = await makeRoot();
    const guide = await readFile(join(ROOT, 'docs/authoring.md'), 'utf8');
    const files = [...guide.matchAll(/`((?:sql|prompts)\/energy\/[\w./]+)`:\n\n```(?:sql)?\n(.*?)```/gs)];
    assert.deepEqual(files.map(([, path]) => path), ['sql/energy/places/get_project_places.sql', 'prompts/energy/places.md']);
    await mkdir(join(root, 'sql/energy/places'));
    for (const [, path, text] of files)
      await writeFile(join(root, path), text);
    const d = await startDaemon({ env: { VESPER_ROOT: root } });
    t.after(() => d.stop());
    const turn = await d.ask('Where are the solar projects?');
    assert.deepEqual(turn.complete.outcomes.map((o) => [o.agent, o.tool, o.outcome]), [['places_agent', 'get_project_places', 'rows']]);
    assert.equal(turn.filters.technology, 'Solar');
    assert.ok(rowsOf(turn.tables[0]).some((r) => r.Project === 'Nazareth Solar' && r.Place === 'Kern County, CA'));
  });
});

describe('a domain of text files', () => {
  let root;
  let d;
  const tool = (name) => join(root, `sql/energy/transmission/${name}.sql`);

  async function makeWarehouse() {
    const dir = await tempDir('warehouse');
    for (const tenant of ['vesper', 'acme'])
      await run('python3', ['-c', CREATE_DATABASE, join(dir, `${tenant}.db`), tenant,
        join(ROOT, 'sql/warehouse/sqlite/schema.sql'), join(DOMAIN, 'warehouse.sql')]);
    return dir;
  }

  async function addDomain() {
    const path = join(root, 'config/energy/catalogue.json');
    const catalogue = JSON.parse(await readFile(path, 'utf8'));
    catalogue.views.push({ name: 'dbo.tx_congestion', about: 'congestion of transmission lines, one row a line and year' });
    catalogue.dimensions.push({ name: 'line', label: 'line', view: 'dbo.tx_congestion', column: 'line_name' });
    await writeFile(path, JSON.stringify(catalogue));
    await mkdir(join(root, 'sql/energy/transmission'), { recursive: true });
    await cp(join(DOMAIN, 'sql'), join(root, 'sql/energy/transmission'), { recursive: true });
    await cp(join(DOMAIN, 'prompts'), join(root, 'prompts/energy'), { recursive: true });
  }

  /* Reloads, and waits for a log event of the daemon. Returns its line. */
  async function reload(event) {
    const from = d.output.length;
    d.child.kill('SIGHUP');
    for (const end = Date.now() + RELOAD_LIMIT_MS; Date.now() < end; await sleep(20)) {
      const line = d.output.slice(from).split('\n').find((l) => l.includes(event));
      if (line)
        return line;
    }
    throw new Error(`no ${event} in:\n${d.output.slice(from)}`);
  }

  before(async () => {
    root = await makeRoot();
    d = await startDaemon({ warehouse: await makeWarehouse(), env: { VESPER_ROOT: root } });
  });
  after(() => d?.stop());

  it('does not exist before its files are added', async () => {
    const turn = await d.ask('Which transmission lines were most congested in 2025?');
    assert.equal(turn.tables.length, 0);
    assert.doesNotMatch(turn.text, /Vaca-Dixon/);
  });

  it('is routed, bound, answered and listed after SIGHUP', async () => {
    await addDomain();
    await reload('catalog.loaded');
    const turn = await d.ask('Which transmission lines were most congested in 2025?');
    assert.equal(turn.status, 'ok', turn.text);
    assert.equal(turn.complete.provider, 'rules');
    assert.deepEqual(turn.complete.outcomes.map((o) => [o.agent, o.tool]),
      [['transmission_agent', 'get_most_congested_lines']]);
    assert.match(turn.text, /line of 2025 is \*\*Vaca-Dixon 230 kV\*\* with \*\*1,630 hours\*\*/);
    assert.match(turn.text, /\$38\.45M/);
    assert.deepEqual(rowsOf(turn.tables[0]).map((r) => Number(r.CongestedHours)), [1630, 1412, 903]);
    assert.equal(turn.filters.year, 2025);
    assert.equal(turn.complete.checked.unbound, 0);
    const help = await d.ask('help');
    assert.match(help.text, /Transmission line congestion/);
  });

  it('supports follow-ups and references between steps', async () => {
    const chat = await d.connect();
    await chat.ask('Which transmission lines were most congested in 2025?');
    const followup = await chat.ask('and for 2026?');
    assert.match(followup.text, /\*\*1,544 hours\*\*/);
    const both = await chat.ask('Which transmission lines were most congested in 2025, and show the line congestion of the first');
    assert.deepEqual(both.complete.outcomes.map((o) => [o.tool, o.outcome]),
      [['get_most_congested_lines', 'rows'], ['get_line_congestion', 'rows']]);
    assert.match(both.text, /\*\*Vaca-Dixon 230 kV\*\* was congested for \*\*1,630 hours\*\* in 2025/);
    await chat.close();
  });

  it('is limited to users with its permission and to the data of their tenant', async () => {
    const viewer = await d.ask('Which transmission lines were most congested in 2025?', { token: mintToken({ role: 'viewer' }) });
    assert.equal(viewer.tables.length, 0);
    assert.match(viewer.text, /permission/);
    const other = await d.ask('Which transmission lines were most congested in 2025?',
      { token: mintToken({ tenant_id: 'acme' }) });
    assert.doesNotMatch(other.text, /Vaca-Dixon/);
    assert.deepEqual(other.complete.outcomes.map((o) => o.outcome), ['empty']);
  });

  it('is rejected with file and line if invalid, and the previous catalogue stays in use', async () => {
    const valid = await readFile(tool('get_most_congested_lines'), 'utf8');
    const invalid = [
      [valid.replace(':year\n', ':jahr\n'), /get_most_congested_lines\.sql:\d+.*jahr/],
      [valid.replace('chat:read_market_data', 'chat:read_everything'), /get_most_congested_lines\.sql:3.*chat:read_everything/],
      [valid.replace('dbo.tx_congestion', 'dbo.secrets'), /get_most_congested_lines\.sql:\d+.*no approved view/],
      [valid.replace('rows[0].LineName', 'rows.LineName'), /get_most_congested_lines\.sql:6.*rows\.LineName/],
      [valid.replace('c.tenant_id = :tenant_id', '1 = 1'), /get_most_congested_lines\.sql:\d+.*tenant/],
    ];
    for (const [text, reason] of invalid) {
      await writeFile(tool('get_most_congested_lines'), text);
      assert.match(await reload('catalog.refused'), reason);
      const turn = await d.ask('Which transmission lines were most congested in 2025?');
      assert.match(turn.text, /Vaca-Dixon 230 kV/);
    }
    await writeFile(tool('get_most_congested_lines'), valid);
    await reload('catalog.loaded');
  });

  it('disappears with its files', async () => {
    await rm(join(root, 'prompts/energy/transmission.md'));
    await rm(join(root, 'sql/energy/transmission'), { recursive: true });
    await reload('catalog.loaded');
    const turn = await d.ask('Which transmission lines were most congested in 2025?');
    assert.equal(turn.tables.length, 0);
  });
});
