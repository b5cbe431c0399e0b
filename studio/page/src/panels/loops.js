// Loops: the steps by which dependent joints follow, in the order in which they are solved.

import { run } from '../api.js';
import { h, replace } from '../dom.js';
import { emit, on, state } from '../store.js';
import { withUnit } from '../units.js';

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

// "rod LAB gives R6".
function stepWords(step, loops) {
  const named = step.loops.map((name) => {
    const type = loops.find((loop) => loop.name === name)?.type;
    return type ? `${type} ${name}` : name;
  });
  const sources = [...named, ...step.gears.map((name) => `gear ${name}`)];
  return `${sources.join(', ') || step.kind} ${sources.length > 1 ? 'give' : 'gives'} ${step.solves.join(', ')}`;
}

function stepRow(step, number, loops) {
  const condition = step.condition === null ? '' : Number(step.condition).toPrecision(3);
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
    condition ? h('div', { class: 'muted' }, `condition at the reference ${condition}`) : null,
  );
}

function showGap() {
  const { good, gap, message } = state.status;
  parts.gap.textContent = good
    ? 'all loops are closed'
    : gap === undefined
      ? message
      : `${message}: ${withUnit(gap, 'length')} apart`;
  parts.gap.className = good ? 'good' : 'error';
}

async function show() {
  try {
    const reply = await run('explain').done;
    const { closure, loops, gears } = reply.result;
    replace(parts.steps, ...closure.map((step, i) => stepRow(step, i, loops)));
    replace(
      parts.loops,
      ...loops.map((loop) =>
        h(
          'tr',
          {},
          h('td', {}, loop.name),
          h('td', {}, loop.type),
          h('td', {}, loop.bodies.join(', ')),
          h('td', { class: 'number' }, `${loop.rank} of ${loop.conditions}`),
        ),
      ),
    );
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
    parts.steps = h('ol', { class: 'findings' });
    return h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Steps in solve order'),
      parts.gap,
      parts.steps,
    );
  },
  right() {
    parts.loops = h('tbody', {});
    parts.gears = h('p', { class: 'muted' });
    const heads = ['loop', 'type', 'bodies', 'independent'].map((text) => h('th', {}, text));
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
    showGap();
    show();
  },
  leave() {
    emit('hover', null);
    for (const stop of stops) stop();
    stops = [];
  },
};
