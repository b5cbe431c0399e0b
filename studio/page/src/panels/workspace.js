// Workspace: where a frame can go, how well, and where that ends.

import { move, run } from '../api.js';
import { app } from '../app.js';
import { operationLine } from '../command_line.js';
import { h, replace } from '../dom.js';
import { tipFrame } from '../kinematics.js';
import { emit, on, state } from '../store.js';
import { short, unitOf } from '../units.js';
import { hideCloud, showCloud } from '../view/cloud.js';
import {
  bestCell,
  cut,
  meaningOf,
  ramp,
  readMap,
  readSection,
  rectangle,
  summary,
} from '../workspace_map.js';
import { choice, copyButton, field, numberField } from './fields.js';

let stops = [];
let job = null;
let isHere = false;
let isWanted = false; // the address has cells
let isRestored = false; // they are found for it
let map = null; // {hash, cell, result, count, points, measures, witness}
let section = null; // {hash, plane, at, result, curves, q}
const form = {
  frame: -1, // number; -1 for that at the end of the longest chain
  cell: 0, // m; 0 for half a step of the grid
  n: 200000,
  directions: 0,
  collide: 'no',
  plane: 'xz',
  at: 0,
  measure: 'manipulability',
  cut: 'all',
  ellipsoid: 'velocity',
};
const choices = {
  collide: [
    ['no', 'ignored'],
    ['yes', 'excluded'],
  ],
  plane: [
    ['xz', 'x z'],
    ['yz', 'y z'],
    ['xy', 'x y'],
    ['none', 'none'],
  ],
  cut: [
    ['all', 'all'],
    ['half', 'one side'],
    ['slice', 'in the section'],
  ],
  ellipsoid: [
    ['velocity', 'velocities'],
    ['force', 'forces'],
    ['dynamic', 'accelerations'],
  ],
};
const parts = {};

const isCount = (least) => (x) => Number.isInteger(x) && x >= least && x <= 4294967295;
const isOneOf = (list) => (x) => list.some(([value]) => value === x);

// What the address keeps of the form, in this order, and what it may have.
const kept = {
  frame: isCount(-1),
  cell: (x) => x >= 0,
  n: isCount(1),
  directions: isCount(0),
  collide: isOneOf(choices.collide),
  plane: isOneOf(choices.plane),
  at: Number.isFinite,
  measure: () => true,
  cut: isOneOf(choices.cut),
  ellipsoid: isOneOf(choices.ellipsoid),
};

// --- Running ------------------------------------------------------------------------------------

const frameNumber = () => (state.model.frame_list[form.frame] ? form.frame : tipFrame(state.model));
const frameName = () => state.model.frame_list[frameNumber()].name;
const cellSize = () => form.cell || (state.model.grid > 0 ? 0.5 * state.model.grid : 0.05);

// Options of the command; those of the section come apart, so that the cells need not wait for it.
function options() {
  return {
    frame: frameName(),
    cell: cellSize(),
    n: form.n,
    mode: 'fast',
    ...(form.directions > 0 ? { directions: form.directions } : {}),
    ...(form.collide === 'yes' ? { collide: true } : {}),
    ...(form.ellipsoid === 'velocity' ? {} : { ellipsoid: form.ellipsoid }),
  };
}

function copiedLine() {
  return operationLine('workspace', {
    ...options(),
    plane: form.plane,
    ...(form.plane === 'none' ? {} : { at: form.at }),
    output: 'reach',
  });
}

async function operate(request) {
  const { hash } = state.model;
  job = run('workspace', { options: { ...request, csv: true, output: 'reach' } }, (words) => {
    parts.note.textContent = words;
  });
  const reply = await job.done;
  if (reply.code !== 0) throw new Error(reply.log.trim() || `exit code ${reply.code}`);
  return { hash, result: reply.result, files: reply.files, log: reply.log.trim() };
}

async function findCells() {
  const { hash, result, files, log } = await operate({ ...options(), plane: 'none' });
  const isFirst = !map && !(isRestored && app.view?.isAimed);
  map = { hash, result, cell: result.cell, ...readMap(files['reach/map.csv']) };
  show();
  if (isFirst && isHere) app.view?.look('iso'); // all of them; the camera of an address stays
  return log;
}

async function findSection() {
  const { plane, at } = form;
  const { hash, result, files, log } = await operate({ frame: frameName(), n: 1, plane, at });
  const text = files['reach/boundary.csv'];
  section = {
    hash,
    plane,
    at,
    result: result.section,
    why: result.no_section,
    ...(text ? readSection(text, plane, at) : { curves: [], q: [] }),
  };
  show();
  return log;
}

// Either, or one after the other.
async function start(...tasks) {
  if (job) {
    job.cancel();
    return;
  }
  setRunning(true);
  try {
    const logs = [];
    for (const task of tasks) logs.push(await task());
    parts.note.textContent = logs.filter(Boolean).join('\n');
    emit('panel');
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    job = null;
    isRestored = false;
    setRunning(false);
  }
}

const runAll = () => start(findCells, ...(form.plane === 'none' ? [] : [findSection]));

function setRunning(isRunning) {
  parts.run.textContent = isRunning ? 'Cancel' : 'Run';
  parts.alone.disabled = isRunning || form.plane === 'none';
  if (isRunning) parts.note.textContent = 'running';
}

// --- Showing ------------------------------------------------------------------------------------

// That of the form, or where the ellipsoid is another, its own.
const chosen = () => map.measures.find(({ name }) => name === form.measure) ?? map.measures[1];

function paint() {
  if (!app.view || !isHere || (!map && !section)) {
    hideCloud(app.view);
    return;
  }
  const shown = map ? cut(map, form.cut, form.plane, form.at, map.cell) : [];
  const { least, largest } = map ? summary(chosen().values) : {};
  const span = largest - least;
  showCloud(app.view, state.theme, {
    cell: map?.cell ?? cellSize(),
    positions: Float32Array.from(shown.flatMap((i) => [0, 1, 2].map((k) => map.points[3 * i + k]))),
    shares: shown.map((i) => (span > 0 ? (chosen().values[i] - least) / span : 1)),
    curves: section?.curves ?? [],
    box: section?.result?.rectangle
      ? rectangle(section.result.rectangle, section.plane, section.at)
      : null,
  });
}

const number = (value) => h('td', { class: 'number' }, short(Number(value.toPrecision(4))));

function measureRow({ name, values }) {
  const { unit, scale } = meaningOf(name, map.result.axes);
  const { least, median, largest } = summary(values);
  return h(
    'tbody',
    { class: 'measure' },
    h(
      'tr',
      {},
      h(
        'th',
        { scope: 'rowgroup', colSpan: 3 },
        unit ? `${name}, ${unit}` : name,
        h('div', { class: 'muted scale' }, scale),
      ),
    ),
    h('tr', {}, number(least), number(median), number(largest)),
  );
}

function legend() {
  const { least, largest } = summary(chosen().values);
  const bar = h('span', { class: 'ramp grow' });
  bar.style.backgroundImage = `linear-gradient(to right, ${ramp.join(', ')})`;
  return h(
    'div',
    { class: 'row', 'aria-label': `Colours of ${chosen().name}`, role: 'group' },
    h('span', { class: 'number' }, short(Number(least.toPrecision(3)))),
    bar,
    h('span', { class: 'number' }, short(Number(largest.toPrecision(3)))),
  );
}

function goToBest() {
  const i = bestCell(map, chosen().name);
  if (i >= 0) move(map.witness.map((column) => column[i]));
}

function cellsPart() {
  const colors = choice(
    form,
    'measure',
    map.measures.map(({ name }) => [name, name]),
    change,
  );
  colors.value = chosen().name;
  const heads = ['least', 'median', 'largest'].map((text) =>
    h('th', { scope: 'col', class: 'number' }, text),
  );
  const volume = short(Number(map.result.volume.toPrecision(4)));
  return h(
    'section',
    { class: 'section', 'aria-label': 'Cells' },
    h('h2', {}, 'Cells', h('span', { class: 'muted' }, `${map.count} of ${short(map.cell)} m`)),
    field('Colours', colors),
    legend(),
    h('table', {}, h('thead', {}, h('tr', {}, ...heads)), ...map.measures.map(measureRow)),
    h('p', { class: 'muted' }, `${volume} m³ in all, from ${map.result.samples} samples.`),
    map.witness.length > 0 ? h('button', { onclick: goToBest }, 'Go to the best cell') : null,
  );
}

// A slider that moves the model along the section.
function alongPart() {
  const slider = h('input', {
    type: 'range',
    min: '0',
    max: String(section.q.length - 1),
    step: '1',
    'aria-label': 'Along the section',
    oninput: () => move(section.q[slider.valueAsNumber]),
  });
  slider.value = '0';
  return slider;
}

function sectionPart() {
  const { result, why, plane, at, q } = section;
  const normal = { xz: 'y', yz: 'x', xy: 'z' }[plane];
  const title = h('h2', {}, 'Section', h('span', { class: 'muted' }, `${normal} = ${short(at)} m`));
  const props = { class: 'section', 'aria-label': 'Section' };
  if (!result)
    return h('section', props, title, h('p', {}, `No section: ${why ?? 'no boundary was found'}.`));
  const sizes = (...values) => values.map((x) => short(Number(x.toPrecision(5)))).join(' × ');
  const rows = [
    ['area', `${sizes(result.area)} m²`],
    ['pieces of the boundary', result.pieces],
    ['barriers within', result.barriers],
    ['largest square', result.square ? `${sizes(result.square[2])} m` : '-'],
    ['largest rectangle', result.rectangle ? `${sizes(...result.rectangle.slice(2))} m` : '-'],
  ];
  return h(
    'section',
    props,
    title,
    h(
      'table',
      {},
      ...rows.map(([name, value]) =>
        h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'number' }, String(value))),
      ),
    ),
    result.open_ends + result.disagreeing > 0
      ? h(
          'p',
          { class: 'warning' },
          `${result.open_ends} ends of the boundary are open, ${result.disagreeing} cells ` +
            'disagree: area and square are uncertain.',
        )
      : null,
    h('p', { class: 'muted' }, 'Boundary red, barriers dashed, the rectangle green.'),
    q.length > 0 ? alongPart() : null,
  );
}

function show() {
  if (!parts.results) return;
  replace(parts.results, map ? cellsPart() : null, section ? sectionPart() : null);
  paint();
}

// Something of the form was changed that needs no new computation.
function change() {
  setRunning(job !== null);
  show();
  emit('panel');
}

// --- The mode -----------------------------------------------------------------------------------

function left() {
  const { factor, name: unit } = unitOf('length');
  const tell = () => emit('panel');
  const frames = state.model.frame_list.map(({ name }, i) => [String(i), name]);
  const shown = { frame: String(frameNumber()), cell: cellSize() };
  parts.run = h('button', { onclick: runAll });
  parts.alone = h('button', { onclick: () => start(findSection) }, 'Section alone');
  parts.note = h('p', { class: 'muted', role: 'status' });
  setRunning(job !== null);
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Workspace'),
    field(
      'Frame',
      choice(shown, 'frame', frames, () => {
        form.frame = Number(shown.frame);
        tell();
      }),
    ),
    field(
      `Edge of cells, ${unit}`,
      numberField(
        shown,
        'cell',
        () => {
          form.cell = shown.cell;
          tell();
        },
        { factor },
      ),
    ),
    field('Samples', numberField(form, 'n', tell, { isGood: isCount(1) })),
    field('Directions', numberField(form, 'directions', tell, { isGood: isCount(0) })),
    field('Contact', choice(form, 'collide', choices.collide, tell)),
    field('Ellipsoid of', choice(form, 'ellipsoid', choices.ellipsoid, tell)),
    field('Section', choice(form, 'plane', choices.plane, change)),
    field(
      `Section at, ${unit}`,
      numberField(form, 'at', change, { factor, isGood: Number.isFinite }),
    ),
    field('Cells shown', choice(form, 'cut', choices.cut, change)),
    h('div', { class: 'row' }, parts.run, parts.alone, copyButton('Copy command', copiedLine)),
    parts.note,
    h(
      'p',
      { class: 'muted' },
      'Joints are sampled within their limits. With directions, inverse kinematics answers for ' +
        'each cell: its capability is the share of directions that it reaches.',
    ),
  );
}

export default {
  id: 'workspace',
  title: 'Workspace',
  blocked: (model) =>
    model.nq === 0
      ? 'the model has no joint that moves'
      : model.frame_list.length === 0
        ? 'the model has no frame'
        : '',
  left() {
    if (state.model.frame_list.length === 0) return [];
    const { hash } = state.model;
    if (map?.hash !== hash) map = null;
    if (section?.hash !== hash) section = null;
    return left();
  },
  right() {
    parts.results = h('div', {});
    return parts.results;
  },
  enter() {
    isHere = true;
    stops.push(on('theme', paint));
    show();
    isRestored = isWanted && state.model.frame_list.length > 0;
    isWanted = false;
    if (isRestored) runAll();
  },
  leave() {
    isHere = false;
    hideCloud(app.view);
    for (const stop of stops) stop();
    stops = [];
  },
  // The form, and whether its cells are shown.
  address: () => [...Object.keys(kept).map((key) => form[key]), map ? 1 : 0].join(),
  restore(text) {
    const words = text.split(',');
    Object.entries(kept).forEach(([key, isGood], i) => {
      const value = typeof form[key] === 'number' ? Number(words[i]) : words[i];
      if (isGood(value)) form[key] = value;
    });
    isWanted = words.at(-1) === '1' && !map;
  },
};
