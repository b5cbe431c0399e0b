// One row for each independent coordinate: slider, number, unit, reset; dependent ones below.

import { move } from '../api.js';
import { h } from '../dom.js';
import { toQuaternion, toVector } from '../rotation.js';
import { emit, on, set, state } from '../store.js';
import { format, markStep, snap, unitOf } from '../units.js';

function rangeOf(c) {
  const free = c.kind === 'angle' ? Math.PI : Math.max(1, 2 * Math.abs(c.reference));
  return [c.lower ?? -free, c.upper ?? free];
}

// What a row shows: a coordinate, or a component of the rotation vector of a quaternion.
function rowsOf(model) {
  const rows = [];
  model.coordinates.forEach((c, k) => {
    if (c.kind !== 'quaternion') {
      rows.push({ ...c, get: () => state.q[k], put: (value) => putAll(k, [value]) });
      return;
    }
    const isFirst = model.coordinates[k - 1]?.kind !== 'quaternion' || c.name.endsWith('qw');
    if (!isFirst) return;
    const vector = () => toVector(state.q.slice(k, k + 4));
    const reference = toVector(model.reference.slice(k, k + 4));
    ['rx', 'ry', 'rz'].forEach((name, axis) => {
      const put = (value) => putAll(k, toQuaternion(vector().with(axis, value)));
      const row = { name: c.name.replace(/qw$/, name), kind: 'angle', body: c.body };
      rows.push({ ...row, reference: reference[axis], get: () => vector()[axis], put });
    });
  });
  return rows;
}

function putAll(k, values) {
  if (!values.every(Number.isFinite)) return;
  const q = [...state.q];
  q.splice(k, values.length, ...values);
  move(q);
}

function row(c) {
  const [low, high] = rangeOf(c);
  const step = markStep(low, high, c.kind);
  const part = (value) => value / (high - low || 1);
  const end = (value) =>
    h('span', { class: 'end' }, value === undefined || value === null ? '' : format(value, c.kind));
  const slider = h('input', {
    type: 'range',
    class: 'slide',
    min: String(low),
    max: String(high),
    step: 'any',
    'aria-label': c.name,
    oninput: (event) =>
      c.put(event.altKey || snapOff ? slider.valueAsNumber : snap(slider.valueAsNumber, step)),
    onkeydown: (event) => keyStep(event, c, low, high),
    onfocus: () => set('selection', { kind: 'body', index: c.body }),
  });
  const number = h('input', {
    type: 'number',
    step: 'any',
    'aria-label': `${c.name}, number`,
    onchange: () => c.put(number.valueAsNumber / unitOf(c.kind).factor),
  });
  const unit = h('span', { class: 'unit' }, unitOf(c.kind).name);
  const element = h(
    'div',
    {
      class: 'joint',
      onpointerenter: () => emit('hover', c.body),
      onpointerleave: () => emit('hover', null),
    },
    h(
      'button',
      {
        class: 'plain name',
        title: c.name,
        onclick: () => set('selection', { kind: 'body', index: c.body }),
      },
      c.name,
    ),
    number,
    unit,
    h(
      'button',
      {
        class: 'plain reset',
        title: `Reset ${c.name}`,
        'aria-label': `Reset ${c.name}`,
        onclick: () => c.put(c.reference),
      },
      '↺',
    ),
    end(c.lower),
    slider,
    end(c.upper),
  );
  if (high - low > 0) {
    slider.style.setProperty('--step', part(step));
    slider.style.setProperty('--first', part(Math.ceil(low / step - 1e-9) * step - low));
  }
  const update = () => {
    const value = c.get();
    if (document.activeElement !== number) number.value = format(value, c.kind);
    slider.value = String(value);
    slider.style.setProperty('--part', part(Math.min(Math.max(value, low), high) - low));
    element.classList.toggle(
      'beyond',
      value < (c.lower ?? -Infinity) - 1e-9 || value > (c.upper ?? Infinity) + 1e-9,
    );
    const isSelected = state.selection?.kind === 'body' && state.selection.index === c.body;
    element.classList.toggle('selected', isSelected);
  };
  return { element, update };
}

let snapOff = false;
addEventListener('keydown', (event) => {
  snapOff = event.altKey;
});
addEventListener('keyup', (event) => {
  snapOff = event.altKey;
});

function keyStep(event, c, low, high) {
  const unit = unitOf(c.kind);
  const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  const size = (unit.step / unit.factor) * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
  if (sign) c.put(c.get() + sign * size);
  else if (event.key === 'Home') c.put(low);
  else if (event.key === 'End') c.put(high);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function sliders() {
  const rows = rowsOf(state.model).map(row);
  const update = () => {
    for (const item of rows) item.update();
  };
  update();
  return { elements: rows.map(({ element }) => element), stop: on('q posed selection', update) };
}

// Joints that loops, gears and mimic rules determine, with the step that gives each.
export function dependentTable() {
  const { model } = state;
  if (model.dependent.length === 0) return null;
  const cells = model.dependent.map((d) => {
    const step = model.steps[d.step];
    const value = h('td', { class: 'number' });
    const from =
      step.from.length > 4 ? `${step.from.slice(0, 4).join(', ')}, ...` : step.from.join(', ');
    const how = `${step.kind} ${step.name ? `“${step.name}”` : ''} from ${from}`;
    return {
      d,
      value,
      element: h(
        'tr',
        { onpointerenter: () => emit('hover', d.body), onpointerleave: () => emit('hover', null) },
        h('td', {}, d.name, h('div', { class: 'muted' }, how)),
        value,
        h('td', { class: 'muted' }, unitOf(d.kind).name),
      ),
    };
  });
  const update = () => {
    for (const { d, value } of cells) {
      const position = state.tree[d.tree];
      value.textContent = Number.isFinite(position) ? format(position, d.kind) : '-';
    }
  };
  update();
  return {
    element: h('table', {}, h('tbody', {}, ...cells.map(({ element }) => element))),
    stop: on('posed', update),
  };
}
