// Normals of meshes: round surfaces are smooth, and edges stay.

const sharp = Math.cos((35 * Math.PI) / 180); // edges that bend more are edges

// For each corner of each face the mean, by area, of the faces about its vertex, but not over sharp
// edges. `at` has the corners' positions, three numbers each; `index` their vertices.
export function creasedNormals(at, index, nvertex) {
  const count = index.length / 3;
  const face = new Float32Array(3 * count); // as long as twice the area
  const length = new Float32Array(count);
  for (let i = 0; i < 3 * count; i += 3) {
    const o = 3 * i;
    const [ux, uy, uz] = [at[o + 3] - at[o], at[o + 4] - at[o + 1], at[o + 5] - at[o + 2]];
    const [vx, vy, vz] = [at[o + 6] - at[o], at[o + 7] - at[o + 1], at[o + 8] - at[o + 2]];
    face[i] = uy * vz - uz * vy;
    face[i + 1] = uz * vx - ux * vz;
    face[i + 2] = ux * vy - uy * vx;
    length[i / 3] = Math.sqrt(face[i] ** 2 + face[i + 1] ** 2 + face[i + 2] ** 2);
  }
  // The corners at each vertex, as lists: the first of it, and the next after each.
  const first = new Int32Array(nvertex).fill(-1);
  const next = new Int32Array(index.length);
  for (let c = 0; c < index.length; c += 1) {
    next[c] = first[index[c]];
    first[index[c]] = c;
  }
  const normal = new Float32Array(3 * index.length);
  for (let c = 0; c < index.length; c += 1) {
    const own = c - (c % 3);
    let [x, y, z] = [0, 0, 0];
    for (let o = first[index[c]]; o >= 0; o = next[o]) {
      const f = o - (o % 3);
      const along = face[own] * face[f] + face[own + 1] * face[f + 1] + face[own + 2] * face[f + 2];
      if (f !== own && along < sharp * length[own / 3] * length[f / 3]) continue;
      x += face[f];
      y += face[f + 1];
      z += face[f + 2];
    }
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    normal[3 * c] = x / size;
    normal[3 * c + 1] = y / size;
    normal[3 * c + 2] = z / size;
  }
  return normal;
}
