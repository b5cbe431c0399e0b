// Modules of the page that need no browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mock, test } from 'node:test';
import { decodeFrame, edit, move } from '../src/api.js';
import { codeTex } from '../src/code_tex.js';
import { commandLine, list, operationLine } from '../src/command_line.js';
import { elements, pieces, sections, symbolBodies } from '../src/latex.js';
import { toQuaternion, toVector } from '../src/rotation.js';
import { groupRules, specFile } from '../src/spec_file.js';
import { emit, state } from '../src/store.js';
import { makeHistory } from '../src/undo.js';
import { tar } from '../src/tar.js';
import { format, markStep, snap, withUnit } from '../src/units.js';
import { decodeNumbers, decodeState, encodeNumbers, encodeState } from '../src/url.js';
import { creasedNormals } from '../src/view/creases.js';
import { eigen3, ellipsoid } from '../src/view/inertia.js';
import {
  bestCell,
  colorAt,
  cut,
  meaningOf,
  ramp,
  readMap,
  readSection,
  rectangle,
  summary,
} from '../src/workspace_map.js';

test('numbers in the address come back as float32', () => {
  for (let n = 0; n < 50; n += 1) {
    const values = Array.from({ length: n }, () => Math.fround(10 * (Math.random() - 0.5)));
    assert.deepEqual(decodeNumbers(encodeNumbers(values)), values);
  }
  assert.equal(decodeNumbers('!!'), null);
  assert.equal(decodeNumbers('AAA'), null);
});

test('the state of the page comes back from the address', () => {
  const values = { mode: 'pose', sel: 'body.3', q: [0.5, -2], units: 'deg,mm' };
  assert.deepEqual(decodeState(encodeState(values)), values);
  assert.deepEqual(decodeState('q=~%%&mode=%3Cimg%3E').mode, '<img>');
});

test('units are applied at the glass', () => {
  state.units = { angle: 'deg', length: 'mm' };
  assert.equal(withUnit(Math.PI, 'angle'), '180.0 deg');
  assert.equal(withUnit(0.25, 'length'), '250.0 mm');
  assert.equal(format(-1e-9, 'angle'), '0.0');
  state.units = { angle: 'rad', length: 'm' };
  assert.equal(withUnit(1, 'angle'), '1.000 rad');
});

test('frames are read, unknown blocks skipped, cut ones refused', () => {
  const bytes = new ArrayBuffer(16 + 8 + 8 + 8 + 16);
  const view = new DataView(bytes);
  view.setUint32(0, 0x3153574c, true);
  view.setUint16(6, 2, true);
  view.setUint32(8, 7, true);
  view.setUint32(16, 99, true);
  view.setUint32(20, 5, true);
  view.setUint32(32, 6, true);
  view.setUint32(36, 16, true);
  view.setFloat64(40, 1.5, true);
  const frame = decodeFrame(bytes);
  assert.equal(frame.version, 7);
  assert.deepEqual(Array.from(frame.q), [1.5, 0]);
  view.setUint32(36, 4000, true);
  assert.equal(decodeFrame(bytes), null);
  assert.equal(decodeFrame(new ArrayBuffer(4)), null);
});

test('the ellipsoid of a box of inertia is that of a homogeneous body', () => {
  const [a, b, c] = [0.3, 0.2, 0.1];
  const m = 2;
  const solid = ellipsoid(m, [
    (m * (b * b + c * c)) / 5,
    (m * (a * a + c * c)) / 5,
    (m * (a * a + b * b)) / 5,
    0,
    0,
    0,
  ]);
  solid.axes.forEach((axis, i) => assert.ok(Math.abs(axis - [a, b, c][i]) < 1e-12));
  assert.equal(ellipsoid(1, [1, 0.1, 0.1, 0, 0, 0]), null);
  const { values, vectors } = eigen3([2, 3, 4, 0.5, -0.2, 0.1]);
  for (let k = 0; k < 3; k += 1) {
    const v = [vectors[k], vectors[3 + k], vectors[6 + k]];
    const Av = [
      2 * v[0] + 0.5 * v[1] - 0.2 * v[2],
      0.5 * v[0] + 3 * v[1] + 0.1 * v[2],
      -0.2 * v[0] + 0.1 * v[1] + 4 * v[2],
    ];
    Av.forEach((x, i) => assert.ok(Math.abs(x - values[k] * v[i]) < 1e-12));
  }
});

test('quaternions and rotation vectors are two names of one rotation', () => {
  for (let i = 0; i < 200; i += 1) {
    const v = Array.from({ length: 3 }, () => 3.4 * (Math.random() - 0.5));
    toVector(toQuaternion(v)).forEach((x, k) => assert.ok(Math.abs(x - v[k]) < 1e-12));
  }
  assert.deepEqual(toVector([1, 0, 0, 0]).map(Math.abs), [0, 0, 0]);
  toVector([-Math.SQRT1_2, 0, 0, -Math.SQRT1_2]).forEach((x, k) =>
    assert.ok(Math.abs(x - [0, 0, Math.PI / 2][k]) < 1e-12),
  );
});

test('documents of derive are taken apart', () => {
  const text = String.raw`\section*{x}
\subsection*{Symbols}

\begin{tabular}{@{}ll@{}}
symbol & name in code \\
\hline
$m_{2}$ & m\_outer \\
\end{tabular}
\subsection*{A \textbackslash{}b}

First \_ $q_{1}$.

\begin{equation*}
M(q) =
\begin{pmatrix}
M_{11} & 0 \\
0 & \times
\end{pmatrix}
\end{equation*}

\begin{align*}
M_{11} &= m_{2} + a \\
&\quad {} - b \\
& \text{M12 = (a sum of 515 products)} \\
G_{1} &= 0
\end{align*}

{\footnotesize
\begin{verbatim}
t0 = c[0] \\ {
\end{verbatim}
}
\end{document}`;
  const [symbols, other] = sections(text);
  assert.equal(other.title, 'A \\b');
  assert.deepEqual(
    other.blocks.map(({ kind }) => kind),
    ['text', 'matrix', 'math', 'code'],
  );
  assert.deepEqual(other.blocks[0].pieces, [{ text: 'First _ ' }, { tex: 'q_{1}' }, { text: '.' }]);
  assert.deepEqual(other.blocks[3].lines, ['t0 = c[0] \\\\ {']);
  assert.equal(other.blocks[1].name, 'M(q) =');
  assert.deepEqual(other.blocks[1].rows, [
    ['M_{11}', '0'],
    ['0', '\\times'],
  ]);
  const found = elements(other.blocks[2].tex);
  assert.deepEqual(
    found.map(({ name, row, column, terms }) => [name, row, column, terms]),
    [
      ['M_{11}', 1, 1, 3],
      ['M_{12}', 1, 2, 515],
      ['G_{1}', 0, 0, 1],
    ],
  );
  const bodies = symbolBodies([symbols], {
    coordinates: [{ body: 4 }],
    bodies: [{ name: 'inner' }, { name: 'outer' }],
    tree: [],
  });
  assert.equal(bodies.get('m2'), 1);
  assert.equal(bodies.get('q1'), 4);
  assert.deepEqual(pieces(String.raw`\$\href{x}{y}\$`), [{ text: '${x}{y}$' }]);
});

test('a specification of a class with loops has its sizes', () => {
  const text = specFile({
    kind: 'five-bar',
    letters: 'RR',
    rows: [],
    sizes: { base: ' 1 ', arm: '' },
  });
  assert.ok(text.includes('letters="RR">\n  <size base="1"/>\n</spec'), text);
});

test('a specification has what was typed, as text', () => {
  const text = specFile({ kind: 'a"<', letters: 'RT', rows: [{ length: ' a1 ' }, { mass: '2' }] });
  assert.ok(text.includes('class="a&quot;&lt;" letters="RT"'));
  assert.ok(text.includes('<joint length="a1"/>\n  <link/>\n  <joint/>\n  <link mass="2"/>'));
});

test('rules of one name are one, the worst first', () => {
  const rule = (name, state, field) => ({ name, state, kind: 'requirement', fields: [field] });
  const found = groupRules([
    rule('a', 'holds', 'x'),
    rule('b', 'undecided', 'x'),
    rule('a', 'violated', 'y'),
    rule('a', 'violated', 'z'),
  ]);
  assert.deepEqual(
    found.map(({ name, state, fields }) => [name, state, fields]),
    [
      ['a', 'violated', ['y', 'z']],
      ['b', 'undecided', ['x']],
    ],
  );
});

test('configurations are undone and done again', () => {
  globalThis.WebSocket ??= { OPEN: 1 };
  mock.timers.enable({ apis: ['setTimeout'] });
  makeHistory();
  state.q = [0, 0];
  emit('model');
  const list = [state.q];
  for (let i = 0; i < 250; i += 1) {
    list.push([Math.random(), Math.random()]);
    move([9, 9]); // a gesture: what comes within 0.4 s is one entry
    mock.timers.tick(100);
    move([...list.at(-1)]);
    mock.timers.tick(500);
  }
  for (let i = 249; i >= 50; i -= 1) {
    emit('key:undo');
    assert.deepEqual(state.q, list[i]);
  }
  emit('key:undo'); // 200 are kept
  assert.deepEqual(state.q, list[50]);
  for (let i = 51; i <= 250; i += 1) {
    emit('key:redo');
    assert.deepEqual(state.q, list[i]);
  }
  emit('key:undo');
  move([1, 2]);
  mock.timers.tick(500);
  emit('key:redo'); // what was undone is gone after a new one
  assert.deepEqual(state.q, [1, 2]);
  mock.timers.reset();
});

// 100 moves and edits, one by one undone and done again: the model and its configuration come back.
test('edits are undone and done again', async () => {
  globalThis.WebSocket ??= { OPEN: 1 };
  mock.timers.enable({ apis: ['setTimeout'] });
  const compile = ({ level, branch }) => {
    const words = (kind, map) => Object.entries(map).flatMap(([k, v]) => [kind, `${k}=${v}`]);
    const options = [...words('--level', level), ...words('--branch', branch)];
    state.model = { version: (state.model?.version ?? 0) + 1, nq: 2, options };
    emit('model');
  };
  const send = mock.method(globalThis, 'fetch', async (_path, { body }) => {
    queueMicrotask(() => compile(JSON.parse(body)));
    return { ok: true, json: async () => ({}) };
  });
  state.q = [0, 0];
  state.model = null;
  compile({ level: {}, branch: {} });
  emit('model'); // of another file: the history of the test above begins anew
  const now = () => JSON.stringify([state.model.options, state.q]);
  const past = [now()];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 100; i += 1) {
    if (Math.random() < 0.5) move([i, Math.random()]);
    else await edit({ [i % 2 ? 'level' : 'branch']: { [`part${i % 7}`]: String(i) } });
    mock.timers.tick(500);
    await settle();
    past.push(now());
  }
  for (let i = 99; i >= 0; i -= 1) {
    emit('key:undo');
    await settle();
    assert.equal(now(), past[i]);
  }
  for (let i = 1; i <= 100; i += 1) {
    emit('key:redo');
    await settle();
    assert.equal(now(), past[i]);
  }
  send.mock.mockImplementation(async () => ({ ok: false, json: async () => ({ error: 'no' }) }));
  await settle();
  const before = now();
  await edit({ level: { a: 'x' } }).catch(() => {});
  assert.equal(now(), before); // what is refused is no entry
  send.mock.restore();
  mock.timers.reset();
});

test('code becomes formulas', () => {
  const lines = ['c[0] = cos(q[0])', 's[0] = sin(q[0])', 't0 = 2.0 * p[1] * s[0] - 1e-05 / v[0]'];
  const J = ['0.0', '-t0', 'p[0] * (c[0] + t0)', '1.0', '0.5', 'sqrt(t0)'];
  const results = codeTex([...lines, ...J.map((text, i) => `J[${i}] = ${text}`)], ['g', 'a_{1}']);
  const step = 't_{0} &= 2\\,a_{1}\\,s_{1}-1 \\cdot 10^{-5}/\\dot{q}_{1}';
  assert.equal(results[0].tex, `\\begin{align*}\n${step}\n\\end{align*}`);
  assert.equal(results[1].name, 'J =');
  assert.deepEqual(results[1].rows.flat(), [
    '0',
    '-t_{0}',
    'g\\,(c_{1}+t_{0})',
    '1',
    '0.5',
    '\\operatorname{sqrt}(t_{0})',
  ]);
  assert.equal(codeTex(['if (x) {'], []), null);
  assert.equal(codeTex(['t0 = p[3]'], ['g']), null); // no such symbol
  assert.equal(codeTex(['t0 = $x'], []), null);
  const poses = codeTex(
    Array.from({ length: 24 }, (_, i) => `X[${i}] = ${i}.0`),
    [],
  );
  assert.deepEqual(poses[1].rows[2], ['18', '19', '20', '23']);
});

test('archives are read by tar', () => {
  const files = { 'robot/a.txt': 'x'.repeat(512), 'robot/b.txt': 'größe\n', 'robot/c.txt': '' };
  const input = tar(files);
  const names = execFileSync('tar', ['-tf', '-'], { input }).toString().trim().split('\n');
  assert.deepEqual(names, Object.keys(files));
  for (const [name, text] of Object.entries(files))
    assert.equal(execFileSync('tar', ['-xOf', '-', name], { input }).toString(), text);
});

test('edits are found among the options of a model', async () => {
  const { editsOf } = await import('../src/api.js');
  const options = ['--level', 'wrist=low', '--ideal', '--branch', 'a=b=-', '--level', '*=high'];
  const level = { wrist: 'low', '*': 'high' };
  assert.deepEqual(editsOf(options), { level, branch: { 'a=b': '-' }, ideal: true });
});

test('a command line is quoted as a shell takes it', () => {
  state.model = { file: "it's.xml", options: ['--level', '*=low'] };
  const line = commandLine('workspace', ['--frame', 'a b', '-q', list([0.1, -2])]);
  assert.equal(line, `linkwork workspace 'it'\\''s.xml' --level '*=low' --frame 'a b' -q 0.1,-2`);
  const words = execFileSync('sh', ['-c', `printf '%s|' ${line}`], { encoding: 'utf8' });
  assert.equal(words, "linkwork|workspace|it's.xml|--level|*=low|--frame|a b|-q|0.1,-2|");
  const options = { q: [], pose: [1, -0.5], run: ['a.xml', 'b'], symbolic: true, output: 'x' };
  assert.equal(
    operationLine('ik', options),
    `linkwork ik 'it'\\''s.xml' --level '*=low' --pose 1,-0.5 --run a.xml --run b --symbolic -o x`,
  );
});

const cellsCsv = `x,y,z,samples,manipulability,capability,q.a,"q.b, ""c"""
0.1,-0.1,0.3,4,0.5,0,0,0
0.1,0.1,0.3,2,0.25,0.5,1,2
-0.1,0.3,0.5,6,0.75,0.25,3,4
`;

// Normals go on over an edge that bends by less than 35 degrees, and stop at others.
test('round surfaces of meshes are smooth, and edges stay', () => {
  const prism = (n) => {
    const ring = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n);
    const vertices = [0, 1].flatMap((z) => ring.flatMap((a) => [Math.cos(a), Math.sin(a), z]));
    const index = ring.flatMap((_, i) => {
      const k = (i + 1) % n;
      return [i, k, n + k, i, n + k, n + i];
    });
    const corners = index.flatMap((i) => vertices.slice(3 * i, 3 * i + 3));
    return { corners, normals: creasedNormals(corners, index, 2 * n) };
  };
  for (const [n, isRound] of [
    [24, true],
    [8, false],
  ]) {
    const { corners, normals } = prism(n);
    for (let i = 0; i < corners.length; i += 3) {
      const out = corners[i] * normals[i] + corners[i + 1] * normals[i + 1];
      const wanted = isRound ? 1 : Math.cos(Math.PI / n); // that of the vertex, or of the face
      assert.ok(Math.abs(out - wanted) < (isRound ? 3e-3 : 1e-6), `${n}: ${out}`);
      assert.ok(Math.abs(normals[i + 2]) < 1e-6);
    }
  }
});

test('marks of sliders are round numbers, at most twelve', () => {
  state.units = { angle: 'deg', length: 'mm' };
  for (const kind of ['angle', 'length'])
    for (const span of [0.0013, 0.07, 0.5, 2.9, 12.6, 150]) {
      const step = markStep(-span / 3, (2 * span) / 3, kind);
      assert.ok(span / step <= 12 || step >= 2 * Math.PI - 1e-9, `${kind} ${span} ${step}`);
      if (kind === 'length')
        assert.match(Number((1000 * step).toPrecision(9)).toExponential(), /^[125]e/);
      assert.equal(snap(3.01 * step, step), 3 * step);
      assert.equal(snap(3.2 * step, step), 3.2 * step);
    }
});

test('cells of a workspace have measures, witnesses and cuts', () => {
  const map = readMap(cellsCsv);
  assert.equal(map.count, 3);
  assert.deepEqual(
    map.measures.map(({ name }) => name),
    ['samples', 'manipulability', 'capability'],
  );
  assert.deepEqual(
    map.witness.map((column) => Array.from(column)),
    [
      [0, 1, 3],
      [0, 2, 4],
    ],
  );
  assert.deepEqual(summary(map.measures[0].values), { least: 2, median: 4, largest: 6 });
  assert.equal(bestCell(map, 'manipulability'), 2);
  assert.equal(bestCell(map, 'capability'), 1); // the first has no configuration
  assert.equal(bestCell({ ...map, witness: [] }, 'capability'), -1);
  assert.deepEqual(cut(map, 'all', 'none', 0, 0.2), [0, 1, 2]);
  assert.deepEqual(cut(map, 'half', 'xz', 0.1, 0.2), [1, 2]);
  assert.deepEqual(cut(map, 'slice', 'xz', 0.1, 0.2), [1]);
  assert.deepEqual(cut(map, 'slice', 'yz', 0.2, 0.2), [0, 1]);
  assert.equal(meaningOf('manipulability', 2).unit, 'm²');
  assert.equal(meaningOf('dynamic_manipulability', 3).unit, '(m/s²)³');
  assert.equal(meaningOf('unheard-of', 6).unit, '');
});

test('curves of a section are in its plane', () => {
  const text = 'curve,kind,u,v,q.a\n0,barrier,1,2,0.5\n0,barrier,3,4,0.6\n1,boundary,5,6,0.7\n';
  const { curves, q } = readSection(text, 'yz', 9);
  assert.deepEqual(curves, [
    {
      isBarrier: true,
      points: [
        [9, 1, 2],
        [9, 3, 4],
      ],
    },
    { isBarrier: false, points: [[9, 5, 6]] },
  ]);
  assert.deepEqual(q, [[0.5], [0.6], [0.7]]);
  assert.deepEqual(rectangle([1, 2, 4, 2], 'xy', 0.5)[2], [3, 3, 0.5]);
});

test('colours of a measure go from end to end', () => {
  const hex = (share) =>
    `#${colorAt(share)
      .map((x) =>
        Math.round(255 * x)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`;
  assert.deepEqual([0, 0.2, 1, -3, 7, NaN].map(hex), [
    ramp[0],
    ramp[1],
    ramp.at(-1),
    ramp[0],
    ramp.at(-1),
    ramp[0],
  ]);
});
