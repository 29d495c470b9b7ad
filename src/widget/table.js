/*
 * A result table: the view's columns side by side, with units in the header and numbers lined up by
 * their decimals. It scrolls inside its own box, and says so when rows were left out.
 */

import { count, h, humanize, icon } from './dom.js';

const NUMERIC = new Set(['int', 'decimal']);
const MAX_DECIMALS = 6;
const GROUPED_FROM = 1000;
const SAVED_MS = 10000;           /* by then the browser has read what is saved */
const LONG_CHARS = 40;           /* from here a cell may wrap */
const IDENTIFIER = /(^|_)(year|yr|id|key|code)(_|$)/i; /* 2025 is a name, not an amount */

function decimalsOf(value) {
  const text = String(value);

  if (typeof value !== 'number' || /e/i.test(text))
    return 0;
  return Math.min(MAX_DECIMALS, text.split('.')[1]?.length ?? 0);
}

function numberFormat(meta, values) {
  const decimals = Math.max(0, ...values.map(decimalsOf));
  const grouped = !IDENTIFIER.test(meta.name.replace(/([a-z])([A-Z])/g, '$1_$2')) &&
    values.some((value) => typeof value === 'number' && Math.abs(value) >= GROUPED_FROM);

  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: grouped,
  });
}

/* How the cells of one column are worded. */
function formatter(meta, values) {
  const isEmpty = (value) => value === null || value === undefined;

  if (NUMERIC.has(meta.type)) {
    const format = numberFormat(meta, values);

    return (value) => {
      if (isEmpty(value))
        return '–';
      return typeof value === 'number' ? format.format(value) : String(value);
    };
  }
  if (meta.type === 'bool')
    return (value) => (isEmpty(value) ? '–' : value ? 'Yes' : 'No');
  if (meta.type === 'datetime')
    return (value) => (isEmpty(value) ? '–' : String(value).replace('T', ' ').replace(/Z$/, ''));
  return (value) => (isEmpty(value) ? '–' : String(value));
}

/* A label of its own, or the column's name read aloud: AvgPrice_PerMWh -> Avg Price Per MWh. */
function labelOf({ name, label }) {
  const words = label && label !== name ? label : name.replace(/([a-z])([A-Z])/g, '$1 $2');

  return words.replaceAll('_', ' ');
}

function columnsOf(view) {
  return view.columns.map((name) => {
    const meta = view.meta?.find((entry) => entry.name === name) ?? { name, type: 'text' };
    const values = view.data_dict[name] ?? [];

    return {
      label: labelOf(meta),
      unit: meta.unit,
      numeric: NUMERIC.has(meta.type),
      values,
      format: formatter(meta, values),
    };
  });
}

/* What is shown of what there is: "24 rows", or "First 500 of 8,760 rows (row limit)". */
export function rowsText(view) {
  const shown = view.row_count;

  if (!view.truncated)
    return count(shown, 'row');
  const total = view.total_rows > shown ? ` of ${view.total_rows.toLocaleString('en-US')}` : '';
  const reason = view.truncation_reason
    ? ` (${view.truncation_reason.replaceAll('_', ' ')})` : '';

  return `First ${shown.toLocaleString('en-US')}${total} rows, the rest is left out${reason}`;
}

export function tableTitle(view) {
  return view.source?.tool ? humanize(view.source.tool) : 'Result';
}

/* Spreadsheets run a cell that opens like a formula; a leading apostrophe makes it text. */
function csvCell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;

  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/* The rows as they are stored, not as they are worded. */
export function csvOf(view) {
  const lines = Array.from({ length: view.row_count }, (_, i) =>
    view.columns.map((name) => csvCell(view.data_dict[name][i])).join(','));

  return [view.columns.map(csvCell).join(','), ...lines].join('\r\n');
}

function save(view) {
  const url = URL.createObjectURL(new Blob(['\uFEFF', csvOf(view)], { type: 'text/csv;charset=utf-8' }));

  h('a', { href: url, download: `${view.source?.tool ?? 'result'}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), SAVED_MS);
}

function tools(view) {
  const copied = (event) => navigator.clipboard.writeText(csvOf(view).replaceAll(',', '\t'))
    .then(() => event.target.closest('button').replaceChildren(icon('check')));

  return h('span', { class: 'data-tools' },
    navigator.clipboard && h('button', { type: 'button', class: 'small', 'aria-label': 'Copy the table', title: 'Copy',
      onclick: copied }, icon('copy')),
    h('button', { type: 'button', class: 'small', 'aria-label': 'Save the table as CSV', title: 'Save as CSV',
      onclick: () => save(view) }, icon('save')));
}

/* Numbers by size, text by the alphabet; what is missing comes last. */
function compare(a, b) {
  if (a === b)
    return 0;
  if (a === null || a === undefined)
    return 1;
  if (b === null || b === undefined)
    return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
}

function sortBy(body, header, column) {
  const down = header.getAttribute('aria-sort') === 'ascending';
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [column.values[a.dataset.row], column.values[b.dataset.row]];
    const missing = x === null || x === undefined || y === null || y === undefined;

    return (down && !missing ? -1 : 1) * compare(x, y) || a.dataset.row - b.dataset.row;
  });

  for (const other of header.parentNode.cells)
    other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  body.replaceChildren(...rows);
}

export function dataTable(view) {
  const columns = columnsOf(view);
  const rows = Math.max(0, ...columns.map((column) => column.values.length));
  const title = tableTitle(view);

  const body = h('tbody', {}, Array.from({ length: rows }, (_, i) => h('tr', { 'data-row': i }, columns.map((column) => {
    const text = column.format(column.values[i]);

    return h('td', { class: column.numeric ? 'number' : text.length > LONG_CHARS && 'long' }, text);
  }))));
  const head = h('tr', {}, columns.map((column) =>
    h('th', { scope: 'col', class: column.numeric && 'number' },
      h('button', { type: 'button', class: 'sort', onclick: (event) => sortBy(body, event.currentTarget.parentNode, column) },
        column.label, column.unit && h('span', { class: 'unit' }, column.unit)))));

  return h('details', { class: 'card data', part: 'table', open: true },
    h('summary', {},
      icon('chevron'),
      h('span', { class: 'data-title' }, title),
      h('span', { class: view.truncated ? 'data-rows cut' : 'data-rows' }, rowsText(view))),
    h('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': `${title}, table` },
      h('table', {}, h('thead', {}, head), body)),
    tools(view));
}
