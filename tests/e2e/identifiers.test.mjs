/*
 * Identifiers are compared byte by byte on every back end: users, messages and keys that differ in case, width or
 * blanks are different, and identifiers with invisible differences are rejected.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REFERENCE, ROOT, startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';

const ANN = 'ann';
const OTHERS = ['Ann', 'ANN', '\uFF41\uFF4E\uFF4E', 'a\u0301nn', 'an n'];
const INVISIBLE = ['ann ', ' ann', 'ann\t', 'ann\n', 'an\u200Bn', 'ann\uFEFF', '\u202Eann', 'ann\u00A0', 'ann\u00AD', 'ann\u3000'];

/* Tests for each back end. `getDaemon` returns a daemon on it. */
function testBackend(getDaemon) {
  const rest = (sub, claims = {}) => getDaemon().rest(mintToken({ sub, ...claims }));
  let session;

  before(async () => {
    const { status, body } = await rest(ANN).post('/api/v1/chat', { content: REFERENCE });
    assert.equal(status, 200);
    session = body.session_id;
  });

  it('user ids with different spellings are different users', async () => {
    for (const sub of OTHERS) {
      assert.deepEqual((await rest(sub).get('/api/v1/sessions')).body.data, [], sub);
      assert.equal((await rest(sub).get(`/api/v1/sessions/${session}/messages`)).status, 404, sub);
      assert.equal((await rest(sub).delete(`/api/v1/sessions/${session}`)).status, 404, sub);
      assert.equal((await rest(sub).post('/api/v1/chat', { content: 'and?', session_id: session })).status, 404, sub);
    }
    assert.equal((await rest(ANN).get('/api/v1/sessions')).body.data.length, 1);
  });

  it('deleting a user deletes no data of users with similar ids', async () => {
    const admin = rest('boss', { role: 'admin' });
    for (const sub of OTHERS)
      assert.equal((await admin.delete(`/api/v1/admin/users/${encodeURIComponent(sub)}`)).status, 204, sub);
    assert.equal((await rest(ANN).get(`/api/v1/sessions/${session}/messages`)).body.data.length, 2);
  });

  it('user ids with invisible characters or blanks are rejected', async () => {
    for (const sub of INVISIBLE) {
      const { status } = await rest(sub).get('/api/v1/sessions');
      assert.equal(status, 401, JSON.stringify(sub));
    }
  });

  it('message ids with different spellings are different messages', async () => {
    const ask = (client_msg_id) => rest('writer').post('/api/v1/chat', { content: REFERENCE, client_msg_id, ...(session2 && { session_id: session2 }) });
    let session2;
    const first = (await ask('m-a')).body;
    session2 = first.session_id;
    const ids = [first.turn_id];
    for (const id of ['m-A', 'M-A', '\uFF4D-a'])
      ids.push((await ask(id)).body.turn_id);
    assert.equal(new Set(ids).size, 4);
    assert.equal((await ask('m-a')).body.turn_id, first.turn_id, 'the same id is the same message');
    assert.equal((await rest('writer').get(`/api/v1/sessions/${session2}/messages`)).body.data.length, 8);
    for (const id of INVISIBLE)
      assert.ok([400, 422].includes((await ask(id)).status), JSON.stringify(id));
  });

  it('idempotency keys with different spellings are different keys', async () => {
    const post = (key) => rest('keyed').post('/api/v1/chat', { content: REFERENCE }, { headers: { 'idempotency-key': key } });
    const turns = [];
    for (const key of ['key', 'Key', 'KEY'])
      turns.push((await post(key)).body.turn_id);
    assert.equal(new Set(turns).size, 3);
    assert.equal((await post('key')).body.turn_id, turns[0]);
    for (const key of ['k\u00e9y', 'a b'])
      assert.equal((await post(key)).status, 400, key);
  });
}

describe('on SQLite', () => {
  let d;
  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());
  testBackend(() => d);
});

describe('on PostgreSQL', () => {
  let pg, d;
  before(async () => {
    pg = await installedPostgres();
    d = await pg.start();
  });
  after(async () => {
    await d?.stop();
    await pg?.service('stop');
  });
  testBackend(() => d);

  it('no column ignores case or characters', async () => {
    assert.equal(await pg.admin(`SELECT count(*) FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
      WHERE a.attrelid::regclass::text LIKE '%chat_%' AND NOT c.collisdeterministic`), '0');
    assert.equal(await pg.admin("SELECT count(*) FROM pg_attribute WHERE attrelid::regclass::text LIKE '%chat_%' AND atttypid IN ('char'::regtype, 'bpchar'::regtype) AND attnum > 0"), '0');
  });
});

/* No SQL Server is needed: these tests read the migrations and check the resulting schema. */
describe('on SQL Server', () => {
  const FREE_TEXT = /^(title|metadata|content|status|intent|agents_used|tool_calls|views|pbi_deep_links|standing|checked|needs|pending_ask|provider|model|rating|comment|correction|summary_text|outcome|content_type|body|kind|purpose|day|leaves|text|why|\w+_at)$/;
  const columns = new Map();
  const constraints = new Map();

  const addColumn = (table, line) => {
    const [, name, collation] = /^(\w+) nvarchar\((?:\d+|max)\)(?: COLLATE (\w+))?/.exec(line) ?? [];
    if (name)
      columns.set(`${table}.${name}`, collation ?? 'default');
  };
  const addConstraint = (name, text) => {
    assert.ok(!constraints.has(name), `${name} exists already`);
    constraints.set(name, text.replace(/\s+/g, ' ').replace(/^CONSTRAINT /, ''));
  };

  let first, second; /* constraints and indexes before and after migration 005 */
  before(async () => {
    const dir = join(ROOT, 'sql/schema/mssql/store');
    for (const file of (await readdir(dir)).sort()) {
      const text = (await readFile(join(dir, file), 'utf8')).replace(/^--.*$/gm, '').replace(/^GO$/gm, ';');
      if (file.startsWith('005'))
        first = new Map(constraints);
      for (const statement of text.split(';').map((part) => part.trim()).filter(Boolean)) {
        const [, table, body] = /^CREATE TABLE dbo\.(\w+) \(\n([\s\S]*)\n\)$/.exec(statement) ?? [];
        for (const line of (body ?? '').replace(/\n\t\t/g, ' ').split('\n').map((part) => part.trim().replace(/,$/, ''))) {
          addColumn(table, line);
          if (/^CONSTRAINT (?!DF|CK)/.test(line))
            addConstraint(line.split(' ')[1], line);
        }
        let found;
        if ((found = /^ALTER TABLE dbo\.(\w+) (?:ADD|ALTER COLUMN) (\w+ nvarchar[\s\S]*)$/.exec(statement)))
          addColumn(found[1], found[2]);
        else if ((found = /^ALTER TABLE dbo\.\w+ ADD (CONSTRAINT (\w+) [\s\S]*)$/.exec(statement)))
          addConstraint(found[2], found[1]);
        else if ((found = /^CREATE (?:UNIQUE )?INDEX (\w+) ON [\s\S]*$/.exec(statement)))
          addConstraint(found[1], statement);
        else if ((found = /^(?:DROP INDEX|ALTER TABLE dbo\.\w+ DROP CONSTRAINT) (\w+)/.exec(statement)))
          assert.ok(constraints.delete(found[1]), `${found[1]} does not exist`);
      }
      if (file.startsWith('005'))
        second = new Map(constraints);
    }
  });

  it('every column except free text is compared byte by byte', () => {
    const wrong = [...columns].filter(([name, collation]) => !FREE_TEXT.test(name.split('.')[1]) && collation !== 'Latin1_General_100_BIN2');
    assert.deepEqual(wrong.filter(([name]) => name !== 'chat_messages.role'), []);
    for (const name of ['chat_sessions.user_id', 'chat_messages.client_msg_id', 'chat_receipts.receipt_id', 'chat_idempotency.key_hash'])
      assert.equal(columns.get(name), 'Latin1_General_100_BIN2', name);
  });

  it('all dropped keys and indexes are restored', () => {
    assert.ok(first.size > 20);
    assert.deepEqual([...second].sort(), [...first].sort());
  });
});
