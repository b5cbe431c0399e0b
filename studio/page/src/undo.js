// Undo and redo of configurations: a gesture, up to a pause of 0.4 s, is one entry.

import { move } from './api.js';
import { on, state } from './store.js';

const most = 200;

export function makeHistory() {
  let past = [];
  let future = [];
  let last = null;
  let timer = 0;
  let isOwn = false;
  const keep = () => {
    clearTimeout(timer);
    timer = 0;
    past = [...past, last].slice(-most);
    future = [];
    last = [...state.q];
  };
  on('model', () => {
    past = [];
    future = [];
    last = [...state.q];
  });
  on('q', () => {
    if (isOwn) return;
    clearTimeout(timer);
    timer = setTimeout(keep, 400);
  });
  const go = (from, to) => {
    if (timer) keep();
    if (from.length === 0) return;
    to.push(last);
    last = from.pop();
    isOwn = true;
    move([...last]);
    isOwn = false;
  };
  on('key:undo', () => go(past, future));
  on('key:redo', () => go(future, past));
}
