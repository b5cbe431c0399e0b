// The directions of the world in a corner of the view, by colour and letter.

import { svg } from '../dom.js';
import { on } from '../store.js';
import { app } from '../app.js';

const reach = 22; // pixels from the middle to the end of an axis that is seen from its side

export function axesSign() {
  const axes = ['x', 'y', 'z'].map((name) => ({
    line: svg('line', { class: name }),
    letter: svg('text', { class: name }, name),
  }));
  const element = svg(
    'svg',
    { class: 'axes', viewBox: '-34 -34 68 68', 'aria-hidden': 'true' },
    ...axes.flatMap(({ line, letter }) => [line, letter]),
  );
  on('camera model', () => {
    if (!app.view) return;
    app.view.camera.updateMatrixWorld();
    const turn = app.view.camera.matrixWorldInverse.elements;
    axes.forEach(({ line, letter }, k) => {
      const [x, y] = [turn[4 * k], -turn[4 * k + 1]];
      line.setAttribute('x2', reach * x);
      line.setAttribute('y2', reach * y);
      letter.setAttribute('x', (reach + 7) * x);
      letter.setAttribute('y', (reach + 7) * y);
    });
  });
  return element;
}
