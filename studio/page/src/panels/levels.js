// Levels: the level of detail of each assembly, and the joint forces at several levels compared.

import { edit, run } from '../api.js';
import { operationLine } from '../command_line.js';
import { h, replace } from '../dom.js';
import { emit, state } from '../store.js';
import { short } from '../units.js';
import { copyButton } from './fields.js';
import { makePlots } from './plots.js';

const names = ['high', 'middle', 'low'];
let compared = null; // {hash, report}
let job = null; // the comparison that runs
const parts = {};

async function setLevel(assembly, level) {
  parts.chosen[assembly] = level;
  try {
    await edit({ level: parts.chosen });
  } catch (error) {
    parts.note.textContent = error.message;
  }
}

// "20 pinion − 20 sun + 20 planet = 0", of the rates of the joints.
export function gearEquation({ joints, coefficients }) {
  const terms = joints.map((name, i) => {
    const sign = coefficients[i] < 0 ? '−' : i > 0 ? '+' : '';
    return `${sign}${sign && i > 0 ? ' ' : ''}${short(Math.abs(coefficients[i]))} ${name}`;
  });
  return `${terms.join(' ')} = 0`;
}

function gearRow(gear) {
  const light = (name) => {
    const link = state.model.links.find((item) => item.name === name);
    return {
      onpointerenter: () => link && emit('hover', link.body),
      onpointerleave: () => emit('hover', null),
    };
  };
  const wheels = (gear.wheels ?? []).flatMap((name, i) => [
    i > 0 ? ', ' : '',
    h('span', { class: 'symbol', ...light(name) }, name),
  ]);
  return h(
    'tr',
    { class: 'gear' },
    h('td', { title: gear.type }, gear.name, h('div', { class: 'muted' }, gear.type)),
    h(
      'td',
      {},
      h('div', {}, ...wheels),
      gear.carrier
        ? h('div', { class: 'muted' }, 'on ', h('span', light(gear.carrier), gear.carrier))
        : null,
      h('div', { class: 'equation' }, gearEquation(gear)),
    ),
  );
}

async function showLevels() {
  try {
    const { levels, gears } = (await run('explain').done).result;
    replace(parts.gears, ...gears.map(gearRow));
    parts.gearTitle.textContent = `${gears.length} gears`;
    parts.chosen = {};
    replace(
      parts.levels,
      ...levels.map(({ assembly, level, transmission_parts: count }) => {
        parts.chosen[assembly] = level;
        const select = h(
          'select',
          {
            'aria-label': `Level of ${assembly}`,
            onchange: () => setLevel(assembly, select.value),
          },
          ...names.map((name) => h('option', { value: name }, name)),
        );
        select.value = level;
        return h(
          'tr',
          {},
          h('td', {}, assembly === '*' ? 'the whole' : assembly),
          h('td', {}, select),
          h('td', { class: 'number' }, String(count)),
        );
      }),
    );
  } catch (error) {
    parts.note.textContent = error.message;
  }
}

// Torques of each joint at all levels, and how far each level is from the last.
function chartsOf({ names: joints, duration, compared: list }) {
  const last = list.at(-1);
  const x = last.tau.map((_, i) => (i * duration) / (last.tau.length - 1));
  const lines = (k, of) =>
    list.map((item, number) => ({ name: item.levels, run: number, x, y: of(item, k) }));
  const isLength = (joint) =>
    state.model.coordinates.find(({ name }) => name === joint)?.kind === 'length';
  const unit = (joint) => (isLength(joint) ? 'N' : 'N m');
  return joints.flatMap((joint, k) => [
    { title: joint, unit: unit(joint), lines: lines(k, (item) => item.tau.map((row) => row[k])) },
    {
      title: `${joint}, difference from ${last.levels}`,
      unit: unit(joint),
      lines: lines(k, (item) => item.tau.map((row, i) => row[k] - last.tau[i][k])).slice(0, -1),
    },
  ]);
}

async function show() {
  if (!compared) return;
  const { report } = compared;
  replace(
    parts.table,
    ...report.compared.map((item) =>
      h(
        'tr',
        {},
        h('td', {}, item.levels),
        h('td', { class: 'number' }, String(item.nbody)),
        h('td', { class: 'number' }, `${(item.ns / 1000).toFixed(1)}`),
        h('td', { class: 'number' }, short(Math.max(...item.largest))),
        h('td', { class: 'number' }, short(Math.max(...item.rms))),
      ),
    ),
  );
  await parts.plots.set(chartsOf(report));
}

const options = () => ({ levels: parts.spec.value });

async function compare() {
  if (job) {
    job.cancel();
    return;
  }
  parts.note.textContent = 'comparing';
  parts.compare.textContent = 'Cancel';
  job = run('compare', { options: options() }, (words) => {
    parts.note.textContent = words;
  });
  try {
    const reply = await job.done;
    parts.note.textContent = job.isCancelled ? 'cancelled' : reply.log.trim();
    if (reply.code !== 0) return;
    compared = { hash: state.model.hash, report: reply.result };
    await show();
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    job = null;
    parts.compare.textContent = 'Compare';
  }
}

export default {
  id: 'levels',
  title: 'Levels',
  blocked: (model) =>
    model.nq === 0 ? 'the model has no joint that moves' : model.mass > 0 ? '' : 'nothing has mass',
  left() {
    parts.levels = h('tbody', {});
    parts.note = h('p', { class: 'muted', role: 'status' });
    parts.spec = h('input', { type: 'text', 'aria-label': 'Levels to compare' });
    parts.spec.value = 'high,middle,low';
    parts.compare = h('button', { onclick: compare }, job ? 'Cancel' : 'Compare');
    const heads = ['assembly', 'level', 'gears, shafts'].map((text) => h('th', {}, text));
    return h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Levels'),
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), parts.levels),
      h('h3', {}, 'Compare'),
      parts.spec,
      h(
        'div',
        { class: 'row' },
        parts.compare,
        copyButton('Copy command', () => operationLine('compare', options())),
      ),
      parts.note,
    );
  },
  right() {
    parts.table = h('tbody', {});
    parts.gears = h('tbody', {});
    parts.gearTitle = h('summary', {}, 'Gears');
    const heads = ['levels', 'bodies', 'µs', 'largest', 'rms'].map((text) => h('th', {}, text));
    return h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Compared'),
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), parts.table),
      h('p', { class: 'muted' }, 'Differences are from the last of the levels.'),
      h('details', {}, parts.gearTitle, h('table', {}, parts.gears)),
    );
  },
  drawer() {
    parts.plots = makePlots(() => {});
    return parts.plots.element;
  },
  enter() {
    if (compared?.hash !== state.model.hash) compared = null;
    showLevels();
    show();
  },
  leave() {
    emit('hover', null);
    parts.plots?.stop();
  },
};
