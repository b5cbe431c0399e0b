// One row for each independent coordinate: slider, number, unit, reset; dependent ones below.

import { move } from '../api.js';
import { h } from '../dom.js';
import { emit, on, set, state } from '../store.js';
import { format, unitOf } from '../units.js';

function rangeOf(c) {
  const free = c.kind === 'angle' ? Math.PI : c.kind === 'quaternion' ? 1 : 1;
  return [c.lower ?? -free, c.upper ?? free];
}

// Values that the slider snaps to: round numbers of the unit, next to where it is.
export function snap(value, kind) {
  const { factor } = unitOf(kind);
  const step = kind === 'angle' ? (factor === 1 ? Math.PI / 12 : 15 / factor) : 0;
  if (step === 0) return value;
  const round = Math.round(value / step) * step;
  return Math.abs(value - round) < 0.02 * step * 2 ? round : value;
}

function setValue(k, value) {
  if (!Number.isFinite(value)) return;
  const q = [...state.q];
  q[k] = value;
  move(q);
}

function row(c, k) {
  const [low, high] = rangeOf(c);
  const slider = h('input', {
    type: 'range',
    class: 'slide',
    min: String(low),
    max: String(high),
    step: 'any',
    'aria-label': c.name,
    oninput: (event) => setValue(k, event.altKey || snapOff ? slider.valueAsNumber : snap(slider.valueAsNumber, c.kind)),
    onkeydown: (event) => keyStep(event, k, c, low, high),
    onfocus: () => set('selection', { kind: 'body', index: c.body }),
  });
  const number = h('input', {
    type: 'number',
    step: 'any',
    'aria-label': `${c.name}, number`,
    onchange: () => setValue(k, number.valueAsNumber / unitOf(c.kind).factor),
  });
  const unit = h('span', { class: 'unit' }, unitOf(c.kind).name);
  const element = h(
    'div',
    { class: 'joint', onpointerenter: () => emit('hover', c.body), onpointerleave: () => emit('hover', null) },
    h('button', { class: 'plain name', title: c.name, onclick: () => set('selection', { kind: 'body', index: c.body }) }, c.name),
    number,
    unit,
    h('button', { class: 'plain', title: `Reset ${c.name}`, 'aria-label': `Reset ${c.name}`, onclick: () => setValue(k, c.reference) }, '↺'),
    slider,
    h('div', { class: 'ends' }, h('span', {}, c.lower === undefined || c.lower === null ? '' : format(c.lower, c.kind)), h('span', {}, c.upper === undefined || c.upper === null ? '' : format(c.upper, c.kind))),
  );
  const update = () => {
    const value = state.q[k];
    if (document.activeElement !== number) number.value = format(value, c.kind);
    slider.value = String(value);
    element.classList.toggle('beyond', value < (c.lower ?? -Infinity) - 1e-9 || value > (c.upper ?? Infinity) + 1e-9);
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

function keyStep(event, k, c, low, high) {
  const unit = unitOf(c.kind);
  const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  const size = (unit.step / unit.factor) * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
  if (sign) setValue(k, state.q[k] + sign * size);
  else if (event.key === 'Home') setValue(k, low);
  else if (event.key === 'End') setValue(k, high);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function sliders() {
  const rows = state.model.coordinates.map((c, k) => row(c, k));
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
    const from = step.from.length > 4 ? `${step.from.slice(0, 4).join(', ')}, ...` : step.from.join(', ');
    return {
      d,
      value,
      element: h(
        'tr',
        { onpointerenter: () => emit('hover', d.body), onpointerleave: () => emit('hover', null) },
        h('td', { title: d.name }, d.name),
        value,
        h('td', { class: 'muted' }, unitOf(d.kind).name),
        h('td', { class: 'muted' }, `${step.kind} ${step.name ? `“${step.name}”` : ''} from ${from}`),
      ),
    };
  });
  const update = () => {
    for (const { d, value } of cells) value.textContent = format(state.tree[d.tree] ?? 0, d.kind);
  };
  update();
  return {
    element: h('table', {}, h('tbody', {}, ...cells.map(({ element }) => element))),
    stop: on('posed', update),
  };
}
