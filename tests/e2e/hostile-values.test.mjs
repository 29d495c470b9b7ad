/* Values in requests, rows and settings that must end in an error for their sender, and never crash the daemon. */

import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startMock } from '../mock/anthropic.mjs';
import { demoWarehouse, REFERENCE, run, startDaemon, tempDir, VESPERD } from './harness.mjs';
import { mintToken } from './token.mjs';

const HOSTILE_NUMBERS = ['1e999', '-1e999', '1e-999', '2.5e-310', '1.8e308', '1e99999999999999999999', 'NaN', 'Infinity', '-', '.', '',
  '170141183460469231731.6873037158841057279', `${'9'.repeat(500)}.5`, '123456789012345678901234567890'];

describe('hostile values', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('refuses an answer to a clarifying question that ends inside a character', async () => {
    const chat = await d.connect();
    const { ask_id } = (await chat.ask(REFERENCE.replace('2025', '2039'))).ask;
    for (const character of ['ä', '€', '😀', '\u0301', '\ue000'])
      for (let before = 76; before <= 81; before++) {
        chat.send({ type: 'chat.select', ask_id, values: ['x'.repeat(before) + character.repeat(3)] });
        const { error } = await chat.turn();
        assert.equal(error?.code, 'bad_frame');
        assert.match(error.message, /^values: "x{76}/);
        assert.doesNotMatch(error.message.replace(character, ''), /\ufffd.*\ufffd.*\ufffd.*\ufffd/);
      }
    chat.send({ type: 'chat.select', ask_id, values: ['2025'] });
    assert.equal((await chat.turn()).status, 'ok', 'the question is still open');
    await chat.close();
  });
});

describe('hostile numbers in rows', () => {
  let mock, d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  const select = (values) => `SELECT 1.5 AS n FROM per_project WHERE name = (SELECT MIN(name) FROM per_project)${
    values.map((v) => ` UNION ALL SELECT ${v} FROM per_project WHERE name = (SELECT MIN(name) FROM per_project)`).join('')}`;

  for (const [what, values] of [['as text', HOSTILE_NUMBERS.map((v) => `'${v}'`)], ['as numbers', ['1e308 * 10', '-1e308 * 10', '1e308', '1e-320']]])
    it(`${what} are readable in every reply`, async () => {
      mock.reset();
      mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'per_agent' }] } } },
        { when: { kind: 'tools' }, times: 1, reply: { tools: [{ name: 'general_sql_query', input: { sql: select(values) } }] } },
        { when: { kind: 'tools' }, reply: { tools: [{ name: 'no_such_tool', input: {} }] } }, { reply: 'demo' }]);
      const token = mintToken({ role: 'admin' });
      const rest = d.rest(token);
      const body = { content: 'How is our work spread, in a way that no report shows?', client_msg_id: crypto.randomUUID() };
      const answer = (await rest.post('/api/v1/chat', body)).body;
      const cells = answer.views?.find((v) => v.view_type === 'data')?.data_dict.n;
      assert.equal(cells?.length, values.length + 1, JSON.stringify(answer).slice(0, 1000));
      for (const cell of cells)
        assert.ok(cell === null || typeof cell === 'string' || Number.isFinite(cell), String(cell));
      if (what === 'as text')
        assert.deepEqual(cells.slice(1), HOSTILE_NUMBERS);
      const session = `/api/v1/sessions/${answer.session_id}`;
      const events = await rest.get(`/api/v1/turns/${answer.turn_id}/events`);
      assert.equal(events.status, 200);
      const stored = (await rest.get(`${session}/messages`)).body.data.at(-1);
      assert.deepEqual(stored.views.find((v) => v.view_type === 'data').data_dict.n, cells);
      for (const path of [`${session}/export`, `/api/v1/messages/${answer.message_id}/views/${answer.views.find((v) => v.view_type === 'data').view_id}/csv`,
        `/api/v1/receipts/${answer.receipt_id}`])
        assert.equal((await rest.get(path)).status, 200, path);
      assert.ok(await d.isAlive());
    });
});

describe('very many rows', () => {
  const ROWS = 40000;
  const PEAK_KB = 3 * 1024 * 1024; /* of a sanitizer build; 17 GB if the texts are concatenated again for each row */
  let d;

  /* Creates one project with tens of thousands of red areas, and a hundred plans of the same day. */
  before(async () => {
    const warehouse = await tempDir('warehouse');
    const script = `
import sqlite3,sys
d=sqlite3.connect(sys.argv[1])
d.row_factory=sqlite3.Row
def copies(table, where, count, **change):
    for sql in (f'CREATE TABLE plain AS SELECT * FROM "{table}"', f'DROP TABLE "{table}"', f'ALTER TABLE plain RENAME TO "{table}"'):
        d.execute(sql) # without its keys
    row={**dict(d.execute(f'SELECT * FROM "{table}" WHERE {where}', (PROJECT,)).fetchone()), **change}
    names=','.join(f'"{k}"' for k in row)
    d.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({",".join("?" * len(row))})',
        [tuple(row.values()) for i in range(count)])
PROJECT='Nazareth Solar'
copies('per_projecthealth', 'project_gid = (SELECT gid FROM per_project WHERE name = ?)', int(sys.argv[2]), healthcolor='red', notes='late ä ' * 100)
copies('activeportfolio_mm', '"Project Name" = ? AND monthlysnapshot = 1 ORDER BY asofday DESC', 100)
for column in [c[1] for c in d.execute("PRAGMA table_info('activeportfolio_mm')") if c[1].startswith(('Stage ', 'Minimum', 'Execute', 'Decisioning', 'Project Finance', 'EPC', 'Mechanical', 'Substantial'))]:
    d.execute(f'UPDATE activeportfolio_mm SET "{column}" = NULL WHERE "Project Name" = ?', (PROJECT,))
d.commit()`;
    await cp(await demoWarehouse(), warehouse, { recursive: true });
    await run('python3', ['-c', script, join(warehouse, 'vesper.db'), String(ROWS)]);
    d = await startDaemon({ warehouse });
  });
  after(() => d?.stop());

  it('a milestone of many plans gives one fact', async () => {
    const turn = await d.ask('What are the milestone dates of Nazareth Solar?');
    assert.equal(turn.status, 'ok', turn.text);
    assert.ok(turn.tables[0].row_count > 100, JSON.stringify(turn.tables[0]).slice(0, 300));
  });

  it('a long list of names and the memory for all rows are limited', async () => {
    const rest = d.rest(mintToken({ role: 'admin' }));
    const answer = (await rest.post('/api/v1/chat', { content: 'What is the health status of Nazareth Solar?' })).body;
    assert.equal(answer.status, 'ok', JSON.stringify(answer).slice(0, 500));
    assert.match(answer.text, / and \d+ more/);
    const file = await rest.get(`/api/v1/messages/${answer.message_id}/views/${answer.views.find((v) => v.view_type === 'data').view_id}/csv`);
    assert.equal(file.status, 200, file.text.slice(0, 300));
    assert.ok(file.text.split('\r\n').length > ROWS);
    const peak = Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${d.child.pid}/status`, 'utf8'))[1]);
    assert.ok(peak < PEAK_KB, `${peak} kB`);
  });
});

describe('hostile settings', () => {
  /* Uses a shell, because node encodes the environment of child processes as UTF-8. */
  const startupError = async (setting) => run('bash', ['-c', `${setting} exec "$0" --check`, VESPERD]).then(() => assert.fail(`${setting}: accepted`), (e) => {
    assert.equal(e.signal, null, `${setting}: ${e.stderr}`);
    return `${e.stdout}${e.stderr}`;
  });

  for (const [name, value, problem] of [
    ['VESPER_AUTH_ORIGINS', "$'http://a,http://\\xff'", /must be UTF-8/],
    ['VESPER_JWT_SECRET', "$'0123456789abcdef0123456789abcdef\\xc3'", /must be UTF-8/],
    ['ANTHROPIC_API_KEY', "$'key\\xe2\\x82'", /must be UTF-8/],
    ['VESPER_JWT_SECRET', "$'0123456789abcdef\\x010123456789abcdef'", /control characters/],
    ['VESPER_AUTH_ORIGINS', "$'http://a,\\x7f'", /control characters/],
    ['VESPER_AUTH_ORIGINS', "$(head -c 100000 /dev/zero | tr '\\0' a)", /at most 65536 bytes/],
    ['VESPER_TODAY', '1001-12-31', /1002 to 8998/],
    ['VESPER_TODAY', '8999-01-01', /1002 to 8998/],
    ['VESPER_TODAY', '0001-01-01', /1002 to 8998/]])
    it(`${name}=${value.slice(0, 60)} is refused with its name`, async () => {
      const output = await startupError(`${name}=${value}`);
      assert.match(output, problem);
      assert.ok(output.includes(name), output);
    });

  it('a leap day compared with another year does not crash the daemon', async () => {
    const d = await startDaemon({ env: { VESPER_TODAY: '2024-03-15' } });
    const chat = await d.connect();
    for (const question of ['What changed from 29 Feb to 3 March 2025?', 'What changed from 29 February until March 3, 2025'])
      assert.ok((await chat.ask(question)).closing);
    await chat.close();
    await d.stop();
  });

  for (const today of ['1002-01-01', '8998-12-31'])
    it(`relative times are read if today is ${today}`, async () => {
      const d = await startDaemon({ env: { VESPER_TODAY: today } });
      const chat = await d.connect();
      for (const when of ['in the last 1000 years', 'in the next 1000 years', 'in the last 1000 quarters', 'last winter', 'next year', 'tomorrow'])
        assert.ok((await chat.ask(`What changed ${when}?`)).closing);
      await chat.close();
      await d.stop();
    });
});
