// The text of a specification from the form of the page: numbers or symbols, as they were typed.

const quote = (text) =>
  `"${String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])}"`;

// rows: [{length, mass}], one for each letter; what is empty is left out.
export function specFile({ kind, letters, rows }) {
  const attribute = (name, value) => (value?.trim() ? ` ${name}=${quote(value.trim())}` : '');
  const lines = [...letters].flatMap((_, i) => {
    const { length, mass } = rows[i] ?? {};
    return [
      `  <joint${attribute('length', length)}/>`,
      ...(mass?.trim() ? [`  <link${attribute('mass', mass)}/>`] : ['  <link/>']),
    ];
  });
  const head = `<specification version="1" name="robot" class=${quote(kind)}${attribute('letters', letters)}>`;
  return [head, ...lines, '</specification>', ''].join('\n');
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
