// What is selected, in numbers, with the place in the file that each came from.

import { hasServer } from '../api.js';
import { framePose } from '../view/drag.js';
import { list as numbers } from '../command_line.js';
import { h, replace } from '../dom.js';
import { emit, on, state } from '../store.js';
import { format, short, unitOf, withUnit } from '../units.js';
import { copyButton } from './fields.js';

// A button that shows where a part is described; where there is no server the place alone.
export function sourceLink(part) {
  if (!part?.file) return null;
  const text = `${part.file}:${part.line}:${part.column}`;
  if (!hasServer) return h('span', { class: 'source muted' }, text);
  return h(
    'button',
    { class: 'plain source', title: 'Show the line', onclick: () => emit('source', part) },
    text,
  );
}

const line = (name, ...value) =>
  h('tr', {}, h('th', {}, name), h('td', { class: 'number' }, ...value));

// Four digits; all that there are under the pointer.
const inertia = (values) =>
  h(
    'span',
    { title: `${values.join('  ')} kg m²` },
    `${values.map((x) => Number(x.toPrecision(4))).join('  ')} kg m²`,
  );

function linkRows(link) {
  const { model } = state;
  const joint = model.tree[link.joint];
  const [xx, yy, zz, xy, xz, yz] = link.tensor;
  return [
    h('h2', {}, link.name),
    sourceLink(link),
    h(
      'table',
      {},
      line('Mass', `${short(link.mass)} kg`),
      line(
        'Centre',
        `${link.center.map((x) => format(x, 'length')).join('  ')} ${unitOf('length').name}`,
      ),
      line('Ixx Iyy Izz', inertia([xx, yy, zz])),
      line('Ixy Ixz Iyz', inertia([xy, xz, yz])),
      line('Body', model.bodies[link.body]?.name ?? 'world'),
    ),
    joint ? h('h3', {}, `Joint ${joint.name} (${joint.type})`) : null,
    joint ? sourceLink(joint) : null,
    joint ? limits(joint) : null,
    shapesOf(link.name),
  ];
}

function limits(joint) {
  const rows = state.model.coordinates.filter((c) => state.model.tree[c.joint] === joint);
  return h(
    'table',
    {},
    ...rows.map((c) =>
      line(
        c.name,
        c.lower === null || c.lower === undefined
          ? 'no limits'
          : `${format(c.lower, c.kind)} to ${withUnit(c.upper, c.kind)}`,
      ),
    ),
  );
}

function shapesOf(name) {
  const shapes = state.model.shapes.filter((shape) => shape.link === name);
  if (shapes.length === 0) return null;
  return h(
    'table',
    {},
    ...shapes.map((s) =>
      line(
        s.role,
        s.type === 'mesh'
          ? `${s.file}${s.mesh < 0 && !['dae', 'gltf', 'glb'].includes(s.ending.toLowerCase()) ? ' (not read)' : ''}`
          : `${s.type} ${s.size
              .filter((x) => x > 0)
              .map((x) => format(x, 'length'))
              .join(' × ')}`,
      ),
    ),
  );
}

export function inspector() {
  const content = h('div', {});
  const pose = h('table', {});
  const element = h('section', { class: 'section', 'aria-label': 'Inspector' }, content, pose);
  // As the option --pose takes it.
  const copy = copyButton('Copy pose', () => numbers(framePose(frameOf(state.selection))));
  function frameOf(s) {
    if (s?.kind === 'frame') return s.index;
    if (s?.kind === 'link') return state.model.links[s.index].frame;
    if (s?.kind === 'body') return state.model.links.find((l) => l.body === s.index)?.frame ?? -1;
    return -1;
  }
  function fill() {
    const s = state.selection;
    const { model } = state;
    if (!s) {
      replace(
        content,
        h('h2', {}, model.name),
        h(
          'table',
          {},
          line('Mass', `${short(model.mass)} kg`),
          line('Positions', String(model.nq)),
          line('Dependent', String(model.dependent.length)),
          line('Bodies', String(model.nbody)),
          line('Loops', String(model.loops)),
          line('Gravity', `${model.gravity.map(short).join('  ')} m/s²`),
        ),
        h('p', { class: 'muted' }, 'Click a link to select it; drag it to move its joint.'),
      );
    } else if (s.kind === 'frame') {
      replace(
        content,
        h('h2', {}, model.frame_list[s.index].name),
        h('p', { class: 'muted' }, 'frame'),
      );
    } else {
      const links =
        s.kind === 'link' ? [model.links[s.index]] : model.links.filter((l) => l.body === s.index);
      replace(content, ...links.slice(0, 6).flatMap(linkRows));
    }
    track();
  }
  function track() {
    const frame = frameOf(state.selection);
    if (frame < 0) {
      replace(pose);
      copy.remove();
      return;
    }
    const [x, y, z, w, i, j, k] = framePose(frame);
    const length = unitOf('length').name;
    replace(
      pose,
      h('tr', {}, h('th', { colSpan: 2 }, 'World pose')),
      line('x y z', `${[x, y, z].map((v) => format(v, 'length')).join('  ')} ${length}`),
      line('w x y z', [w, i, j, k].map((v) => v.toFixed(4)).join('  ')),
    );
    if (!copy.isConnected) element.append(copy);
  }
  fill();
  const stops = [on('selection', fill), on('posed', track)];
  return { element, stop: () => stops.forEach((stop) => stop()) };
}
