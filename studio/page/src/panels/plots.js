// Plots over time with one cursor: several charts, several runs.

import { app } from '../app.js';
import { h, replace } from '../dom.js';
import { on } from '../store.js';
import { series as colors } from '../view/colors.js';

const dashes = [[], [8, 4], [2, 3], [8, 3, 2, 3]];

// charts: [{title, unit, lines: [{name, run, x, y}]}]. `onTime(t)` is called when a cursor is set.
export function makePlots(onTime) {
  const element = h('div', { class: 'plots' });
  let made = [];
  let charts = [];
  let isOver = false;

  async function paint() {
    const { default: uPlot } = await import('uplot').catch(() => ({})); // the server is gone
    if (!uPlot || isOver) return;
    for (const plot of made) plot.destroy();
    replace(element);
    const text = getComputedStyle(document.documentElement).getPropertyValue('--muted').trim();
    const line = getComputedStyle(document.documentElement).getPropertyValue('--line').trim();
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const sync = uPlot.sync('time');
    made = charts.map((chart) => {
      const { data, ids } = align(chart.lines);
      const box = h('div', { class: 'plot', 'aria-label': chart.title, role: 'img' });
      element.append(box);
      const options = {
        title: chart.unit ? `${chart.title} (${chart.unit})` : chart.title,
        width: Math.max(box.clientWidth, 280),
        height: 180,
        cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
        scales: { x: { time: false } },
        axes: [
          { ...axis, label: 't (s)', labelSize: 16, size: 30 },
          { ...axis, size: 58 },
        ],
        series: [
          { label: 't' },
          ...ids.map((id) => ({
            label: id.name,
            stroke: colors[id.color % colors.length],
            dash: dashes[id.run % dashes.length],
            width: 1.5,
            spanGaps: true,
          })),
        ],
        legend: { show: ids.length <= 8, live: false },
        hooks: {
          setCursor: [
            (plot) => {
              if (
                plot.cursor.event &&
                plot.cursor.idx !== null &&
                plot.cursor.idx !== undefined &&
                plot.cursor.left >= 0
              )
                onTime(plot.data[0][plot.cursor.idx]);
            },
          ],
        },
      };
      return new uPlot(options, data, box);
    });
  }

  const stop = on('theme', paint);
  app.plotData = () => made.map((plot) => plot.data); // tests read it
  return {
    element,
    set(list) {
      charts = list;
      return paint();
    },
    // Puts all cursors at a time.
    setTime(t) {
      for (const plot of made) {
        const left = plot.valToPos(t, 'x');
        plot.setCursor({ left, top: plot.cursor.top ?? 10 }, false);
      }
    },
    stop() {
      isOver = true;
      stop();
      for (const plot of made) plot.destroy();
      made = [];
    },
  };
}

// Lines of several runs on the times of all of them.
export function align(lines) {
  const all = new Set();
  for (const { x } of lines) for (const t of x) all.add(t);
  const times = Float64Array.from(all).sort();
  const place = new Map();
  times.forEach((t, i) => place.set(t, i));
  const names = [...new Set(lines.map(({ name }) => name))];
  const isRepeated = (name) => lines.filter((line) => line.name === name).length > 1;
  const data = [times];
  const ids = [];
  for (const { name, run, x, y } of lines) {
    const values = new Array(times.length).fill(null);
    for (let i = 0; i < x.length; i += 1) values[place.get(x[i])] = y[i];
    data.push(values);
    const title = run > 0 && isRepeated(name) ? `${name} [${run + 1}]` : name;
    ids.push({ name: title, run, color: names.indexOf(name) });
  }
  return { data, ids };
}
