/*
 * Broken packs while the daemon runs. Every error is reported with file and line, affects no other tenant, and
 * removes nothing: the tenants of the pack keep the previous catalogue. A startup with the same error is refused.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusedStart, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

const PACKS = join(ROOT, 'tests/packs');
const RELOAD_LIMIT_MS = patient(20000);
const MAKE = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n'
  + 'for f in sys.argv[3:]: d.executescript(open(f).read())\n'
  + 'd.execute("INSERT INTO vesper_tenant VALUES (?)",(sys.argv[2],))\nd.commit()';

const TENANTS = {
  both: { warehouse: 'both.db', store: 'both.db', packs: ['library', 'bakery'] }, /* first, because conflicts between the two packs appear only here */
  vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
  lantern: { warehouse: 'lantern.db', store: 'lantern.db', packs: ['library'] },
  crumb: { warehouse: 'crumb.db', store: 'crumb.db', packs: ['bakery'] },
};
const PERMISSIONS = { lantern: 'library:read', crumb: 'bakery:read', both: 'library:read' };
const QUESTIONS = {
  lantern: ['Loans by genre of Oldtown in 2025', /Whodunit/],
  crumb: ['Loaves by bread of Stonehearth in 2025', /Pumpernickel/],
};
const TOOL = 'packs/sql/library/loans/get_loans_by_genre.sql';
const OVENS = 'packs/sql/bakery/ovens/get_loaves_by_bread.sql';
const LOAVES = await readFile(join(ROOT, 'tests', OVENS), 'utf8');
const token = (tenant) => mintToken({ tenant_id: tenant, permissions: ['chat:use', PERMISSIONS[tenant]] });

/* Copies of the project's files and of the packs, which tests break, and a warehouse for each tenant. */
async function makeProject() {
  const dir = await tempDir('project');
  const warehouse = await tempDir('warehouse');
  for (const name of ['config', 'sql', 'prompts'])
    await cp(join(ROOT, name), join(dir, name), { recursive: true });
  await cp(PACKS, join(dir, 'packs'), { recursive: true });
  for (const tenant of Object.keys(TENANTS))
    await run('python3', ['-c', MAKE, join(warehouse, `${tenant}.db`), tenant,
      join(ROOT, 'sql/warehouse/sqlite/schema.sql'), join(PACKS, 'warehouse.sql')]);
  const config = join(dir, 'config/vesper.json');
  const written = JSON.parse(await readFile(config, 'utf8'));
  await writeFile(config, JSON.stringify({ ...written, tenants: TENANTS, packs: { roots: [join(dir, 'packs')] } }, null, '\t'));
  return { dir, warehouse, cwd: dir, env: { VESPER_ROOT: dir, VESPER_CONFIG: config } };
}

/* What to break, the expected message, and the lists of packs that keep their old catalogue; null: nothing is reloaded. */
const replaced = (from, to) => (text) => text.replace(from, to);
const MISTAKES = [
  ['a missing catalogue', 'packs/config/library/catalogue.json', null, /config\/library\/catalogue\.json/, ['library', 'library,bakery']],
  ['an unknown unit', TOOL, replaced('type=int', 'type=int unit=parsecs'), /get_loans_by_genre\.sql:\d+: .*parsecs/, ['library', 'library,bakery']],
  ['an unknown fragment', TOOL, replaced('ORDER BY', ':{nothing}\nORDER BY'), /get_loans_by_genre\.sql:\d+: .*nothing/, ['library', 'library,bakery']],
  ['cyclic fragments', 'packs/sql/library/fragments.sql', () => '--# fragment here\n:{there}\n--# fragment there\n:{here}\n',
    /fragments\.sql:\d+: /, ['library', 'library,bakery']],
  ['a tool that two packs declare', 'packs/sql/bakery/ovens/get_loans_by_genre.sql',
    () => LOAVES.replace('get_loaves_by_bread', 'get_loans_by_genre'),
    /ovens\/get_loans_by_genre\.sql:\d+: sql\/library\/loans\/get_loans_by_genre\.sql already declares this tool/, ['bakery', 'library,bakery']],
  ['a dimension that two packs declare differently', 'packs/config/bakery/catalogue.json',
    replaced('"dimensions": [', '"dimensions": [\n{"name": "genre", "view": "dbo.bak_batches", "column": "bread"},'),
    /config\/bakery\/catalogue\.json:\d+: .*genre/, ['library,bakery']],
  ['an invalid pattern in the language file', 'config/language/en.json', replaced('"\\\\bas it\\\\b"', '"\\\\bas (it\\\\b"'),
    /config\/language\/en\.json:\d+: /, ['energy,data', 'library', 'bakery', 'library,bakery']],
  ['packs that need each other', 'packs/config/packs.json',
    replaced('{"name": "library"},\n\t{"name": "bakery"}', '{"name": "library", "needs": ["bakery"]},\n\t{"name": "bakery", "needs": ["library"]}'),
    /packs\.json:\d+: .*no earlier pack is named bakery/, null],
  ['an unregistered pack', 'config/vesper.json', replaced('"library"', '"circus"'),
    /config\/vesper\.json:\d+: tenants\.both\.packs: unknown pack circus/, null],
];

async function breakFile(s, file, edit) {
  const path = join(s.dir, file);
  const good = await readFile(path, 'utf8').catch(() => null);
  if (!edit)
    await rm(path);
  else
    await writeFile(path, edit(good ?? ''));
  assert.notEqual(edit ? await readFile(path, 'utf8') : null, good, `${file} was changed`);
  return () => (good === null ? rm(path, { force: true }) : writeFile(path, good));
}

/* Sends the reload signal. Returns the log from then until the reload has ended. */
async function reload(d) {
  const from = d.output.length;
  d.child.kill('SIGHUP');
  for (const end = Date.now() + RELOAD_LIMIT_MS; Date.now() < end; await sleep(20)) {
    const text = d.output.slice(from);
    if (/config\.loaded|nothing was changed/.test(text))
      return text;
  }
  throw new Error(d.output.slice(from));
}

describe('a reload of broken packs', () => {
  let s;
  let d;
  const answers = async () => {
    for (const [tenant, [question, expected]] of Object.entries(QUESTIONS))
      assert.match((await d.ask(question, { token: token(tenant) })).text, expected, tenant);
  };

  before(async () => {
    s = await makeProject();
    d = await startDaemon(s);
  });
  after(() => d?.stop());

  for (const [what, file, edit, message, lists] of MISTAKES)
    it(`refuses ${what}, and removes nothing`, async (t) => {
      const restore = await breakFile(s, file, edit);
      t.after(restore);
      const log = await reload(d);
      const { checks } = await d.health();
      const refused = lists ?? [];
      assert.match(log, message);
      assert.deepEqual(Object.keys(checks).filter((name) => name.startsWith('packs:')).sort(),
        refused.map((list) => `packs:core,${list}`).sort());
      for (const list of refused)
        assert.match(JSON.stringify(checks[`packs:core,${list}`]), list === refused.at(-1) ? message : /(config|sql)\/\w+/);
      if (!lists)
        assert.match(JSON.stringify(checks.configuration), message);
      await answers();
      await restore();
      assert.match(await reload(d), /config\.loaded/);
      assert.ok(!Object.keys((await d.health()).checks).some((name) => /^packs:|^configuration$/.test(name)));
    });

  it('twice in a second during turns: valid changes apply and every turn is answered', async () => {
    const library = 'packs/config/library/entities.json';
    const restore = await breakFile(s, OVENS, replaced(':oven', ':owen'));
    const restoreAlias = await breakFile(s, library, replaced('the old house', 'the brick tower'));
    const turns = Array.from({ length: 12 }, (_, i) => Object.entries(QUESTIONS)[i % 2])
      .map(async ([tenant, [question, expected]]) => assert.match((await d.ask(question, { token: token(tenant) })).text, expected, tenant));
    const from = d.output.length;
    d.child.kill('SIGHUP');
    await sleep(200);
    d.child.kill('SIGHUP');
    await Promise.all(turns);
    for (const end = Date.now() + RELOAD_LIMIT_MS; d.output.slice(from).split('config.loaded').length < 3 && Date.now() < end;)
      await sleep(20);
    await answers();
    assert.match((await d.ask('Loans by genre of the brick tower in 2025', { token: token('lantern') })).text, /Whodunit/);
    assert.match(JSON.stringify((await d.health()).checks['packs:core,bakery']), /get_loaves_by_bread\.sql:\d+/);
    await restore();
    await restoreAlias();
    await reload(d);
    await answers();
  });
});

describe('startup with broken packs', () => {
  for (const [what, file, edit, message] of MISTAKES)
    it(`is refused for ${what}`, async () => {
      const s = await makeProject();
      await breakFile(s, file, edit);
      await refusedStart(s, message);
    });

  it('names the variable that has an unknown pack', async () => {
    const s = await makeProject();
    const tenants = { ...TENANTS, crumb: { ...TENANTS.crumb, packs: ['circus'] } };
    await refusedStart({ ...s, env: { ...s.env, VESPER_TENANTS: JSON.stringify(tenants) } },
      /VESPER_TENANTS: tenants\.crumb\.packs: unknown pack circus/);
  });
});
