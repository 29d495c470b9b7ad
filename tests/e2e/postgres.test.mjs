/*
 * The daemon with warehouse and store on PostgreSQL: the reference answers, every tool compared with the same tool
 * on SQLite, tenants with one of their two separations removed, and servers with outages.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, launch, REFERENCE, refusedStart, startDaemon, tempDir } from './harness.mjs';
import { CALLS, callTools, compareTools, rootWithGuest, rootWithoutWhere } from './server-tools.mjs';
import { CHAT_PASSWORD, ctl, installedPostgres, READ_PASSWORD, smallWarehouse } from './postgres.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const RECOVERY_LIMIT_MS = patient(20000); /* after a server returns; the daemon tries every three seconds */
const UNCACHED = 'What is the health status of Nazareth Solar?';
const acme = () => mintToken({ tenant_id: 'acme' });

let pg;
let sqlite; /* a warehouse with the same data */

before(async () => {
  [pg, sqlite] = await Promise.all([installedPostgres(), smallWarehouse()]);
});
after(() => pg?.service('stop'));

describe('every tool', () => {
  it('has a test call', async () => {
    /* Analyses need series that the demo data does not contain: analytics.test.mjs tests them. */
    const tools = JSON.parse((await ctl(['tools'])).stdout).filter((t) => t.name === 'query_metrics' || !t.schema.properties.query).map((t) => t.name);
    assert.deepEqual(tools.filter((name) => name !== 'general_sql_query' && !CALLS.some(([tool]) => tool === name)), []);
  });

  it('returns the same on PostgreSQL and SQLite', () => compareTools(pg.env(), sqlite));

  it('returns nothing without its permission, on both', async () => {
    const calls = CALLS.filter(([tool], i) => CALLS.findIndex(([other]) => other === tool) === i)
      .map((words) => [...words, '--role', 'guest']);
    const root = { VESPER_ROOT: await rootWithGuest() };
    for (const env of [pg.env(root), { VESPER_WAREHOUSE_DIR: sqlite, ...root }])
      (await callTools(env, calls)).forEach((result, i) => {
        assert.equal(result.outcome.kind, 'not_permitted', calls[i].join(' '));
        assert.deepEqual(result.tables, []);
      });
  });
});

describe('a daemon on PostgreSQL', () => {
  let d;

  before(async () => {
    const check = await launch({ args: ['--check'], warehouse: 'none', env: pg.env() });
    assert.equal((await check.ended()).code, 0, check.output);
    assert.match(check.output, /^ok: /m);
    d = await pg.start();
  });
  after(() => d?.stop());

  const answers = {
    [REFERENCE]: [/\$48\.73/, /8,760/],
    [COMPARISON]: [/\$52\.14/, /\$54\.80/, /\$2\.66/, /5\.1%/, /HE 16-21/],
    'What is the health status of Nazareth Solar?': [/At risk/, /Phase II study delayed/, /N\/A/],
    'Which projects are off track?': [/3 projects/, /Sierra Wind/, /Mojave BESS/, /\$5\.4M/],
    'What milestone dates changed in the last week?': [/5 changes/, /No change \(re-confirmed\)/, /\+3 months/],
  };
  for (const [question, parts] of Object.entries(answers))
    it(question, async () => {
      const turn = await d.ask(question);
      for (const part of parts)
        assert.match(turn.text, part);
    });

  it('stores messages under their user and tenant only', async () => {
    const turn = await d.ask(REFERENCE);
    const path = `/api/v1/sessions/${turn.session}/messages`;
    const get = async (token) => fetch(d.url + path, { headers: { authorization: `Bearer ${token}` } });
    const { data } = await (await get(mintToken())).json();
    assert.deepEqual(data.map((m) => [m.role, m.status]), [['user', 'complete'], ['assistant', 'complete']]);
    assert.match(data[1].content, /48\.73/);
    assert.equal((await get(acme())).status, 404);
    assert.equal((await get(mintToken({ sub: 'somebody else' }))).status, 404);
    assert.equal(await pg.admin(`SELECT count(*) FROM dbo.chat_messages WHERE session_id = '${turn.session}' AND tenant_id <> 'vesper'`), '0');
  });

  it('a repeated client_msg_id is one message', async () => {
    const chat = await d.connect();
    const extra = { client_msg_id: 'once' };
    const [first, again] = [await chat.ask(REFERENCE, extra), await chat.ask(REFERENCE, extra)];
    assert.equal(again.id, first.id);
    assert.equal(await pg.admin(`SELECT count(*) FROM dbo.chat_messages WHERE client_msg_id = 'once'`), '1');
    await chat.close();
  });

  it('two daemons with the same message at once store it once', async () => {
    const other = await pg.start();
    const chat = await d.connect();
    await chat.ask(REFERENCE);
    const session = chat.session;
    await chat.close();
    const [a, b] = await Promise.all([d.connect({ session }), other.connect({ session })]);
    for (let i = 0; i < 10; i++) {
      const frame = { type: 'chat.message', content: REFERENCE, client_msg_id: `both-${i}` };
      a.send(frame);
      b.send(frame);
      for (const c of [a, b]) {
        const end = await c.until((f) => ['chat.complete', 'chat.error'].includes(f.type));
        assert.notEqual(end.code, 'internal', JSON.stringify(end));
      }
    }
    await Promise.all([a.close(), b.close()]);
    assert.equal(await pg.admin(`SELECT count(*), count(DISTINCT client_msg_id) FROM dbo.chat_messages WHERE session_id = '${session
    }' AND client_msg_id LIKE 'both-%'`), '10|10');
    await other.stop();
  });

  it('survives kill -9 with every answer that was completed', async () => {
    const daemon = await pg.start();
    const turn = await daemon.ask(REFERENCE);
    await daemon.kill();
    assert.equal(await pg.admin(`SELECT count(*) FROM dbo.chat_messages WHERE session_id = '${turn.session}'`), '2');
  });

  it('closes turns of dead processes, and none that may still run elsewhere', async () => {
    const row = (id, at) => `('vesper', 'orphans', '${id}', '${id}', 'user', 'q', 'complete', '${at}')`;
    await pg.admin(`INSERT INTO dbo.chat_sessions (tenant_id, session_id, user_id, title, created_at, updated_at)
      VALUES ('vesper', 'orphans', 'ann', '', '', '');
      INSERT INTO dbo.chat_messages (tenant_id, session_id, message_uid, turn_id, role, content, status, created_at)
      VALUES ${row('old', '2026-01-01T00:00:00.000Z')}, ${row('young', new Date().toISOString())}`);
    await (await pg.start()).stop();
    assert.equal(await pg.admin("SELECT turn_id, status FROM dbo.chat_messages WHERE session_id = 'orphans' AND role = 'assistant'"),
      'old|interrupted');
  });
});

const setRowSecurity = (verb) => pg.admin(`DO $$ DECLARE t regclass; BEGIN
  FOR t IN SELECT polrelid FROM pg_policy LOOP EXECUTE format('ALTER TABLE %s ${verb} ROW LEVEL SECURITY', t); END LOOP; END $$`);

describe('tenants', () => {
  const CURVES = ['list_available_curves'];
  const HEALTH = ['get_portfolio_summary'];
  const ofAcme = (words) => [...words, '--tenant', 'acme'];
  let root;
  let expected;

  const callAll = (more) => callTools(pg.env(more), [CURVES, HEALTH, ofAcme(CURVES), ofAcme(HEALTH)]);

  /* Both tenants ask in turn on the same daemon, so that a connection is used for both. */
  async function chats(more) {
    const d = await pg.start({ env: { VESPER_WAREHOUSE_WORKERS: '1', ...more } });
    d.exit.then(() => d.checkOutput());
    for (let i = 0; i < 2; i++) {
      const [mine, theirs] = [await d.ask(REFERENCE), await d.ask(REFERENCE, { token: acme() })];
      assert.match(mine.text, /\$48\.73/);
      assert.match(theirs.text, /\$\d+\.\d\d/);
      assert.doesNotMatch(theirs.text + JSON.stringify(theirs.tables), /48\.73/);
      for (const [token, others] of [[mintToken(), theirs], [acme(), mine]]) {
        const list = await (await fetch(`${d.url}/api/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })).json();
        assert.ok(list.data.length > 0 && !list.data.some((s) => s.session_id === others.session));
      }
    }
    await d.stop();
  }

  before(async () => {
    root = await rootWithoutWhere();
    expected = await callAll();
    assert.equal(expected[0].tables[0].rows.filter((r) => r.some((c) => /Acme/.test(c))).length, 0);
    assert.equal(expected[2].tables[0].rows.every((r) => r.some((c) => /Acme/.test(c))), true);
  });
  after(() => setRowSecurity('ENABLE'));

  it('are apart by the row rules alone', async () => {
    assert.deepEqual(await callAll({ VESPER_ROOT: root }), expected);
    await chats({ VESPER_ROOT: root });
  });

  it('are apart by the statements alone', async () => {
    await setRowSecurity('DISABLE');
    assert.deepEqual(await callAll(), expected);
    await chats();
  });

  it('are not separated without both, so the two tests above can fail', async () => {
    await setRowSecurity('DISABLE');
    const mixed = (await callAll({ VESPER_ROOT: root }))[0].tables[0].rows;
    assert.ok(mixed.some((row) => row.some((cell) => /Acme/.test(cell))));
    await setRowSecurity('ENABLE');
  });
});

describe('a server with outages', () => {
  const FAST = { VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '1500', VESPER_STORE_QUERY_TIMEOUT_MS: '1500' };
  let d;

  before(async () => {
    d = await pg.start({ env: FAST });
    assert.match((await d.ask(UNCACHED)).text, /At risk/);
  });
  after(async () => {
    await pg.service('resume').catch(() => {});
    await d?.stop();
  });

  async function status(path, daemon = d) {
    const res = await fetch(daemon.url + path);
    await res.text();
    return res.status;
  }

  /* Asks a question and waits for its end: an answer or an error. */
  async function askToEnd(daemon = d) {
    const chat = await daemon.connect();
    chat.send({ type: 'chat.message', content: UNCACHED });
    const frame = await chat.until((f) => ['chat.complete', 'chat.error'].includes(f.type), 30000);
    const text = chat.all.filter((f) => f.type === 'chat.token').map((f) => f.token).join('');
    await chat.close();
    return { ...frame, text };
  }

  async function answersSoon(daemon = d) {
    const until = Date.now() + RECOVERY_LIMIT_MS;
    for (;;) {
      const { text } = await askToEnd(daemon);
      if (/At risk/.test(text) && (await status('/readyz', daemon)) === 200)
        return;
      assert.ok(Date.now() < until, `no answer ${RECOVERY_LIMIT_MS} ms after the return: ${text}`);
      await sleep(100);
    }
  }

  it('killed: retryable errors, then answers', async () => {
    await pg.service('kill');
    const { type, code, retryable, text } = await askToEnd();
    assert.deepEqual({ type, code, retryable }, { type: 'chat.error', code: 'upstream', retryable: true }, text);
    assert.equal(await status('/livez'), 200);
    for (const until = Date.now() + RECOVERY_LIMIT_MS; await status('/readyz') !== 503 && Date.now() < until;)
      await sleep(50); /* the daemon checks its databases only periodically */
    assert.equal(await status('/readyz'), 503);
    await pg.service('restart');
    await answersSoon();
  });

  it('restarted between two questions: no effect', async () => {
    await pg.service('kill');
    await pg.service('restart');
    await answersSoon();
  });

  it('down at startup: not ready with the reason; ready when it is back', async () => {
    await pg.service('kill');
    const waiting = await launch({ warehouse: 'none', env: pg.env(FAST) });
    for (let i = 0; i < 200 && !(await waiting.isAlive().catch(() => false)); i++)
      await sleep(50);
    assert.equal(await status('/readyz', waiting), 503);
    assert.equal((await askToEnd(waiting)).code, 'upstream');
    assert.match(waiting.output, /store\.waiting/);
    await pg.service('restart');
    await answersSoon(waiting);
    await waiting.stop();
  });

  it('paused: the time limit ends the turn', async (t) => {
    await pg.service('pause');
    const began = Date.now();
    const { type, code } = await askToEnd();
    t.diagnostic(`the turn ended after ${Date.now() - began} ms`);
    await pg.service('resume');
    assert.equal(type, 'chat.error');
    assert.ok(['timeout', 'upstream'].includes(code), code);
    await answersSoon();
  });

  const TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('vesper_read', 'vesper_chat')";

  it('a revoked login: no answer and no number; recovers with the login', async () => {
    await pg.admin('ALTER ROLE vesper_read NOLOGIN');
    await pg.admin(TERMINATE);
    const ended = await askToEnd();
    await pg.admin('ALTER ROLE vesper_read LOGIN');
    assert.doesNotMatch(ended.text, /At risk/);
    await answersSoon();
  });

  it('a dropped view: no answer, other questions continue', async () => {
    await pg.admin('ALTER VIEW dbo.per_projecthealth RENAME TO gone');
    const ended = await askToEnd();
    const other = await d.ask('Which projects are off track?');
    await pg.admin('ALTER VIEW dbo.gone RENAME TO per_projecthealth');
    assert.doesNotMatch(ended.text, /At risk/);
    assert.doesNotMatch(JSON.stringify(ended), /per_projecthealth|relation/, 'the server\'s error text is not shown to the user');
    assert.match(other.text, /3 projects/);
    await answersSoon();
  });

  it('a read-only store: questions are refused, not lost silently', async () => {
    await pg.admin('REVOKE INSERT, UPDATE ON dbo.chat_messages, dbo.chat_sessions FROM vesper_chat');
    const ended = await askToEnd();
    await pg.admin('GRANT INSERT, UPDATE ON dbo.chat_messages, dbo.chat_sessions TO vesper_chat');
    assert.equal(ended.type, 'chat.error');
    await answersSoon();
  });
});

describe('configuration', () => {
  const refused = (env, ...patterns) => refusedStart({ warehouse: 'none', env: pg.env(env) }, ...patterns);

  it('a server without a connection string', async () => {
    await refused({ VESPER_WAREHOUSE_DSN: undefined }, /warehouse\.dialect is postgres, so warehouse\.dsn must be/);
    await refused({ VESPER_STORE_DSN: undefined, VESPER_STORE_DIALECT: 'mssql' }, /store\.dialect is mssql, so store\.dsn must be/);
  });

  it('an unknown dialect, an unused folder, a tenant without its file', async () => {
    await refused({ VESPER_STORE_DIALECT: 'oracle' }, /must be one of mssql\|postgres\|sqlite/i);
    await refused({ VESPER_WAREHOUSE_DIR: '/tmp' }, /warehouse\.dir requires the dialect sqlite/);
    await refused({ VESPER_STORE_DIALECT: 'sqlite', VESPER_TENANTS: '{"vesper":{}}' }, /tenants\.vesper: "store" must name the tenant's SQLite file/);
  });

  it('a login that passes by the row rules is refused', async () => {
    const { stdout, stderr } = await ctl(['tool', 'run', 'list_available_curves'], pg.env({ VESPER_WAREHOUSE_DSN: pg.dsn('postgres') }));
    assert.equal(JSON.parse(stdout).outcome.kind, 'error');
    assert.match(stderr, /the login postgres bypasses row-level security/);
    const check = await launch({ args: ['--check'], warehouse: 'none', env: pg.env({ VESPER_WAREHOUSE_DSN: pg.dsn('postgres') }) });
    assert.notEqual((await check.ended()).code, 0);
  });

  it('tenants need no files on servers', async () => {
    const d = await pg.start({ env: { VESPER_TENANTS: '{"vesper":{},"acme":{}}' } });
    assert.match((await d.ask(REFERENCE)).text, /48\.73/);
    await d.stop();
  });

  it('the warehouse can be files while the store is on a server', async () => {
    const d = await startDaemon({ warehouse: sqlite, env: { ...pg.env(), VESPER_WAREHOUSE_DIALECT: undefined, VESPER_WAREHOUSE_DSN: undefined,
      VESPER_WAREHOUSE_DIR: sqlite } });
    assert.match((await d.ask(REFERENCE)).text, /48\.73/);
    await d.stop();
  });

  it('passwords come from files, and are never shown', async () => {
    const dir = await tempDir('secrets');
    const file = join(dir, 'dsn');
    await writeFile(file, `${pg.dsn('vesper_read', READ_PASSWORD)}\n`);
    const env = { VESPER_WAREHOUSE_DSN: undefined, VESPER_WAREHOUSE_DSN_FILE: file, VESPER_LOG_LEVEL: 'debug' };
    const printed = await launch({ args: ['--print-config'], warehouse: 'none', env: pg.env(env) });
    await printed.ended();
    const d = await pg.start({ env });
    await d.ask(REFERENCE);
    await pg.service('kill');
    await d.ask(REFERENCE).catch(() => {}); /* the answer may fail with any driver error */
    await pg.service('restart');
    await sleep(1500);
    await d.kill();
    assert.match(printed.output, /"dsn": "\*\*\*"/);
    for (const secret of [READ_PASSWORD, CHAT_PASSWORD])
      assert.doesNotMatch(printed.output + d.output, new RegExp(secret));
  });
});
