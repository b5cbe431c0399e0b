// Code of a document of `derive`, line by line, as formulas: "t0 = p[7] * s[0]" -> "t_{0} = a_{1}\,s_{1}".

const ofJoints = { q: 'q', c: 'c', s: 's', v: '\\dot{q}', a: '\\ddot{q}' };
const rowsOf = { J: () => 6, dJ: () => 6, M: Math.sqrt, C: Math.sqrt };

function number(text) {
  const [digits, power] = text.replace(/\.0$/, '').split('e');
  return power ? `${digits} \\cdot 10^{${Number(power)}}` : digits;
}

// symbols: of the parameters p[0], p[1], ..., in LaTeX.
function name(text, symbols) {
  const [, word, digits, index] = text.match(/^([A-Za-z]+)(\d*)(?:\[(\d+)\])?$/) ?? [];
  if (!word) return null;
  if (index === undefined) return digits ? `${word}_{${digits}}` : `\\operatorname{${word}}`;
  if (word === 'p') return symbols[index] ?? null;
  return ofJoints[word] ? `${ofJoints[word]}_{${Number(index) + 1}}` : `${word}_{${index}}`;
}

// An expression in LaTeX; null where there is something else in it.
export function expression(text, symbols) {
  const token = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?)|([A-Za-z]\w*(?:\[\d+\])?)|([-+*/(),]))/y;
  let tex = '';
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const [, digits, word, sign] = token.exec(text) ?? [];
    const next = digits ? number(digits) : word ? name(word, symbols) : sign;
    if (!next) return null;
    const isProduct = tex.endsWith('\\,') && digits;
    tex = isProduct ? `${tex.slice(0, -2)} \\cdot ${next}` : `${tex}${next === '*' ? '\\,' : next}`;
  }
  return tex;
}

// A pose is 12 numbers: the rotation row by row, and the position.
const poseRows = (x) => [0, 1, 2].map((i) => [...x.slice(3 * i, 3 * i + 3), x[9 + i]]);

function matrices(word, x) {
  if (word === 'X' && x.length % 12 === 0)
    return Array.from({ length: x.length / 12 }, (_, frame) => ({
      kind: 'matrix',
      name: `X_{${frame}} =`,
      rows: poseRows(x.slice(12 * frame, 12 * frame + 12)),
      frame,
    }));
  const width = x.length / (rowsOf[word]?.(x.length) ?? NaN);
  if (!Number.isInteger(width)) return null;
  const rows = Array.from({ length: x.length / width }, (_, i) =>
    x.slice(i * width, (i + 1) * width),
  );
  return [{ kind: 'matrix', name: `${word === 'dJ' ? '\\dot{J}' : word} =`, rows }];
}

// Formulas of lines of code: what is computed on the way, then the results, matrices as such.
// [{kind: 'math', tex} | {kind: 'matrix', name, rows}]; null where a line is no assignment.
export function codeTex(lines, symbols) {
  const steps = [];
  const arrays = new Map(); // results, by name
  for (const line of lines) {
    const [, to, from] = line.match(/^([A-Za-z]\w*(?:\[\d+\])?) = (.*)$/) ?? [];
    const left = to && name(to, symbols);
    const right = to && expression(from, symbols);
    if (!left || !right) return null;
    const [, word, index] = to.match(/^([A-Za-z]+)\[(\d+)\]$/) ?? [];
    if (/^[cs]$/.test(word) && /^(cos|sin)\(q\[\d+\]\)$/.test(from)) continue; // by their names
    if (word && word !== 'k' && !ofJoints[word]) {
      if (!arrays.has(word)) arrays.set(word, []);
      arrays.get(word)[index] = right;
    } else {
      steps.push(`${left} &= ${right}`);
    }
  }
  const math = (list) => ({
    kind: 'math',
    tex: `\\begin{align*}\n${list.join(' \\\\\n')}\n\\end{align*}`,
    elements: [],
  });
  const results = [...arrays].flatMap(([word, x]) => {
    const isWhole = Object.keys(x).length === x.length;
    const list = (isWhole && matrices(word, x)) || null;
    return list ?? [math(Object.keys(x).map((i) => `${word}_{${i}} &= ${x[i]}`))];
  });
  return [...(steps.length > 0 ? [math(steps)] : []), ...results];
}
