/*
 * Ad hoc SQL gives the same result on every database, or is refused with an alternative. Each statement of
 * tests/gate/differential.tsv, and several hundred generated ones, passes gate, driver and database on SQLite and on
 * PostgreSQL, over the same rows, and the results are compared by value. Text for SQL Server is checked against its
 * grammar. docs/sql-dialects.md has the table.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, tempDir, VESPERCTL } from './harness.mjs';
import { ctl, installedPostgres, smallWarehouse } from './postgres.mjs';
import { broken, RULES } from './tsql.mjs';
import { generated } from './differential-made.mjs';

const TOOL = 'general_sql_query';
const BATCH_LINES = 200;
const WRITTEN_MIN = 300;
const GENERATED_MIN = 300;

async function writtenStatements() {
  const text = await readFile(join(ROOT, 'tests/gate/differential.tsv'), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [expected, sql] = line.split('\t');
    return { expected, sql };
  });
}

/* Runs the statements through the tool. Returns for each: {rows} or {refused} or {failed}. */
async function runTool(statements, env) {
  const outcomes = [];
  for (let i = 0; i < statements.length; i += BATCH_LINES) {
    const file = join(await tempDir('differential'), 'batch');
    const batch = statements.slice(i, i + BATCH_LINES);
    await writeFile(file, batch.map(({ sql }) => `${JSON.stringify([TOOL, `sql=${sql}`])}\n`).join(''));
    const { code, stdout, stderr } = await ctl(['tool', 'run', '--batch', file], { VESPER_ROOT: ROOT, VESPER_TODAY: '2026-02-27', VESPER_LOG_LEVEL: 'error', ...env });
    assert.equal(code, 0, stderr);
    outcomes.push(...stdout.split('\n').filter(Boolean).map((line) => outcome(JSON.parse(line))));
  }
  assert.equal(outcomes.length, statements.length);
  return outcomes;
}

function outcome({ outcome: o, sql, tables }) {
  if (o.kind === 'rows' || o.kind === 'empty' || tables?.length)
    return { rows: tables[0]?.rows ?? [], sql };
  const text = JSON.stringify(o);
  return text.includes('The SQL is refused') ? { refused: text } : { failed: text, sql };
}

/* The canonical text of a number: 40.00, 40.0 and 40 are equal. */
function valueOf(cell) {
  if (cell === null)
    return null;
  const m = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(cell);
  if (!m)
    return cell.replace(/^(\d{4}-\d\d-\d\d)[ T]00:00:00$/, '$1');
  const [, sign, whole, fraction = ''] = m;
  const digits = `${whole}${fraction && `.${fraction}`}`;
  return /^0*$/.test(whole + fraction) ? '0' : sign + digits;
}

const isSorted = (sql) => /\bORDER BY\b[^()]*$/i.test(sql);

function comparable(sql, rows) {
  const lines = rows.map((row) => JSON.stringify(row.map(valueOf)));
  return isSorted(sql) ? lines : lines.sort();
}

function verdict(statement, lite, pg) {
  if (lite.refused || pg.refused)
    return 'refused';
  if (lite.failed || pg.failed)
    return lite.failed && pg.failed ? 'failed' : 'differ';
  return JSON.stringify(comparable(statement.sql, lite.rows)) === JSON.stringify(comparable(statement.sql, pg.rows)) ? 'same' : 'differ';
}

/* Words of the alternatives and expectations that every refusal states. */
const HINT = /use |say |write |written |put |take|name |compare|CAST|count |needs|expected|instead|join |list |look |sort|group by|RIGHT\(|stands before|not allowed|not of this dialect|repeat|one row|only|add |give |search in |must precede|not exist in this dialect/;

async function textForMssql(statements) {
  const input = statements.map(({ sql }, i) => `${JSON.stringify({ id: i, sql })}\n`).join('');
  const stdout = await new Promise((done, fail) => {
    const child = execFile(VESPERCTL, ['check-sql', '--dialect', 'mssql', '--json', '--written'],
      { env: { PATH: process.env.PATH, VESPER_ROOT: ROOT }, maxBuffer: 64 << 20 }, (e, text) => (e ? fail(e) : done(text)));
    child.stdin.end(input);
  });
  return stdout.split('\n').filter(Boolean).map((line) => {
    const [, word, text] = line.split('\t');
    return word === 'accept' ? { sql: text } : { refused: text };
  });
}

describe('ad hoc SQL on SQLite and PostgreSQL', () => {
  let pg, env, statements, generatedStatements;

  before(async () => {
    pg = await installedPostgres();
    env = { lite: { VESPER_DATA_DIR: await tempDir(), VESPER_WAREHOUSE_DIR: await smallWarehouse() },
      pg: { ...pg.env(), VESPER_DATA_DIR: await tempDir() } };
    statements = await writtenStatements();
    generatedStatements = generated();
  });
  after(() => pg?.service('stop'));

  const compare = async (list) => {
    const [lite, other] = [await runTool(list, env.lite), await runTool(list, env.pg)];
    return list.map((s, i) => ({ ...s, lite: lite[i], pg: other[i], verdict: verdict(s, lite[i], other[i]) }));
  };
  const describeResult = (r) => `${r.verdict}, expected ${r.expected}: ${r.sql}\n  sqlite   ${JSON.stringify(r.lite).slice(0, 900)}\n  postgres ${JSON.stringify(r.pg).slice(0, 900)}`;

  it('gives the results in differential.tsv', async () => {
    assert.ok(statements.length >= WRITTEN_MIN, `${statements.length}`);
    const results = await compare(statements);
    const count = (v) => results.filter((r) => r.verdict === v).length;
    console.log(`differential.tsv: ${count('same')} agree, ${count('refused')} refused with a hint, ${count('differ')} differ`);
    assert.deepEqual(results.filter((r) => r.verdict !== r.expected).map(describeResult), []);
    const withoutHint = results.filter((r) => r.verdict === 'refused').map((r) => r.lite.refused ?? r.pg.refused).filter((text) => !HINT.test(text));
    assert.deepEqual(withoutHint, []);
    const page = await readFile(join(ROOT, 'docs/sql-dialects.md'), 'utf8');
    assert.ok(page.includes(`| ${results.length} | ${count('same')} | ${count('refused')} | ${count('differ')} |`), 'the table of docs/sql-dialects.md is outdated');
  });

  it('gives equal results for generated statements', async () => {
    assert.ok(generatedStatements.length >= GENERATED_MIN, `${generatedStatements.length}`);
    const results = await compare(generatedStatements);
    const same = results.filter((r) => r.verdict === 'same').length;
    console.log(`generated: ${generatedStatements.length} statements, ${same} agree`);
    assert.deepEqual(results.filter((r) => r.verdict === 'differ' || r.verdict === 'failed').map(describeResult), []);
    assert.ok(same > generatedStatements.length * 0.8, `${same} of ${generatedStatements.length} agree`);
  });

  it('is compared by value, and differences are found', () => {
    const s = { sql: 'SELECT a FROM t ORDER BY a' };
    const rows = (...cells) => ({ rows: cells.map((c) => [c]) });
    assert.equal(verdict(s, rows('1.50', null), rows('1.5', null)), 'same');
    assert.equal(verdict(s, rows('1', '2'), rows('2', '1')), 'differ');
    assert.equal(verdict({ sql: 'SELECT a FROM t' }, rows('1', '2'), rows('2', '1')), 'same');
    assert.equal(verdict(s, rows('0.1'), rows('0.10000000000000001')), 'differ');
    assert.equal(verdict(s, rows(null), rows('')), 'differ');
    assert.equal(verdict(s, rows('1'), { failed: 'x' }), 'differ');
    assert.equal(verdict(s, { failed: 'x' }, { failed: 'x' }), 'failed');
    assert.doesNotMatch('The SQL is refused: column 1: unknown', HINT);
  });
});

describe('the text for SQL Server', () => {
  it('complies with the documented grammar', async () => {
    const list = [...await writtenStatements(), ...generated()];
    const texts = await textForMssql(list);
    assert.equal(texts.length, list.length);
    assert.ok(texts.filter((t) => t.sql).length > list.length / 2);
    assert.deepEqual(texts.flatMap((t, i) => (t.sql ? broken(t.sql).map((rule) => `${rule}: ${t.sql}  (${list[i].sql})`) : [])), []);
  });

  for (const [name, , sql] of RULES)
    it(`is checked for: ${name}`, () => assert.ok(broken(sql).includes(name), `${broken(sql)}`));
});
