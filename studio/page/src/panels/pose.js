// Pose: sliders, named configurations, inverse kinematics.

import { canDrag, hasServer, move, posesOf, run } from '../api.js';
import { h, replace } from '../dom.js';
import { app } from '../app.js';
import { commandLine, list as numbers, operationLine } from '../command_line.js';
import { tipFrame } from '../kinematics.js';
import { on, state } from '../store.js';
import { unitOf, withUnit } from '../units.js';
import { framePose, hideHandle, setHandleMode, showHandle } from '../view/drag.js';
import { copyButton } from './fields.js';
import { inspector } from './inspector.js';
import { dependentTable, sliders } from './sliders.js';
import { treePanel } from './tree.js';

let stops = [];

// --- Named configurations, kept by the browser for each model ---------------------------------

const storeKey = () => `linkwork.configurations.${state.model.name}`;

function savedConfigurations() {
  try {
    return JSON.parse(localStorage.getItem(storeKey())) ?? {};
  } catch {
    return {};
  }
}

function keep(all) {
  localStorage.setItem(storeKey(), JSON.stringify(all));
}

function byNames(values) {
  return state.model.coordinates.map((c, k) => values[c.name] ?? state.q[k]);
}

// Those of the SRDF file, with their groups where several have one of the name.
function modelConfigurations() {
  const all = state.model.configurations;
  return all.map(({ name, group, positions }) => {
    const isOne = all.filter((other) => other.name === name).length === 1;
    const title = `Configuration ${group}/${name} of the SRDF file`;
    const text = isOne ? name : `${group}/${name}`;
    return h('button', { class: 'named', title, onclick: () => move(byNames(positions)) }, text);
  });
}

function configurations() {
  const name = h('input', {
    type: 'text',
    placeholder: 'Name',
    'aria-label': 'Name of the configuration',
    maxlength: '40',
  });
  const list = h('div', { class: 'row' });
  function fill() {
    const all = savedConfigurations();
    replace(
      list,
      ...Object.keys(all).map((key) =>
        h(
          'span',
          { class: 'row' },
          h('button', { onclick: () => move(byNames(all[key])) }, key),
          h(
            'button',
            {
              class: 'plain',
              'aria-label': `Forget ${key}`,
              onclick: () => {
                const rest = savedConfigurations();
                delete rest[key];
                keep(rest);
                fill();
              },
            },
            '×',
          ),
        ),
      ),
    );
  }
  fill();
  const save = () => {
    if (!name.value.trim()) return;
    keep({
      ...savedConfigurations(),
      [name.value.trim()]: Object.fromEntries(
        state.model.coordinates.map((c, k) => [c.name, state.q[k]]),
      ),
    });
    name.value = '';
    fill();
  };
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Configurations'),
    h(
      'div',
      { class: 'row' },
      h('button', { onclick: () => move([...state.model.reference]) }, 'Reference'),
      h(
        'button',
        {
          onclick: () =>
            move(state.model.coordinates.map((c) => (c.kind === 'quaternion' ? c.reference : 0))),
        },
        'Zero',
      ),
      ...modelConfigurations(),
      list,
    ),
    h(
      'div',
      { class: 'row' },
      h('span', { class: 'grow' }, name),
      h('button', { onclick: save }, 'Save'),
    ),
    h(
      'div',
      { class: 'row' },
      copyButton('Copy q', () => `[${numbers(state.q).replaceAll(',', ', ')}]`),
      copyButton('Copy command', () =>
        commandLine('fk', state.q.length > 0 ? ['-q', numbers(state.q)] : []),
      ),
    ),
  );
}

// --- Inverse kinematics -------------------------------------------------------------------------

const same = (a, b) => a.every((value, i) => Math.abs(value - b[i]) < 1e-6);

function branchText(solution) {
  const b = solution.branch;
  if (!b || typeof b !== 'object') return '';
  return ['shoulder', 'elbow', 'wrist']
    .filter((key) => b[key])
    .map((key) => `${key} ${b[key] > 0 ? '+' : '−'}`)
    .join(', ');
}

// `show(isOne)` shows its ghost alone, or all of them again.
function solutionRow(solution, number, show) {
  const text = solution.q
    .slice(0, 8)
    .map((value, k) => withUnit(value, state.model.coordinates[k].kind))
    .join(', ');
  return h(
    'li',
    { onpointerenter: () => show(true), onpointerleave: () => show(false) },
    h(
      'button',
      {
        class: 'solution',
        title: text,
        onclick: () => move(solution.q),
        onfocus: () => show(true),
        onblur: () => show(false),
      },
      `${number + 1}`,
    ),
    ' ',
    h(
      'span',
      { class: 'muted' },
      `${branchText(solution)}${solution.in_limits === false ? ' outside limits' : ''}${solution.exact === false ? ` off by ${solution.residual.toExponential(1)}` : ''}`,
    ),
  );
}

function ikPanel() {
  const { model } = state;
  const choice = h(
    'select',
    { 'aria-label': 'Frame', onchange: () => attach() },
    ...model.frame_list.map((f, i) => h('option', { value: String(i) }, f.name)),
  );
  const list = h('ol', { class: 'findings' });
  const note = h('p', { class: 'muted', role: 'status' });
  const residual = h('p', { class: 'muted' });
  let isOn = false;
  choice.value = String(
    state.selection?.kind === 'frame' ? state.selection.index : tipFrame(model),
  );
  const toggle = h(
    'button',
    {
      'aria-pressed': 'false',
      onclick: () => {
        isOn = !isOn;
        attach();
      },
    },
    'Handle',
  );
  const handle = [
    toggle,
    h('button', { onclick: () => setHandleMode(app.view, 'translate') }, 'Move'),
    h('button', { onclick: () => setHandleMode(app.view, 'rotate') }, 'Rotate'),
  ];
  function attach() {
    toggle.setAttribute('aria-pressed', String(isOn));
    app.view?.clearGhosts();
    if (!app.view) return;
    if (isOn) showHandle(app.view, Number(choice.value));
    else hideHandle(app.view);
  }
  const options = () => {
    const frame = Number(choice.value);
    const { name } = model.frame_list[frame];
    return { frame: name, pose: framePose(frame), q: state.q, limits: 'off' };
  };
  async function solve() {
    note.textContent = 'solving';
    try {
      const job = run('ik', { options: options() });
      const reply = await job.done;
      const solutions = reply.result?.solutions ?? [];
      note.textContent =
        solutions.length > 0
          ? `${solutions.length} solution${solutions.length === 1 ? '' : 's'}: ${reply.result.class ?? ''}`
          : reply.log.trim();
      const { q } = state;
      const all = await posesOf(solutions.slice(0, 64).map((s) => s.q));
      const ghosts = all.filter((poses, i) => poses && !same(solutions[i].q, q));
      const show = (one) => app.view?.setGhosts(one ? [one] : ghosts);
      const row = (s, i) => solutionRow(s, i, (isOne) => show(isOne && all[i]));
      replace(list, ...solutions.map(row));
      show();
    } catch (error) {
      note.textContent = error.message;
    }
  }
  const update = () => {
    const off = state.status.residual;
    residual.textContent =
      off > 1e-6 ? `target not reached: off by ${off.toExponential(2)} (m, rad)` : '';
  };
  stops.push(on('posed', update));
  stops.push(
    on('selection', (s) => {
      if (s?.kind === 'frame') {
        choice.value = String(s.index);
        attach();
      }
    }),
  );
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Inverse kinematics'),
    h(
      'div',
      { class: 'row' },
      choice,
      hasServer ? copyButton('Copy command', () => operationLine('ik', options())) : null,
    ),
    h(
      'div',
      { class: 'row' },
      ...(app.view ? handle : []),
      hasServer ? h('button', { onclick: solve }, 'All solutions') : null,
    ),
    residual,
    note,
    list,
  );
}

// --- The mode -----------------------------------------------------------------------------------

function left() {
  const tree = treePanel();
  const rows = sliders();
  const dependent = dependentTable();
  stops.push(tree.stop, rows.stop);
  if (dependent) stops.push(dependent.stop);
  return [
    tree.element,
    h(
      'section',
      { class: 'section', 'aria-label': 'Joints' },
      h(
        'h2',
        {},
        'Joints',
        h(
          'span',
          { class: 'muted' },
          `${state.model.nq} in ${unitOf('angle').name}, ${unitOf('length').name}`,
        ),
      ),
      ...rows.elements,
    ),
    dependent
      ? h(
          'section',
          { class: 'section', 'aria-label': 'Dependent joints' },
          h('h2', {}, 'Dependent joints'),
          dependent.element,
        )
      : null,
  ];
}

function right() {
  const panel = inspector();
  stops.push(panel.stop);
  return [
    panel.element,
    configurations(),
    canDrag && state.model.frame_list.length > 0 ? ikPanel() : null,
  ];
}

export default {
  id: 'pose',
  title: 'Pose',
  blocked: () => '',
  left,
  right,
  leave() {
    for (const stop of stops) stop();
    stops = [];
    if (app.view) {
      hideHandle(app.view);
      app.view.clearGhosts();
    }
  },
};
