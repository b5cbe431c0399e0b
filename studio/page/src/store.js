// The state of the page: one object, and who wants to know of its changes.

const listeners = new Map();

export const state = {
  model: null, // the reply to GET /api/1/model
  q: [], // independent positions
  posed: [], // independent positions at which the model is drawn
  tree: [], // positions of all joints of the tree
  poses: null, // Float32Array: 7 numbers for each body
  status: { good: true, message: '', microseconds: 0 },
  mode: 'pose',
  selection: null, // {kind: 'body' | 'frame', index}
  theme: 'light',
  units: { angle: 'deg', length: 'mm' },
  layers: {},
  connected: false,
  yours: true, // this page moves the model; others watch
  messages: [],
};

export function on(names, callback) {
  for (const name of names.split(' ')) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(callback);
  }
  return () => {
    for (const name of names.split(' ')) listeners.get(name).delete(callback);
  };
}

export function emit(name, value) {
  for (const callback of listeners.get(name) ?? []) callback(value);
}

export function set(name, value) {
  state[name] = value;
  emit(name, value);
}
