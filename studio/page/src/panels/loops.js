// Loops: the steps by which dependent joints follow, in the order in which they are solved.

import { edit, gains, posesOfBranch, run } from '../api.js';
import { app } from '../app.js';
import { commandLine } from '../command_line.js';
import { h, replace } from '../dom.js';
import { openEnds } from '../kinematics.js';
import { emit, on, state } from '../store.js';
import { short, unitOf, withUnit } from '../units.js';
import { copyButton } from './fields.js';
import { sourceLink } from './inspector.js';

let stops = [];
const parts = {};

const bodyOfJoint = (name) => state.model.tree.find((joint) => joint.name === name)?.body ?? null;

function jointButton(name, isSolved) {
  const body = bodyOfJoint(name);
  return h(
    'span',
    {
      class: isSolved ? 'symbol solved' : 'symbol',
      onpointerenter: () => body !== null && emit('hover', body),
      onpointerleave: () => emit('hover', null),
    },
    name,
  );
}

const iterated = 'Newton block';
const way = (kind) => (kind === iterated ? "Newton's method" : `closed form: ${kind}`);

const separated = (list) => list.flatMap((item, i) => (i > 0 ? [', ', item] : [item]));

// "rod LAB gives R6"; of many, which are listed below, how many.
function stepWords(step, loops) {
  const named = step.loops.map((name) => {
    const type = loops.find((loop) => loop.name === name)?.type;
    return type ? `${type} ${name}` : name;
  });
  const sources = [...named, ...step.gears.map((name) => `gear ${name}`)];
  const { solves } = step;
  const found = solves.length > 4 ? `${solves.length} coordinates` : solves.join(', ');
  return `${sources.join(', ') || step.kind} ${sources.length > 1 ? 'give' : 'gives'} ${found}`;
}

// --- Branches -----------------------------------------------------------------------------------

let previewed = 0; // counts, so that a late answer is not shown

function hide() {
  previewed += 1;
  app.view?.clearGhosts();
}

// Switches a loop with a closed form to its other way; before that, a ghost shows it.
function branchButton(step) {
  const [loop] = step.loops;
  const other = -step.branch;
  async function preview() {
    hide();
    const turn = previewed;
    const poses = await posesOfBranch(loop, other);
    if (turn !== previewed) return;
    if (poses) app.view?.setGhosts([poses]);
    else parts.note.textContent = `${loop} does not close on its other branch here`;
  }
  async function change() {
    hide();
    try {
      await edit({ branch: { [loop]: other > 0 ? '+' : '-' } });
    } catch (error) {
      const why = error.value?.findings?.find(({ severity }) => severity === 'error');
      parts.note.textContent = why?.message ?? error.message;
    }
  }
  return h(
    'button',
    {
      'aria-label': `Branch ${other > 0 ? '+' : '−'} of ${loop}`,
      title: 'The pale copy is the other branch; a click switches',
      onpointerenter: preview,
      onfocus: preview,
      onpointerleave: hide,
      onblur: hide,
      onclick: change,
    },
    `Switch to branch ${other > 0 ? '+' : '−'}`,
  );
}

// --- Steps --------------------------------------------------------------------------------------

function stepRow(step, number, loops) {
  const gain = h('span', { class: 'number gain' });
  const condition = h('span', { class: 'number condition' });
  parts.gains.push({ gain, condition });
  const before = step.condition > 0 ? `, ${short(step.condition)} at the reference` : '';
  return h(
    'li',
    { class: 'step' },
    h('strong', {}, `${number + 1}. ${stepWords(step, loops)}`),
    h(
      'div',
      {},
      `by ${way(step.kind)}${step.branch ? `, branch ${step.branch > 0 ? '+' : '−'}` : ''}`,
    ),
    h('div', {}, 'solves ', ...separated(step.solves.map((name) => jointButton(name, true)))),
    h('div', {}, 'from ', ...separated(step.from.map((name) => jointButton(name, false)))),
    step.condition === undefined // a linear step: its equation is never singular
      ? null
      : h(
          'div',
          { class: 'muted', title: conditionText },
          'condition number here ',
          condition,
          before,
        ),
    h('div', { class: 'muted', title: gainText }, 'gain here ', gain),
    step.branch && step.loops.length > 0 ? branchButton(step) : null,
  );
}

const gainText =
  'How many times faster these joints move than the independent ones, in SI units: it rises ' +
  'beyond all bounds towards a singular configuration';

const conditionText =
  'Of the equations that this step solves, each over its largest possible value: 1 is best, and it ' +
  'rises beyond all bounds towards a singular configuration';

const finite = (value) => (typeof value === 'number' ? short(value) : 'singular');

let isAsking = false;

async function showGains() {
  if (isAsking || !state.connected) return;
  isAsking = true;
  const { version } = state.model;
  const now = await gains();
  isAsking = false;
  if (version !== state.model.version) return;
  parts.gains.forEach(({ gain, condition }, i) => {
    gain.textContent = finite(now.gains[i]);
    condition.textContent = finite(now.conditions[i]);
  });
  const { factor, name } = unitOf('length');
  if (state.status.good && typeof now.gap === 'number')
    parts.gap.textContent = `all loops are closed to ${(factor * now.gap).toExponential(1)} ${name}`;
}

// Where a loop stays open: its ends with the dependent joints as they were, in the view and in
// numbers.
function showEnds() {
  const { good, loop } = state.status;
  const open = good
    ? []
    : openEnds(state.model, state.poses, state.posed, state.q).filter((end) => end.loop === loop);
  app.view?.setGaps(open.map(({ a, b }) => [a, b]));
  const { factor, name: unit } = unitOf('length');
  const text = ({ name, kind, a, b, length }) => {
    const apart = b.map((value, k) => value - a[k]);
    const vector = apart.map((value) => short(Number((factor * value).toPrecision(4)))).join(', ');
    const needed = kind === 'rod' ? `, and the rod has ${withUnit(length, 'length')}` : '';
    return `With its joints as they were, the ends of ${name} are (${vector}) ${unit} apart${needed}.`;
  };
  parts.ends.textContent = open.map(text).join(' ');
}

function showGap() {
  const { good, message } = state.status;
  showEnds();
  showGains();
  parts.gap.textContent = good ? 'all loops are closed' : message;
  parts.gap.className = good ? 'good' : 'error';
}

// Where the rod or the closing joint is described.
const sourceOf = (name) => sourceLink(state.model.ties.find((tie) => tie.name === name));

async function show() {
  try {
    const reply = await run('explain').done;
    const { closure, loops, gears } = reply.result;
    parts.gains = [];
    replace(parts.steps, ...closure.map((step, i) => stepRow(step, i, loops)));
    replace(
      parts.loops,
      ...loops.map((loop) =>
        h(
          'tr',
          {},
          h('td', {}, loop.name, h('div', { class: 'muted' }, loop.type), sourceOf(loop.name)),
          h('td', {}, loop.bodies.join(', ')),
          h('td', { class: 'number' }, `${loop.rank} of ${loop.conditions}`),
        ),
      ),
    );
    showGains();
    parts.gears.textContent = gears.length > 0 ? `${gears.length} gears` : '';
  } catch (error) {
    parts.gap.textContent = error.message;
  }
}

export default {
  id: 'loops',
  title: 'Loops',
  blocked: (model) => (model.steps.length === 0 ? 'the model has no dependent joints' : ''),
  left() {
    parts.gap = h('p', { role: 'status' });
    parts.ends = h('p', { class: 'ends-apart' });
    parts.note = h('p', { class: 'muted', role: 'status' });
    parts.gains = [];
    parts.steps = h('ol', { class: 'findings' });
    return h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Steps in solve order'),
      parts.gap,
      parts.ends,
      parts.note,
      h(
        'div',
        { class: 'row' },
        copyButton('Copy command', () => commandLine('explain', [])),
      ),
      parts.steps,
    );
  },
  right() {
    parts.loops = h('tbody', {});
    parts.gears = h('p', { class: 'muted' });
    const heads = ['loop', 'bodies', 'rank'].map((text) => h('th', {}, text));
    return h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Loops'),
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), parts.loops),
      parts.gears,
    );
  },
  enter() {
    stops.push(on('posed', showGap));
    stops.push(
      on('connected', () => {
        isAsking = false; // what was asked before is not answered any more
        showGains();
      }),
    );
    showGap();
    show();
  },
  leave() {
    emit('hover', null);
    hide();
    app.view?.setGaps([]);
    for (const stop of stops) stop();
    stops = [];
  },
};
