/* The answers of the fake server: frames, and numbers for pauses in milliseconds. */

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

/* What makes readers of Markdown slow or deep: the answer must still come, whole. */
function delimiters() {
  const texts = ['*a '.repeat(8000), '**a '.repeat(8000), '[a'.repeat(8000), '`a``b'.repeat(4000), '_a '.repeat(8000),
    `${'> '.repeat(4000)}x`, `${'- '.repeat(4000)}x`, `${'|a'.repeat(4000)}\n${'|-'.repeat(4000)}`, '*_'.repeat(8000),
    '\\\\'.repeat(8000)];

  return [...texts.map((text) => ({ type: 'chat.token', token: `${text}\n\n` })),
    { type: 'chat.token', token: 'The end.' }, complete()];
}

/* Paragraphs, lists and tables, a token at a time, faster than any model. */
function tenThousand() {
  const part = 'The average price for **NP15** was $48.73/MWh in 2025, and it rose by 5.1% after that.\n\n- one item of a list\n' +
    '- another item\n\n| Hour | Price |\n| ---: | ---: |\n| 1 | $41.20 |\n| 2 | $43.05 |\n\n';
  const all = part.match(/\s*\S+\s*/g);

  return [...Array.from({ length: 10000 }, (_, i) => [{ type: 'chat.token', token: all[i % all.length] }, i % 20 ? 0 : 8]).flat()
    .filter((step) => step !== 0), complete()];
}

const SCRIPTS = [
  [/ten thousand/, tenThousand],
  [/delimiters/, delimiters],
  [/NP15/, reference],
  [/slow/, slow],
  [/ERCOT|which one/, ask],
  [/vendors/, multiple],
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
