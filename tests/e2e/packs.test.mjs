/*
 * Three tenants with different packs on one daemon: a library, a bakery (both of text files, from a further root)
 * and the product's energy pack. No tenant sees data of another: every byte sent to users and to the model is
 * searched. A pack that is broken on reload affects its own tenant only.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, filesUnder, launch, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const FILES = join(ROOT, 'tests/packs');
const RELOAD_LIMIT_MS = patient(20000);
const MAKE = 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n'
  + 'for f in sys.argv[3:]: d.executescript(open(f).read())\n'
  + 'd.execute("INSERT INTO vesper_tenant VALUES (?)",(sys.argv[2],))\nd.commit()';

const WORDS = {
  vesper: ['NP15', 'Hitachi', 'CAISO', 'hub_zone', 'dayahead', 'energy company'],
  lantern: ['Oldtown', 'Riverside', 'genre', 'loans_agent', 'Whodunit', 'public library', 'library:read'],
  crumb: ['Stonehearth', 'Copperdeck', 'Pumpernickel', 'ovens_agent', 'get_loaves', 'a bakery', 'bakery:read'],
};
const PERMISSIONS = { vesper: ['chat:read_market_data', 'chat:read_projects'], lantern: ['library:read'], crumb: ['bakery:read'] };
const QUESTIONS = {
  vesper: 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?',
  lantern: 'Loans by genre of Oldtown in 2025',
  crumb: 'Loaves by bread of Stonehearth in 2025',
};
const TENANTS = {
  vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
  lantern: { warehouse: 'lantern.db', store: 'lantern.db', packs: ['library'] },
  crumb: { warehouse: 'crumb.db', store: 'crumb.db', packs: ['bakery'] },
};
const token = (tenant) => mintToken({ tenant_id: tenant, permissions: ['chat:use', ...PERMISSIONS[tenant]] });

/* Checks for words of other tenants' packs, except those in the question itself. */
function assertNoForeignWords(tenant, sent, question = '') {
  for (const [other, words] of Object.entries(WORDS))
    for (const word of other === tenant ? [] : words)
      if (!question.toLowerCase().includes(word.toLowerCase()))
        assert.ok(!sent.toLowerCase().includes(word.toLowerCase()),
          `${tenant} sees "${word}" of ${other}: ${sent.slice(Math.max(0, sent.toLowerCase().indexOf(word.toLowerCase()) - 200)).slice(0, 400)}`);
}

async function makeWarehouse() {
  const dir = await tempDir('warehouse');
  const demo = (await filesUnder(await demoWarehouse())).find((p) => /vesper\.db$/.test(p));
  await copyFile(demo, join(dir, 'vesper.db'));
  for (const tenant of ['lantern', 'crumb'])
    await run('python3', ['-c', MAKE, join(dir, `${tenant}.db`), tenant,
      join(ROOT, 'sql/warehouse/sqlite/schema.sql'), join(FILES, 'warehouse.sql')]);
  return dir;
}

async function makeSetup() {
  const roots = await tempDir('packs');
  await cp(FILES, roots, { recursive: true });
  return { roots, warehouse: await makeWarehouse(),
    env: { VESPER_TENANTS: JSON.stringify(TENANTS), VESPER_PACKS_ROOTS: roots } };
}

describe('tenants with different packs', () => {
  let mock;
  let s;
  let d;
  const ask = (tenant, question) => d.ask(question, { token: token(tenant) });

  before(async () => {
    s = await makeSetup();
    mock = await startMock();
    d = await startDaemon({ ...s, mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => {
    mock.use('demo');
    mock.reset();
  });

  it('get answers from their own packs', async (t) => {
    const rules = await startDaemon(s);
    t.after(() => rules.stop());
    for (const [tenant, question] of Object.entries(QUESTIONS)) {
      const turn = await rules.ask(question, { token: token(tenant) });
      assert.deepEqual(turn.complete.outcomes.map((o) => o.outcome), ['rows'], JSON.stringify(turn));
      assertNoForeignWords(tenant, JSON.stringify(turn));
    }
  });

  it('are notified when numbers are computed from a sample of the rows', async (t) => {
    const own = await makeSetup();
    const path = join(own.roots, 'sql/library/loans/get_loans_by_genre.sql');
    await writeFile(path, `${(await readFile(path, 'utf8')).replace('-- column "Loans" type=int', `-- derive: share_of_total Loans Genre
-- frame: every 2
-- column "Weight" type=real
-- column "Share" type=decimal unit=% derived
-- fact total type=int optional Loans
-- fact largest type=text optional Genre
-- fact largest_value type=int optional Its loans
-- fact largest_share unit=% optional Its share
$&`)}--# query every
SELECT l.loans AS "Weight" FROM dbo.lib_loans l WHERE l.tenant_id = :tenant_id ORDER BY l.branch, l.genre, l.loan_year
`);
    const rules = await startDaemon(own);
    t.after(() => rules.stop());
    const lanternToken = token('lantern');
    const turn = await rules.ask(QUESTIONS.lantern, { token: lanternToken });
    const note = /This was computed from a sample: 1 in \d+ of \d+ rows\./;
    assert.match(turn.text, note, JSON.stringify(turn));
    assert.equal(turn.complete.checked.unbound, 0);
    const view = turn.frames.find((f) => f.type === 'chat.view').view;
    assert.deepEqual(view.notes, [note.exec(turn.text)[0]]);
    const { body } = await rules.rest(lanternToken).get(`/api/v1/receipts/${turn.complete.receipt_id}`);
    assert.equal((body.data ?? body).content.calls[0].sample, view.notes[0]);
  });

  it('have prompts in their own vocabulary', async () => {
    for (const [tenant, question] of Object.entries(QUESTIONS)) {
      await ask(tenant, question);
      assert.ok(mock.calls.length > 0, 'the model was asked');
      assertNoForeignWords(tenant, JSON.stringify(mock.calls));
      mock.reset();
    }
  });

  it('see nothing of another pack when they use its vocabulary', async () => {
    for (const tenant of Object.keys(QUESTIONS))
      for (const [other, question] of Object.entries(QUESTIONS)) {
        if (other === tenant)
          continue;
        const turn = await ask(tenant, question);
        assert.ok(!turn.complete?.outcomes?.some((o) => o.outcome === 'rows'), `${tenant}: ${question}`);
        assertNoForeignWords(tenant, JSON.stringify(turn), question);
        assertNoForeignWords(tenant, JSON.stringify(mock.calls), question);
        mock.reset();
      }
  });

  it('see only their own tools', async () => {
    const names = {};
    for (const tenant of Object.keys(QUESTIONS)) {
      const reply = await d.rest(token(tenant)).get('/api/v1/tools');
      const text = JSON.stringify(reply);
      assertNoForeignWords(tenant, text);
      names[tenant] = text;
    }
    assert.match(names.lantern, /get_loans_by_genre/);
    assert.match(names.crumb, /get_loaves_by_bread/);
    assert.match(names.vesper, /get_average_annual_price/);
  });

  it('see only their own packs in vesperctl', async () => {
    const { VESPER_SECRETS_DIR, ...own } = process.env;
    const env = { ...own, ...s.env };
    const { stdout: tools } = await run(VESPERCTL, ['tools', '--tenant', 'lantern'], { env });
    assert.match(tools, /get_loans_by_genre/);
    assertNoForeignWords('lantern', tools);
    const { stdout: route } = await run(VESPERCTL, ['route', QUESTIONS.crumb, '--tenant', 'crumb'],
      { env: { ...env, VESPER_WAREHOUSE_DIR: s.warehouse, VESPER_DATA_DIR: s.roots } });
    assert.match(route, /get_loaves_by_bread/);
    assertNoForeignWords('crumb', route);
  });

  it('are reloaded independently', async () => {
    const path = join(s.roots, 'sql/bakery/ovens/get_loaves_by_bread.sql');
    const good = await readFile(path, 'utf8');
    const reload = async (event) => {
      const from = d.output.length;
      d.child.kill('SIGHUP');
      for (const end = Date.now() + RELOAD_LIMIT_MS; Date.now() < end; await sleep(20)) {
        const lines = d.output.slice(from).split('\n').filter((l) => /catalog\.(loaded|refused)/.test(l));
        if (lines.length === 3)
          return lines.filter((l) => l.includes(event));
      }
      throw new Error(d.output.slice(from));
    };
    await writeFile(path, good.replace(':oven', ':owen'));
    const library = join(s.roots, 'config/library/words.json');
    await writeFile(library, (await readFile(library, 'utf8')).replace('a public library', 'a reading hall'));
    const refused = await reload('catalog.refused');
    assert.equal(refused.length, 1);
    assert.match(refused[0], /core,bakery: .*get_loaves_by_bread\.sql:\d+: .*owen/);
    const { checks } = await d.health();
    assert.match(checks['packs:core,bakery'].note ?? JSON.stringify(checks['packs:core,bakery']), /get_loaves_by_bread\.sql:\d+/);
    assert.equal((await d.rest(token('crumb')).get('/api/v1/tools')).body.data[0].name, 'get_loaves_by_bread');
    mock.reset();
    await ask('lantern', QUESTIONS.lantern);
    assert.match(JSON.stringify(mock.calls), /a reading hall/);
    await writeFile(path, good);
    assert.equal((await reload('catalog.loaded')).length, 3);
    assert.equal((await d.health()).checks['packs:core,bakery'], undefined);
  });
});

describe('one tenant with two packs', () => {
  it('is asked which pack is meant if both have the same words, and gets the chosen one', async (t) => {
    const s = await makeSetup();
    await writeFile(join(s.roots, 'config/bakery/entities.json'),
      '{ "oven": [{"text": "the old house", "value": "Stonehearth"}] }');
    const tenants = { ...TENANTS, lantern: { ...TENANTS.lantern, packs: ['library', 'bakery'] } };
    const d = await startDaemon({ ...s, env: { ...s.env, VESPER_TENANTS: JSON.stringify(tenants) } });
    t.after(() => d.stop());
    const chat = await d.connect({ token: mintToken({ tenant_id: 'lantern', permissions: ['chat:use', 'library:read', 'bakery:read'] }) });
    for (const how of ['select', 'number', 'label']) {
      const { ask } = await chat.ask('Loans by genre of the old house in 2025');
      assert.equal(ask.filter, 'meaning');
      assert.match(ask.prompt, /"the old house".*Oldtown \(branch\) or Stonehearth \(oven\)/);
      assert.deepEqual(ask.options.map((o) => o.value), ['branch=Oldtown', 'oven=Stonehearth']);
      if (how === 'select')
        chat.send({ type: 'chat.select', ask_id: ask.ask_id, values: ['branch=Oldtown'] });
      else
        chat.send({ type: 'chat.message', content: how === 'number' ? '1' : 'Oldtown (branch)', session_id: chat.session });
      const end = await chat.turn();
      assert.deepEqual(end.filters, { branch: 'Oldtown', year: 2025 }, how);
      assert.match(end.text, /Oldtown lent most of Whodunit: 4117 loans/);
    }
    await chat.close();
    /* For a caller who may see only one of the two, the name is not ambiguous. */
    const turn = await d.ask('Loans by genre of the old house in 2025', { token: token('lantern') });
    assert.match(turn.text, /Oldtown lent most of Whodunit/);
  });
});

describe('startup is refused', () => {
  for (const [what, packs, message] of [['an unknown pack', ['circus'], /tenants\.crumb\.packs: unknown pack circus/],
    ['packs that are not strings', [1], /TENANTS\.crumb: packs\[0\]: must be a string/]])
    it(`for ${what}`, async () => {
      const s = await makeSetup();
      const tenants = { ...TENANTS, crumb: { ...TENANTS.crumb, packs } };
      const d = await launch({ ...s, env: { ...s.env, VESPER_TENANTS: JSON.stringify(tenants) } });
      const { code } = await d.ended();
      assert.notEqual(code, 0);
      assert.match(d.output, message);
    });
});
