// The ellipsoid of a homogeneous body with the mass and tensor of a link.

// Eigenvalues and vectors (columns, row-major 3x3) of a symmetric matrix, by Jacobi rotations.
export function eigen3([xx, yy, zz, xy, xz, yz]) {
  const a = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let sweep = 0; sweep < 30; sweep += 1) {
    for (const [p, r] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const off = a[3 * p + r];
      if (Math.abs(off) < 1e-300) continue;
      const theta = (a[4 * r] - a[4 * p]) / (2 * off);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k += 1) {
        const kp = a[3 * k + p];
        const kr = a[3 * k + r];
        a[3 * k + p] = c * kp - s * kr;
        a[3 * k + r] = s * kp + c * kr;
      }
      for (let k = 0; k < 3; k += 1) {
        const pk = a[3 * p + k];
        const rk = a[3 * r + k];
        a[3 * p + k] = c * pk - s * rk;
        a[3 * r + k] = s * pk + c * rk;
        const vp = v[3 * k + p];
        const vr = v[3 * k + r];
        v[3 * k + p] = c * vp - s * vr;
        v[3 * k + r] = s * vp + c * vr;
      }
    }
  }
  return { values: [a[0], a[4], a[8]], vectors: v };
}

// Half axes and directions; null where no body has such a tensor.
export function ellipsoid(mass, tensor) {
  const { values, vectors } = eigen3(tensor);
  const sum = (values[0] + values[1] + values[2]) / 2;
  const squares = values.map((value) => (5 * (sum - value)) / mass);
  if (!(mass > 0) || squares.some((s) => !(s >= 0))) return null;
  return { axes: squares.map(Math.sqrt), vectors };
}
