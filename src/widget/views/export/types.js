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
  return [['x', 'y'], ['y', 'x']].find(([axis, measure]) =>
    DISCRETE.has(encoding[axis]?.type) && encoding[measure]?.type === 'quantitative' && !encoding[measure].aggregate);
}

/* The allowed types, the current one first. */
export function typesOf(spec) {
  const channels = channelsOf(spec);
  const current = markOf(spec);

  if (!channels || !MARKS[current])
    return [];
  const [axis, measure] = channels;
  const { [axis]: { field, type }, [measure]: { field: number }, color } = spec.encoding;
  const rows = spec.data.values;
  const distinctCount = (keys) => new Set(rows.map((row) => JSON.stringify(keys.map((key) => row[key])))).size;
  const series = color?.field && color.field !== field ? distinctCount([color.field]) : 1;
  const isOrdered = type !== 'nominal' && axis === 'x' && distinctCount([field]) > 1;
  const isUnique = distinctCount([field, color?.field ?? field]) === rows.length;
  const allowed = {
    bar: isUnique && rows.length <= BARS_MAX,
    line: isOrdered && isUnique,
    area: isOrdered && isUnique && series === 1 && rows.every((row) => !(row[number] < 0)),
    point: true,
  };

  return [current, ...Object.keys(MARKS).filter((name) => name !== current && allowed[name])];
}

/* The spec with this type; filled marks start at zero. */
export function withType(spec, type) {
  if (type === markOf(spec))
    return spec;
  const [axis, measure] = channelsOf(spec);
  const { xOffset, yOffset, ...encoding } = spec.encoding;
  const { color } = encoding;
  const isBar = type === 'bar';
  const isGrouped = isBar && color?.field && color.field !== encoding[axis].field;

  return {
    ...spec,
    mark: MARKS[type],
    encoding: {
      ...encoding,
      /* Grouped bars need a discrete axis, also for dates. */
      [axis]: isGrouped && encoding[axis].type === 'temporal' ? { ...encoding[axis], type: 'ordinal' } : encoding[axis],
      [measure]: { ...encoding[measure], stack: null, scale: { ...encoding[measure].scale, zero: isBar || type === 'area' } },
      ...isGrouped && { [`${axis}Offset`]: { field: color.field, ...color.sort && { sort: color.sort } } },
    },
  };
}
