/*
 * A result table with units in the header and numbers aligned by their decimals. It scrolls inside its box
 * and states when rows were truncated.
 */

import { h, icon, readable } from '../dom.js';

const NUMERIC = new Set(['int', 'decimal']);
const MAX_DECIMALS = 6;
const GROUPED_FROM = 1000;
const LONG_CHARS = 40;           /* longer cells may wrap */
const IDENTIFIER = /(^|_)(year|yr|id|key|code)(_|$)/i; /* 2025 is an identifier, not an amount */
const NOTHING = '–';

function decimalsOf(value) {
  const text = String(value);

  if (typeof value !== 'number' || /e/i.test(text))
    return 0;
  return Math.min(MAX_DECIMALS, text.split('.')[1]?.length ?? 0);
}

function numberOptions(meta, values) {
  const decimals = Math.max(0, ...values.map(decimalsOf));
  const grouped = !IDENTIFIER.test(meta.name.replace(/([a-z])([A-Z])/g, '$1_$2')) &&
    values.some((value) => typeof value === 'number' && Math.abs(value) >= GROUPED_FROM);

  return { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: grouped };
}

/* Returns the formatter for the cells of one column. */
function formatter(meta, values, locale) {
  const written = {
    bool: (value) => locale.say(value ? 'yes' : 'no'),
    date: (value) => locale.date(value),
    datetime: (value) => locale.dateTime(value),
  }[meta.type] ?? readable;
  let format = written;

  if (NUMERIC.has(meta.type)) {
    const options = numberOptions(meta, values);

    format = (value) => (typeof value === 'number' ? locale.number(value, options) : String(value));
  }
  return (value) => (value === null || value === undefined ? NOTHING : format(value));
}

/* The label, or the column's name as words: AvgPrice_PerMWh -> Avg Price Per MWh. */
function labelOf({ name, label }) {
  const words = label && label !== name ? label : name.replace(/([a-z])([A-Z])/g, '$1 $2');

  return words.replaceAll('_', ' ');
}

/* True if the label already contains the unit: "Hours" are in hours. */
function isSaid(meta) {
  return meta.unit && labelOf(meta).toLowerCase().split(' ').includes(meta.unit.toLowerCase());
}

export function columnLabel(view, name) {
  const meta = view?.meta?.find((entry) => entry.name === name);

  return meta ? labelOf(meta) : name;
}

function columnsOf(view, locale) {
  return view.columns.map((name) => {
    const meta = view.meta?.find((entry) => entry.name === name) ?? { name, type: 'text' };
    const values = view.data_dict[name] ?? [];

    return {
      label: labelOf(meta),
      unit: isSaid(meta) ? undefined : meta.unit,
      numeric: NUMERIC.has(meta.type),
      values,
      format: formatter(meta, values, locale),
    };
  });
}

/* The number of rows shown and of all rows: "24 rows", or "First 500 of 8,760 rows, the rest is left out. Without Notes". */
export function rowsText(view, locale) {
  return [shownText(view, locale), ...view.notes ?? []].join('. ');
}

function shownText(view, { say }) {
  const shown = view.row_count;
  const [, columns] = /without ([^;]+)/.exec(view.truncation_reason) ?? [];

  if (!view.truncated)
    return say('rows', { n: shown });
  const text = view.total_rows > shown ? say('cut_rows_of', { shown, total: view.total_rows }) : say('cut_rows', { shown });

  return columns ? `${text}. ${say('without', { name: columns })}` : text;
}

export function tableTitle(view, locale) {
  return view.title ?? (view.source?.tool ? locale.name(view.source.tool) : locale.say('result'));
}

/* --- sorting ---------------------------------------------------------------------------- */

/* Numbers by value, text alphabetically, missing values last. */
function compare(a, b, tag) {
  if (a === b)
    return 0;
  if (a === null || a === undefined)
    return 1;
  if (b === null || b === undefined)
    return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), tag, { numeric: true });
}

function sortBy(body, header, column, tag) {
  const down = header.getAttribute('aria-sort') === 'ascending';
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [column.values[a.dataset.row], column.values[b.dataset.row]];
    const missing = x === null || x === undefined || y === null || y === undefined;

    return (down && !missing ? -1 : 1) * compare(x, y, tag) || a.dataset.row - b.dataset.row;
  });

  for (const other of header.parentNode.cells)
    other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  body.replaceChildren(...rows);
}

/* --- the table -------------------------------------------------------------------------- */

function cellOf(column, value) {
  const text = column.format(value);

  return h('td', { class: column.numeric ? 'number' : text.length > LONG_CHARS && 'long' }, text);
}

/* stored: actions for a table of a stored answer (tools.js), or undefined. */
export function dataTable(view, locale, stored) {
  const columns = columnsOf(view, locale);
  const count = Math.max(0, ...columns.map((column) => column.values.length));
  const title = tableTitle(view, locale);
  const rows = h('span', { class: view.truncated ? 'data-rows cut' : 'data-rows' },
    h('span', { class: 'when-open' }, rowsText(view, locale)),
    h('span', { class: 'when-shut' }, locale.say('show_rows', { rows: locale.say('rows', { n: view.row_count }) })));
  const body = h('tbody', {}, Array.from({ length: count }, (_, i) =>
    h('tr', { 'data-row': i }, columns.map((column) => cellOf(column, column.values[i])))));
  const head = h('tr', {}, columns.map((column) =>
    h('th', { scope: 'col', class: column.numeric && 'number' },
      h('button', { type: 'button', class: 'sort', onclick: (event) =>
        sortBy(body, event.currentTarget.parentNode, column, locale.tag) },
      column.label, column.unit && ' ', column.unit && h('span', { class: 'unit' }, column.unit)))));

  const tools = h('div', { class: 'data-tools' });

  /* Without the tools, the table remains readable. */
  import('./takeaway/tools.js').then(({ tableTools }) => tableTools(tools, view, columns, title, locale, stored)).catch(() => {});
  return h('details', { class: 'card data', part: 'table', open: true },
    h('summary', {}, icon('chevron'), h('span', { class: 'data-title' }, title), rows),
    tools,
    h('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': locale.say('table_of', { title }) },
      h('table', {}, h('thead', {}, head), body)));
}
