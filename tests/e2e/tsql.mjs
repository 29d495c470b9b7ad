/*
 * Rules for violations of the documented grammar of T-SQL (SQL Server 2017 and later) in the text that the gate
 * writes. Literals and quoted names are removed first, so that only code is checked.
 */

/* The SQL with every literal replaced by '' (N'' keeps its N) and every quoted name by q. */
export function codeOf(sql) {
  return sql.replace(/'(?:[^']|'')*'/g, "''").replace(/"(?:[^"]|"")*"/g, 'q');
}

/* The content of each pair of parentheses, and of the whole text, without nested content. */
function levels(code) {
  const out = [];
  const open = [''];
  for (const c of code) {
    if (c === '(')
      open.push('');
    else if (c === ')' && open.length > 1) {
      out.push(open.pop());
      open[open.length - 1] += '()';
    } else
      open[open.length - 1] += c;
  }
  return [...out, ...open];
}

const has = (re) => (sql) => re.test(codeOf(sql));
const atLevel = (test) => (sql) => levels(codeOf(sql)).some(test);
const clause = (level, name, ends) => {
  const m = new RegExp(`\\b${name}\\b(.*?)(?:\\b(?:${ends})\\b|$)`, 's').exec(level);
  return m && m[1];
};
const GROUP_ENDS = 'HAVING|ORDER BY|WINDOW|UNION|EXCEPT|INTERSECT|OFFSET';
const items = (text) => text.split(',').map((s) => s.trim());
const COMPARISON = /(^|[^<>=!])(=|<>|<=|>=|<|>)([^<>=]|$)/;

/* name, test for a violation, an example that violates it */
export const RULES = [
  ['no LIMIT', has(/\bLIMIT\b/), 'SELECT a FROM t LIMIT 5'],
  ['OFFSET needs ORDER BY', atLevel((l) => /\bOFFSET\b/.test(l) && !/\bORDER BY\b.*\bOFFSET\b/s.test(l)), 'SELECT a FROM t OFFSET 0 ROWS'],
  ['FETCH needs OFFSET', atLevel((l) => /\bFETCH\b/.test(l) && !/\bOFFSET\b.*\bFETCH\b/s.test(l)), 'SELECT a FROM t ORDER BY a FETCH NEXT 5 ROWS ONLY'],
  ['TOP and OFFSET not together', atLevel((l) => /\bTOP\b/.test(l) && /\bOFFSET\b/.test(l)), 'SELECT TOP (5) a FROM t ORDER BY a OFFSET 1 ROWS'],
  ['ORDER BY inside needs TOP or OFFSET', (sql) => levels(codeOf(sql)).slice(0, -1).some((l) => /\bSELECT\b.*\bORDER BY\b/s.test(l) && !/\b(TOP|OFFSET)\b/.test(l)), 'SELECT a FROM (SELECT a FROM t ORDER BY a) AS x'],
  ['no numbers in GROUP BY', atLevel((l) => items(clause(l, 'GROUP BY', GROUP_ENDS) ?? 'x').some((i) => /^\d+$/.test(i))), 'SELECT a FROM t GROUP BY 1'],
  ['no aliases in GROUP BY', atLevel((l) => {
    const list = clause(l, 'SELECT', 'FROM');
    const groups = items(clause(l, 'GROUP BY', GROUP_ENDS) ?? '');
    return list !== null && items(list).some((i) => {
      const m = /^(.+\S)\s+AS\s+(\w+)$/s.exec(i);
      return m && m[1] !== m[2] && !/^\w+(\.\w+)?$/.test(m[1]) && groups.includes(m[2]);
    });
  }), 'SELECT a + 1 AS n FROM t GROUP BY n'],
  ['no conditions as values', atLevel((l) => {
    const list = clause(l, 'SELECT', 'FROM');
    return list !== null && COMPARISON.test(list.replace(/\bWHEN\b.*?\bTHEN\b/gs, ''));
  }), 'SELECT a > 1 AS big FROM t'],
  ['no TRUE and FALSE', has(/\b(TRUE|FALSE)\b/i), 'SELECT a FROM t WHERE TRUE'],
  ['no IS TRUE', has(/\bIS (NOT )?(TRUE|FALSE|UNKNOWN)\b/), 'SELECT a FROM t WHERE a IS UNKNOWN'],
  ["N'…' beyond ASCII", (sql) => [...sql.replace(/"(?:[^"]|"")*"/g, 'q').matchAll(/(\w?)'((?:[^']|'')*)'/g)].some(([, n, text]) => n !== 'N' && /[^\x00-\x7f]/.test(text)), "SELECT a FROM t WHERE a = 'é'"],
  ['no ||', has(/\|\|/), "SELECT a || b FROM t"],
  ['no ::', has(/::/), 'SELECT a::int FROM t'],
  ['no ILIKE', has(/\bILIKE\b/), "SELECT a FROM t WHERE a ILIKE 'x'"],
  ['no SUBSTRING FROM', has(/\bSUBSTRING\([^()]*\bFROM\b/), 'SELECT SUBSTRING(a FROM 2) FROM t'],
  ['SUBSTRING takes three', (sql) => levels(codeOf(sql).replace(/\bSUBSTRING\(/g, 'SUB(§')).some((l) => l.startsWith('§') && items(l).length !== 3), 'SELECT SUBSTRING(a, 2) FROM t'],
  ['no EXTRACT', has(/\bEXTRACT\(/), 'SELECT EXTRACT(YEAR FROM a) FROM t'],
  ['no INTERVAL', has(/\bINTERVAL\b/), "SELECT a + INTERVAL '1 day' FROM t"],
  ['no date literals', has(/\b(DATE|TIMESTAMP|TIME) ''/), "SELECT a FROM t WHERE d > DATE '2025-01-01'"],
  ['no FILTER', has(/\bFILTER \(/), 'SELECT COUNT(*) FILTER (WHERE a > 1) FROM t'],
  ['no NULLS FIRST', has(/\bNULLS (FIRST|LAST)\b/), 'SELECT a FROM t ORDER BY a NULLS LAST'],
  ['no USING', has(/\bUSING\b/), 'SELECT a FROM t JOIN u USING (a)'],
  ['no LATERAL', has(/\bLATERAL\b/), 'SELECT a FROM t, LATERAL (SELECT 1) AS x'],
  ['ROUND takes digits', (sql) => levels(codeOf(sql).replace(/\bROUND\(/g, 'R(§')).some((l) => l.startsWith('§') && items(l).length < 2), 'SELECT ROUND(a) FROM t'],
  ['COALESCE takes two', (sql) => levels(codeOf(sql).replace(/\bCOALESCE\(/g, 'C(§')).some((l) => l.startsWith('§') && items(l).length < 2), 'SELECT COALESCE(a) FROM t'],
  ['CONCAT takes two', (sql) => levels(codeOf(sql).replace(/\bCONCAT\(/g, 'C(§')).some((l) => l.startsWith('§') && items(l).length < 2), 'SELECT CONCAT(a) FROM t'],
  ['a size for VARCHAR', has(/\bAS N?VARCHAR\)/), 'SELECT CAST(a AS VARCHAR) FROM t'],
  ['no TIMESTAMP, BOOLEAN, TEXT', has(/\bAS (TIMESTAMP|BOOLEAN|BOOL|TEXT|DOUBLE)\b/), 'SELECT CAST(a AS BOOLEAN) FROM t'],
  ['ranks need ORDER BY', (sql) => [...codeOf(sql).matchAll(/\b(?:ROW_NUMBER|RANK|DENSE_RANK|NTILE|LAG|LEAD|FIRST_VALUE|LAST_VALUE)\((?:[^()]|\([^()]*\))*\) OVER \(((?:[^()]|\([^()]*\))*)\)/g)].some(([, over]) => !over.includes('ORDER BY')), 'SELECT ROW_NUMBER() OVER (PARTITION BY a) FROM t'],
  ['PERCENTILE needs OVER', has(/\bPERCENTILE_(CONT|DISC)\([^()]*\) WITHIN GROUP \([^()]*\)(?! OVER)/), 'SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) FROM t'],
  ['no LENGTH', has(/\bLENGTH\(/), 'SELECT LENGTH(a) FROM t'],
  ['no CURRENT_DATE', has(/\b(CURRENT_DATE|LOCALTIMESTAMP|NOW\()/), 'SELECT CURRENT_DATE FROM t'],
  ['no STRPOS and other names', has(/\b(STRPOS|SUBSTR|IFNULL|GROUP_CONCAT|STDDEV\w*|GREATEST|DATE_TRUNC|STRFTIME|JULIANDAY|GLOB)\b/), 'SELECT STRPOS(a, b) FROM t'],
  ['no EXCEPT ALL', has(/\b(EXCEPT|INTERSECT) ALL\b/), 'SELECT a FROM t EXCEPT ALL SELECT a FROM u'],
  ['DATEPART has a documented part', (sql) => [...codeOf(sql).matchAll(/\bDATE(?:PART|ADD|DIFF|NAME)\((\w+),/g)].some(([, part]) => !/^(year|yy|yyyy|quarter|qq|q|month|mm|m|dayofyear|dy|y|day|dd|d|week|wk|ww|weekday|dw|hour|hh|minute|mi|n|second|ss|s|millisecond|ms|iso_week|isowk|isoww)$/i.test(part)), 'SELECT DATEPART(DOW, a) FROM t'],
  ['IN and EXISTS take no ORDER BY', has(/\b(IN|EXISTS) \(SELECT (?!TOP)(?:[^()]|\([^()]*\))*\bORDER BY\b(?!.*\bOFFSET\b)/), 'SELECT a FROM t WHERE a IN (SELECT b FROM u ORDER BY b)'],
];

/* Names of the rules that the text breaks. */
export function broken(sql) {
  return RULES.filter(([, breaks]) => breaks(sql)).map(([name]) => name);
}
