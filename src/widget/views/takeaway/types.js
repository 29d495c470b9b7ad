/*
 * The chart types that the data allows. No lines over names, which have no order. No areas for several series or negative
 * values, which would suggest sums. No bars where an x value has several rows, since bars would add them up.
 */

const BARS_MAX = 200; /* more bars are not readable */
const DISCRETE = new Set(['temporal', 'ordinal', 'nominal']);
const MARKS = {
  bar: { type: 'bar', tooltip: true },
  line: { type: 'line', point: true, tooltip: true },
  area: { type: 'area', line: true, opacity: 0.7, tooltip: true },
  point: { type: 'point', filled: true, size: 60, tooltip: true },
};
const markOf = ({ mark }) => mark?.type ?? mark;

/* [the channel of the x values, the channel of the measure]; undefined for other charts. */
function channelsOf({ encoding, layer, data }) {
  if (!encoding || layer || !Array.isArray(data?.values))
    return undefined;
  return [['x', 'y'], ['y', 'x']].find(([place, measure]) =>
    DISCRETE.has(encoding[place]?.type) && encoding[measure]?.type === 'quantitative' && !encoding[measure].aggregate);
}

/* The allowed types, the current one first. */
export function typesOf(spec) {
  const channels = channelsOf(spec);
  const own = markOf(spec);

  if (!channels || !MARKS[own])
    return [];
  const [place, measure] = channels;
  const { [place]: { field, type }, [measure]: { field: number }, color } = spec.encoding;
  const rows = spec.data.values;
  const seen = (keys) => new Set(rows.map((row) => JSON.stringify(keys.map((key) => row[key])))).size;
  const series = color?.field && color.field !== field ? seen([color.field]) : 1;
  const isOrdered = type !== 'nominal' && place === 'x' && seen([field]) > 1;
  const isOnce = seen([field, color?.field ?? field]) === rows.length;
  const allowed = {
    bar: isOnce && rows.length <= BARS_MAX,
    line: isOrdered && isOnce,
    area: isOrdered && isOnce && series === 1 && rows.every((row) => !(row[number] < 0)),
    point: true,
  };

  return [own, ...Object.keys(MARKS).filter((name) => name !== own && allowed[name])];
}

/* The spec with this type; filled marks start at zero. */
export function withType(spec, type) {
  if (type === markOf(spec))
    return spec;
  const [place, measure] = channelsOf(spec);
  const { xOffset, yOffset, ...encoding } = spec.encoding;
  const { color } = encoding;
  const isBar = type === 'bar';
  const isGrouped = isBar && color?.field && color.field !== encoding[place].field;

  return {
    ...spec,
    mark: MARKS[type],
    encoding: {
      ...encoding,
      /* Grouped bars need a discrete axis, also for dates. */
      [place]: isGrouped && encoding[place].type === 'temporal' ? { ...encoding[place], type: 'ordinal' } : encoding[place],
      [measure]: { ...encoding[measure], stack: null, scale: { ...encoding[measure].scale, zero: isBar || type === 'area' } },
      ...isGrouped && { [`${place}Offset`]: { field: color.field, ...color.sort && { sort: color.sort } } },
    },
  };
}
