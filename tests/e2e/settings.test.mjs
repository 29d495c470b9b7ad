/*
 * Reloading the configuration while the daemon runs: limits that change during turns, twice in a second; a broken
 * file that changes nothing; keys that need a restart; other packs of a tenant.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, ROOT, run, startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

const WAIT_MS = patient(20000);
const TURNS = 200;
const SESSIONS = 20;

describe('settings that change while the daemon runs', () => {
  let d;
  let path;
  const settings = { limits: { user_per_minute: 0 }, log: { level: 'info' } };
  const save = (changes = {}) => writeFile(path, JSON.stringify({ ...settings, ...changes }));

  /* Reloads, and returns the log from here until `count` reloads have ended. */
  async function reload(count = 1, kill = () => d.child.kill('SIGHUP')) {
    const from = d.output.length;
    await kill();
    for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(20)) {
      const lines = d.output.slice(from).split('\n').filter((l) => /config\.|catalog\./.test(l));
      if (lines.filter((l) => /config\.loaded|nothing was changed/.test(l)).length >= count)
        return lines.join('\n');
    }
    throw new Error(d.output.slice(from));
  }

  before(async () => {
    const dir = await tempDir('settings');
    await mkdir(dir, { recursive: true });
    path = join(dir, 'vesper.json');
    await save();
    d = await startDaemon({ env: { VESPER_CONFIG: path, VESPER_LIMITS_USER_PER_MINUTE: undefined } });
  });
  after(() => d?.stop());

  it('apply a new limit from the next request on', async () => {
    for (let i = 0; i < 5; i++)
      assert.equal((await d.rest().get('/api/v1/tools')).status, 200);
    await save({ limits: { user_per_minute: 2 } });
    await reload();
    const statuses = [];
    for (let i = 0; i < 4; i++)
      statuses.push((await d.rest(mintToken({ sub: 'held' })).get('/api/v1/tools')).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    await save();
    await reload();
    assert.equal((await d.rest(mintToken({ sub: 'held' })).get('/api/v1/tools')).status, 200);
  });

  it('change twice in a second during 200 turns, and every turn completes', async () => {
    const chats = await Promise.all(Array.from({ length: SESSIONS }, (_, i) =>
      d.connect({ token: mintToken({ sub: `u${i}` }) })));
    const turns = chats.map(async (chat) => {
      const ended = [];
      for (let i = 0; i < TURNS / SESSIONS; i++)
        ended.push((await chat.ask(REFERENCE)).complete?.type);
      return ended;
    });
    await save({ limits: { user_per_minute: 5000, grace_s: 7 }, calendar: { timezone: 'America/Chicago' } });
    await reload(1);
    await save({ limits: { user_per_minute: 0 } });
    await reload(1);
    const ended = (await Promise.all(turns)).flat();
    assert.equal(ended.length, TURNS);
    assert.ok(ended.every((type) => type === 'chat.complete'), JSON.stringify(ended.filter((t) => t !== 'chat.complete').slice(0, 3)));
    await Promise.all(chats.map((chat) => chat.close()));
  });

  it('stay if vesper.json is invalid, and every error is reported', async () => {
    await writeFile(path, '{"limits": {"user_per_minute": 1,}');
    let log = await reload();
    assert.match(log, /config\.refused.*vesper\.json/);
    assert.match(log, /nothing was changed/);
    await save({ limits: { user_per_minute: -1, gracee_s: 3 } });
    log = await reload();
    assert.match(log, /limits\.user_per_minute/);
    assert.match(log, /limits\.gracee_s: unknown key; did you mean limits\.grace_s/);
    await save({ limits: { user_per_minute: 1 }, calendar: { timezone: 'Mars/Olympus' }, auth: { tenants: ['nobody'] } });
    log = await reload();
    assert.match(log, /calendar\.timezone/);
    assert.match(log, /auth\.tenants/);
    assert.match(JSON.stringify((await d.health()).checks.configuration), /calendar\.timezone/);
    for (let i = 0; i < 3; i++)
      assert.equal((await d.rest(mintToken({ sub: 'still' })).get('/api/v1/tools')).status, 200);
    await save();
    await reload();
    assert.equal((await d.health()).checks.configuration, undefined);
  });

  it('keep the startup value if a restart is needed, and report it', async () => {
    await save({ warehouse: { workers: 9 }, tenants: {
      vesper: { warehouse: 'other.db', store: 'vesper.db' }, acme: { warehouse: 'acme.db', store: 'acme.db' },
      third: { warehouse: 'third.db', store: 'third.db' } } });
    const log = await reload();
    assert.match(log, /config\.needs_restart.*warehouse\.workers/);
    assert.match(log, /config\.needs_restart.*tenants\.vesper\.warehouse/);
    assert.match(log, /config\.needs_restart.*tenants\.third/);
    assert.match(log, /config\.loaded/);
    assert.ok((await d.ask(REFERENCE)).complete);
    await save();
    assert.doesNotMatch(await reload(), /needs_restart/);
  });

  it('change the packs of a tenant', async () => {
    const roots = await tempDir('packs');
    await cp(join(ROOT, 'tests/packs'), roots, { recursive: true });
    const tenantsWith = (packs) => ({ vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
      acme: { warehouse: 'acme.db', store: 'acme.db', ...(packs && { packs }) } });
    const names = async (tenant) => (await d.rest(mintToken({ tenant_id: tenant, permissions:
      ['chat:use', 'bakery:read', 'chat:read_projects', 'chat:read_market_data'] })).get('/api/v1/tools')).body.data.map((t) => t.name);
    await save({ packs: { roots: [roots] }, tenants: tenantsWith(['bakery']) });
    await reload();
    assert.ok((await names('acme')).includes('get_loaves_by_bread'));
    assert.ok(!(await names('vesper')).includes('get_loaves_by_bread'));
    const before = await names('vesper');
    await save({ packs: { roots: [roots] }, tenants: tenantsWith(['circus']) });
    assert.match(await reload(), /tenants\.acme\.packs: unknown pack circus/);
    assert.ok((await names('acme')).includes('get_loaves_by_bread'));
    await save({ tenants: tenantsWith() });
    await reload();
    assert.deepEqual(await names('acme'), before);
  });

  it('open a new source and keep existing ones', async () => {
    const [roots, harbour] = await Promise.all([tempDir('packs'), tempDir('harbour')]);
    await cp(join(ROOT, 'tests/packs'), roots, { recursive: true });
    await run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.executescript(open(sys.argv[2]).read())\n'
      + 'd.executescript("INSERT INTO vesper_tenant VALUES (\'acme\'); UPDATE trips SET tenant_id = \'acme\'")\nd.commit()',
    join(harbour, 'boats.db'), join(roots, 'harbour.sql')]);
    const configWith = (sources, more = {}) => ({ packs: { roots: [roots] }, sources,
      tenants: { vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
        acme: { warehouse: 'acme.db', store: 'acme.db', packs: ['ferry'], sources: { harbour: 'boats.db' } } }, ...more });
    const trips = async () => (await d.ask('How many trips did Seagull make in 2025?',
      { token: mintToken({ tenant_id: 'acme', permissions: ['chat:use', 'ferry:read'] }) })).text;
    await save(configWith({ harbour: { dir: harbour } }, { calendar: { timezone: 'Mars/Olympus' } }));
    assert.match(await reload(), /nothing was changed/);
    await save(configWith({ harbour: { dir: harbour }, bay: { dialect: 'postgres' } }));
    assert.match(await reload(), /sources\.bay\.dsn must be/);
    await save(configWith({ harbour: { dir: harbour } }));
    assert.doesNotMatch(await reload(), /needs_restart|refused/);
    assert.match(await trips(), /7,?311/);
    const sourceStatus = async () => (await d.health()).checks['harbour:acme'];
    for (const until = Date.now() + WAIT_MS; await sourceStatus() !== 'healthy' && Date.now() < until;)
      await sleep(50);
    assert.equal(await sourceStatus(), 'healthy');
    await save(configWith({ harbour: { dir: '/nowhere' }, quay: {} }));
    const log = await reload();
    assert.match(log, /config\.needs_restart.*sources\.harbour/);
    assert.doesNotMatch(log, /refused|sources\.quay/);
    assert.match(await trips(), /7,?311/);
  });
});
