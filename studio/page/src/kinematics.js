// Poses of bodies from those of frames, which generated code computes for an exported page.

// A rotation, row by row, of a quaternion (w, x, y, z), and back.
export function rotationOf([w, x, y, z]) {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}

// By the largest of the four, so that nothing is lost near half turns.
export function quaternionOf([a, b, c, d, e, f, g, h, i]) {
  const four = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i];
  const k = four.indexOf(Math.max(...four));
  const all = [
    [four[0], h - f, c - g, d - b],
    [h - f, four[1], b + d, c + g],
    [c - g, b + d, four[2], f + h],
    [d - b, c + g, f + h, four[3]],
  ][k];
  const factor = 0.5 / Math.sqrt(four[k]);
  return all.map((value) => value * factor);
}

export const transpose = ([a, b, c, d, e, f, g, h, i]) => [a, d, g, b, e, h, c, f, i];

export function turn(R, [x, y, z]) {
  return [0, 3, 6].map((k) => R[k] * x + R[k + 1] * y + R[k + 2] * z);
}

export function product(A, B) {
  return A.map((_, n) => {
    const [row, k] = [3 * Math.floor(n / 3), n % 3];
    return A[row] * B[k] + A[row + 1] * B[k + 3] + A[row + 2] * B[k + 6];
  });
}

const minus = (a, b) => a.map((value, k) => value - b[k]);

const ground = { R: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [0, 0, 0] };

// The pose {R, p} of a frame in the world, where bodies are at `poses`.
export function framePoseAt(model, poses, frame) {
  const { body, quaternion, position } = model.frame_list[frame];
  const own = { R: rotationOf(quaternion), p: position };
  if (body < 0) return own;
  const at = Array.from(poses.slice(7 * body, 7 * body + 7));
  const R = rotationOf(at.slice(3));
  return { R: product(R, own.R), p: turn(R, own.p).map((x, k) => x + at[k]) };
}

// Where a body is beside its parent.
function beside(bodies, model, b) {
  const parent = bodies[model.bodies[b].parent] ?? ground;
  const R_PW = transpose(parent.R);
  return { R: product(R_PW, bodies[b].R), p: turn(R_PW, minus(bodies[b].p, parent.p)) };
}

function bodiesAt(poses) {
  return Array.from({ length: poses.length / 7 }, (_, b) => ({
    R: rotationOf(poses.slice(7 * b + 3, 7 * b + 7)),
    p: poses.slice(7 * b, 7 * b + 3),
  }));
}

// A function q -> {poses, tree}, as frames of the live connection have them, or null where the
// loops cannot be closed. `framesOf(q)` gives 12 numbers for each frame, rotation row by row and
// position.
export function makeKinematics(model, framesOf) {
  const frameOf = model.bodies.map((_, b) => model.frame_list.findIndex((f) => f.body === b));
  const places = frameOf.map((f) => {
    const frame = model.frame_list[f];
    return frame && { R_FB: transpose(rotationOf(frame.quaternion)), p_BF: frame.position };
  });
  // Dependent joints turn about z of their bodies, or travel along it. Bodies within a universal
  // joint have no frame, so that its two angles are not known.
  const isKnown = ({ body }) =>
    places[body] && (model.bodies[body].parent < 0 || places[model.bodies[body].parent]);
  const start = bodiesAt(model.poses);
  const before = model.dependent.map((d) => beside(start, model, d.body));
  return (q) => {
    const X = framesOf(q);
    if (!X.every(Number.isFinite)) return null;
    const bodies = places.map((place, b) => {
      if (!place) return start[b];
      const at = 12 * frameOf[b];
      const R = product(X.slice(at, at + 9), place.R_FB);
      return { R, p: minus(X.slice(at + 9, at + 12), turn(R, place.p_BF)) };
    });
    const tree = [...model.tree_q];
    model.coordinates.forEach((c, k) => {
      tree[c.tree] = q[k];
    });
    model.dependent.forEach((d, i) => {
      const now = beside(bodies, model, d.body);
      const R_0 = transpose(before[i].R);
      const R = product(R_0, now.R);
      tree[d.tree] +=
        d.kind === 'angle' ? Math.atan2(R[3], R[0]) : turn(R_0, minus(now.p, before[i].p))[2];
      if (!isKnown(d)) tree[d.tree] = NaN;
    });
    return {
      poses: Float64Array.from(bodies.flatMap(({ R, p }) => [...p, ...quaternionOf(R)])),
      tree,
    };
  };
}

// A function q -> {q, poses, tree} that knows some configurations only, and gives the nearest. A row
// has all three, one behind the other.
export function makeRecorded({ nq, nbody }, rows) {
  const far = (row, q) => Math.hypot(...q.map((value, k) => value - row[k]));
  return (q) => {
    const best = rows.reduce((a, b) => (far(b, q) < far(a, q) ? b : a));
    const end = nq + 7 * nbody;
    return { q: best.slice(0, nq), poses: best.slice(nq, end), tree: best.slice(end) };
  };
}

// Ends of loops where joints of `from` go to `to` and the dependent ones stay: what has to be
// closed. [{name, kind, loop, a, b}], points of the world.
export function openEnds(model, poses, from, to) {
  const before = bodiesAt(Array.from(poses));
  const after = [];
  before.forEach((_, b) => {
    const { R, p } = beside(before, model, b);
    const parent = after[model.bodies[b].parent] ?? ground;
    const own = model.coordinates.findIndex((c) => c.body === b && c.kind !== 'quaternion');
    const travel = own < 0 ? 0 : to[own] - from[own];
    const isAngle = model.coordinates[own]?.kind === 'angle';
    const [cos, sin] = isAngle ? [Math.cos(travel), Math.sin(travel)] : [1, 0];
    const slide = turn(R, [0, 0, isAngle ? 0 : travel]);
    const R_WB = product(parent.R, product(R, [cos, -sin, 0, sin, cos, 0, 0, 0, 1]));
    const p_P = p.map((value, k) => value + slide[k]);
    after.push({
      R: R_WB,
      p: minus(
        turn(parent.R, p_P),
        parent.p.map((x) => -x),
      ),
    });
  });
  const pointOf = (bodies, { body, position }) => {
    const { R, p } = bodies[body] ?? ground;
    return minus(
      turn(R, position),
      p.map((x) => -x),
    );
  };
  const length = (a, b) => Math.hypot(...minus(a, b));
  return model.ties
    .filter(({ loop }) => loop !== undefined)
    .map(({ name, kind, loop, a, b }) => ({
      name,
      kind,
      loop,
      a: pointOf(after, a),
      b: pointOf(after, b),
      length: length(pointOf(before, a), pointOf(before, b)),
    }));
}

// The number of the frame at the end of the longest chain.
export function tipFrame(model) {
  const depth = (body) => (body < 0 ? 0 : 1 + depth(model.bodies[body].parent));
  let tip = 0;
  model.frame_list.forEach((frame, i) => {
    if (depth(frame.body) >= depth(model.frame_list[tip].body)) tip = i;
  });
  return tip;
}
