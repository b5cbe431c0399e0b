// The text of a specification from the form of the page: numbers or symbols, as they were typed.

const quote = (text) =>
  `"${String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])}"`;

// Sizes to begin with, of classes with loops.
export const usualSizes = {
  parallelogram:
    'pedestal=0.3 offset=0.3 height=0.35 arm=1 lever=0.35 neck=0.2 rise=0.12 forearm=0.8 flange=0.2',
  palletiser:
    'offset=0.3 height=0.8 arm=1.2 forearm=1.3 lever=0.3 bracket=0.25 wrist=0.15 drop=0.2 rod_mass=6',
  delta: 'base=0.2 arm=0.3 rod=0.7 platform=0.05 width=0.05 rod_mass=0.06',
  'five-bar': 'base=0.3 arm=0.25 forearm=0.35',
};

export const sizesOf = (kind) =>
  Object.fromEntries((usualSizes[kind] ?? '').split(' ').map((pair) => pair.split('=')));

// rows: [{length, mass}], one for each letter; sizes: {name: text} of a class with loops, which has
// no rows. What is empty is left out.
export function specFile({ kind, letters, rows, sizes = null }) {
  const attribute = (name, value) => (value?.trim() ? ` ${name}=${quote(value.trim())}` : '');
  const own = Object.entries(sizes ?? {}).map(([name, value]) => attribute(name, value));
  const lines = [...letters].flatMap((_, i) => {
    const { length, mass } = rows[i] ?? {};
    return [
      `  <joint${attribute('length', length)}/>`,
      ...(mass?.trim() ? [`  <link${attribute('mass', mass)}/>`] : ['  <link/>']),
    ];
  });
  const head = `<specification version="1" name="robot" class=${quote(kind)}${attribute('letters', letters)}>`;
  return [head, ...(sizes ? [`  <size${own.join('')}/>`] : lines), '</specification>', ''].join(
    '\n',
  );
}

// Rules of the same name as one: the worst state, and the joints or links that it is of.
export function groupRules(rules) {
  const order = ['violated', 'undecided', 'holds'];
  const groups = new Map();
  for (const rule of rules) {
    const group = groups.get(rule.name);
    if (!group || order.indexOf(rule.state) < order.indexOf(group.state))
      groups.set(rule.name, { ...rule, fields: [...rule.fields] });
    else if (group.state === rule.state)
      group.fields = [...new Set([...group.fields, ...rule.fields])];
  }
  const rank = ({ state, kind }) => 2 * order.indexOf(state) + (kind === 'requirement' ? 0 : 1);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}
