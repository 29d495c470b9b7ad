/*
 * Draws components from their layouts, and the steps of a plan. Loaded with the first of them. Helpers for
 * elements, tables and charts are passed in, so that they are not bundled twice. Text is never parsed as HTML.
 */

import { lookOf } from '../dom.js';
import css from './components.styles.css';
import { words } from '../words/plan.js';

const SVG = 'http://www.w3.org/2000/svg';
const dress = lookOf(css);

/* A node may be drawn before it is in the document. */
function dressSoon(node) {
  dress(node);
  requestAnimationFrame(() => dress(node));
}

/* --- definitions -------------------------------------------------------------------------- */

const FRESH_MS = 60 * 60 * 1000;
let loaded = { at: -Infinity };

/* The definitions, fetched once an hour, and when a view needs an unknown one. */
function definitions(fetchAll, known) {
  const now = performance.now();

  if (now - loaded.at > FRESH_MS || !known(loaded.list ?? [])) {
    loaded = { at: now };
    loaded.promise = fetchAll().then((list) => {
      loaded.list = list;
      return list;
    });
  }
  return loaded.promise;
}

/* --- values ------------------------------------------------------------------------------ */

/* on_track -> On track; other texts stay unchanged. */
function spoken(text) {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ') : text;
}

function amount(value, unit = '', locale) {
  if (typeof value !== 'number')
    return unit ? `${value} ${unit}` : String(value);
  const large = unit === '$' && Math.abs(value) >= 1e6;
  const number = locale.number(value, large ? { notation: 'compact', maximumFractionDigits: 2 }
    : { maximumFractionDigits: Number.isInteger(value) ? 0 : 2 });

  if (unit.startsWith('$'))
    return `${value < 0 ? '−' : ''}$${number.replace(/^-/, '')}${unit.slice(1)}`;
  return unit === '%' ? `${number}%` : [number, unit].filter(Boolean).join(' ');
}

/* A time with an offset is shown as local time of that offset, not of the browser. */
const placed = (value) => (/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/.test(value) ? value.slice(0, 16).replace('T', ' ') : value);

const placedIn = (columns) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.map(placed)]));

function worded(value, prop, locale) {
  switch (prop.type) {
  case 'number':
  case 'integer':
    return amount(value, prop.unit, locale);
  case 'flag':
    return locale.say(value ? 'yes' : 'no');
  case 'date':
    return locale.date(value);
  case 'datetime':
    return locale.dateTime(placed(value));
  default:
    return spoken(String(value));
  }
}

/* --- parts ------------------------------------------------------------------------------- */

class Drawing {
  constructor(view, definition, kit) {
    Object.assign(this, { view, definition, ...kit });
  }

  has(name) {
    return this.view.props[name] !== undefined && this.view.props[name] !== null;
  }

  label(name) {
    return this.definition.props[name].label ?? spoken(name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());
  }

  words(name) {
    return worded(this.view.props[name], this.definition.props[name], this.locale);
  }

  /* The unit is smaller and follows the number: $48.73/MWh. */
  figure(name) {
    const words = this.words(name);
    const cut = words.search(/\/|(?<=\d) /);

    return this.definition.props[name].unit && cut > 0 ? [words.slice(0, cut), this.h('span', { class: 'per' }, words.slice(cut))] : words;
  }

  cards({ cards }) {
    const shown = cards.filter((name) => this.has(name));
    const kind = (name) => (['number', 'integer'].includes(this.definition.props[name].type) ? 'figure' : 'words');

    return shown.length > 0 && this.h('dl', { class: 'facts' }, shown.map((name) =>
      this.h('div', { class: `fact ${kind(name)}` }, this.h('dt', {}, this.label(name)), this.h('dd', {}, this.figure(name)))));
  }

  text({ text }) {
    return this.has(text) && this.h('p', { class: 'lead' }, this.words(text));
  }

  badge({ badge, tones = {} }) {
    const tone = this.has(badge) && tones[this.view.props[badge]];

    return this.has(badge) && this.h('p', { class: 'state' }, this.h('span', { class: 'sr-only' }, `${this.label(badge)}: `),
      this.h('span', { class: `badge ${tone || 'neutral'}` }, this.words(badge)));
  }

  progress({ progress }) {
    if (!this.has(progress))
      return false;
    const value = Number(this.view.props[progress]);
    const over = value > 100;

    return this.h('div', { class: over ? 'progress-row over' : 'progress-row' },
      this.h('span', {}, this.label(progress)), this.h('strong', {}, this.words(progress)),
      this.h('progress', { max: 100, value: Math.max(0, Math.min(100, value)), 'aria-label': this.label(progress) }));
  }

  #title(name) {
    return this.definition.props[name].label ?? this.label(name);
  }

  table({ table: name, empty }) {
    const table = this.view.props[name];

    if (!this.has(name))
      return false;
    if (table.row_count === 0)
      return empty && this.h('p', { class: 'hint empty' }, empty);
    const node = this.dataTable({ ...table, data_dict: placedIn(table.data_dict), view_type: 'data', view_id: name, title: this.#title(name), source: {} }, this.locale);

    node.classList.remove('card');
    return node;
  }

  chart({ chart: name, empty }) {
    const chart = this.view.props[name];

    if (!chart?.chart_spec)
      return this.table({ table: name, empty });
    const node = this.chartCard({ ...chart, title: this.#title(name) }, this.locale);

    node.classList.remove('card');
    return this.h('div', { class: 'chart-part' }, this.h('p', { class: 'part-title' }, this.#title(name)), node);
  }

  part(part) {
    const kind = ['cards', 'table', 'chart', 'text', 'badge', 'progress'].find((name) => name in part);

    return kind && this[kind](part);
  }
}

function drawComponent(card, view, definition, kit) {
  const drawing = new Drawing(view, definition, kit);
  const parts = definition.layout.map((part) => drawing.part(part)).filter(Boolean);

  if (parts.length > 0)
    card.replaceChildren(...parts);
  dressSoon(card);
}

/* --- the steps of a plan ------------------------------------------------------------------ */

const BOX = { width: 200, height: 68, gapX: 44, gapY: 14 };

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);

  for (const [name, value] of Object.entries(attributes))
    node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function short(text, most = 22) {
  const points = [...text];

  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : text;
}

/* Positions of the boxes: one column per wave, in reading direction. */
function places(tasks, mirrored) {
  const filled = [];
  const last = Math.max(0, ...tasks.map(({ wave }) => wave));

  return new Map(tasks.map((task) => {
    const row = filled[task.wave] ?? 0;
    const column = mirrored ? last - task.wave : task.wave;

    filled[task.wave] = row + 1;
    return [task.id, { x: column * (BOX.width + BOX.gapX), y: row * (BOX.height + BOX.gapY) }];
  }));
}

/* The steps that a step depends on or waits for, without duplicates. */
const feeding = (task) => [...new Set(task.depends_on ?? [])];

function arrow(from, to, mirrored) {
  const [x1, y1] = [mirrored ? from.x : from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [mirrored ? to.x + BOX.width + 3 : to.x - 3, to.y + BOX.height / 2];
  const mid = (x1 + x2) / 2;

  return svg('path', { class: 'arrow', d: `M${x1} ${y1}C${mid} ${y1} ${mid} ${y2} ${x2} ${y2}`, 'marker-end': 'url(#to)' });
}

/* Draws the card of a view if its definition is known; otherwise its text stays. */
export async function fillCard(card, view, kit, fetchAll) {
  const find = (list) => list.find(({ name, props }) => name === view.component && Object.keys(view.props).every((prop) => prop in props));

  try {
    const definition = find(await definitions(fetchAll, find));

    if (definition)
      drawComponent(card, view, definition, kit);
    card.dataset.state = definition ? 'drawn' : 'plain';
  } catch {
    loaded.at = -Infinity;
    card.dataset.state = 'plain';
  }
}

/* states: Map of task id to state. */
export function drawPlan(box, { tasks = [] }, states, { h, locale }) {
  locale.learn(words);
  const mirrored = getComputedStyle(box).direction === 'rtl';
  const at = places(tasks, mirrored);
  const ends = [...at.values()];
  const width = Math.max(0, ...ends.map(({ x }) => x)) + BOX.width + 4;
  const height = Math.max(0, ...ends.map(({ y }) => y)) + BOX.height + 4;
  const who = (task) => task.agent ? locale.name(task.agent.replace(/_agent$/, '')) : '';
  const title = (task) => spoken(task.about ?? locale.name(task.tool ?? task.agent ?? task.id));
  const stateOf = (task) => {
    const state = states.get(task.id) ?? 'skipped';

    return [state, locale.has(`step_${state}`) ? locale.say(`step_${state}`) : state];
  };
  const picture = svg('svg', { viewBox: `-2 -2 ${width} ${height}`, width, height, 'aria-hidden': 'true' },
    svg('defs', {}, svg('marker', { id: 'to', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
      svg('path', { class: 'head', d: 'M0 0 8 4 0 8z' }))),
    ...tasks.flatMap((task) => feeding(task).filter((id) => at.has(id)).map((id) => arrow(at.get(id), at.get(task.id), mirrored))),
    ...tasks.map((task) => {
      const { x, y } = at.get(task.id);
      const [state, word] = stateOf(task);
      const text = (dy, className, value) => {
        const node = svg('text', { x: mirrored ? x + BOX.width - 14 : x + 14, y: y + dy, class: className });

        node.textContent = short(value);
        return node;
      };

      return svg('g', { class: `node ${state}` }, svg('rect', { x, y, width: BOX.width, height: BOX.height, rx: 10 }),
        svg('rect', { class: 'edge', x: mirrored ? x + BOX.width - 4 : x, y: y + 10, width: 4, height: BOX.height - 20, rx: 2 }),
        text(20, 'word', who(task)), text(38, 'what', title(task)), text(56, 'word', word));
    }));
  const list = h('ol', { class: 'sr-only' }, tasks.map((task) =>
    h('li', {}, [title(task), who(task), stateOf(task)[1],
      feeding(task).length > 0 && locale.say('step_after', { steps: feeding(task).map((id) =>
        title(tasks.find((other) => other.id === id) ?? { id, about: id })).join(', ') })].filter(Boolean).join(', '))));

  box.replaceChildren(h('div', { class: 'plan-scroll', tabindex: '0', role: 'group', 'aria-label': locale.say('show_how') }, picture, list));
  dressSoon(box);
}
