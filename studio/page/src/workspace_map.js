// What `linkwork workspace` writes: cells with their measures, and the curves of a section.

import { parseCsv } from './table.js';

// Axes of the plane of a section, and the one across it, with the side that is seen of what is cut.
export const planes = {
  xz: { u: 0, v: 2, across: 1, side: 1 },
  yz: { u: 1, v: 2, across: 0, side: -1 },
  xy: { u: 0, v: 1, across: 2, side: -1 },
};

// Unit of a measure, and the length by which it weighs rotations against translations.
export function meaningOf(name, axes) {
  return (
    {
      samples: { unit: '', scale: 'a number: no length' },
      manipulability: {
        unit: ['', 'm', 'm²', 'm³'][axes],
        scale: 'translations alone: no length',
      },
      force: { unit: 'N', scale: 'in every direction, by torques of 1 N m: no length' },
      dynamic_manipulability: {
        unit: ['', 'm/s²', '(m/s²)²', '(m/s²)³'][axes],
        scale: 'accelerations of translations alone: no length',
      },
      capability: { unit: '', scale: 'share of orientations: no length' },
    }[name] ?? { unit: '', scale: '' }
  );
}

// The rows of map.csv: {count, points, measures: [{name, values}], witness: columns of q, or []}.
export function readMap(text) {
  const { names, columns, rows } = parseCsv(text);
  const points = new Float32Array(3 * rows);
  for (let i = 0; i < rows; i += 1)
    for (let k = 0; k < 3; k += 1) points[3 * i + k] = columns[k][i];
  const isWitness = (name) => name.startsWith('q.');
  return {
    count: rows,
    points,
    measures: names
      .map((name, k) => ({ name, values: columns[k] }))
      .filter(({ name }, k) => k > 2 && !isWitness(name)),
    witness: columns.filter((_, k) => isWitness(names[k])),
  };
}

// The number of a cell that is best by a measure and has a configuration; -1 for none.
export function bestCell({ measures, witness }, name) {
  const values = measures.find((measure) => measure.name === name)?.values ?? [];
  const capability = measures.find((measure) => measure.name === 'capability')?.values;
  let best = -1;
  for (let i = 0; witness.length > 0 && i < values.length; i += 1)
    if (capability?.[i] > 0 && (best < 0 || values[i] > values[best])) best = i;
  return best;
}

// Least, median and largest.
export function summary(values) {
  const sorted = Float64Array.from(values).sort();
  return { least: sorted[0], median: sorted[sorted.length >> 1], largest: sorted.at(-1) };
}

// Numbers of the cells that are shown: 'all', the 'half' behind the plane, or the 'slice' in it.
export function cut({ count, points }, how, plane, at, cell) {
  const { across, side } = planes[plane] ?? planes.xz;
  const isShown = {
    all: () => true,
    half: (x) => side * (x - at) >= -0.5 * cell,
    slice: (x) => Math.abs(x - at) <= 0.5 * cell * (1 + 1e-6),
  }[how];
  return Array.from({ length: count }, (_, i) => i).filter((i) => isShown(points[3 * i + across]));
}

// A point of the plane of a section, in space.
function inSpace(plane, at, a, b) {
  const { u, v, across } = planes[plane];
  const point = [0, 0, 0];
  point[u] = a;
  point[v] = b;
  point[across] = at;
  return point;
}

// The rows of boundary.csv: {curves: [{isBarrier, points}], q}, points in space, q for each of all.
export function readSection(text, plane, at) {
  const kinds = text.replace(
    /^(\d+),(boundary|barrier),/gm,
    (_, number, kind) => `${number},${kind === 'barrier' ? 1 : 0},`,
  );
  const { columns, rows } = parseCsv(kinds);
  const [curve, barrier, x, y, ...q] = columns;
  const curves = [];
  for (let i = 0; i < rows; i += 1) {
    if (i === 0 || curve[i] !== curve[i - 1])
      curves.push({ isBarrier: barrier[i] === 1, points: [] });
    curves.at(-1).points.push(inSpace(plane, at, x[i], y[i]));
  }
  return { curves, q: Array.from({ length: rows }, (_, i) => q.map((column) => column[i])) };
}

// The rectangle (centre, width, height) of a section as a closed curve.
export function rectangle([x, y, width, height], plane, at) {
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
    [-1, -1],
  ].map(([a, b]) => inSpace(plane, at, x + 0.5 * a * width, y + 0.5 * b * height));
}

// Colours from low to high, apart from each other and from both backgrounds.
export const ramp = ['#5b4a9e', '#3a6a9c', '#27878f', '#2aa67f', '#63c15c', '#b3cf2e'];

// Red, green and blue of a share from 0 to 1.
export function colorAt(share) {
  const at = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const channel = (color, k) => parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16) / 255;
  return [0, 1, 2].map(
    (k) => channel(ramp[low], k) * (1 - at + low) + channel(ramp[low + 1], k) * (at - low),
  );
}
