/* Components, plans and component definitions that the fake server sends. */

const CALLS = ['c1', 'c2'];

export const DEFINITIONS = [
  { name: 'BriefingCards', about: 'A week', props: {
    changes: { type: 'integer', label: 'Changes in 7 days', required: false },
    offTrack: { type: 'integer', label: 'Projects off track', required: true },
    projects: { type: 'table', label: 'Projects off track', required: false } },
  layout: [{ cards: ['offTrack', 'changes'] }, { table: 'projects', empty: 'No project is off track.' }], schema: {} },
  { name: 'Everything', about: 'Each part once', props: {
    project: { type: 'text', label: 'Project', required: true },
    status: { type: 'text', label: 'Status', required: false },
    stage: { type: 'text', label: 'Stage', required: false },
    due: { type: 'date', label: 'Due', required: false },
    ready: { type: 'flag', label: 'Ready', required: false },
    price: { type: 'number', label: 'Average price', unit: '$/MWh', required: false },
    budget: { type: 'number', label: 'Budget', unit: '$', required: false },
    used: { type: 'number', label: 'Budget used', unit: '%', required: false },
    rows: { type: 'table', label: 'Milestones', required: false },
    hours: { type: 'series', label: 'Average price by hour', required: false } },
  layout: [{ text: 'project' }, { badge: 'status', tones: { on_track: 'positive', off_track: 'critical' } },
    { cards: ['stage', 'due', 'ready', 'price', 'budget'] }, { progress: 'used' }, { chart: 'hours' }, { table: 'rows', empty: 'Nothing is planned.' }],
  schema: {} },
];

function table(columns, rows) {
  const names = Object.keys(columns);

  return { columns: names, meta: names.map((name) => ({ name, label: name, type: columns[name], priority: 'high' })),
    data_dict: Object.fromEntries(names.map((name, i) => [name, rows.map((row) => row[i])])), row_count: rows.length, truncated: false };
}

const component = (name, props, text) => ({ type: 'chat.view', agent: 'per_agent', task: 'show1', view: {
  view_type: 'component', view_id: 'show1-v1', component: name, props, text, alt: `${name} of the portfolio`, calls: CALLS } });

const BRIEFING = component('BriefingCards', { offTrack: 2, changes: 31, projects: table({ Project: 'text', Stage: 'text', COD: 'date' },
  [['Sierra Wind', 'Stage 3 Late Dev', '2028-08-15'], ['Mojave BESS', 'Stage 4', '2026-11-30']]) }, 'Projects off track: 2, changes in 7 days: 31.');

const values = Array.from({ length: 24 }, (_, hour) => ({ Hour: hour, Price: 40 + 12 * Math.sin(hour / 4) }));
const CHART = { view_type: 'chart', view_id: 'hours', text: 'x', ...table({ Hour: 'int', Price: 'decimal' }, values.map((v) => [v.Hour, v.Price])),
  chart_type: 'line', alt: 'Line chart of the price by hour',
  chart_spec: { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', data: { values }, mark: { type: 'line' }, width: 'container', height: 180,
    encoding: { x: { field: 'Hour', type: 'quantitative' }, y: { field: 'Price', type: 'quantitative' } } } };

const everything = (props = {}) => component('Everything', { project: 'Sierra Wind', status: 'off_track', stage: 'Stage 3 Late Dev', due: '2028-08-15',
  ready: false, price: 48.73, budget: 182400000, used: 112.4, hours: CHART,
  rows: table({ Milestone: 'text', Date: 'date' }, [['NTP', '2026-04-15'], ['COD', '2028-08-15']]), ...props }, 'Sierra Wind: off track.');

export function hostileProps(texts) {
  const bad = texts.join(' ');

  return component('Everything', { project: bad, status: bad, stage: bad, due: bad, ready: bad, price: bad, budget: '1e999', used: bad,
    rows: table(Object.fromEntries(texts.map((text) => [text, 'text'])), [texts]), hours: { ...table({ [bad]: 'text' }, [[bad]]) } }, bad);
}

export const PLAN = { type: 'chat.plan', plan_id: 'p1', origin: 'flow', flow: 'weekly_briefing', tasks: [
  { id: 'changes', kind: 'tool', agent: 'per_agent', tool: 'get_recent_changes', about: 'Recent changes', depends_on: [], wave: 0 },
  { id: 'off', kind: 'tool', agent: 'per_agent', tool: 'get_portfolio_summary', about: 'Portfolio', depends_on: [], wave: 0 },
  { id: 'risks', kind: 'tool', agent: 'per_agent', tool: 'get_task_risks', about: 'Task risks', depends_on: ['changes'], condition: 'changes.row_count > 0', wave: 1 },
  { id: 'money', kind: 'tool', agent: 'per_agent', tool: 'get_budget_overview', about: '<img src=x onerror="window.pwned=1">', depends_on: ['changes', 'off'], wave: 1 },
  { id: 'last', kind: 'tool', agent: 'per_agent', tool: 'get_recent_changes', about: 'Dates that moved, asked for once more', depends_on: ['risks', 'risks'], wave: 2 }] };

const step = (task, state) => ({ type: 'chat.status', phase: 'running', item_id: `c-${task}`, task, state, agent: 'per_agent', text: task });

/* Frames of a component's answer; complete() closes it. */
export function componentScripts(complete, hostile) {
  const answer = (...frames) => [...frames, { type: 'chat.token', token: 'Here is what there is.' }, complete()];

  return [
    [/weekly/, () => answer(PLAN, step('changes', 'completed'), step('off', 'completed'), step('risks', 'failed'), step('last', 'completed'), BRIEFING)],
    [/every part/, () => answer(everything())],
    [/empty parts/, () => answer(component('BriefingCards', { offTrack: 0, projects: table({ Project: 'text' }, []) }, 'Nothing is off track.'),
      { ...component('Everything', { project: 'Sierra Wind' }, 'x'), view: { ...component('Everything', { project: 'Sierra Wind' }, 'x').view, view_id: 'show2-v1' } })],
    [/five hundred/, () => answer(component('BriefingCards', { offTrack: 500, projects: table({ Project: 'text', Number: 'int' },
      Array.from({ length: 500 }, (_, i) => [`Project ${i}`, i])) }, 'x'))],
    [/newer server/, () => answer(component('NotYet', { a: 1 }, 'What an older page says instead.'),
      { ...everything({ later: 7 }), view: { ...everything({ later: 7 }).view, view_id: 'show2-v1' } })],
    [/bad props/, () => answer(hostileProps(hostile))],
  ];
}
