// Simulate: run files and simple forms; play, scrub, plots on one cursor, runs over one another.

import { move, run } from '../api.js';
import { download, h, replace } from '../dom.js';
import { runFile } from '../run_file.js';
import { emit, on, state } from '../store.js';
import { column, parseCsv, rowAt } from '../table.js';
import { short, unitOf } from '../units.js';
import { makePlots } from './plots.js';

let stops = [];
let runs = []; // {name, table, report, isShown}
let hash = ''; // of the model that the runs are of
let job = null;
let time = 0;
let isPlaying = false;
const form = {
  kind: 'free',
  duration: 2,
  law: 'computed-torque',
  frequency: 5,
  method: 'dopri853',
  text: '',
  isEdited: false,
};
const parts = {};

// --- Running ------------------------------------------------------------------------------------

function fileText() {
  return form.isEdited
    ? form.text
    : runFile({ ...form, q: state.q, reference: state.model.reference });
}

async function start() {
  if (job) {
    job.cancel();
    return;
  }
  const text = fileText();
  parts.run.textContent = 'Cancel';
  parts.note.textContent = 'running';
  try {
    job = run('simulate', {
      files: { 'run.xml': text },
      options: { run: ['run.xml'], method: form.method, output: 'table.csv' },
    });
    const reply = await job.done;
    if (reply.code !== 0 || !reply.files['table.csv']) {
      parts.note.textContent = reply.log.trim();
      return;
    }
    const table = parseCsv(reply.files['table.csv']);
    runs = [
      ...runs,
      {
        name: text.match(/name="([^"]*)"/)?.[1] ?? 'run',
        table,
        report: reply.result,
        csv: reply.files['table.csv'],
        isShown: true,
      },
    ].slice(-6);
    parts.note.textContent = reply.log.trim();
    time = 0;
    await show();
    play(true);
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    job = null;
    if (parts.run) parts.run.textContent = 'Run';
  }
}

// --- Time ---------------------------------------------------------------------------------------

const current = () => runs.at(-1);

function duration() {
  const times = current() && column(current().table, 'time');
  return times?.length ? times.at(-1) : 0;
}

// The configuration of the last run at a time.
export function positionsAt(table, names, t, fallback) {
  const times = column(table, 'time');
  const row = rowAt(times, t);
  return names.map((name, k) => column(table, `q.${name}`)?.[row] ?? fallback[k]);
}

function goTo(t, fromPlot = false) {
  if (!current()) return;
  time = Math.min(Math.max(t, 0), duration());
  parts.scrub.value = String(time);
  parts.clock.textContent = `${time.toFixed(3)} s`;
  move(positionsAt(current().table, state.model.positions, time, state.q));
  if (!fromPlot) parts.plots.setTime(time);
}

function play(on) {
  isPlaying = on && Boolean(current());
  if (parts.play) parts.play.textContent = isPlaying ? 'Pause' : 'Play';
  if (!isPlaying) return;
  if (time >= duration()) time = 0;
  let before = performance.now();
  const step = (now) => {
    if (!isPlaying || state.mode !== 'simulate') return;
    goTo(time + ((now - before) / 1000) * Number(parts.speed.value));
    before = now;
    if (time >= duration()) play(false);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function stepRows(count) {
  const times = current() && column(current().table, 'time');
  if (!times) return;
  play(false);
  goTo(times[Math.min(Math.max(rowAt(times, time) + count, 0), times.length - 1)]);
}

// --- Showing ------------------------------------------------------------------------------------

const kinds = [
  { id: 'q', title: 'Positions' },
  { id: 'v', title: 'Velocities' },
  { id: 'tau', title: 'Forces' },
  { id: 'error', title: 'Errors' },
];

function chartsOf(list) {
  const charts = [];
  for (const kind of kinds) {
    const lines = [];
    list.forEach(({ table, number }) => {
      const x = column(table, 'time');
      state.model.positions.slice(0, 12).forEach((name, k) => {
        const y = column(table, `${kind.id}.${name}`);
        const isShownInUnits = kind.id === 'q' || kind.id === 'v' || kind.id === 'error';
        const factor = isShownInUnits ? unitOf(state.model.coordinates[k].kind).factor : 1;
        if (y)
          lines.push({
            name,
            run: number,
            x,
            y: factor === 1 ? y : y.map((value) => value * factor),
          });
      });
    });
    const units = [
      ...new Set(
        state.model.coordinates.map((c) =>
          kind.id === 'tau'
            ? c.kind === 'length'
              ? 'N'
              : 'N m'
            : unitOf(c.kind).name + (kind.id === 'v' ? '/s' : ''),
        ),
      ),
    ];
    if (lines.length > 0) charts.push({ title: kind.title, unit: units.join(', '), lines });
  }
  const energy = [];
  list.forEach(({ table, number }) => {
    for (const name of ['kinetic', 'potential', 'work', 'lost']) {
      const y = column(table, name);
      if (y) energy.push({ name, run: number, x: column(table, 'time'), y });
    }
  });
  if (energy.length > 0) charts.push({ title: 'Energy', unit: 'J', lines: energy });
  return charts;
}

function runRow(item, number) {
  const box = h('input', {
    type: 'checkbox',
    'aria-label': `Show run ${number + 1}`,
    onchange: () => {
      item.isShown = box.checked;
      show();
    },
  });
  box.checked = item.isShown;
  const drift = item.report?.energy_drift;
  return h(
    'tr',
    {},
    h('td', {}, box),
    h('td', {}, `${number + 1} ${item.name}`),
    h('td', { class: 'number' }, `${short(item.report?.time ?? NaN)} s`),
    h(
      'td',
      { class: 'number', title: 'drift of energy, J' },
      drift === undefined ? '' : drift.toExponential(1),
    ),
    h(
      'td',
      {},
      h(
        'button',
        {
          class: 'plain',
          'aria-label': `Save run ${number + 1} as CSV`,
          onclick: () => download(`${item.name}.csv`, item.csv, 'text/csv'),
        },
        'CSV',
      ),
      h(
        'button',
        {
          class: 'plain',
          'aria-label': `Forget run ${number + 1}`,
          onclick: () => {
            runs = runs.filter((other) => other !== item);
            show();
          },
        },
        '×',
      ),
    ),
  );
}

async function show() {
  if (!parts.runs) return;
  replace(parts.runs, ...runs.map(runRow));
  parts.scrub.max = String(duration() || 1);
  const shown = runs.map((item, number) => ({ ...item, number })).filter((item) => item.isShown);
  await parts.plots.set(chartsOf(shown));
}

async function saveSvg() {
  const reply = await run('simulate', {
    files: { 'run.xml': fileText() },
    options: { run: ['run.xml'], method: form.method, plot: 'plot.svg' },
  }).done;
  if (reply.files['plot.svg']) download('plot.svg', reply.files['plot.svg'], 'image/svg+xml');
  else emit('message', reply.log);
}

// --- The mode -----------------------------------------------------------------------------------

function field(title, input) {
  return h(
    'label',
    { class: 'row' },
    h('span', { class: 'grow' }, title),
    h('span', { class: 'field' }, input),
  );
}

function choice(key, values, onchange) {
  const select = h(
    'select',
    {
      onchange: () => {
        form[key] = select.value;
        onchange?.();
      },
    },
    ...values.map(([value, text]) => h('option', { value }, text)),
  );
  select.value = form[key];
  return select;
}

function numberField(key) {
  const input = h('input', {
    type: 'number',
    min: '0.01',
    step: 'any',
    onchange: () => {
      if (input.valueAsNumber > 0) form[key] = input.valueAsNumber;
      fill();
    },
  });
  input.value = String(form[key]);
  return input;
}

function fill() {
  form.isEdited = false;
  if (parts.text) parts.text.value = fileText();
}

function left() {
  parts.text = h('textarea', {
    rows: '12',
    spellcheck: 'false',
    'aria-label': 'Run file',
    oninput: () => {
      form.isEdited = true;
      form.text = parts.text.value;
    },
  });
  parts.text.value = fileText();
  parts.run = h('button', { onclick: start }, job ? 'Cancel' : 'Run');
  parts.note = h('p', { class: 'muted', role: 'status' });
  const open = h('input', {
    type: 'file',
    accept: '.xml',
    class: 'sr',
    id: 'run-file',
    onchange: async () => {
      if (open.files[0]) {
        parts.text.value = await open.files[0].text();
        form.isEdited = true;
        form.text = parts.text.value;
      }
    },
  });
  stops.push(
    on('q', () => {
      if (!form.isEdited && !isPlaying && !current()) parts.text.value = fileText();
    }),
  );
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Simulate'),
    field(
      'What',
      choice(
        'kind',
        [
          ['free', 'free from this pose'],
          ['hold', 'hold this pose'],
          ['move', 'reference → this pose → back'],
        ],
        fill,
      ),
    ),
    field('Duration, s', numberField('duration')),
    field(
      'Controller',
      choice(
        'law',
        [
          ['computed-torque', 'computed torque'],
          ['pd+gravity', 'PD + gravity'],
          ['pd', 'PD'],
        ],
        fill,
      ),
    ),
    field('Frequency, Hz', numberField('frequency')),
    field(
      'Method',
      choice('method', [
        ['dopri853', 'dopri853'],
        ['dopri5', 'dopri5'],
        ['rk4', 'rk4'],
        ['euler', 'euler'],
        ['cvode', 'cvode'],
      ]),
    ),
    h('h3', {}, 'Run file'),
    parts.text,
    h(
      'div',
      { class: 'row' },
      parts.run,
      h('button', { onclick: fill }, 'From the form'),
      h('button', { onclick: () => open.click() }, 'Open'),
      h('button', { onclick: () => download('run.xml', fileText(), 'application/xml') }, 'Save'),
      open,
    ),
    parts.note,
  );
}

function right() {
  parts.runs = h('tbody', {});
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Runs'),
    h('table', {}, parts.runs),
    h('div', { class: 'row' }, h('button', { onclick: saveSvg }, 'Plot as SVG')),
    h('p', { class: 'muted' }, 'The last run plays; dashes tell runs apart.'),
  );
}

function drawer() {
  if (hash !== state.model.hash) runs = [];
  hash = state.model.hash;
  parts.scrub = h('input', {
    type: 'range',
    min: '0',
    max: '1',
    step: 'any',
    value: '0',
    'aria-label': 'Time',
    oninput: () => {
      play(false);
      goTo(parts.scrub.valueAsNumber);
    },
  });
  parts.clock = h('span', { class: 'number' }, '0.000 s');
  parts.play = h('button', { onclick: () => play(!isPlaying) }, 'Play');
  parts.speed = h(
    'select',
    { 'aria-label': 'Speed' },
    ...['0.1', '0.25', '0.5', '1', '2', '4'].map((value) => h('option', { value }, `× ${value}`)),
  );
  parts.speed.value = '1';
  parts.plots = makePlots((t) => {
    if (!isPlaying) goTo(t, true);
  });
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'row' },
      parts.play,
      h('span', { class: 'grow' }, parts.scrub),
      parts.clock,
      parts.speed,
    ),
    parts.plots.element,
  );
}

// Why a model cannot be simulated.
function blocked(model) {
  if (model.nq === 0) return 'the model has no joint that moves';
  const light = model.mass > 0 ? null : 'nothing has mass';
  return light ?? '';
}

export default {
  id: 'simulate',
  title: 'Simulate',
  blocked,
  left,
  right,
  drawer,
  enter() {
    stops.push(
      on('key:run', () => play(!isPlaying)),
      on('key:back', () => stepRows(-1)),
      on('key:on', () => stepRows(1)),
    );
    show();
  },
  leave() {
    isPlaying = false;
    parts.plots?.stop();
    for (const stop of stops) stop();
    stops = [];
  },
};
