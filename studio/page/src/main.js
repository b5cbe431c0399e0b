// The page: frame, modes, connection.

import { app } from './app.js';
import {
  connect,
  disconnect,
  drag,
  edit,
  exchange,
  getModel,
  hasServer,
  latencies,
  move,
  operations,
  picture,
  setToken,
  takeControl,
} from './api.js';
import { copyText, h, replace, replaceTabs, tablist, visible } from './dom.js';
import { keySheet, listen } from './keys.js';
import { modes } from './modes.js';
import { makeDrawer } from './panels/drawer.js';
import { emit, on, set, state } from './store.js';
import { makeHistory } from './undo.js';
import { short, unitOf } from './units.js';
import { decodeState, encodeState } from './url.js';
import { axesSign } from './view/axes_sign.js';
import { enableLinkDrag } from './view/drag.js';
import { coveredBodies, layers } from './view/machine.js';
import { View } from './view/view.js';

const parts = {};
let mode = null;

// --- The address --------------------------------------------------------------------------------

// The token is for this page alone: it leaves the address, and stays for a reload.
function keepToken(token) {
  sessionStorage.setItem('linkwork.token', token);
  setToken(token);
}

function readAddress(address) {
  const values = decodeState(new URL(address).hash.slice(1));
  if (!hasServer) return values;
  keepToken(String(values.t ?? sessionStorage.getItem('linkwork.token') ?? ''));
  delete values.t;
  return values;
}

function addressState() {
  const { units, selection, layers: shown } = state;
  return encodeState({
    mode: state.mode,
    panel: modes.find((item) => item.id === state.mode)?.address?.(),
    theme: state.theme,
    units: `${units.angle},${units.length}`,
    layers:
      Object.keys(shown)
        .filter((id) => shown[id])
        .join(',') || 'none',
    sel: selection ? `${selection.kind}.${selection.index}` : null,
    q: state.q.length > 0 && state.q.length < 300 ? state.q : null,
    camera: app.view?.machine ? (app.view.before ?? app.view.cameraState()) : null,
  });
}

let addressTimer = 0;

function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => history.replaceState(null, '', `#${addressState()}`), 250);
}

function applyAddress(values) {
  const [angle, length] = String(values.units).split(',');
  set('units', {
    angle: ['deg', 'rad'].includes(angle) ? angle : state.units.angle,
    length: ['mm', 'm'].includes(length) ? length : state.units.length,
  });
  const dark = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  setTheme(
    ['light', 'dark'].includes(values.theme)
      ? values.theme
      : (localStorage.getItem('linkwork.theme') ?? dark),
  );
  const named = modes.find((item) => item.id === values.mode);
  if (named) state.mode = named.id;
  if (values.panel) named?.restore?.(String(values.panel));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  set('theme', theme);
}

// --- The frame ----------------------------------------------------------------------------------

function button(title, label, onclick, props = {}) {
  return h('button', { title, 'aria-label': title, onclick, ...props }, label);
}

function unitButton(kind, values) {
  const item = button(`Unit of ${kind}s`, '', () => {
    const next = values[(values.indexOf(state.units[kind]) + 1) % values.length];
    set('units', { ...state.units, [kind]: next });
    enter(mode);
  });
  on('units', () => {
    item.textContent = state.units[kind];
  });
  return item;
}

function historyButton(title, label, key) {
  const item = button(title, label, () => emit(`key:${title.toLowerCase()}`), { disabled: true });
  on('history', (can) => {
    item.disabled = !can[key];
  });
  return item;
}

function makeTop() {
  parts.title = h('h1', {});
  parts.modes = tablist({ class: 'modes', 'aria-label': 'Modes' });
  return h(
    'header',
    { class: 'top' },
    parts.title,
    parts.modes,
    h(
      'div',
      { class: 'group' },
      historyButton('Undo', '↶', 'canUndo'),
      historyButton('Redo', '↷', 'canRedo'),
    ),
    h(
      'div',
      { class: 'group' },
      unitButton('angle', ['deg', 'rad']),
      unitButton('length', ['mm', 'm']),
    ),
    button('Copy the address of this view', 'Share', async () => {
      const ok = await copyText(`${location.href.split('#')[0]}#${addressState()}`);
      emit(
        'message',
        ok ? 'the address is copied, without the token' : 'the browser refuses to copy',
      );
    }),
    button('Light or dark', '◐', () => {
      setTheme(state.theme === 'dark' ? 'light' : 'dark');
      localStorage.setItem('linkwork.theme', state.theme);
      writeAddress();
    }),
    button('Keys', '?', () => parts.sheet.showModal()),
  );
}

function makeToolbar() {
  const bar = h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' });
  const looks = ['iso', 'front', 'side', 'top'].map((name) =>
    button(`View: ${name}`, name, () => look(name)),
  );
  const shown = h('div', { class: 'group layers' });
  bar.append(h('div', { class: 'group looks' }, ...looks), h('span', { class: 'grow' }), shown);
  for (const layer of layers) {
    const item = button(`Layer: ${layer.title}`, layer.title, () => toggleLayer(layer.id), {
      'aria-pressed': 'false',
    });
    on('layers', () => item.setAttribute('aria-pressed', String(Boolean(state.layers[layer.id]))));
    shown.append(item);
  }
  return bar;
}

function toggleLayer(id) {
  set('layers', { ...state.layers, [id]: !state.layers[id] });
  writeAddress();
}

function makeFrame() {
  parts.sheet = keySheet();
  parts.left = h('aside', { class: 'side left', 'aria-label': 'Machine and joints' });
  parts.right = h('aside', { class: 'side right', 'aria-label': 'Inspector and tools' });
  parts.banner = h('div', { class: 'banner', role: 'alert' });
  parts.canvas = h('canvas', {
    tabindex: '0',
    'aria-label': '3D view; the tables hold the same numbers',
  });
  parts.hud = h('div', { class: 'hud low', role: 'status' });
  parts.view = h('main', { class: 'view' }, parts.canvas, makeToolbar(), parts.hud, axesSign());
  app.drawer = makeDrawer();
  replace(
    document.getElementById('app'),
    makeTop(),
    parts.banner,
    parts.left,
    parts.view,
    app.drawer.element,
    parts.right,
    parts.sheet,
  );
}

function paintModes() {
  replaceTabs(
    parts.modes,
    ...modes.map((item, i) => {
      const why = item.blocked(state.model);
      return h(
        'button',
        {
          role: 'tab',
          id: `mode-${item.id}`,
          class: why ? 'blocked' : '',
          'aria-selected': String(mode === item),
          title: why ? `${item.title}: ${why}` : `${item.title} (${i + 1})`,
          onclick: () => enter(item),
        },
        item.title,
      );
    }),
  );
}

function enter(next) {
  mode?.leave?.();
  mode = next;
  state.mode = next.id;
  const why = next.blocked(state.model);
  replace(parts.left, ...[next.left?.() ?? []].flat());
  replace(
    parts.right,
    ...[why ? h('section', { class: 'section warning' }, why) : null, next.right?.() ?? []].flat(),
  );
  const body = next.drawer?.();
  if (body) {
    app.drawer.add('mode', next.drawerTitle ?? next.title, body);
    app.drawer.show('mode');
  } else {
    app.drawer.remove('mode');
  }
  next.enter?.();
  paintModes();
  writeAddress();
}

// --- Banners ------------------------------------------------------------------------------------

const banners = new Map();

function setBanner(id, text, isBad, ...actions) {
  if (text)
    banners.set(
      id,
      h('div', { class: isBad ? 'bad' : '' }, h('span', { class: 'grow' }, text), ...actions),
    );
  else banners.delete(id);
  replace(parts.banner, ...banners.values());
}

function paintStatus() {
  const { status } = state;
  setBanner(
    'pose',
    status.good ? '' : `${status.message}. The last configuration that closes is shown.`,
    true,
  );
  const us = status.microseconds > 0 ? `${status.microseconds.toFixed(1)} µs per solve` : '';
  const solve = status.good ? us : 'not solved';
  const { factor, name } = unitOf('length');
  const step = app.view?.gridStep ? `grid ${short(factor * app.view.gridStep)} ${name}` : '';
  const what = app.view?.previewed ? 'the configured robot' : solve;
  parts.hud.textContent = [what, step].filter(Boolean).join(' · ');
}

function paintStale(model) {
  const errors = model.findings.filter((f) => f.severity === 'error').length;
  setBanner(
    'stale',
    model.stale
      ? `The file has ${errors} error${errors === 1 ? '' : 's'}; this is the version ${readAt ? `of ${readAt}` : 'before'}.`
      : '',
    true,
    button('Show them', 'Messages', () => app.drawer.show('messages')),
  );
}

// --- Without WebGL ------------------------------------------------------------------------------

let side = 'iso'; // from which the picture is drawn
let isBlind = false; // there is no WebGL, or its context is lost
let fallbackTimer = 0;

async function drawFallback() {
  const image = await picture(side).catch(() => null); // the banner says why
  if (!image || !isBlind) return;
  image.classList.add('picture');
  parts.picture?.remove();
  parts.picture = image;
  parts.canvas.classList.add('hidden');
  parts.view.prepend(image);
}

function look(name) {
  side = name;
  app.view?.look(name);
  if (isBlind && state.model) drawFallback();
}

// Pictures instead of the view while it is blind, after the last of several poses.
function setBlind(isNow, why) {
  isBlind = isNow;
  const instead = hasServer ? 'is drawn by the program' : 'has outlines only';
  setBanner('webgl', isNow ? `${why}: the picture ${instead}; all numbers work.` : '', false);
  if (isNow) return;
  parts.picture?.remove();
  parts.canvas.classList.remove('hidden');
}

function makeView(wantsWebGl) {
  if (wantsWebGl) {
    try {
      app.view = new View(parts.canvas);
      enableLinkDrag(app.view);
      return;
    } catch {
      app.view = null;
    }
  }
  setBlind(true, 'This browser has no WebGL');
  // What a picture has not.
  const absent = hasServer ? '.axes, .layers' : '.axes, .layers, .looks';
  for (const element of parts.view.querySelectorAll(absent)) element.remove();
  on('poses', () => emit('posed'));
}

// --- The model ----------------------------------------------------------------------------------

function defaultLayers(model) {
  const covered = coveredBodies(model);
  const bars = new Set(
    model.skeleton.filter((s) => s.role === 'link' && !covered.has(s.body)).map((s) => s.body),
  );
  return {
    visual: true,
    collision: false,
    skeleton: bars.size >= covered.size,
    frames: false,
    mass: false,
    inertia: false,
    grid: true,
  };
}

// Selections are numbers, which another version of the file may give to others: the name counts.
const partsOf = (model, kind) =>
  ({ body: model.bodies, link: model.links, frame: model.frame_list })[kind] ?? [];

function followSelection(old, model) {
  const { selection } = state;
  if (!selection || !old) return selection;
  const name = partsOf(old, selection.kind)[selection.index]?.name;
  const index = partsOf(model, selection.kind).findIndex((part) => part.name === name);
  return index < 0 ? null : { kind: selection.kind, index };
}

let readAt = ''; // when the version that is shown came

function takeModel(model, isFirst) {
  const selection = followSelection(state.model, model);
  if (!model.stale) readAt = new Date().toLocaleTimeString();
  state.q = model.q;
  state.posed = model.q;
  state.poses = Float32Array.from(model.poses);
  state.tree = model.tree_q;
  const isOther = !isFirst && state.model?.hash !== model.hash;
  set('model', model);
  document.title = `${visible(model.name)} - linkwork studio`;
  parts.title.textContent = visible(model.name);
  parts.title.title = model.name;
  if (isFirst) state.layers = defaultLayers(model);
  app.view?.setModel(model, !isFirst);
  set('layers', state.layers);
  set('selection', selection);
  enter(modes.find((item) => item.id === state.mode) ?? modes[0]);
  paintStale(model);
  emit('poses');
  emit('posed');
  if (isOther)
    emit(
      'message',
      `the model was read again: ${model.nbody} bodies, ${model.nq} positions, ${model.mass.toPrecision(4)} kg`,
    );
}

function applySelection(text) {
  const [kind, index] = String(text).split('.');
  const isThere = /^\d+$/.test(index) && partsOf(state.model, kind)[Number(index)];
  set('selection', isThere ? { kind, index: Number(index) } : null);
}

let retry = 0;
let retryTimer = 0;
let attempts = 0;

async function fetchModel(values) {
  if (values.c) {
    const code = String(values.c);
    delete values.c; // it works once
    keepToken(await exchange(code));
  }
  return getModel();
}

// Only the newest attempt counts: two connections would be two pages, of which one watches.
async function goOnline(isFirst, values = {}, prepare = () => {}) {
  clearTimeout(retryTimer);
  attempts += 1;
  const attempt = attempts;
  try {
    const asked = fetchModel(values); // the server answers while the page prepares
    prepare();
    const model = await asked;
    if (attempt !== attempts) return;
    takeModel(model, isFirst);
  } catch (error) {
    if (attempt !== attempts) return;
    const text =
      error.status === 401
        ? 'This page has no token of the running server: open the address that linkwork studio printed.'
        : 'The server does not answer. Start linkwork studio again, or wait.';
    setBanner(
      'server',
      text,
      true,
      button('Try again', 'Retry', () => goOnline(isFirst, values)),
    );
    if (error.status !== 401)
      retryTimer = setTimeout(() => goOnline(isFirst, values), Math.min(8000, 500 * 2 ** retry++));
    return;
  }
  retry = 0;
  setBanner('server', '');
  connect();
  if (isFirst) state.wanted = restore(values);
}

// Shows what an address says of the view; returns the configuration in it, null for none.
function restore(values) {
  if (values.layers !== undefined) {
    const shown = String(values.layers).split(',');
    const ids = [...layers.map((l) => l.id), 'grid'];
    set('layers', Object.fromEntries(ids.map((id) => [id, shown.includes(id)])));
  }
  if (values.camera?.length === 6) app.view?.setCamera(values.camera);
  applySelection(values.sel);
  return Array.isArray(values.q) && values.q.length === state.model.nq ? values.q : null;
}

// Another address in this tab: of another view, or with the token of a server that was started again.
function followAddress({ newURL }) {
  const values = readAddress(newURL);
  if (!state.connected) goOnline(!state.model, values);
  if (!state.model) return;
  applyAddress(values);
  // First the panel: leaving Configure brings back the camera that was there before it.
  enter(modes.find((item) => item.id === state.mode));
  const q = restore(values);
  if (q) move(q);
}

// The diagnostics of the last attempt to read the file.
function takeFindings({ stale, findings }) {
  Object.assign(state.model, { stale, findings });
  paintStale(state.model);
  emit('findings');
}

let isAsked = false;
let isFetching = false;

// Fetches the model again; what is asked for meanwhile is fetched after it. Diagnostics come with
// their model: alone, they may be of a version whose model is still to come.
async function refresh() {
  isAsked = true;
  if (isFetching) return;
  isFetching = true;
  try {
    while (isAsked) {
      isAsked = false;
      const model = await getModel();
      if (model.version !== state.model.version) takeModel(model, false);
      else takeFindings(model);
    }
  } catch (error) {
    emit('message', error.message);
  }
  isFetching = false;
}

function listenToServer() {
  on('connected', (isUp) => {
    if (isUp && state.wanted) {
      move(state.wanted);
      state.wanted = null;
    }
    if (!isUp && state.model) goOnline(false);
  });
  on('server:model server:findings', refresh);
  on('server:error', ({ message }) => emit('message', message));
  on('yours', (isYours) =>
    setBanner(
      'control',
      isYours ? '' : 'Another page moves this model; this one watches.',
      false,
      button('Take over', 'Take over', takeControl),
    ),
  );
  on('poses', () => {
    clearTimeout(fallbackTimer);
    if (isBlind) fallbackTimer = setTimeout(drawFallback, hasServer ? 300 : 0);
  });
  on('context', (isThere) => {
    setBlind(!isThere, 'The graphics driver has lost this view');
    if (isThere) app.view.redraw();
    else drawFallback();
  });
  on('limits', (text) => setBanner('limits', text, false));
  on('posed', paintStatus);
  on('q camera selection layers panel', writeAddress);
  on('selection', () => app.view?.select(bodyOf(state.selection)));
  on('hover', (body) => app.view?.select(body ?? bodyOf(state.selection)));
}

function bodyOf(selection) {
  if (!selection) return null;
  if (selection.kind === 'body') return selection.index;
  return selection.kind === 'link'
    ? state.model.links[selection.index].body
    : state.model.frame_list[selection.index].body;
}

function listenToKeys() {
  const actions = {
    r: () => look('iso'),
    f: () => app.view?.look('iso', bodyOf(state.selection) ?? undefined),
    g: () => toggleLayer('grid'),
    '/': () => document.getElementById('search')?.focus(),
    '?': () => (parts.sheet.open ? parts.sheet.close() : parts.sheet.showModal()),
    escape: () => {
      document.activeElement?.blur();
      set('selection', null);
    },
    ' ': () => emit('key:run'),
    ',': () => emit('key:back'),
    '.': () => emit('key:on'),
    'ctrl+z': () => emit('key:undo'),
    'ctrl+shift+z': () => emit('key:redo'),
  };
  for (const layer of layers) actions[layer.key] = () => toggleLayer(layer.id);
  modes.forEach((item, i) => {
    actions[String(i + 1)] = () => enter(item);
  });
  listen(actions);
  parts.canvas.addEventListener('keydown', (event) => {
    const turn = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, 0.1],
      ArrowDown: [0, -0.1],
    }[event.key];
    if (!turn) return;
    event.preventDefault();
    app.view?.nudge(...turn);
  });
}

// Paper is light.
function listenToPrinter() {
  let before = 'light';
  addEventListener('beforeprint', () => {
    before = state.theme;
    setTheme('light');
    app.view?.renderNow();
  });
  addEventListener('afterprint', () => setTheme(before));
}

async function start() {
  const values = readAddress(location.href);
  makeFrame();
  applyAddress(values);
  listenToServer();
  listenToKeys();
  listenToPrinter();
  makeHistory();
  addEventListener('hashchange', followAddress);
  await goOnline(true, values, () => {
    makeView(values.webgl !== 'off');
  });
}

// Whether all is drawn, and no panel waits for an answer.
function isReady() {
  const { view } = app;
  const isDrawn = view
    ? view.isDrawn && view.machine.pending === 0 && !view.isDirty && !view.isBusy()
    : document.querySelector('.picture') !== null;
  return state.connected && operations() === 0 && isDrawn;
}

// What tests and screenshots read.
window.__lw = {
  state,
  app,
  latencies,
  operations,
  disconnect,
  isReady,
  addressState,
  move,
  drag,
  edit,
  set,
  emit,
  get frames() {
    return app.view?.frames ?? 0;
  },
};

start();
