/* Statements generated at random with a fixed seed, so that they are always the same. */

const SEED = 20260227;
const COUNT = 400;

function random(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * n);
  };
}

const VIEWS = [
  { from: 'per_project', key: 'gid', numbers: ['gencap', 'storecap', 'Actuals_LTD', 'Total_Operating_Budget', 'Total_Operating_Forecast', 'tenor', 'price'],
    texts: ['name', 'technology', 'market', 'sponsor', 'Status_Type', 'currentprojectstage'], dates: ['revision_date'] },
  { from: 'per_projecthealth', key: 'project_gid, sort', numbers: ['pctcomplete', 'sort'], texts: ['section', 'healthcolor'], dates: ['due_on'] },
  { from: 'per_tasks', key: 'projectname, taskname', numbers: [], texts: ['projectname', 'task_type', 'status', 'risk'], dates: ['finishdate'] },
  { from: 'per_project45', key: '"group", subgrouping, metric, project_id, value_numbers, value_dates, MonthFromFileName', numbers: ['value_numbers'], texts: ['subgrouping', 'metric'], dates: ['value_dates'] },
];

export function generated() {
  const next = random(SEED);
  const of = (list) => list[next(list.length)];
  const statements = new Set();

  const number = (v, depth = 2) => {
    if (!v.numbers.length)
      return of([`YEAR(${of(v.dates)})`, `LEN(${of(v.texts)})`, `DATEDIFF(day, ${of(v.dates)}, DATE '2026-01-01')`]);
    if (depth === 0)
      return of(v.numbers);
    const a = () => number(v, depth - 1);
    return of([a, a, () => `${a()} + ${1 + next(9)}`, () => `(${a()} - ${of(v.numbers)})`, () => `${of(v.numbers)} / ${of(v.numbers)}`, () => `${of(v.numbers)} * ${next(5)}`,
      () => `COALESCE(${a()}, 0)`, () => `ABS(${a()})`, () => `ROUND(${a()}, ${next(4)})`, () => `CASE WHEN ${condition(v, 1)} THEN ${of(v.numbers)} ELSE 0 END`,
      () => `NULLIF(${of(v.numbers)}, 0)`, () => `FLOOR(${of(v.numbers)} / ${2 + next(8)})`, () => `CAST(${of(v.numbers)} AS INT) % ${2 + next(7)}`, () => `-${of(v.numbers)}`])();
  };
  const text = (v) => of([() => of(v.texts), () => `UPPER(${of(v.texts)})`, () => `LOWER(${of(v.texts)})`, () => `LEFT(${of(v.texts)}, ${1 + next(6)})`, () => `SUBSTRING(${of(v.texts)} FROM ${1 + next(4)} FOR ${1 + next(5)})`,
    () => `${of(v.texts)} || '-' || ${of(v.texts)}`, () => `COALESCE(${of(v.texts)}, 'none')`, () => `CONCAT(${of(v.texts)}, '/', ${of(v.texts)})`, () => `REPLACE(${of(v.texts)}, 'a', 'A')`, () => `TRIM(${of(v.texts)})`])();
  const date = (v) => of([() => of(v.dates), () => `DATEADD(${of(['month', 'day', 'year', 'quarter', 'week'])}, ${next(25) - 12}, ${of(v.dates)})`, () => `EOMONTH(${of(v.dates)})`])();
  const part = (v) => of([() => `YEAR(${date(v)})`, () => `MONTH(${date(v)})`, () => `EXTRACT(${of(['DOW', 'DOY', 'QUARTER', 'DAY', 'ISO_WEEK'])} FROM ${date(v)})`, () => `DATEDIFF(${of(['day', 'month', 'year'])}, ${of(v.dates)}, DATE '2026-06-30')`])();
  const condition = (v, depth = 2) => {
    if (depth > 0 && next(3) === 0)
      return `(${condition(v, depth - 1)} ${of(['AND', 'OR'])} ${condition(v, depth - 1)})`;
    return of([() => `${text(v)} ${of(['=', '<>', '<', '>='])} '${of(['Solar', 'CAISO', 'on_track', 'High', 'green', 'a'])}'`, () => `${of(v.texts)} LIKE '${of(['S%', '%a%', '%o_a%', 's%', '%[a]%', 'C_I%'])}'`,
      () => `${of(v.texts)} IN ('Solar', 'Wind', 'ERCOT', 'Low')`, () => `${of(v.dates)} ${of(['<', '>='])} DATE '2025-0${1 + next(9)}-15'`, () => `${of([...v.texts, ...v.dates])} IS ${of(['', 'NOT '])}NULL`,
      () => `${number(v, 1)} ${of(['>', '<=', '<>'])} ${next(200)}`, () => `NOT ${of(v.texts)} = 'Solar'`, () => `${number(v, 0)} BETWEEN ${next(50)} AND ${50 + next(200)}`, () => `${part(v)} > ${next(20)}`])();
  };
  const any = (v) => of([() => number(v), () => text(v), () => date(v), () => part(v)])();
  const aggregate = (v) => of([() => 'COUNT(*)', () => `COUNT(DISTINCT ${of(v.texts)})`, () => `SUM(${number(v, 1)})`, () => `AVG(${number(v, 1)})`, () => `MIN(${of(v.dates)})`, () => `MAX(${number(v, 1)})`,
    () => `SUM(CASE WHEN ${condition(v, 1)} THEN 1 ELSE 0 END)`, () => `COUNT(*) FILTER (WHERE ${condition(v, 1)})`, () => `100.0 * COUNT(*) / 7`])();
  const where = (v) => (next(2) ? ` WHERE ${condition(v)}` : '');

  const rows = (v) => `SELECT ${any(v)} AS a, ${any(v)} AS b FROM ${v.from}${where(v)}`;
  const groups = (v) => {
    const by = of(v.texts);
    const order = of(['', ` ORDER BY ${by}`, ' ORDER BY n DESC, 1', ' ORDER BY 2, 1 DESC']);
    return `SELECT ${by}, ${aggregate(v)} AS n FROM ${v.from}${where(v)} GROUP BY ${of([by, '1'])}${of(['', ' HAVING COUNT(*) > 1', ' HAVING n IS NOT NULL'])}${order}`;
  };
  const ordered = (v) => `SELECT ${text(v)} AS t, ${number(v)} AS x FROM ${v.from}${where(v)} ORDER BY x ${of(['', 'DESC'])}, t, ${v.key} FETCH FIRST ${1 + next(30)} ROWS ONLY`;
  const windows = (v) => `SELECT ${of(v.texts)}, ${of([`ROW_NUMBER() OVER (PARTITION BY ${of(v.texts)} ORDER BY ${v.key})`, `AVG(${number(v, 0)}) OVER (PARTITION BY ${of(v.texts)})`, `COUNT(*) OVER (PARTITION BY ${of(v.texts)})`,
    `RANK() OVER (ORDER BY ${of(v.texts)})`, `SUM(${number(v, 0)}) OVER (ORDER BY ${v.key})`])} AS w FROM ${v.from}`;
  const derived = (v) => `SELECT k, COUNT(*) AS n FROM (SELECT ${text(v)} AS k, ${number(v)} AS x FROM ${v.from} ORDER BY 1) d WHERE x >= ${next(40)} GROUP BY k ORDER BY k`;
  const cte = (v) => `WITH w AS (SELECT ${of(v.texts)} AS k, ${aggregate(v)} AS n FROM ${v.from} GROUP BY 1) SELECT MAX(n) AS most, COUNT(*) AS groups FROM w`;

  while (statements.size < COUNT)
    statements.add(of([rows, rows, groups, groups, ordered, windows, derived, cte])(of(VIEWS)));
  return [...statements].map((sql) => ({ sql }));
}
