// Simulate: run files and simple forms; play, scrub, plots on one cursor, runs over one another.

import { run } from '../api.js';
import { operationLine } from '../command_line.js';
import { download, h, replace } from '../dom.js';
import { runFile } from '../run_file.js';
import { emit, on, state } from '../store.js';
import { parseCsv } from '../table.js';
import { short } from '../units.js';
import { choice, copyButton, field, numberField } from './fields.js';
import { makePlayer } from './player.js';

let stops = [];
let runs = []; // {name, table, report, isShown}
let hash = ''; // of the model that the runs are of
let job = null;
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

const options = () => ({ run: ['run.xml'], method: form.method, output: 'table.csv' });

async function start() {
  if (job) {
    job.cancel();
    return;
  }
  const text = fileText();
  parts.run.textContent = 'Cancel';
  parts.note.textContent = 'running';
  try {
    const request = {
      files: { 'run.xml': text },
      options: options(),
    };
    job = run('simulate', request, (words) => {
      parts.note.textContent = words;
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
    await show();
    parts.player.play(true);
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    job = null;
    if (parts.run) parts.run.textContent = 'Run';
  }
}

// --- Showing ------------------------------------------------------------------------------------

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
  const drift = (key, name, unit) => {
    const value = item.report?.[key];
    const text = `${name} ${value?.toExponential(1)} ${unit}`;
    return value === undefined ? null : h('div', { class: 'muted' }, text);
  };
  return h(
    'tr',
    {},
    h('td', {}, box),
    h('td', {}, `${number + 1} ${item.name}`),
    h(
      'td',
      {},
      `${short(item.report?.time ?? NaN)} s`,
      drift('energy_drift', 'energy drifts', 'J'),
      state.model.loops > 0 ? drift('constraint_drift', 'loops open', 'm') : null,
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
  await parts.player.set(runs);
}

async function saveSvg() {
  try {
    const reply = await run('simulate', {
      files: { 'run.xml': fileText() },
      options: { run: ['run.xml'], method: form.method, plot: 'plot.svg' },
    }).done;
    const svg = reply.files['plot.svg'];
    if (svg) download('plot.svg', svg, 'image/svg+xml');
    else emit('message', reply.log);
  } catch (error) {
    emit('message', error.message);
  }
}

// --- The mode -----------------------------------------------------------------------------------

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
      if (!form.isEdited && runs.length === 0) parts.text.value = fileText();
    }),
  );
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Simulate'),
    field(
      'What',
      choice(
        form,
        'kind',
        [
          ['free', 'free from this pose'],
          ['hold', 'hold this pose'],
          ['move', 'reference → this pose → back'],
        ],
        fill,
      ),
    ),
    field('Duration, s', numberField(form, 'duration', fill)),
    field(
      'Controller',
      choice(
        form,
        'law',
        [
          ['computed-torque', 'computed torque'],
          ['pd+gravity', 'PD + gravity'],
          ['pd', 'PD'],
        ],
        fill,
      ),
    ),
    field('Frequency, Hz', numberField(form, 'frequency', fill)),
    field(
      'Method',
      choice(form, 'method', [
        ['dopri853', 'dopri853'],
        ['dopri5', 'dopri5'],
        ['rk4', 'rk4'],
        ['euler', 'euler'],
        ['cvode', 'cvode'],
        ['ida', 'ida'],
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
    h(
      'div',
      { class: 'row' },
      copyButton('Copy command', () => operationLine('simulate', options())),
      h('span', { class: 'muted' }, 'for the file that Save writes'),
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
  parts.player = makePlayer();
  return parts.player.element;
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
    show();
  },
  leave() {
    parts.player?.stop();
    for (const stop of stops) stop();
    stops = [];
  },
};
