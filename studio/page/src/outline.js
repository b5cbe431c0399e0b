// A picture of a model without WebGL: outlines of its shapes as SVG, far ones first.

import { svg } from './dom.js';
import { framePoseAt, rotationOf, turn } from './kinematics.js';
import { bareBodies, coveredBodies, isDrawable } from './view/machine.js';

const toward = [0.559, -0.699, 0.447]; // as the first view in three dimensions
const right = [0.781, 0.625, 0];
const above = [-0.279, 0.349, 0.894];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

function ring(radius, z) {
  return Array.from({ length: 16 }, (_, i) => [
    radius * Math.cos((i * Math.PI) / 8),
    radius * Math.sin((i * Math.PI) / 8),
    z,
  ]);
}

function ball(radius, z) {
  return [-1, -0.8, -0.4, 0, 0.4, 0.8, 1].flatMap((s) =>
    ring(radius * Math.sqrt(1 - s * s), z + radius * s),
  );
}

// Points whose hull is the shape, in its own frame.
function pointsOf({ kind, type = kind, size: [x, y, z] }) {
  switch (type) {
    case 'box':
      return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [
        (i & 1 ? x : -x) / 2,
        (i & 2 ? y : -y) / 2,
        (i & 4 ? z : -z) / 2,
      ]);
    case 'sphere':
      return ball(x, 0);
    case 'cylinder':
      return [...ring(x, -z / 2), ...ring(x, z / 2)];
    case 'capsule':
      return [...ball(x, -z / 2), ...ball(x, z / 2)];
    case 'cone':
      return [...ring(x, 0), ...ring(y, -z)];
    case 'ring':
      return ring(y, 0);
    default:
      return [];
  }
}

// Some hundred vertices of a mesh, from what GET mesh/ID answers.
export function meshPoints(bytes) {
  const n = new DataView(bytes).getUint32(4, true);
  const all = new Float32Array(bytes, 16, 3 * n);
  const step = Math.max(1, Math.floor(n / 500));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) =>
    Array.from(all.subarray(3 * i * step, 3 * i * step + 3)),
  );
}

// The corners of the convex hull, counter-clockwise (Andrew 1979).
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const corners = [];
    for (const p of list) {
      for (;;) {
        const [a, b] = corners.slice(-2);
        const isLeft = b && (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]);
        if (!b || isLeft) break;
        corners.pop();
      }
      corners.push(p);
    }
    return corners.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.toReversed())];
}

const hex = (color) =>
  `#${color
    .map((c) =>
      Math.round(255 * c)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

const fills = { joint: '#4d8bbf', dependent: '#b7c9d9', ground: '#9aa3ae' };

// All that is drawn: {points, width, fill} in coordinates of a body.
function itemsOf(model, meshes) {
  const covered = coveredBodies(model);
  const bare = bareBodies(model);
  const shapes = model.shapes
    .filter(
      (s) => isDrawable(s) && (s.role === 'visual' || (s.role !== 'bound' && bare.has(s.body))),
    )
    .map((shape) => {
      const R = rotationOf(shape.quaternion);
      const scale = shape.type === 'mesh' ? shape.size : [1, 1, 1];
      const own = shape.type === 'mesh' ? (meshes.get(shape.mesh) ?? []) : pointsOf(shape);
      const points = own.map((p) =>
        turn(R, [p[0] * scale[0], p[1] * scale[1], p[2] * scale[2]]).map(
          (x, k) => x + shape.position[k],
        ),
      );
      const fill = shape.color ? hex(shape.color.slice(0, 3)) : '#d3d9e0';
      return { body: shape.body, points, fill, opacity: shape.color?.[3] ?? 1 };
    });
  const bars = model.skeleton
    .filter(({ role, body }) => !['axis', 'rail'].includes(role) && !covered.has(body))
    .map((item) => {
      const R = item.quaternion && rotationOf(item.quaternion);
      const points = item.position
        ? pointsOf(item).map((p) => turn(R, p).map((x, k) => x + item.position[k]))
        : item.points;
      const width = item.position ? 0 : item.size[0]; // round what has points
      const fill = fills[item.role] ?? '#d3d9e0';
      return { body: item.body, points, width, isOpen: item.kind === 'bar', fill, opacity: 1 };
    });
  return [...shapes, ...bars].filter(({ points }) => points.length > 0);
}

// `poses` has seven numbers for each body; `meshes` points of meshes by their numbers.
export function outline(model, poses, meshes) {
  const place = (body) => framePoseAt({ frame_list: [{ body, ...here }] }, poses, 0);
  const seen = itemsOf(model, meshes).map((item) => {
    const { R, p } = place(item.body);
    const world = item.points.map((at) => turn(R, at).map((x, k) => x + p[k]));
    const depth = world.reduce((sum, at) => sum + dot(at, toward), 0) / world.length;
    return { ...item, depth, flat: world.map((at) => [dot(at, right), -dot(at, above)]) };
  });
  for (const tie of model.ties.filter(({ kind }) => kind !== 'joint')) {
    const ends = [tie.a, tie.b].map(({ body, position }) => {
      const { R, p } = place(body);
      return turn(R, position).map((x, k) => x + p[k]);
    });
    seen.push({
      width: 0.7 * (model.unit ?? 0.01),
      isOpen: true,
      fill: tie.kind === 'rod' ? '#e6b265' : '#2e7d4f',
      opacity: 1,
      depth: dot(ends[0], toward),
      flat: ends.map((at) => [dot(at, right), -dot(at, above)]),
    });
  }
  const all = seen.flatMap(({ flat }) => flat);
  const range = [0, 1]
    .map((k) => all.map((p) => p[k]))
    .map((v) => [Math.min(...v), Math.max(...v)]);
  const size = Math.max(range[0][1] - range[0][0], range[1][1] - range[1][0], 1e-3);
  const [low, high] = [range.map((r) => r[0] - 0.08 * size), range.map((r) => r[1] + 0.08 * size)];
  const lines = seen
    .sort((a, b) => a.depth - b.depth)
    .flatMap(({ flat, width = 0, isOpen, fill, opacity }) => {
      const points = (isOpen ? flat : hull(flat)).map((p) => p.map((x) => x.toPrecision(6)).join());
      const line = (stroke, wide) =>
        svg(isOpen ? 'polyline' : 'polygon', {
          points: points.join(' '),
          fill: isOpen ? 'none' : fill,
          'fill-opacity': opacity,
          stroke,
          'stroke-width': wide,
          'stroke-linejoin': 'round',
          'stroke-linecap': 'round',
        });
      return [line('#3d4753', width + 0.003 * size), ...(width > 0 ? [line(fill, width)] : [])];
    });
  return svg(
    'svg',
    {
      viewBox: `${low.join(' ')} ${high[0] - low[0]} ${high[1] - low[1]}`,
      role: 'img',
      'aria-label': `Picture of ${model.name}`,
    },
    ...lines,
  );
}

const here = { position: [0, 0, 0], quaternion: [1, 0, 0, 0] };
