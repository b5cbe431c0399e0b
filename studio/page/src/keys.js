// The keyboard, and the sheet that lists it.

import { h } from './dom.js';

const rows = [
  ['1 … 9', 'modes'],
  ['F', 'look at the selection'],
  ['R', 'reset the view'],
  ['G', 'grid'],
  ['V C J A M I', 'visual, collision, joints, frames, centres of mass, inertia'],
  ['arrows on a slider', 'one unit; Shift ten, Alt a tenth; Home and End: limits'],
  ['arrows on the view', 'turn the camera'],
  ['Space', 'run or pause'],
  [', .', 'one step back, on'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'],
  ['/', 'search'],
  ['?', 'this sheet'],
  ['Esc', 'deselect, close'],
];

export function keySheet() {
  const sheet = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h(
      'table',
      {},
      ...rows.map(([key, text]) => h('tr', {}, h('td', {}, h('kbd', {}, key)), h('td', {}, text))),
    ),
    h('button', { onclick: () => sheet.close() }, 'Close'),
  );
  return sheet;
}

// Calls actions[key] unless the user is typing.
export function listen(actions) {
  addEventListener('keydown', (event) => {
    const isTyping =
      /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) &&
      event.target.type !== 'range' &&
      event.target.type !== 'checkbox';
    // Shift is part of what a key types, but not with Ctrl.
    const control = event.ctrlKey || event.metaKey;
    const shift = event.shiftKey && (control || event.key.length > 1);
    const name = `${control ? 'ctrl+' : ''}${shift ? 'shift+' : ''}${event.key.toLowerCase()}`;
    if (document.querySelector('dialog[open]') && event.key !== '?') return; // its own keys
    if ((isTyping && event.key !== 'Escape') || event.altKey || !actions[name]) return;
    event.preventDefault();
    actions[name](event);
  });
}
