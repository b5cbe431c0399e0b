// Motions that were recorded or simulated: play, scrub, plots on one cursor.

import { move } from '../api.js';
import { h } from '../dom.js';
import { on, state } from '../store.js';
import { column, rowAt } from '../table.js';
import { unitOf } from '../units.js';
import { makePlots } from './plots.js';

// The configuration of a run at a time.
export function positionsAt(table, names, t, fallback) {
  const times = column(table, 'time');
  const row = rowAt(times, t);
  return names.map((name, k) => column(table, `q.${name}`)?.[row] ?? fallback[k]);
}

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

// The last of the runs [{table, isShown}] plays. `set` takes them, `stop` ends it.
export function makePlayer() {
  let current = null;
  let time = 0;
  let isPlaying = false;
  let isOver = false;

  const duration = () => (current ? (column(current, 'time').at(-1) ?? 0) : 0);

  function goTo(t, fromPlot = false) {
    if (!current) return;
    time = Math.min(Math.max(t, 0), duration());
    scrub.value = String(time);
    clock.textContent = `${time.toFixed(3)} s`;
    move(positionsAt(current, state.model.positions, time, state.q));
    if (!fromPlot) plots.setTime(time);
  }

  function play(wants) {
    isPlaying = wants && current !== null && !isOver;
    toggle.textContent = isPlaying ? 'Pause' : 'Play';
    if (!isPlaying) return;
    if (time >= duration()) time = 0;
    let before = performance.now();
    const step = (now) => {
      if (!isPlaying) return;
      goTo(time + ((now - before) / 1000) * Number(speed.value));
      before = now;
      if (time >= duration()) play(false);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function stepRows(count) {
    if (!current) return;
    const times = column(current, 'time');
    play(false);
    goTo(times[Math.min(Math.max(rowAt(times, time) + count, 0), times.length - 1)]);
  }

  const scrub = h('input', {
    type: 'range',
    min: '0',
    max: '1',
    step: 'any',
    value: '0',
    'aria-label': 'Time',
    oninput: () => {
      play(false);
      goTo(scrub.valueAsNumber);
    },
  });
  const clock = h('span', { class: 'number' }, '0.000 s');
  const toggle = h('button', { onclick: () => play(!isPlaying) }, 'Play');
  const speed = h(
    'select',
    { 'aria-label': 'Speed' },
    ...['0.1', '0.25', '0.5', '1', '2', '4'].map((value) => h('option', { value }, `× ${value}`)),
  );
  speed.value = '1';
  const plots = makePlots((t) => {
    if (!isPlaying) goTo(t, true);
  });
  const stops = [
    on('key:run', () => play(!isPlaying)),
    on('key:back', () => stepRows(-1)),
    on('key:on', () => stepRows(1)),
  ];
  return {
    element: h(
      'div',
      {},
      h('div', { class: 'row' }, toggle, h('span', { class: 'grow' }, scrub), clock, speed),
      plots.element,
    ),
    play,
    set(runs) {
      const last = runs.at(-1)?.table ?? null;
      if (last !== current) time = 0;
      current = last;
      scrub.max = String(duration() || 1);
      const numbered = runs.map((item, number) => ({ ...item, number }));
      return plots.set(chartsOf(numbered.filter(({ isShown }) => isShown)));
    },
    stop() {
      isOver = true;
      isPlaying = false;
      plots.stop();
      for (const stop of stops) stop();
    },
  };
}
