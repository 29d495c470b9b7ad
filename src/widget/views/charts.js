/*
 * Draws a chart from the server's spec. This module contains Vega and is loaded with the first chart.
 * Expressions are interpreted, never compiled. Nothing is fetched or linked, even if the spec asks for it.
 */

import embed from 'vega-embed';

/* Distinct on light and dark backgrounds, also with most color vision deficiencies. */
const CATEGORIES = ['#2a9d8f', '#e09f3e', '#5b7fd6', '#d1605e', '#9a6dd7', '#6a9f4b', '#c2678f', '#7d8790'];
const LABELS_APART_PX = 4;
const NARROW_PX = 480;
const NARROW_DAYS = 2;
const DAY_CHARS = 10;
const FEW_DAYS = 7;
const FAINT = { labelColor: 'currentColor', titleColor: 'currentColor', labelOpacity: .8, titleOpacity: .8,
  titleFontWeight: 500, labelFontSize: 12, titleFontSize: 12 };
const CONFIG = {
  background: 'transparent',
  mark: { color: CATEGORIES[0] },
  range: { category: CATEGORIES },
  axis: { ...FAINT, labelSeparation: LABELS_APART_PX, gridColor: 'currentColor', gridOpacity: .12, domainColor: 'currentColor', domainOpacity: .3,
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

/* The region's number format for Vega. */
function numbersOf(tag) {
  const parts = new Intl.NumberFormat(tag).formatToParts(-1234567.5);
  const sign = (type, other) => parts.find((part) => part.type === type)?.value ?? other;

  return { decimal: sign('decimal', '.'), thousands: sign('group', ','), grouping: [3], currency: ['$', ''] };
}

/* The region's names of months and weekdays for Vega; FORMATS defines the order of date parts. */
function timesOf(tag) {
  const names = (count, options, day) => Array.from({ length: count }, (_, i) =>
    new Date(day(i)).toLocaleDateString(tag, { ...options, timeZone: 'UTC' }));
  const month = (i) => Date.UTC(2025, i, 1);
  const weekday = (i) => Date.UTC(2023, 0, 1 + i);  /* a Sunday first */

  return { dateTime: '%-d %B %Y, %H:%M', date: '%-d %B %Y', time: '%H:%M', periods: ['AM', 'PM'],
    months: names(12, { month: 'long' }, month), shortMonths: names(12, { month: 'short' }, month),
    days: names(7, { weekday: 'long' }, weekday), shortDays: names(7, { weekday: 'short' }, weekday) };
}

/* Months and days in the same format as in the answer's text and table. */
const FORMATS = (english) => ({ utcyearmonth: '%b %Y', utcyearmonthdate: english ? '%-d %B %Y' : '%-d. %b %Y',
  utcyearmonthdatehoursminutes: english ? '%-d %B %Y, %H:%M' : '%-d. %b %Y, %H:%M' });

function withDates(spec, tag, width) {
  const x = spec.encoding?.x;
  const formats = FORMATS(!tag.startsWith('de'));
  /* With many days on the axis, ticks are at midnight. */
  const isLong = new Set(spec.data?.values?.map((row) => String(row.x).slice(0, DAY_CHARS))).size > FEW_DAYS;
  const format = formats[isLong ? x?.timeUnit?.replace('hoursminutes', '') : x?.timeUnit];
  /* Twenty-four hour labels do not fit on a phone, so overlapping ones are dropped. */
  const apart = x?.axis?.labelAngle === 0 && { labelOverlap: 'greedy' };
  /* Day labels are long: a phone has room for a few, and for none beyond the edges. */
  const dates = format && { format, labelBound: LABELS_APART_PX,
    ...width < NARROW_PX && { format: format.replace('%B', '%b'), tickCount: NARROW_DAYS } };

  return dates || apart ? { ...spec, encoding: { ...spec.encoding, x: { ...x, axis: { ...apart, ...dates, ...x.axis } } } } : spec;
}

/* A name has the same colour in all charts; colours are assigned in order of appearance. */
const given = new Map();

function colourOf(name) {
  if (!given.has(name))
    given.set(name, CATEGORIES[given.size % CATEGORIES.length]);
  return given.get(name);
}

/* Adds the colours of the names to a spec that sets none. */
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

/* Two names of one chart never share a colour: the later one gets a free one. */
function distinct(colours) {
  const free = CATEGORIES.filter((colour) => !colours.includes(colour));

  return colours.map((colour, i) => (colours.indexOf(colour) < i ? free.shift() : colour));
}

/* onTooltip(value or null, event): the datum under the pointer; tag: locale. Returns a function that frees the chart. */
export async function draw(box, spec, onTooltip, tag) {
  const { usermeta, ...safe } = spec;  /* options in the spec could override those set here */
  const { finalize } = await embed(box, withDates(withColours(safe), tag, box.clientWidth), {
    mode: 'vega-lite',
    ast: true,
    actions: false,
    renderer: 'svg',
    defaultStyle: false,
    loader: LOADER,
    /* Vega cannot measure an inherited font, and labels would overlap. */
    config: { ...CONFIG, font: getComputedStyle(box).fontFamily },
    formatLocale: numbersOf(tag),
    timeFormatLocale: timesOf(tag),
    tooltip: (handler, event, item, value) => onTooltip(value ?? null, event),
  });

  return finalize;
}
