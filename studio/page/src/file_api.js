// The data of a page that `linkwork studio MODEL --export` wrote: the functions of api.js without a
// server. The build of that page has this module in the place of api.js (build.mjs).

import { reach } from './inverse.js';
import { makeKinematics, makeRecorded, rotationOf } from './kinematics.js';
import { meshPoints, outline } from './outline.js';
import { emit, set, state } from './store.js';

export const hasServer = false;
export const latencies = []; // ms of the last moves; tests read them

const data = JSON.parse(document.getElementById('data').textContent);
let solve = null;

function bytesOf(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
}

// Rows of float64 in base64.
function rowsOf(text, width) {
  const values = new Float64Array(bytesOf(text));
  return Array.from({ length: width > 0 ? values.length / width : 0 }, (_, i) =>
    Array.from(values.subarray(i * width, (i + 1) * width)),
  );
}

// The recorded motion {name, table}, or null.
export function motion() {
  if (!data.motion) return null;
  const { name, columns, values } = data.motion;
  const rows = rowsOf(values, columns.length);
  return {
    name,
    table: {
      names: columns,
      columns: columns.map((_, k) => Float64Array.from(rows, (row) => row[k])),
      rows: rows.length,
    },
  };
}

async function makeSolver(model) {
  if (data.code === null) {
    const width = model.nq + 7 * model.nbody + model.tree_q.length;
    return makeRecorded(model, rowsOf(data.recorded, width));
  }
  // The policy of the page lets its script run, and modules that this script makes.
  const address = URL.createObjectURL(new Blob([data.code], { type: 'text/javascript' }));
  const code = await import(address);
  URL.revokeObjectURL(address);
  const x = new Array(code.X_SIZE ?? 0).fill(0); // where loops were closed last
  return makeKinematics(model, (q) => code.poses(q, x));
}

export async function getModel() {
  solve = await makeSolver(data.model);
  return data.model;
}

export function move(q) {
  const began = performance.now();
  const found = solve(q);
  const ms = performance.now() - began;
  Object.assign(state, { q, ...found });
  if (found) {
    state.posed = state.q;
    state.status = { good: true, message: '', microseconds: 1000 * ms };
  } else {
    state.status = { good: false, message: 'the loops cannot be closed here', microseconds: 0 };
  }
  latencies.push(ms);
  if (latencies.length > 1000) latencies.shift();
  emit('q');
  emit('poses');
}

// Poses that are recorded cannot follow a frame.
export const canDrag = data.code !== null;

export function drag(frame, pose) {
  const { model } = state;
  const size = Math.hypot(...model.high.map((x, k) => x - model.low[k])) / 2 || 1;
  const target = { p: pose.slice(0, 3), R: rotationOf(pose.slice(3)) };
  const posesAt = (q) => solve(q)?.poses ?? null;
  const found = reach(model, posesAt, state.posed ?? state.q, frame, target, { size });
  move(found.q);
  state.status.residual = found.residual;
}

const points = new Map(); // of meshes, by their numbers

// A picture without WebGL.
export async function picture() {
  for (const { mesh } of state.model.shapes) {
    const bytes = data.bytes[`mesh/${mesh}`];
    if (bytes && !points.has(mesh)) points.set(mesh, meshPoints(bytesOf(bytes)));
  }
  return outline(state.model, state.poses, points);
}

export function connect() {
  queueMicrotask(() => {
    set('connected', true);
    emit('limits', data.code === null ? data.why : '');
  });
}

export async function getBytes(path) {
  if (!data.bytes[path]) throw new Error('it is not in this file');
  return bytesOf(data.bytes[path]);
}

// What needs a server, and is not shown without one.
const none = () => {};
export const setToken = none;
export const exchange = none;
export const disconnect = none;
export const takeControl = none;
export const getSource = none;
export const posesOf = none;
export const run = none;
export const edit = none;
export const replaceEdits = none;
export const editsOf = () => ({});
export const operations = () => 0;
