// Equations: any function of the model as `derive` finds it, with symbols that light up.

import { run } from '../api.js';
import { operationLine } from '../command_line.js';
import { assetUrl, copyText, download, h, replace } from '../dom.js';
import { codeTex } from '../code_tex.js';
import { parameterSymbols, sections, symbolBodies } from '../latex.js';
import { emit, on, state } from '../store.js';
import { copyButton } from './fields.js';

const MOST_TERMS = 400; // above, elements are shown one at a time

const functions = [
  ['elements', 'M, C and G by elements'],
  ['inverse_dynamics', 'inverse dynamics'],
  ['mass_matrix', 'mass matrix'],
  ['coriolis_matrix', 'Coriolis matrix'],
  ['christoffel', 'Christoffel symbols'],
  ['gravity', 'gravity forces'],
  ['forward_dynamics', 'forward dynamics'],
  ['poses', 'forward kinematics'],
  ['jacobian', 'Jacobian'],
  ['inverse_kinematics', 'inverse kinematics'],
  ['energy', 'energy'],
  ['regressor', 'regressor'],
  ['jacobian_rate', 'rate of the Jacobian'],
  ['inverse_dynamics_derivatives', 'inverse dynamics, derivatives'],
  ['forward_dynamics_derivatives', 'forward dynamics, derivatives'],
  ['parameter_derivatives', 'inverse dynamics, by parameters'],
];
// What the elements of M, C and G say already.
const closed = ['elements', 'inverse_dynamics', 'mass_matrix', 'christoffel', 'gravity'];
const ofFrame = ['jacobian', 'jacobian_rate', 'inverse_kinematics'];
const forms = [
  ['cheapest', 'the cheapest'],
  ['recursive', 'recursion, Newton-Euler'],
  ['lagrange', 'Lagrange'],
  ['uicker', 'Uicker-Kahn'],
];

const MOST_JOINTS = 7; // of an arm, whose equations take two seconds; others are asked for

let stops = [];
let job = null;
let turns = 0; // how often it was asked for
let derived = null; // {hash, list, counts, forms, text, bodies}
let katex = null;
let symbols = new Map(); // of what is shown: symbol -> body
let parameters = []; // of what is shown: their symbols, in LaTeX
const form = { functions: 'elements', frame: '', form: 'cheapest', symbolic: true };
const parts = {};

export async function loadKatex() {
  if (katex) return;
  document.head.append(h('link', { rel: 'stylesheet', href: assetUrl('katex.css') }));
  katex = (await import('katex')).default;
}

// --- Formulas -------------------------------------------------------------------------------------

function mark(element, key) {
  const body = symbols.get(key);
  if (body === undefined || body < 0) return;
  element.classList.add('symbol');
  element.dataset.body = String(body);
  element.addEventListener('pointerenter', () => emit('hover', body));
  element.addEventListener('pointerleave', () => emit('hover', null));
}

// Elements with an index in the order in which KaTeX draws them: tables by columns.
function indexed(node) {
  const cells =
    node.localName === 'mtable'
      ? [...node.children]
          .flatMap((row) => [...row.children].map((cell, column) => ({ cell, column })))
          .sort((a, b) => a.column - b.column)
          .map(({ cell }) => cell)
      : [...node.children];
  const inside = cells.flatMap(indexed);
  return /^(msub|msup|msubsup)$/.test(node.localName) ? [node, ...inside] : inside;
}

// The MathML of a formula says what its boxes mean.
function markSymbols(element) {
  const named = indexed(element.querySelector('.katex-mathml') ?? element);
  const drawn = element.querySelectorAll('.katex-html .msupsub');
  if (named.length !== drawn.length) return;
  named.forEach((item, i) => {
    if (item.localName === 'msup') return;
    const base = item.children[0].localName === 'mover' ? item.children[0] : item;
    mark(drawn[i].parentElement, base.children[0].textContent + item.children[1].textContent);
  });
}

function formula(tex, displayMode) {
  const element = h(displayMode ? 'div' : 'span', { class: displayMode ? 'formula' : '' });
  katex.render(tex, element, { displayMode, trust: false, throwOnError: false, maxExpand: 1e5 });
  markSymbols(element);
  return element;
}

const inline = (list) => list.map(({ text, tex }) => (tex ? formula(tex, false) : text));

function codeLine(line) {
  const words = line.split(/([qvacs]\[\d+\])/);
  return h(
    'div',
    {},
    ...words.map((word, i) => {
      if (i % 2 === 0) return word;
      const element = h('span', {}, word);
      mark(element, word);
      return element;
    }),
  );
}

// Elements as a picture: a matrix where they have two indices, the more coloured the more
// terms they have.
function picture(list) {
  const shown = h('div', { class: 'element' });
  const show = (item) =>
    replace(
      shown,
      formula(`\\begin{align*}\n${item.tex}\n\\end{align*}`, true),
      h('button', { onclick: () => copyText(item.tex) }, `Copy LaTeX of this element`),
    );
  const most = Math.max(...list.map(({ terms }) => terms));
  const cell = (item) => {
    const name = item.name.replace(/[_{}]/g, '');
    const button = h(
      'button',
      { class: 'cell', title: `${item.terms} terms`, onclick: () => show(item) },
      h('strong', {}, name),
      ` ${item.terms}`,
    );
    button.style.setProperty('--share', Math.log(item.terms + 1) / Math.log(most + 1));
    return button;
  };
  const pairs = list.filter((item) => item.row > 0);
  const n = Math.max(0, ...pairs.map((item) => Math.max(item.row, item.column)));
  const at = (i, k) =>
    pairs.find((p) => p.row === i && p.column === k) ??
    pairs.find((p) => p.row === k && p.column === i);
  const rows = Array.from({ length: n }, (_, i) =>
    h(
      'tr',
      {},
      ...Array.from({ length: n }, (_item, k) => {
        const item = at(i + 1, k + 1);
        return h('td', {}, item ? cell(item) : '·');
      }),
    ),
  );
  return h(
    'div',
    { class: 'picture' },
    h('p', { class: 'muted' }, 'The number is that of the terms; a click shows the element.'),
    n > 0 ? h('table', {}, h('tbody', {}, ...rows)) : null,
    h('div', { class: 'row' }, ...list.filter((item) => item.row === 0).map(cell)),
    shown,
  );
}

// Large brackets of KaTeX need a style attribute, which the policy of the page refuses.
function matrixOf({ name, rows }) {
  const cells = (row) => row.map((cell) => h('td', {}, formula(cell, false)));
  return h(
    'div',
    { class: 'row' },
    formula(name, false),
    h(
      'table',
      { class: 'matrix' },
      h('tbody', {}, ...rows.map((row) => h('tr', {}, ...cells(row)))),
    ),
  );
}

// Code as formulas, and itself below them.
function codeOf({ lines }) {
  const code = h('pre', { tabindex: '0', class: 'lines' }, ...lines.map(codeLine));
  const formulas = lines.length <= MOST_TERMS ? codeTex(lines, parameters) : null;
  if (!formulas) return code;
  const ofFrame = ({ frame }) => h('p', {}, state.model.frame_list[frame].name);
  const frames = formulas.filter(({ frame }) => frame !== undefined);
  const isNamed = frames.length === state.model.frame_list.length;
  return h(
    'div',
    {},
    ...formulas.flatMap((item) => [
      isNamed && item.frame !== undefined ? ofFrame(item) : null,
      blockOf(item, false),
    ]),
    h('details', {}, h('summary', {}, 'As code'), code),
  );
}

function blockOf(item, isLong) {
  if (item.kind === 'matrix') return matrixOf(item);
  if (item.kind === 'text') return h('p', {}, ...inline(item.pieces));
  if (item.kind === 'code') return codeOf(item);
  if (item.kind === 'table') {
    const row = (tag, cells) => h('tr', {}, ...cells.map((c) => h(tag, {}, ...inline(c))));
    const [head, ...rest] = item.rows;
    return h(
      'table',
      {},
      h('thead', {}, row('th', head ?? [])),
      h('tbody', {}, ...rest.map((cells) => row('td', cells))),
    );
  }
  return isLong && item.elements.length > 1 ? picture(item.elements) : formula(item.tex, true);
}

// A heading that opens; formulas are made when it does.
function sectionOf({ title, source, blocks }, isOpen) {
  const body = h('div', {});
  const fill = () => {
    if (body.childNodes.length > 0) return;
    const terms = blocks
      .flatMap((item) => item.elements ?? [])
      .reduce((sum, element) => sum + element.terms, 0);
    replace(
      body,
      h('button', { class: 'plain', onclick: () => copyText(source) }, 'Copy LaTeX'),
      ...blocks.map((item) => blockOf(item, terms > MOST_TERMS)),
    );
    light();
  };
  if (isOpen) fill();
  return h(
    'details',
    { open: isOpen, ontoggle: (event) => event.target.open && fill() },
    h('summary', {}, title),
    body,
  );
}

// Sections of a document, those with some titles open.
export function renderSections(list, bodies, open) {
  symbols = bodies;
  parameters = parameterSymbols(list);
  return list.map((item) => sectionOf(item, open.includes(item.title)));
}

// The symbols of what is selected in the view.
function light() {
  const { selection, model } = state;
  const body = !selection
    ? -1
    : selection.kind === 'body'
      ? selection.index
      : selection.kind === 'link'
        ? model.links[selection.index].body
        : model.frame_list[selection.index].body;
  for (const element of parts.document?.querySelectorAll('.symbol') ?? [])
    element.classList.toggle('lit', Number(element.dataset.body) === body);
}

// --- Deriving -----------------------------------------------------------------------------------

const hasFrame = () => ofFrame.includes(form.functions);

function options(output) {
  return {
    options: {
      functions: form.functions,
      ...(form.frame && hasFrame() ? { frame: form.frame } : {}),
      form: form.form,
      ...(form.symbolic ? { symbolic: true } : {}),
      output,
    },
  };
}

// Derives what the form says; a change while it runs begins anew.
async function derive() {
  turns += 1;
  const turn = turns;
  parts.frame.classList.toggle('hidden', !hasFrame());
  parts.derive.textContent = 'Cancel';
  parts.note.textContent = 'deriving';
  job?.cancel();
  await job?.done.catch(() => {});
  if (turn !== turns) return;
  const mine = run('derive', options('equations.tex'), (words) => {
    parts.note.textContent = words;
  });
  job = mine;
  try {
    const [reply] = await Promise.all([mine.done, loadKatex()]);
    if (turn !== turns) return;
    const text = reply.files?.['equations.tex'];
    parts.note.textContent = mine.isCancelled ? 'cancelled' : reply.log.trim();
    if (reply.code !== 0 || !text) return;
    const list = sections(text);
    const bodies = symbolBodies(list, state.model);
    derived = { hash: state.model.hash, list, text, bodies, ...reply.result };
    show();
  } catch (error) {
    parts.note.textContent = error.message;
  } finally {
    if (job === mine) job = null;
    if (turn === turns) {
      parts.derive.textContent = 'Derive';
    }
  }
}

async function copyCode() {
  parts.note.textContent = 'writing C';
  try {
    const reply = await run('generate', options('equations.h')).done;
    const text = reply.files?.['equations.h'];
    const isCopied = text && (await copyText(text));
    parts.note.textContent = isCopied ? 'copied: C' : text ? 'not copied' : reply.log.trim();
  } catch (error) {
    parts.note.textContent = error.message;
  }
}

function countRows() {
  const rows = [];
  for (const [name, list] of Object.entries(derived.forms ?? {})) {
    for (const [kind, c] of Object.entries(list)) {
      const isTaken = JSON.stringify(c) === JSON.stringify(derived.counts[name]);
      rows.push(
        h(
          'tr',
          {},
          h('td', {}, isTaken ? `${kind} (taken)` : kind),
          ...[c.mul + c.div + c.sqrt, c.add, c.sincos].map((n) =>
            h('td', { class: 'number' }, String(n)),
          ),
        ),
      );
    }
  }
  return rows;
}

// The sections with what was asked for.
function opened() {
  const has = (title) => derived.list.some((item) => item.title === title);
  if (closed.includes(form.functions) && has('Equations')) return ['Equations', 'Zero pattern'];
  return has('Solutions and singular poses')
    ? ['Which equation gives which joint', 'Solutions and singular poses']
    : ['Line by line'];
}

function show() {
  if (!derived || !parts.document) return;
  replace(parts.document, ...renderSections(derived.list, derived.bodies, opened()));
  replace(parts.counts, ...countRows());
  const content = parts.document.closest('.content');
  if (content) content.scrollTop = parts.document.querySelector('details[open]')?.offsetTop ?? 0;
}

// --- The mode -----------------------------------------------------------------------------------

function choice(title, key, values) {
  const select = h(
    'select',
    {
      onchange: () => {
        form[key] = select.value;
        derive();
      },
    },
    ...values.map(([value, text]) => h('option', { value }, text)),
  );
  select.value = form[key];
  return h(
    'label',
    { class: 'row' },
    h('span', { class: 'grow' }, title),
    h('span', { class: 'field' }, select),
  );
}

function left() {
  const symbolic = h('input', {
    type: 'checkbox',
    onchange: () => {
      form.symbolic = symbolic.checked;
      derive();
    },
  });
  symbolic.checked = form.symbolic;
  parts.derive = h(
    'button',
    { onclick: () => (job ? job.cancel() : derive()) },
    job ? 'Cancel' : 'Derive',
  );
  const names = state.model.frame_list.map(({ name }) => name);
  if (!names.includes(form.frame)) form.frame = '';
  parts.frame = choice('Frame', 'frame', [['', 'the tip'], ...names.map((name) => [name, name])]);
  parts.frame.classList.toggle('hidden', !hasFrame());
  parts.note = h('p', { class: 'muted', role: 'status' });
  parts.counts = h('tbody', {});
  const save = () => derived && download('equations.tex', derived.text, 'application/x-tex');
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, 'Equations'),
    choice('Function', 'functions', functions),
    parts.frame,
    choice('Form', 'form', forms),
    h('label', { class: 'row' }, symbolic, 'numbers of the model as symbols'),
    h(
      'div',
      { class: 'row' },
      parts.derive,
      h('button', { onclick: copyCode }, 'Copy C'),
      h('button', { onclick: save }, 'Save LaTeX'),
      copyButton('Copy command', () => operationLine('derive', options('equations.tex').options)),
    ),
    parts.note,
    h('h3', {}, 'Operations'),
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h('tr', {}, ...['form', 'mul', 'add', 'sin, cos'].map((text) => h('th', {}, text))),
      ),
      parts.counts,
    ),
  );
}

export default {
  id: 'equations',
  title: 'Equations',
  blocked: (model) => (model.nq === 0 ? 'the model has no joint that moves' : ''),
  left,
  drawer() {
    const note = h('p', { class: 'muted' }, 'Derive writes the equations of all joints here.');
    parts.document = h('div', { class: 'document' }, note);
    return parts.document;
  },
  enter() {
    if (derived?.hash !== state.model.hash) derived = null;
    stops.push(on('selection', light));
    if (derived) show();
    else if (state.model.nq > 0 && state.model.nq <= MOST_JOINTS) derive();
  },
  leave() {
    job?.cancel();
    emit('hover', null);
    for (const stop of stops) stop();
    stops = [];
  },
};
