// Quaternions (w, x, y, z) as rotation vectors, which sliders can show.

export function toVector([w, x, y, z]) {
  const sign = w < 0 ? -1 : 1;
  const sine = Math.hypot(x, y, z);
  const factor = sine > 1e-12 ? (sign * 2 * Math.atan2(sine, sign * w)) / sine : 2 * sign;
  return [factor * x, factor * y, factor * z];
}

export function toQuaternion([x, y, z]) {
  const angle = Math.hypot(x, y, z);
  const factor = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), factor * x, factor * y, factor * z];
}
