// The command line that gives the numbers of this page.

import { state } from './store.js';

const exact = (value) => String(Number(value.toPrecision(12)));

export const list = (values) => values.map(exact).join(',');

// A word as a shell takes it.
export const quoted = (word) =>
  /^[\w./=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

// commandLine('fk', ['-q', '0.1,0.2']): the model and its options come in front.
export function commandLine(command, words) {
  const { model } = state;
  return ['linkwork', command, model.file, ...model.options, ...words].map(quoted).join(' ');
}

// The same for options as run() of api.js takes them: {frame: 'tool', pose: [...], limits: 'off'}.
export function operationLine(command, options) {
  const nameOf = (key) => ({ q: '-q', output: '-o' })[key] ?? `--${key}`;
  const words = Object.entries(options).flatMap(([key, value]) => {
    if (value === true) return [nameOf(key)];
    if (!Array.isArray(value)) return [nameOf(key), String(value)];
    return typeof value[0] === 'number'
      ? [nameOf(key), list(value)]
      : value.flatMap((text) => [nameOf(key), text]);
  });
  return commandLine(command, words);
}
