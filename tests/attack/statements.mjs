/* SQL of a hostile model: texts of former vulnerabilities, and random statements of a small grammar. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../e2e/harness.mjs';
import { nastyText } from './random.mjs';

const HIDDEN = ['(SELECT MAX(CAST(value_numbers AS REAL)) FROM dbo.per_project45)', '(SELECT MAX(metric) FROM per_project45)', '(SELECT MAX(newvalue) FROM dbo.changes)',
  '(SELECT MAX(Actuals_LTD) FROM dbo.per_project)', "(SELECT MAX(name) FROM dbo.per_project WHERE tenant_id = 'acme')", "load_extension('/tmp/none.so')", '(SELECT sql FROM sqlite_master LIMIT 1)',
  "readfile('/etc/passwd')", "fts3_tokenizer('x')", 'sqlite_version()'];

/* Texts that a driver that parses SQL itself would misread: {…} escapes, markers, brackets, quotes. */
function* driverTricks() {
  for (const hidden of HIDDEN) {
    yield `SELECT project_id AS "{a", '] , ${hidden} AS x, 1 AS [' AS b, project_id AS "c}" FROM per_project`;
    yield `SELECT project_id AS "a?", '" , ${hidden} AS x, 1 AS "' AS b FROM per_project`;
    yield `SELECT project_id AS "Owner's share", ' , ${hidden} AS x, ' AS b FROM per_project`;
    yield `SELECT '{fn ' || project_id || '}' AS a, ${hidden} AS b FROM per_project`;
    yield `SELECT {fn UCASE(project_id)} AS a, ${hidden} AS b FROM per_project`;
    yield `SELECT project_id AS "]", '[' AS "], ${hidden} AS [x" FROM per_project`;
    yield `SELECT project_id AS "a\\", '\\', ${hidden} AS x, ' AS b FROM per_project`;
    yield `SELECT d.load_extension FROM (SELECT project_id FROM per_project) d`;
    yield `SELECT d.row_to_json FROM (SELECT project_id FROM per_project) d`;
    yield `SELECT project_id, ${hidden} FROM per_project`;
  }
}
export const DRIVER_TRICKS = [...driverTricks()];

/* Expensive statements, which must end at a limit. */
export const GREEDY = [
  `SELECT FORMAT('%900000000d', 1) AS x FROM per_project`, `SELECT FORMAT(1, '%900000000d') AS x FROM per_project`, `SELECT STR(1, 900000000) AS x FROM per_project`,
  `SELECT STR(1, 20, 900000000) AS x FROM per_project`, `SELECT FORMAT(gencap, '${'0'.repeat(5000)}') AS x FROM per_project`, `SELECT DATEFROMPARTS(2147483647, 99, 99) AS x FROM per_project`,
  `SELECT CHARINDEX('${'a'.repeat(2000)}b', REPLACE(REPLACE(REPLACE('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'a', '${'a'.repeat(1500)}'), 'a', '${'a'.repeat(1500)}'), 'a', '${'a'.repeat(1500)}')) AS x FROM per_project`,
  `SELECT LEN(REPLACE(REPLACE(REPLACE(REPLACE('aaaaaaaaaa', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'a', '${'a'.repeat(3000)}'), 'a', '${'a'.repeat(3000)}'), 'a', '${'a'.repeat(3000)}')) AS x FROM per_project`,
  `SELECT COUNT(*) AS n FROM per_project WHERE REPLACE(REPLACE(name, 'a', '${'a'.repeat(3000)}'), 'a', '${'a'.repeat(3000)}') LIKE '${'%a'.repeat(2000)}b'`,
  `SELECT COUNT(*) AS n FROM Stage.mc_dayahead a, Stage.mc_dayahead b, Stage.mc_dayahead c`,
  `SELECT COUNT(*) AS n FROM Stage.mc_dayahead a CROSS JOIN per_project b CROSS JOIN per_tasks c WHERE CONCAT(a.DATE, b.name, c.taskname) LIKE '${'%_'.repeat(200)}'`,
  `SELECT a.DATE, SUM(a.DAYAHEAD_PRICE) OVER (ORDER BY a.DAYAHEAD_PRICE, a.HOUR) AS s FROM Stage.mc_dayahead a ORDER BY s DESC`,
  `SELECT * FROM Stage.mc_dayahead`,
];

/* Statements of the maximum length: sources, items, nesting. */
export function longest(r) {
  const from = Array.from({ length: 700 }, (_, i) => `per_project a${i}`);
  return r.pick([
    `SELECT COUNT(*) AS n FROM ${from.join(', ')}`,
    `SELECT ${Array.from({ length: 250 }, (_, i) => `name AS c${i}`).join(', ')} FROM per_project`,
    `SELECT ${Array.from({ length: 700 }, (_, i) => `a${i}.name`).join(', ')} FROM ${from.join(' CROSS JOIN ')}`,
    `SELECT name FROM per_project WHERE name IN (${Array.from({ length: 1500 }, (_, i) => `'n${i}'`).join(', ')})`,
    `SELECT ${'('.repeat(2000)}1${')'.repeat(2000)} AS x FROM per_project`,
    `SELECT ${'-'.repeat(60)}${' - '.repeat(2000)}1 AS x FROM per_project`,
    `SELECT name FROM per_project WHERE ${Array.from({ length: 3000 }, () => '1 = 1').join(' AND ')}`,
    `WITH ${Array.from({ length: 300 }, (_, i) => `c${i} AS (SELECT name FROM ${i ? `c${i - 1}` : 'per_project'})`).join(', ')} SELECT name FROM c299`,
    Array.from({ length: 400 }, () => 'SELECT name FROM per_project').join(' UNION ALL '),
    `SELECT '${'x'.repeat(65000)}' AS x FROM per_project`,
  ]);
}

/* Numbers at and beyond the limits of types. */
export const NUMBERS = ['1e999', '-1e999', '1e308 * 10', '1e308 * 1e308', '-1e308 * 10', '1e999 - 1e999', '9223372036854775807 + 1', '-9223372036854775808', '99999999999999999999999999999999',
  '1.7976931348623157e308', '5e-324', '1e-999', "CAST('1e999' AS REAL)", "CAST('nan' AS REAL)", "CAST('0x10' AS REAL)", 'SUM(gencap) * 1e308', 'AVG(1e308)', 'SUM(1e308)', '0.1 + 0.2', '-0.0', '1 / 3.0', "CAST('1e400' AS DECIMAL(38, 10))",
  "'1e999'", "'Infinity'", "'1e-999'", "'-1e400'", "'00000000000000000000000000001e0000000000000000309'"].map((x) => `SELECT technology, ${x} AS x FROM per_project GROUP BY technology`);

const lines = (name) => readFileSync(join(ROOT, 'tests/gate', name), 'utf8').split('\n').filter((l) => l && !l.startsWith('#'))
  .map((l) => l.split('\t')[1].replace(/\{([0-9A-F]{2})\}/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`))));
const CORPUS = [...lines('accept.tsv'), ...lines('reject.tsv')];

const TABLES = { per_project: ['project_id', 'name', 'technology', 'gencap', 'summary', 'Actuals_LTD', 'tenant_id'], 'dbo.changes': ['dateofchange', 'projectname', 'fieldchanged', 'newvalue', 'tenant_id'],
  'Stage.mc_vendor_files': ['vendor', 'market', 'hubzone', 'YR', 'asof_date'], per_tasks: ['projectname', 'taskname', 'finishdate', 'risk'], per_project45: ['project_id', 'metric', 'value_numbers'], sqlite_master: ['sql'] };
const FUNCTIONS = ['UPPER', 'LOWER', 'TRIM', 'LEN', 'CONCAT', 'REPLACE', 'SUBSTRING', 'LEFT', 'RIGHT', 'FORMAT', 'STR', 'ROUND', 'ABS', 'COALESCE', 'NULLIF', 'CHARINDEX', 'DATEADD', 'YEAR', 'COUNT', 'SUM', 'AVG', 'MIN', 'MAX',
  'load_extension', 'hex', 'randomblob', 'zeroblob', 'sqlite_version', 'readfile', 'json', 'group_concat', 'printf', 'ROW_NUMBER'];

const name = (r) => `"${(nastyText(r, r.pick([10, 30, 130])) || 'x').replace(/"/g, '""')}"`;
const literal = (r) => (r.chance(3) ? r.pick(['1', '0', '1e999', '-5', '1e308', '0.1', 'NULL', '2147483648', "DATE '2025-01-01'"]) : `'${nastyText(r, r.pick([10, 60, 400])).replace(/'/g, "''")}'`);

function expression(r, columns, depth = 0) {
  switch (r.below(depth > 3 ? 3 : 9)) {
  case 0: case 1: return r.pick(columns);
  case 2: return literal(r);
  case 3: return `${r.pick(FUNCTIONS)}(${r.times(r.below(4), () => expression(r, columns, depth + 1)).join(', ')})`;
  case 4: return `CASE WHEN ${condition(r, columns, depth + 1)} THEN ${expression(r, columns, depth + 1)} ELSE ${expression(r, columns, depth + 1)} END`;
  case 5: return `CAST(${expression(r, columns, depth + 1)} AS ${r.pick(['INT', 'REAL', 'VARCHAR(10)', 'DATE', 'DECIMAL(38,10)', 'BLOB', nastyText(r, 8)])})`;
  case 6: return `(${query(r, depth + 2)})`;
  case 7: return `${r.pick(FUNCTIONS)}(${r.pick(columns)}) OVER (${r.chance(2) ? 'PARTITION' : 'ORDER'} BY ${r.pick(columns)})`;
  default: return `${expression(r, columns, depth + 1)} ${r.pick(['+', '-', '*', '/', '%', '||', '=', '<'])} ${expression(r, columns, depth + 1)}`;
  }
}

function condition(r, columns, depth) {
  const left = expression(r, columns, depth + 1);
  return r.pick([`${left} = ${literal(r)}`, `${left} LIKE ${literal(r)}`, `${left} IN (${r.times(1 + r.count(40), () => literal(r)).join(', ')})`, `${left} IS NOT NULL`, `${left} BETWEEN ${literal(r)} AND ${literal(r)}`]);
}

function query(r, depth = 0) {
  const table = r.pick(Object.keys(TABLES));
  const columns = TABLES[table];
  const items = r.times(1 + r.below(4), () => `${expression(r, columns, depth + 1)}${r.chance(2) ? ` AS ${name(r)}` : ''}`);
  return `SELECT ${items.join(', ')} FROM ${depth < 2 && r.chance(4) ? `(${query(r, depth + 1)}) ${r.pick(['d', name(r)])}` : table}${r.chance(2) ? ` WHERE ${condition(r, columns, depth)}` : ''}`
    + `${r.chance(5) ? ` ORDER BY ${r.pick(columns)}` : ''}${r.chance(6) ? ` UNION ALL ${query(r, depth + 2)}` : ''}`;
}

/* A text of the gate's corpora with a part of another one inserted. */
function crossover(r) {
  const [a, b] = [r.pick(CORPUS), r.pick([...CORPUS, ...DRIVER_TRICKS])];
  const words = b.split(/(\b|\s+)/);
  const from = r.below(words.length);
  const at = r.below(a.length + 1);
  return a.slice(0, at) + words.slice(from, from + 1 + r.below(6)).join('') + a.slice(r.chance(2) ? at : at + r.below(a.length - at + 1));
}

export function someStatement(r) {
  return r.pick([() => query(r), () => query(r), () => crossover(r), () => r.pick(CORPUS), () => r.pick(DRIVER_TRICKS), () => r.pick(NUMBERS)])();
}
