// Inverse kinematics of an exported page, which has no server: damped least squares (Levenberg,
// Marquardt) over numeric Jacobians.

import { framePoseAt, product, quaternionOf, transpose } from './kinematics.js';

// What is missing of a pose: metres, and rotation vector times `size`, so that both weigh alike.
function missing(now, target, size) {
  const [w, x, y, z] = quaternionOf(product(target.R, transpose(now.R)));
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, Math.abs(w)) * (w < 0 ? -1 : 1);
  const factor = sine > 1e-12 ? (size * angle) / sine : 2 * size;
  return [...target.p.map((value, k) => value - now.p[k]), x * factor, y * factor, z * factor];
}

// Solves a small symmetric positive definite system by elimination.
function solveSmall(A, b) {
  const n = b.length;
  const rows = A.map((row, i) => [...row, b[i]]);
  for (let i = 0; i < n; i += 1) {
    for (let r = i + 1; r < n; r += 1) {
      const share = rows[r][i] / rows[i][i];
      for (let c = i; c <= n; c += 1) rows[r][c] -= share * rows[i][c];
    }
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let c = i + 1; c < n; c += 1) rows[i][n] -= rows[i][c] * rows[c][n];
    rows[i][n] /= rows[i][i];
  }
  return rows.map((row) => row[n]);
}

const within = (value, { lower, upper }) =>
  Math.min(Math.max(value, lower ?? -Infinity), upper ?? Infinity);

// The nearest configuration whose frame is at `target` {R, p}, from q: {q, residual}. `posesOf(q)`
// gives poses of bodies, or null where the loops cannot be closed. Ends after `ms`.
export function reach(model, posesOf, q, frame, target, { size, ms = 30 }) {
  const free = model.coordinates
    .map((c, k) => ({ ...c, k }))
    .filter(({ kind }) => kind !== 'quaternion');
  const errorAt = (x) => {
    const poses = posesOf(x);
    return poses && missing(framePoseAt(model, poses, frame), target, size);
  };
  const length = (e) => (e ? Math.hypot(...e) : Infinity);
  const end = performance.now() + ms;
  let best = [...q];
  let error = errorAt(best);
  let damping = 1e-3;
  while (error && length(error) > 1e-10 * size && performance.now() < end && damping < 1e6) {
    const columns = free.map(({ k, kind }) => {
      const step = 1e-6 * (kind === 'length' ? size : 1);
      const [low, high] = [-step, step].map((d) => errorAt(best.map((v, i) => v + (i === k) * d)));
      return low && high ? low.map((e, r) => (e - high[r]) / (2 * step)) : low && low.map(() => 0);
    });
    if (columns.some((column) => !column)) break;
    const square = error.map((_, r) =>
      error.map((__, s) => columns.reduce((sum, column) => sum + column[r] * column[s], 0)),
    );
    const weight = Math.max(...square.map((row, r) => row[r]), 1e-12);
    let isBetter = false;
    while (!isBetter && damping < 1e6) {
      const A = square.map((row, r) => row.map((x, s) => x + (r === s) * damping * weight));
      const force = solveSmall(A, error);
      const next = [...best];
      free.forEach((c, i) => {
        next[c.k] = within(best[c.k] + columns[i].reduce((sum, x, r) => sum + x * force[r], 0), c);
      });
      const left = errorAt(next);
      isBetter = length(left) < length(error);
      damping = isBetter ? Math.max(damping / 10, 1e-12) : damping * 10;
      if (isBetter) [best, error] = [next, left];
    }
    if (!isBetter) break;
  }
  return { q: best, residual: length(error) };
}
