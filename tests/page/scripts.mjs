/* The answers of the fake server: frames, with pauses as numbers of milliseconds. */

import { randomUUID } from 'node:crypto';

import { componentScripts } from './component-scripts.mjs';

const STEP_MS = 4;

export const REFERENCE = 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?';

export const HOSTILE = [
  '<img src=x onerror="window.pwned=1">',
  '<script>window.pwned=1</script>',
  '[click](javascript:window.pwned=1)',
  '[data](data:text/html,<script>window.pwned=1</script>)',
  '![beacon](https://evil.example/pixel.png)',
  '[elsewhere](https://evil.example/steal?x=1)',
  '<https://evil.example/auto>',
  'https://evil.example/bare',
  '[user](https://app.powerbi.com@evil.example/)',
  '<svg onload="window.pwned=1"></svg>',
  '"><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '{{constructor.constructor("window.pwned=1")()}}',
];

function tokens(text) {
  return text.match(/\s*\S+\s*/g).flatMap((token) => [{ type: 'chat.token', token }, STEP_MS]);
}

function status(phase, text, rest = {}) {
  return { type: 'chat.status', phase, text, ...rest };
}

function complete(rest = {}) {
  return {
    type: 'chat.complete',
    message_id: '0192f0c1-0000-7000-8000-000000000001',
    status: 'ok',
    provider: 'rules',
    pbi_deep_links: [],
    suggestions: [],
    usage: { calls: 0, input_tokens: 0, output_tokens: 0 },
    outcomes: [],
    latency_ms: 128,
    ...rest,
  };
}

const FILTERS = [
  { name: 'vendor', value: 'Ascend', label: 'Ascend', source: 'said', editable: true },
  { name: 'market', value: 'CAISO', label: 'CAISO', source: 'said', editable: true },
  { name: 'hub_zone', value: 'NP15', label: 'NP15', source: 'said', editable: true },
  { name: 'year', value: 2025, label: '2025', source: 'said', editable: true },
  { name: 'reference', value: 'Base', label: 'Base', source: 'default', editable: true },
];

const PRICE_VIEW = {
  view_type: 'data',
  view_id: 'v1',
  text: '1 row',
  columns: ['AsOf', 'AvgPrice_PerMWh', 'DataPoints', 'Year'],
  meta: [
    { name: 'AsOf', label: 'As of', type: 'text', priority: 'high' },
    { name: 'AvgPrice_PerMWh', label: 'Average price', type: 'decimal', unit: '$/MWh', priority: 'high' },
    { name: 'DataPoints', label: 'Hours', type: 'int', priority: 'medium' },
    { name: 'Year', label: 'Year', type: 'int', priority: 'low' },
  ],
  data_dict: {
    AsOf: ['Jan_2025', 'Oct_2024', 'Jul_2024'],
    AvgPrice_PerMWh: [48.73, 47.1, 46.905],
    DataPoints: [8760, 8760, 8760],
    Year: [2025, 2025, 2025],
  },
  row_count: 3,
  truncated: false,
  source: { call: 'c1', agent: 'dayahead_agent', tool: 'get_average_annual_price' },
};

function reference() {
  return [
    status('understanding', 'Understanding the question'), 30,
    { type: 'chat.filters', filters: FILTERS },
    status('running', 'Reading the average day-ahead price', { item_id: 'i1', state: 'started', tool: 'get_average_annual_price' }), 60,
    status('running', 'Read the average day-ahead price', { item_id: 'i1', state: 'completed', outcome: 'rows', rows: 3 }),
    { type: 'chat.view', view: PRICE_VIEW },
    status('writing', 'Writing the answer'),
    ...tokens('The average day-ahead price for **NP15 in CAISO for 2025** (Ascend forecast, as of Jan 2025) was '),
    { type: 'chat.token', token: '**' },
    { type: 'chat.token', token: '$48.73/MWh', mark: { kind: 'bound', start: 0, len: 10, ref: { call: 'get_average_annual_price', row: 0, column: 'AvgPrice_PerMWh' } } },
    { type: 'chat.token', token: '** based on ' },
    { type: 'chat.token', token: '8,760', mark: { kind: 'bound', start: 0, len: 5, ref: { call: 'get_average_annual_price', row: 0, column: 'DataPoints' } } },
    ...tokens(' hourly data points. Earlier files: Oct 2024 and Jul 2024.'),
    complete({
      pbi_deep_links: [{ report_key: 'dayahead_curve_report', report_name: 'Day-Ahead Curves Dashboard', menu_key: 'dayahead', url: 'https://app.powerbi.com/groups/g/reports/r' }],
      suggestions: [
        { label: 'And for SP15?', question: 'And for SP15?', priority: 'primary' },
        { label: 'Compare with Hitachi', question: 'Compare Ascend vs Hitachi for NP15 in 2025', priority: 'primary' },
        { label: 'Hourly distribution', question: 'Show the hourly price distribution for NP15 in 2025', priority: 'secondary' },
      ],
      checked: { policy: 'flag', bound: 2, unbound: 0, items: [] },
      outcomes: [{ call: 'c1', agent: 'dayahead_agent', tool: 'get_average_annual_price', outcome: 'rows', rows: 3, truncated: false }],
    }),
  ];
}

function slow() {
  const words = Array.from({ length: 80 }, (_, i) => [{ type: 'chat.token', token: `word${i + 1} ` }, 25]);

  return [status('writing', 'Writing the answer'), ...words.flat(), complete()];
}

function ask() {
  const prompt = 'SP15 in ERCOT contradicts itself. Which one do you mean?';

  return [
    ...tokens(prompt),
    { type: 'chat.ask', ask_id: '0192f0c1-0000-7000-8000-0000000000aa', prompt, input: 'single', filter: 'market',
      options: [{ value: 'CAISO', label: 'SP15 in CAISO' }, { value: 'ERCOT', label: 'The ERCOT hubs' }],
      skip: { label: 'Leave it out', value: '' }, expires_at: '2030-01-01T00:00:00Z' },
    complete({ status: 'ask' }),
  ];
}

function multiple() {
  return [
    { type: 'chat.ask', ask_id: '0192f0c1-0000-7000-8000-0000000000bb', prompt: 'Which vendors?', input: 'multiple',
      filter: 'vendors', min: 2, max: 2, hint: 'Two at a time can be compared.',
      options: [{ value: 'Ascend', label: 'Ascend', group: 'Forecasts' }, { value: 'Hitachi', label: 'Hitachi', group: 'Forecasts' },
        { value: 'Realized', label: 'Realized', group: 'History' }], expires_at: '2030-01-01T00:00:00Z' },
    complete({ status: 'ask' }),
  ];
}

const LATER = '2090-01-01T00:00:00Z';

function clarify(ask) {
  return [...tokens(ask.prompt), { type: 'chat.ask', ask_id: randomUUID(), filter: 'x', expires_at: LATER, ...ask },
    complete({ status: 'ask' })];
}

const projects = (n) => Array.from({ length: n }, (_, i) => ({ value: `p${i + 1}`, label: `Project ${i + 1}`,
  group: i % 2 ? 'Wind' : 'Solar' }));

const longList = () => clarify({ prompt: 'Which project?', input: 'single', options: projects(30) });
const flatList = () => clarify({ prompt: 'Which project?', input: 'single', options: projects(30).map(({ group, ...option }) => option) });
const longBoxes = () => clarify({ prompt: 'Which projects?', input: 'multiple', min: 1, max: 3, options: projects(30) });
const day = () => clarify({ prompt: 'From which day on?', input: 'date', min_date: '2026-01-10' });
const range = () => clarify({ prompt: 'Which days?', input: 'date_range', min_date: '2025-10-01', max_date: '2026-02-27',
  hint: 'Activity is known for these days.', skip: { label: 'All days', value: 'all' } });
const expiring = () => clarify({ prompt: 'Which one?', input: 'single', options: projects(2),
  expires_at: new Date(Date.now() + 1500).toISOString() });

/* Two agents with results, a third without. */
function several() {
  const table = (id, agent, tool, rows) => ({ type: 'chat.view', agent, task: id, view: { view_type: 'data', view_id: `${id}-v1`,
    columns: ['Name', 'Value'], meta: [{ name: 'Name', type: 'text' }, { name: 'Value', type: 'int' }],
    data_dict: { Name: rows, Value: rows.map((_, i) => i) }, row_count: rows.length, truncated: false, source: { call: id, agent, tool } } });
  const outcome = (call, agent, tool, rows, kind = 'rows') => ({ call, agent, tool, outcome: kind, rows, truncated: false });

  return [
    table('c1', 'per_agent', 'get_project_health', ['Site', 'Permits']),
    table('c2', 'dayahead_agent', 'get_average_annual_price', ['Jan_2025']),
    table('c3', 'per_agent', 'get_project_tasks', ['A task']),
    ...tokens('Both were looked up.'),
    complete({ outcomes: [outcome('c1', 'per_agent', 'get_project_health', 2), outcome('c2', 'dayahead_agent', 'get_average_annual_price', 1),
      outcome('c3', 'per_agent', 'get_project_tasks', 1), outcome('c4', 'pbi_metrics_agent', 'get_report_usage', 0, 'no_data')] }),
  ];
}

/* A model's answer for a manager: statement, receipt, cost, a withheld number and an unverified one. */
function receipt() {
  const text = '\u{1F7E2} It was 48.73, then [unverified], then 12.';
  const mark = (word, kind, ref) => ({ kind, start: [...text.slice(0, text.indexOf(word))].length, len: word.length, ref, text: word });
  const marks = [mark('48.73', 'bound', { call: 'c1', row: 0, column: 'AvgPrice_PerMWh' }), mark('[unverified]', 'withheld'), mark('12', 'unbound')];

  return [
    { type: 'chat.view', view: { ...PRICE_VIEW, source: { ...PRICE_VIEW.source, sql: 'SELECT AVG(price)\nFROM Stage.mc_dayahead' } } },
    { type: 'chat.token', token: '\u{1F7E2} It was ' },
    ...marks.flatMap((one) => [
      { type: 'chat.token', token: one.text, mark: { ...one, start: 0 } },
      { type: 'chat.token', token: one.kind === 'unbound' ? '.' : ', then ' }]),
    complete({ provider: 'anthropic', model: 'claude-sonnet-5-5', receipt_id: '0192f0c1-0000-7000-8000-00000000feed',
      usage: { calls: 2, input_tokens: 900, cache_read_tokens: 1200, output_tokens: 85, cost_usd: 0.0042 },
      checked: { policy: 'withhold', bound: 1, unbound: 2, items: marks },
      outcomes: [{ call: 'c1', agent: 'dayahead_agent', tool: 'get_average_annual_price', outcome: 'rows', rows: 3, truncated: true }] }),
  ];
}

/* Refusals of tools and guards as views: one may be retried, one requires another question. */
function refusals() {
  return [
    { type: 'chat.view', view: { view_type: 'error', view_id: 'e1', text: 'The database did not answer.', error_code: 'TIMEOUT',
      error_details: { kind: 'timeout', retryable: true }, suggestions: ['Ask for a shorter time, or for fewer places at once.'] } },
    { type: 'chat.view', view: { view_type: 'error', view_id: 'e2', text: 'It is not clear what "it" is.', error_code: 'AMBIGUOUS_REFERENCE',
      error_details: {}, suggestions: ['What is the health of Sierra Wind?'] } },
    complete({ status: 'refused' }),
  ];
}

function hostile() {
  const cells = HOSTILE.slice();

  return [
    { type: 'chat.filters', filters: [{ name: 'project_name', value: 'x', label: HOSTILE[0], source: 'said' }] },
    status('running', HOSTILE[0]),
    { type: 'chat.view', view: {
      view_type: 'data', view_id: 'v1', columns: ['<b>name</b>', 'n'],
      meta: [{ name: '<b>name</b>', label: HOSTILE[1], type: 'text', unit: HOSTILE[9] }, { name: 'n', type: 'int' }],
      data_dict: { '<b>name</b>': cells, n: cells.map((_, i) => i) }, row_count: cells.length, truncated: false,
    } },
    ...tokens(`${HOSTILE.join('\n\n')}\n\n| a | b |\n|---|--:|\n${HOSTILE.map((text) => `| ${text} | 1 |`).join('\n')}\n\n- ${HOSTILE.join('\n- ')}\n`),
    complete({
      pbi_deep_links: [{ report_key: 'k', report_name: HOSTILE[0], menu_key: 'm', url: 'javascript:window.pwned=1' }],
      suggestions: [{ label: HOSTILE[0], question: 'x', priority: 'primary' }],
    }),
  ];
}

/* Chart specs that try to load, link or run something, and invalid report links. */
function hostileData() {
  const values = HOSTILE.map((text, i) => ({ x: text, y: i }));
  const encoding = { x: { field: 'x', type: 'nominal' }, y: { field: 'y', type: 'quantitative' } };
  const specs = [
    { data: { url: 'https://evil.example/data.csv' }, mark: 'bar', encoding },
    { data: { values }, mark: { type: 'image', width: 9, height: 9 }, encoding: { ...encoding, url: { value: 'https://evil.example/x.png' } } },
    { data: { values }, mark: 'point', encoding: { ...encoding, href: { value: 'javascript:window.pwned=1' }, tooltip: { field: 'x' } } },
    { data: { values }, transform: [{ calculate: 'window.pwned=1', as: 'z' }], mark: 'bar', encoding },
    { data: { values }, transform: [{ calculate: "this.constructor.constructor('window.pwned=1')()", as: 'z' }], mark: 'bar', encoding },
    { data: { values }, mark: 'bar', encoding, usermeta: { embedOptions: { loader: { target: '_self' }, ast: false, actions: true } } },
  ];

  return [
    ...specs.map((spec, i) => ({ type: 'chat.view', view: { view_type: 'chart', view_id: `h${i}`, chart_type: 'bar', alt: HOSTILE[i],
      columns: [], data_dict: {}, row_count: 0, truncated: false,
      chart_spec: { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: 300, height: 120, ...spec } } })),
    ...tokens('Charts and reports.'),
    complete({ pbi_deep_links: [{ report_key: '../../admin', report_name: HOSTILE[1], menu_key: 'm',
      url: "https://app.powerbi.com/x?filter=A/B%20eq%20'%3Cscript%3Ewindow.pwned=1%3C/script%3E'" }] }),
  ];
}

const MARKDOWN = `### Curves for HB_NORTH

Two vendors cover **HB_NORTH** in *ERCOT*; see \`Stage.mc_vendor_files\` and the
[dashboard](https://app.powerbi.com/groups/x). Names like get_average_price stay whole, 2 * 3 * 4 too.

1. Ascend
   - Jan 2025
   - Oct 2024
2. Hitachi ~~old~~

| Vendor | As of | Average |
|:-------|:-----:|--------:|
| Ascend | Jan_2025 | $41.20 |
| Hitachi | Q1_2025 | $43.05 |

> Base case only.

---

\`\`\`sql
SELECT "vendor" FROM Stage.mc_vendor_files;
\`\`\`
`;

function markdown() {
  return [
    ...tokens(MARKDOWN),
    { type: 'chat.token', token: 'A number from nowhere: ' },
    { type: 'chat.token', token: '99.9', mark: { kind: 'unbound', start: 0, len: 4 } },
    { type: 'chat.token', token: '.' },
    complete({ provider: 'anthropic', model: 'claude-sonnet-5-5', checked: { policy: 'flag', bound: 0, unbound: 1, items: [] }, latency_ms: 2310 }),
  ];
}

function wide() {
  const hours = Array.from({ length: 48 }, (_, i) => i);

  return [
    ...tokens('Prices of each hour are in the table.'),
    { type: 'chat.view', view: {
      view_type: 'data', view_id: 'v1',
      columns: ['HOUR', 'P10', 'Mean', 'P90', 'Volume', 'Peak', 'Day', 'Note'],
      meta: [
        { name: 'HOUR', label: 'Hour', type: 'int' }, { name: 'P10', label: '10th percentile', type: 'decimal', unit: '$/MWh' },
        { name: 'Mean', label: 'Mean', type: 'decimal', unit: '$/MWh' }, { name: 'P90', label: '90th percentile', type: 'decimal', unit: '$/MWh' },
        { name: 'Volume', label: 'Volume', type: 'int', unit: 'MWh' }, { name: 'Peak', label: 'Peak', type: 'bool' },
        { name: 'Day', label: 'First seen', type: 'datetime' }, { name: 'Note', label: 'Note', type: 'text' },
      ],
      data_dict: {
        HOUR: hours, P10: hours.map((h) => 20 + h / 4), Mean: hours.map((h) => 30.5 + h), P90: hours.map((h) => (h % 7 ? 60.25 + h : null)),
        Volume: hours.map((h) => 12000 + 1317 * h), Peak: hours.map((h) => h > 6 && h < 23),
        Day: hours.map(() => '2025-01-01T08:00:00Z'), Note: hours.map((h) => (h === 3 ? 'the lowest hour of the year' : '')),
      },
      row_count: 48, total_rows: 8760, truncated: true, truncation_reason: 'row_limit',
      source: { call: 'c1', agent: 'dayahead_agent', tool: 'get_hourly_price_distribution' },
    } },
    complete({ outcomes: [{ call: 'c1', agent: 'dayahead_agent', tool: 'get_hourly_price_distribution', outcome: 'rows', rows: 48, truncated: true }] }),
  ];
}

/* Texts that make Markdown parsers slow or recurse deeply: the whole answer must still be shown. */
function delimiters() {
  const texts = ['*a '.repeat(8000), '**a '.repeat(8000), '[a'.repeat(8000), '`a``b'.repeat(4000), '_a '.repeat(8000),
    `${'> '.repeat(4000)}x`, `${'- '.repeat(4000)}x`, `${'|a'.repeat(4000)}\n${'|-'.repeat(4000)}`, '*_'.repeat(8000),
    '\\\\'.repeat(8000)];

  return [...texts.map((text) => ({ type: 'chat.token', token: `${text}\n\n` })),
    { type: 'chat.token', token: 'The end.' }, complete()];
}

/* Paragraphs, lists and tables, one token at a time, faster than any model. */
function tenThousand() {
  const part = 'The average price for **NP15** was $48.73/MWh in 2025, and it rose by 5.1% after that.\n\n- one item of a list\n' +
    '- another item\n\n| Hour | Price |\n| ---: | ---: |\n| 1 | $41.20 |\n| 2 | $43.05 |\n\n';
  const all = part.match(/\s*\S+\s*/g);

  return [...Array.from({ length: 10000 }, (_, i) => [{ type: 'chat.token', token: all[i % all.length] }, i % 20 ? 0 : 8]).flat()
    .filter((step) => step !== 0), complete()];
}

/* A vendor that is second in one chart and first in the next, a code from the data, and a label that includes its unit. */
function twoCharts() {
  const chart = (id, vendors) => ({ type: 'chat.view', view: { view_type: 'chart', view_id: id, chart_type: 'bar', alt: vendors.join(', '),
    source: { call: 'c1', agent: 'dayahead_agent', tool: 'get_hourly_price_distribution' },
    chart_spec: { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: 300, height: 100, mark: 'bar',
      data: { values: vendors.map((vendor, i) => ({ vendor, price: i + 1 })) },
      encoding: { x: { field: 'price', type: 'quantitative' }, y: { field: 'vendor', type: 'nominal' }, color: { field: 'vendor', type: 'nominal' } } } } });

  return [chart('v1', ['Ascend', 'Hitachi']), chart('v2', ['Hitachi', 'Realized', 'Zenith']),
    { type: 'chat.view', view: { view_type: 'data', view_id: 'v3', columns: ['Status', 'DataPoints', 'Note'],
      meta: [{ name: 'Status', type: 'text' }, { name: 'DataPoints', label: 'Hours', type: 'int', unit: 'hours' }, { name: 'Note', type: 'text' }],
      data_dict: { Status: ['at_risk', 'on_track'], DataPoints: [8760, 24], Note: ['=1+1', '<b>a</b>'] }, row_count: 2, truncated: false,
      source: { call: 'c1', agent: 'per_agent', tool: 'get_project_health' } } },
    ...tokens('Both were looked up.'), complete()];
}

/* The server's line chart by hour. */
function byHour() {
  return [{ type: 'chat.view', view: { view_type: 'chart', view_id: 'v1', chart_type: 'line', alt: 'Line chart: price by hour.', source: { call: 'c1', agent: 'dayahead_agent', tool: 'get_hourly_price_distribution' },
    chart_spec: { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: 'container', height: 240, mark: { type: 'line', point: true, tooltip: true },
      data: { values: Array.from({ length: 24 }, (_, x) => ({ x, y: 40 + x })) },
      encoding: { x: { field: 'x', type: 'ordinal', title: 'Hour', axis: { labelAngle: 0 } }, y: { field: 'y', type: 'quantitative', title: 'Price', scale: { zero: false } } } } } },
  ...tokens('It rises all day.'), complete()];
}

/* The server's line chart by month or by day. */
function lineOverTime(timeUnit, days) {
  return [{ type: 'chat.view', view: { view_type: 'chart', view_id: 'v1', chart_type: 'line', alt: 'Line chart: price by time.', source: { call: 'c1', agent: 'dayahead_agent', tool: 'get_hourly_price_distribution' },
    chart_spec: { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: 'container', height: 240, mark: { type: 'line', point: true, tooltip: true },
      data: { values: days.map((x, i) => ({ x, y: 40 + i })) },
      encoding: { x: { field: 'x', type: 'temporal', title: 'Day', timeUnit }, y: { field: 'y', type: 'quantitative', title: 'Price', scale: { zero: false } } } } } },
  ...tokens('It rises.'), complete()];
}

const byMonth = () => lineOverTime('utcyearmonth', Array.from({ length: 6 }, (_, i) => `2025-0${i + 1}-01`));
const byDay = () => lineOverTime('utcyearmonthdate', Array.from({ length: 5 }, (_, i) => `2025-03-0${i + 1}`));

/* Charts that a test supplies. */
export const GIVEN = [];
const given = () => [...GIVEN.map((view) => ({ type: 'chat.view', view })), ...tokens('These are all.'), complete()];

const SCRIPTS = [
  [/given charts/, given],
  [/not mine/, () => [...tokens('You do not have permission to see this data.'), complete({ outcomes: [{ call: 'c1', agent: 'per_agent', tool: 'get_project_health', outcome: 'not_permitted', rows: 0, truncated: false }] })]],
  ...componentScripts(complete, HOSTILE),
  [/ten thousand/, tenThousand],
  [/delimiters/, delimiters],
  [/NP15/, reference],
  [/slow/, slow],
  [/ERCOT|which one/, ask],
  [/long list/, longList],
  [/flat list/, flatList],
  [/two charts/, twoCharts],
  [/price by hour/, byHour],
  [/price by month/, byMonth],
  [/price by day/, byDay],
  [/long boxes/, longBoxes],
  [/which day/, day],
  [/range/, range],
  [/expiring/, expiring],
  [/several/, several],
  [/receipt/, receipt],
  [/refusals/, refusals],
  [/vendors/, multiple],
  [/hostile data/, hostileData],
  [/hostile/, hostile],
  [/markdown|HB_NORTH/, markdown],
  [/hourly|wide/, wide],
  [/fail/, () => [status('running', 'Reading the data'), 20,
    { type: 'chat.error', code: 'timeout', message: 'The data source did not answer in 10 s.', retryable: true,
      suggestions: [{ label: 'Ask for one month only', question: 'slow month' }] }]],
  [/partial/, () => [...tokens('The first half of'), complete({ status: 'partial', error: { code: 'upstream', message: 'The model broke off.' } })]],
  [/NP99/, () => [...tokens('There is no hub-zone NP99.'),
    { type: 'chat.view', view: { view_type: 'error', view_id: 'e1', text: 'There is no hub-zone NP99.', error_code: 'UNKNOWN_ENTITY', error_details: {}, suggestions: ['NP15', 'SP15'] } },
    complete()]],
];

export function scriptFor(content) {
  const [, script] = SCRIPTS.find(([pattern]) => pattern.test(content)) ??
    [null, () => [...tokens(`You said: ${content}.`), complete()]];

  return script();
}
