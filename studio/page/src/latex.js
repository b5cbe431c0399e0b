// The documents of `derive`, taken apart: headings, paragraphs, formulas, tables and code. Names of
// the model stand in them as escaped text, and become text again.

const escapes = {
  textasciitilde: '~',
  textasciicircum: '^',
  textbackslash: '\\',
  allowbreak: '',
  raggedright: '',
};

// Text between formulas, without the escapes of LaTeX.
export function plainText(text) {
  return text.replace(
    /\\([a-zA-Z]+)(\{\})?|\\([#$%&_{}])/g,
    (_, name, _braces, sign) => sign || (escapes[name] ?? ''),
  );
}

// A paragraph as pieces: {text} or {tex}.
export function pieces(text) {
  const list = [];
  let rest = text;
  while (rest) {
    const found = rest.match(/(?<!\\)\$((?:[^$\\]|\\.)*)\$/);
    const before = found ? rest.slice(0, found.index) : rest;
    if (before) list.push({ text: plainText(before) });
    if (found) list.push({ tex: found[1] });
    rest = found ? rest.slice(found.index + found[0].length) : '';
  }
  return list;
}

// Elements of a list of equations: {name: 'M_{12}', row, column, tex, terms}. Lines that continue
// an element begin with "&\quad".
export function elements(tex) {
  const body = tex.replace(/\\(begin|end)\{align\*\}/g, '').trim();
  const list = [];
  for (const line of body.split(/\\\\\n/)) {
    if (/^&\s*\\quad/.test(line) && list.length > 0) list.at(-1).tex += ` \\\\\n${line}`;
    else list.push({ tex: line });
  }
  return list.map((item) => {
    // An element that is too long to be written is counted in words.
    const long = item.tex.match(/\\text\{([A-Z])(\d+) = \(a sum of (\d+) products\)\}/);
    const written =
      item.tex
        .match(/^(.*?)\s*&?=/)?.[1]
        .replace(/&/g, '')
        .trim() ?? '';
    const name = long ? `${long[1]}_{${long[2]}}` : written;
    const index = name.match(/^[A-Z]_\{(\d+),?(\d*)\}$/);
    const isPair = index && (index[2] || index[1].length === 2);
    const [row, column] = !isPair ? [] : index[2] ? index.slice(1) : [...index[1]];
    return {
      ...item,
      name,
      row: Number(row ?? 0),
      column: Number(column ?? 0),
      terms: long ? Number(long[3]) : 1 + (item.tex.match(/ [+-] /g)?.length ?? 0),
    };
  });
}

function tableRows(body) {
  return body
    .split(/\\\\|\\tabularnewline/)
    .map((line) => line.replace(/\\(hline|endhead)/g, '').trim())
    .filter(Boolean)
    .map((line) => line.split(/(?<!\\)&/).map((cell) => pieces(cell.trim())));
}

function block(text) {
  const name = text.match(/^\\begin\{(\w+\*?)\}/)?.[1];
  const inside = text.replace(/^\\begin\{.*\n/, '').replace(/\\end\{\w+\*?\}$/, '');
  if (name === 'verbatim') return { kind: 'code', lines: inside.trimEnd().split('\n') };
  if (name === 'tabular' || name === 'longtable') return { kind: 'table', rows: tableRows(inside) };
  if (name === 'align*') return { kind: 'math', tex: text, elements: elements(text) };
  const matrix = text.match(/\}\s*(.*?)=?\s*\\begin\{pmatrix\}([\s\S]*?)\\end\{pmatrix\}/);
  if (matrix) {
    const rows = matrix[2].split('\\\\').map((row) => row.split('&').map((cell) => cell.trim()));
    return { kind: 'matrix', name: `${matrix[1].trim()} =`, rows };
  }
  if (name) return { kind: 'math', tex: text, elements: [] };
  return { kind: 'text', pieces: pieces(text) };
}

// [{title, source, blocks}], one for each heading below the title.
export function sections(document) {
  const body = document
    .replace(/\\ifcsname strokepath[\s\S]*?\n\\fi\n/g, '')
    .replace(/\\end\{document\}[\s\S]*/, '');
  const parts = body.split(/\\subsection\*\{(.*)\}\n/).slice(1);
  const list = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const source = parts[i + 1].trim();
    const blocks = source
      .replace(/\{\\footnotesize\n|\n\}(?=\n|$)/g, '\n')
      .split(/(\\begin\{(align\*|equation\*|tabular|longtable|verbatim)\}[\s\S]*?\\end\{\2\})/)
      .filter((_, k) => k % 3 !== 2)
      .flatMap((text) => (text.startsWith('\\begin') ? [text] : text.split(/\n\s*\n/)))
      .map((text) => text.trim())
      .filter(Boolean);
    list.push({ title: plainText(parts[i]), source, blocks: blocks.map(block) });
  }
  return list;
}

// The symbols of the numbers that stay symbols, in their order.
export function parameterSymbols(list) {
  const blocks = list.find(({ title }) => title === 'Symbols')?.blocks ?? [];
  const table = blocks.find(({ kind }) => kind === 'table');
  return (table?.rows.slice(1) ?? []).map(([symbol]) => symbol?.[0]?.tex ?? null);
}

// Which body a symbol belongs to: 'q1', 'c23' and 'm2' -> index. Positions by their number,
// parameters by their name in the code, which ends in the name of the body.
export function symbolBodies(list, model) {
  const code = (name) => name.replace(/[^A-Za-z0-9_]/g, '_');
  const found = new Map();
  model.coordinates.forEach((c, k) => {
    for (const letter of 'qcsva') found.set(`${letter}[${k}]`, c.body);
    for (const letter of 'qcsτGC') found.set(`${letter}${k + 1}`, c.body);
  });
  const symbols = list.find(({ title }) => title === 'Symbols')?.blocks ?? [];
  for (const { kind, rows } of symbols) {
    for (const [symbol, name] of kind === 'table' ? rows.slice(1) : []) {
      const key = symbol?.[0]?.tex?.replace(/[_{}\\, ]/g, '');
      const text = name?.[0]?.text ?? '';
      const body = model.bodies.findIndex((b) => text.endsWith(`_${code(b.name)}`));
      const joint = model.tree.find((j) => text.endsWith(`_${code(j.name)}`));
      if (key && body >= 0) found.set(key, body);
      else if (key && joint) found.set(key, joint.body);
    }
  }
  return found;
}
