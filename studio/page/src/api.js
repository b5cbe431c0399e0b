// Requests to the server: the model, operations (commands of the program), the live connection.

import { h } from './dom.js';
import { emit, set, state } from './store.js';

export const hasServer = true; // file_api.js has the same functions without one
export const canDrag = true;

let token = '';

export function setToken(text) {
  token = text;
}

export async function request(method, path, body) {
  const reply = await fetch(`/api/1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return reply;
}

async function json(method, path, body) {
  const reply = await request(method, path, body);
  const value = await reply.json();
  if (!reply.ok) {
    throw Object.assign(new Error(value.error ?? reply.statusText), {
      status: reply.status,
      value,
    });
  }
  return value;
}

// The token for a code that works once: the command line of a browser is seen by other users.
export async function exchange(code) {
  setToken(code);
  setToken((await json('POST', 'token')).token);
  return token;
}

export const getModel = () => json('GET', 'model');

// A file of the model, by the name that locations have; where it is not there, an error that says so.
export async function getSource(name) {
  const reply = await request('GET', `source/${encodeURIComponent(name)}`);
  if (!reply.ok) throw new Error(`${name}: ${(await reply.json()).error}`);
  return reply.text();
}

// What was edited is among the options of the model: "--level", "wrist=low".
export function editsOf(options) {
  const edits = { level: {}, branch: {}, ideal: options.includes('--ideal') };
  options.forEach((word, i) => {
    const kind = { '--level': 'level', '--branch': 'branch' }[word];
    const at = options[i + 1]?.lastIndexOf('=') ?? -1;
    if (kind && at >= 0) edits[kind][options[i + 1].slice(0, at)] = options[i + 1].slice(at + 1);
  });
  return edits;
}

// Compiles the model with other options, in the place of all that were edited before.
export const replaceEdits = (edits) =>
  json('POST', 'edit', { version: state.model.version, ...edits });

// The same, on top of those edited before.
export function edit(change) {
  const { level, branch, ideal } = editsOf(state.model.options);
  return replaceEdits({
    level: { ...level, ...change.level },
    branch: { ...branch, ...change.branch },
    ideal,
  });
}

export async function getBytes(path) {
  const reply = await request('GET', path);
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  return reply.arrayBuffer();
}

// "42 %, equations", or how long it has taken.
export function progressText({ progress, stage, seconds }) {
  return progress === undefined
    ? `running for ${seconds.toFixed(1)} s`
    : `${Math.round(100 * progress)} %, ${stage}`;
}

// Operations that wait for their end: id of the job -> function; and how many there are.
const waiting = new Map();
let underWay = 0;
export const operations = () => underWay;

// Runs a command of the program: run('ik', {options: {frame, pose}}). Resolves to {code, result,
// log, files, seconds}; throws where the request is refused. `job.cancel()` ends it. `onProgress`
// gets words while it runs.
export function run(command, body = {}, onProgress = () => {}) {
  const job = { id: 0, isCancelled: false };
  job.cancel = () => {
    job.isCancelled = true;
    if (job.id) request('DELETE', `job/${job.id}`);
  };
  underWay += 1;
  job.done = (async () => {
    job.id = (await json('POST', command, body)).job;
    if (job.isCancelled) job.cancel();
    for (;;) {
      const reply = await json('GET', `job/${job.id}`);
      if (!reply.running) return reply;
      onProgress(progressText(reply));
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 500);
        waiting.set(job.id, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      waiting.delete(job.id);
    }
  })().finally(() => {
    underWay -= 1;
  });
  return job;
}

// --- Live ---------------------------------------------------------------------------------------

let socket = null;
let nextId = 1;
let inFlight = 0; // id of the request that was not answered yet
let newest = null; // what is sent then
let sentAt = 0;

// Latencies of the last requests, ms from sending to poses applied; tests read them.
export const latencies = [];

export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0, true) !== 0x3153574c) return null;
  const frame = { version: view.getUint32(8, true), request: view.getUint32(12, true) };
  let at = 16;
  for (let i = 0; i < view.getUint16(6, true) && at + 8 <= buffer.byteLength; i += 1) {
    const tag = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    at += 8;
    if (at + size > buffer.byteLength) return null;
    if (tag === 1) frame.poses = new Float32Array(buffer, at, size / 4);
    if (tag === 2) frame.tree = new Float64Array(buffer, at, size / 8);
    if (tag === 5)
      frame.status = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at, size)));
    if (tag === 6) frame.q = new Float64Array(buffer, at, size / 8);
    at += Math.ceil(size / 8) * 8;
  }
  return frame;
}

function takeFrame(buffer) {
  const frame = decodeFrame(buffer);
  socket.send('{"op":"ack"}');
  if (!frame || !state.model) return;
  if (frame.version !== state.model.version) {
    emit('server:model'); // it was read again before this page was known there
    return;
  }
  if (frame.request >= inFlight) inFlight = 0;
  if (newest && !inFlight) flush();
  state.poses = frame.poses;
  state.tree = frame.tree;
  state.status = frame.status;
  state.posed = Array.from(frame.q);
  // What the user sets goes ahead of what the server answers.
  if (!newest && !inFlight && frame.status.good) state.q = Array.from(frame.q);
  emit('poses');
  if (sentAt) {
    latencies.push(performance.now() - sentAt);
    if (latencies.length > 1000) latencies.shift();
    sentAt = 0;
  }
}

function flush() {
  inFlight = nextId;
  nextId += 1;
  sentAt = performance.now();
  socket.send(JSON.stringify({ ...newest, id: inFlight }));
  newest = null;
}

// Sends the newest request as soon as the one before it was answered.
function sendNewest(message) {
  newest = message;
  if (socket?.readyState === WebSocket.OPEN && (!inFlight || performance.now() - sentAt > 2000))
    flush();
}

export function move(q) {
  state.q = q;
  emit('q');
  sendNewest({ op: 'q', q });
}

export function drag(frame, pose) {
  sendNewest({ op: 'drag', frame, pose });
}

let wanted = {}; // who waits, by the event that answers: answers come in the order of requests

function ask(event, message) {
  return new Promise((resolve) => {
    socket.send(JSON.stringify(message));
    (wanted[event] ??= []).push(resolve);
  });
}

// Poses of all bodies at several configurations, without moving there: for ghosts.
export async function posesOf(list) {
  return list.length === 0 ? [] : (await ask('poses', { op: 'poses', q: list })).poses;
}

// Poses where a loop closes the other way, or null.
export async function posesOfBranch(loop, branch) {
  return (await ask('poses', { op: 'branch', loop, branch })).poses[0];
}

// Of each step: how many times faster its joints move than the independent ones, and its condition
// number here; the widest gap of all loops.
export async function gains() {
  const { gains: list, here } = await ask('gains', { op: 'gains' });
  return { gains: list, ...here };
}

export function takeControl() {
  socket?.send('{"op":"take"}');
}

function takeEvent(event) {
  if (event.event === 'control') set('yours', event.yours);
  else if (wanted[event.event]?.length > 0) wanted[event.event].shift()(event);
  else if (event.event === 'job') waiting.get(event.job)?.();
  else emit(`server:${event.event}`, event);
}

export function connect() {
  if (socket) {
    Object.assign(socket, { onopen: null, onmessage: null, onclose: null });
    socket.close();
  }
  socket = new WebSocket(`ws://${location.host}/api/1/live`, 'linkwork.1');
  socket.binaryType = 'arraybuffer';
  wanted = {};
  socket.onopen = () => {
    inFlight = 0;
    socket.send(JSON.stringify({ op: 'hello', token }));
    set('connected', true);
  };
  socket.onmessage = ({ data }) =>
    typeof data === 'string' ? takeEvent(JSON.parse(data)) : takeFrame(data);
  socket.onclose = () => set('connected', false);
}

// For tests: a server that went away.
export function disconnect() {
  socket?.close();
}

// A picture without WebGL, from "iso", "front", "side" or "top": what the program draws. Null where
// it cannot.
export async function picture(view) {
  const job = run('draw', { options: { q: state.q, view, output: 'view.svg', size: '900x640' } });
  const svg = (await job.done).files?.['view.svg'];
  if (!svg) return null;
  const image = h('img', { alt: `Picture of ${state.model.name}` });
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.onload = () => URL.revokeObjectURL(image.src);
  return image;
}
