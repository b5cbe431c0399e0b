// Configure: a robot from its class, letters and lengths; rules live, all results in one pass.

import { run } from '../api.js';
import { app } from '../app.js';
import { download, h, replace } from '../dom.js';
import { sections } from '../latex.js';
import { groupRules, sizesOf, specFile } from '../spec_file.js';
import { emit } from '../store.js';
import { tar } from '../tar.js';
import { loadKatex, renderSections } from './equations.js';
import { copyButton } from './fields.js';

const DELAY = 150; // ms after the last key

let classes = null; // of configure --list
let timer = 0;
let turns = 0;
let last = Promise.resolve(); // the run before: one after the other
let making = null; // the pass that runs
let results = null; // {files, result} of the last pass
let stage = 'Specification';
let isOpen = false;
const form = {
  kind: 'scara',
  letters: 'RRTR',
  rows: [{ length: '0.4' }, { length: '0.3' }, { length: '0.25' }],
  sizes: null, // {name: text} of a class with loops
  text: '',
  isEdited: false,
};
const parts = {};

// What is missing is named once, however many lengths need it.
const plain = (log) => [...new Set(log.split('\n'))].join('\n').trim();

const fileText = () => (form.isEdited ? form.text : specFile(form));

// Runs configure on the specification; null where a newer one was asked for meanwhile.
async function configure(options) {
  turns += 1;
  const turn = turns;
  await last.catch(() => {});
  if (turn !== turns) return null;
  const request = { operand: 'robot.spec', files: { 'robot.spec': fileText() }, options };
  const job = run('configure', request, (words) => {
    if (!options.check) parts.note.textContent = words;
  });
  making = options.check ? null : job;
  last = job.done;
  const reply = await last;
  making = null;
  return turn === turns ? reply : null;
}

// --- Rules --------------------------------------------------------------------------------------

const words = { violated: '✗ violated', undecided: '? undecided', holds: '✓ holds' };
const severity = (rule) =>
  rule.state !== 'violated' ? (rule.state === 'holds' ? 'good' : 'muted') : 'error';

function ruleRow(rule) {
  return h(
    'li',
    { class: `rule ${rule.state}` },
    h('strong', {}, rule.name),
    ' ',
    h('span', { class: severity(rule) }, words[rule.state]),
    rule.kind === 'usual' ? h('span', { class: 'muted' }, ' (usual)') : null,
    h('div', {}, rule.reason),
    rule.state === 'violated' ? h('div', {}, `Remedy: ${rule.remedy}`) : null,
    rule.state === 'holds'
      ? null
      : h('div', { class: 'muted' }, `fields: ${rule.fields.join(', ')}`),
  );
}

function showRules({ result, log, code }) {
  if (!parts.rules) return;
  const rules = groupRules(result?.rules ?? []);
  const isRefused = rules.some((r) => r.state === 'violated' && r.kind === 'requirement');
  const open = rules.filter(({ state }) => state !== 'holds');
  const kept = rules.filter(({ state }) => state === 'holds');
  parts.make.disabled = code !== 0;
  const errors = plain(log)
    .split('\n')
    .filter((line) => line.includes('error:'));
  parts.note.textContent = rules.length === 0 ? plain(log) : isRefused ? '' : errors.join('\n');
  const isKept = !isRefused && rules.length > 0; // which does not mean that nothing is missing
  parts.verdict.textContent = isRefused ? 'refused' : isKept ? 'accepted' : 'not evaluated';
  parts.verdict.className = isKept ? 'good' : 'error';
  replace(parts.rules, ...open.map(ruleRow));
  replace(parts.kept, ...kept.map(ruleRow));
  parts.keptTitle.textContent = `${kept.length} rules hold`;
  replace(
    parts.completed,
    ...(result?.completions ?? []).map((c) =>
      h('li', {}, `${c.field} = ${c.value}`, h('span', { class: 'muted' }, ` ${c.reason}`)),
    ),
  );
}

// The robot of the specification in the view, which goes back to the open model with null.
async function showRobot(xml) {
  const turn = turns;
  const files = { 'robot.xml': xml };
  const reply = await run('studio', { operand: 'robot.xml', files }).done;
  const text = reply.files?.['model.json'];
  if (text && turn === turns && isOpen) {
    app.view?.preview(JSON.parse(text));
    emit('posed'); // what the view says below itself
  }
}

// Rules and robot of what the form says.
async function evaluate() {
  try {
    const reply = await configure({ check: true, output: 'robot.xml' });
    if (!reply) return;
    showRules(reply);
    const xml = reply.files?.['robot.xml'];
    if (xml) await showRobot(xml);
  } catch (error) {
    parts.note.textContent = error.message;
  }
}

function changed() {
  parts.make.disabled = true;
  markStrip();
  clearTimeout(timer);
  timer = setTimeout(evaluate, DELAY);
}

// --- The strip ----------------------------------------------------------------------------------

const chapters = (text, ...titles) =>
  renderSections(
    sections(text).filter(({ title }) => titles.includes(title)),
    new Map(),
    titles,
  );

function pictureOf(svg) {
  const image = h('img', { alt: 'Picture of the robot' });
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.onload = () => URL.revokeObjectURL(image.src);
  return image;
}

// What each stage shows, and in one line how it was found.
const stages = {
  Specification: ({ files, spec }) => [
    'the specification as it was read',
    h('pre', {}, spec),
    pictureOf(files['picture.svg']),
  ],
  DH: ({ files }) => ['from the axes of the joints', h('pre', {}, files['dh.txt'])],
  FK: ({ files }) => [
    'the product of the rows of the table',
    ...chapters(files['equations.tex'], 'Forward kinematics'),
  ],
  IK: ({ files, result }) => [
    result.inverse_kinematics === 'yes' ? 'in closed form' : result.inverse_kinematics,
    ...chapters(
      files['equations.tex'],
      'Axes of the joints',
      'Which equation gives which joint',
      'Solutions and singular poses',
    ),
  ],
  'M, C, G': ({ files }) => [
    'derived with all parameters as symbols',
    ...chapters(
      files['equations.tex'],
      'How the equations were found',
      'Equations',
      'Zero pattern',
      'Operations',
    ),
  ],
  C: ({ files, result }) => [
    `engine: ${result.engine}; the self-check differs by ${result.self_check ?? 'nothing that was computed'}`,
    h('pre', { tabindex: '0' }, files[result.files.find((name) => /^\w+\.h$/.test(name))] ?? ''),
  ],
};

function saveAll() {
  const all = { 'robot.spec': results.spec, ...results.files };
  const folder = Object.fromEntries(Object.entries(all).map(([k, text]) => [`robot/${k}`, text]));
  const save = () => download('robot.tar', tar(folder), 'application/x-tar');
  return h('button', { onclick: save }, 'All (robot.tar)');
}

// Results of another specification say so.
function markStrip() {
  const isOld = results && results.spec !== fileText();
  parts.old.textContent = isOld ? 'The specification has changed since.' : '';
}

function showStrip() {
  if (!parts.strip) return;
  if (!results) {
    replace(parts.strip, h('p', { class: 'muted' }, 'Configure makes all stages in one pass.'));
    return;
  }
  const names = Object.keys(stages);
  const buttons = names.flatMap((name, i) => [
    i > 0 ? '→' : null,
    h(
      'button',
      {
        'aria-pressed': String(stage === name),
        onclick: () => {
          stage = name;
          showStrip();
        },
      },
      name,
    ),
  ]);
  const [how, ...body] = stages[stage](results);
  const saves = Object.keys(results.files).map((name) =>
    h('button', { class: 'plain', onclick: () => download(name, results.files[name]) }, name),
  );
  replace(
    parts.strip,
    h('div', { class: 'row' }, ...buttons.filter(Boolean)),
    parts.old,
    h('p', { class: 'muted' }, how),
    h('div', { class: 'document' }, ...body),
    h('div', { class: 'row' }, 'Save', saveAll(), ...saves),
  );
  markStrip();
}

async function make() {
  if (making) {
    making.cancel();
    return;
  }
  parts.make.textContent = 'Cancel';
  parts.note.textContent = 'configuring';
  const spec = fileText();
  try {
    await loadKatex();
    const reply = await configure({ output: 'robot' });
    if (!reply) return;
    showRules(reply);
    parts.note.textContent = plain(reply.log);
    if (reply.code !== 0) return;
    const files = Object.fromEntries(
      Object.entries(reply.files)
        .filter(([name]) => name.startsWith('robot/'))
        .map(([name, text]) => [name.slice('robot/'.length), text]),
    );
    results = { files, result: reply.result, spec };
    showStrip();
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    parts.make.textContent = 'Configure';
  }
}

// --- The form -----------------------------------------------------------------------------------

function fill() {
  form.isEdited = false;
  parts.text.value = fileText();
  changed();
}

function cell(i, key, title) {
  const input = h('input', {
    type: 'text',
    'aria-label': `${title} ${i + 1}`,
    oninput: () => {
      form.rows[i] = { ...form.rows[i], [key]: input.value };
      fill();
    },
  });
  input.value = form.rows[i]?.[key] ?? '';
  return h('td', {}, input);
}

function sizeCell(name) {
  const input = h('input', {
    type: 'text',
    'aria-label': `Size ${name}`,
    oninput: () => {
      form.sizes[name] = input.value;
      fill();
    },
  });
  input.value = form.sizes[name] ?? '';
  return h('td', {}, input);
}

function paintRows() {
  const heads = form.sizes ? ['size', 'm, kg'] : ['joint', 'length, m', 'mass, kg'];
  replace(parts.heads, ...heads.map((text) => h('th', {}, text)));
  parts.letters.disabled = Boolean(form.sizes);
  if (form.sizes) {
    const names = classes.find(({ name }) => name === form.kind).sizes;
    replace(
      parts.rows,
      ...names.map((name) => h('tr', {}, h('td', {}, name.replace('_', ' ')), sizeCell(name))),
    );
    return;
  }
  replace(
    parts.rows,
    ...[...form.letters].map((letter, i) =>
      h(
        'tr',
        {},
        h('td', {}, `${i + 1} ${letter}`),
        cell(i, 'length', 'Length'),
        cell(i, 'mass', 'Mass'),
      ),
    ),
  );
}

function paintClasses() {
  replace(
    parts.kind,
    ...(classes ?? [{ name: form.kind }]).map(({ name, about }) =>
      h('option', { value: name, title: about }, name),
    ),
  );
  parts.kind.value = form.kind;
  parts.about.textContent = classes?.find(({ name }) => name === form.kind)?.about ?? '';
}

function left() {
  parts.kind = h('select', {
    onchange: () => {
      form.kind = parts.kind.value;
      const { letters, sizes } = classes.find(({ name }) => name === form.kind);
      form.letters = letters;
      form.sizes = sizes.length > 0 ? sizesOf(form.kind) : null;
      parts.letters.value = form.letters;
      paintClasses();
      paintRows();
      fill();
    },
  });
  parts.letters = h('input', {
    type: 'text',
    oninput: () => {
      form.letters = parts.letters.value.trim().toUpperCase();
      paintRows();
      fill();
    },
  });
  parts.letters.value = form.letters;
  parts.about = h('p', { class: 'muted' });
  parts.rows = h('tbody', {});
  parts.text = h('textarea', {
    rows: '10',
    spellcheck: 'false',
    'aria-label': 'Specification',
    oninput: () => {
      form.isEdited = true;
      form.text = parts.text.value;
      changed();
    },
  });
  parts.text.value = fileText();
  parts.make = h('button', { onclick: make }, making ? 'Cancel' : 'Configure');
  parts.make.disabled = true;
  parts.note = h('p', { class: 'muted', role: 'status' });
  const row = (title, input) =>
    h(
      'label',
      { class: 'row' },
      h('span', { class: 'grow' }, title),
      h('span', { class: 'field' }, input),
    );
  parts.heads = h('tr', {});
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Configure'),
    row('Class', parts.kind),
    parts.about,
    row('Letters', parts.letters),
    h('table', {}, h('thead', {}, parts.heads), parts.rows),
    h('h3', {}, 'Specification'),
    parts.text,
    h(
      'div',
      { class: 'row' },
      parts.make,
      h('button', { onclick: fill }, 'From the form'),
      h('button', { onclick: () => download('robot.spec', fileText()) }, 'Save'),
      copyButton('Copy command', () => 'linkwork configure robot.spec -o robot'),
    ),
    parts.note,
  );
}

function right() {
  parts.verdict = h('span', { role: 'status' });
  parts.rules = h('ul', { class: 'findings' });
  parts.kept = h('ul', { class: 'findings' });
  parts.keptTitle = h('summary', {}, 'Rules that hold');
  parts.completed = h('ul', { class: 'findings' });
  return h(
    'section',
    { class: 'section document' },
    h('h2', {}, 'Rules', parts.verdict),
    parts.rules,
    h('details', {}, parts.keptTitle, parts.kept),
    h('details', {}, h('summary', {}, 'What was completed'), parts.completed),
  );
}

export default {
  id: 'configure',
  title: 'Configure',
  blocked: () => '',
  left,
  right,
  drawer() {
    parts.strip = h('div', { class: 'strip' });
    parts.old = h('p', { class: 'warning', role: 'status' });
    return parts.strip;
  },
  async enter() {
    isOpen = true;
    paintClasses();
    paintRows();
    showStrip();
    evaluate();
    if (classes) return;
    try {
      classes = (await run('configure', { options: { list: true } }).done).result.classes;
      paintClasses();
    } catch (error) {
      parts.note.textContent = error.message;
    }
  },
  leave() {
    isOpen = false;
    clearTimeout(timer);
    app.view?.preview(null);
    emit('posed');
  },
};
