// Run files (docs/reference/simulate.md) from the form of the Simulate mode.

const list = (values) => values.map((value) => String(Number(value.toPrecision(10)))).join(' ');

// kind: free, hold, or move: from the reference configuration to q and back.
export function runFile({ kind, q, reference, duration, law, frequency }) {
  const controller = `  <controller law="${law}" frequency="${frequency}" damping="1"/>`;
  const start = `  <start q="${list(kind === 'move' ? reference : q)}"/>`;
  const motion = [
    '  <limits velocity="1.5" acceleration="4" jerk="40"/>',
    '  <motion profile="s-curve">',
    `    <to q="${list(q)}"/>`,
    '    <wait duration="0.2"/>',
    `    <to q="${list(reference)}"/>`,
    '  </motion>',
  ];
  return [
    `<run version="1" name="${kind}"${kind === 'move' ? '' : ` duration="${duration}"`}>`,
    start,
    ...(kind === 'move' ? motion : []),
    ...(kind === 'free' ? [] : [controller]),
    '</run>',
    '',
  ].join('\n');
}
