/*
 * Draws a chart from the server's spec. This module holds all of Vega and is loaded when the first
 * chart comes. Expressions are interpreted, never compiled; nothing is fetched and nothing is linked,
 * whatever a spec says.
 */

import embed from 'vega-embed';

/* Colors that keep apart on light and dark, also for most who see few colors. */
const CATEGORIES = ['#2a9d8f', '#e09f3e', '#5b7fd6', '#d1605e', '#9a6dd7', '#6a9f4b', '#c2678f', '#7d8790'];
const FAINT = { labelColor: 'currentColor', titleColor: 'currentColor', labelOpacity: .8, titleOpacity: .8,
  titleFontWeight: 500, labelFontSize: 12, titleFontSize: 12 };
const CONFIG = {
  background: 'transparent',
  font: 'inherit',
  mark: { color: CATEGORIES[0] },
  range: { category: CATEGORIES },
  axis: { ...FAINT, gridColor: 'currentColor', gridOpacity: .12, domainColor: 'currentColor', domainOpacity: .3,
    tickColor: 'currentColor', tickOpacity: .3 },
  bar: { cornerRadiusEnd: 3 },
  legend: { ...FAINT, orient: 'top', titleOrient: 'left', titlePadding: 10, offset: 10 },
  title: { color: 'currentColor', fontSize: 14, fontWeight: 600, anchor: 'start', offset: 14 },
  view: { stroke: 'transparent' },
};

const LOADER = {
  load: () => Promise.reject(new Error('a chart loads nothing')),
  sanitize: () => Promise.reject(new Error('a chart links nowhere')),
  http: () => Promise.reject(new Error('a chart loads nothing')),
  file: () => Promise.reject(new Error('a chart loads nothing')),
};

/* How a region writes numbers, as Vega wants to know it. */
function numbersOf(tag) {
  const parts = new Intl.NumberFormat(tag).formatToParts(-1234567.5);
  const sign = (type, other) => parts.find((part) => part.type === type)?.value ?? other;

  return { decimal: sign('decimal', '.'), thousands: sign('group', ','), grouping: [3], currency: ['$', ''] };
}

/* A name keeps its colour from chart to chart, in the order in which names come to the page. */
const given = new Map();

function colourOf(name) {
  if (!given.has(name))
    given.set(name, CATEGORIES[given.size % CATEGORIES.length]);
  return given.get(name);
}

/* The spec with the colours of its names, where it gives none of its own. */
function withColours(spec) {
  const color = spec.encoding?.color;
  const values = spec.data?.values;

  if (!color?.field || !Array.isArray(values) || color.scale || !['nominal', 'ordinal'].includes(color.type))
    return spec;
  const domain = [...new Set(values.map((row) => row[color.field]))];

  if (domain.length > CATEGORIES.length)
    return spec;
  return { ...spec, encoding: { ...spec.encoding, color: { ...color, scale: { domain, range: distinct(domain.map(colourOf)) } } } };
}

/* Two names of one chart never share a colour: the later one takes a free one. */
function distinct(colours) {
  const free = CATEGORIES.filter((colour) => !colours.includes(colour));

  return colours.map((colour, i) => (colours.indexOf(colour) < i ? free.shift() : colour));
}

/* onTooltip(value or null, event): what the pointer is over; tag: whose numbers. Returns a function that lets go. */
export async function draw(box, spec, onTooltip, tag) {
  const { usermeta, ...safe } = spec;  /* it could override what is set here */
  const { finalize } = await embed(box, withColours(safe), {
    mode: 'vega-lite',
    ast: true,
    actions: false,
    renderer: 'svg',
    defaultStyle: false,
    loader: LOADER,
    config: CONFIG,
    formatLocale: numbersOf(tag),
    tooltip: (handler, event, item, value) => onTooltip(value ?? null, event),
  });

  return finalize;
}
