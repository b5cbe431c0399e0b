// Undo and redo of configurations and of edits of the model: a gesture, up to a pause of 0.4 s, is
// one entry, and so is an edit.

import { editsOf, move, replaceEdits } from './api.js';
import { emit, on, state } from './store.js';

const most = 200;

const textOf = (edits) => JSON.stringify(edits);

const current = () => ({ q: [...state.q], edits: editsOf(state.model?.options ?? []) });

export function makeHistory() {
  let past = [];
  let future = [];
  let last = null;
  let timer = 0;
  let isOwn = false; // what changes now is done by undo or redo
  const tell = () => emit('history', { canUndo: past.length > 0, canRedo: future.length > 0 });
  const keep = () => {
    clearTimeout(timer);
    timer = 0;
    past = [...past, last].slice(-most);
    future = [];
    last = current();
    tell();
  };
  on('model', () => {
    const now = current();
    const isEdit = last !== null && textOf(now.edits) !== textOf(last.edits);
    if (isOwn) return;
    clearTimeout(timer);
    timer = 0;
    if (isEdit) {
      past = [...past, last].slice(-most);
    } else {
      past = []; // the file is another
    }
    future = [];
    last = now;
    tell();
  });
  on('q', () => {
    if (isOwn) return;
    clearTimeout(timer);
    timer = setTimeout(keep, 400);
  });
  // The model comes by itself once it was compiled anew.
  const showEdits = async ({ q, edits }) => {
    const stop = { all: () => {} };
    const shown = new Promise((resolve) => {
      stop.all = on('model', resolve);
    });
    try {
      await replaceEdits(edits);
      await shown;
      if (q.length === state.model.nq) move([...q]);
      return true;
    } catch (error) {
      emit('message', error.message);
      return false;
    } finally {
      stop.all();
    }
  };
  const go = async (from, to) => {
    if (timer) keep();
    if (isOwn || from.length === 0) return;
    const wanted = from.at(-1);
    isOwn = true;
    if (textOf(wanted.edits) === textOf(last.edits)) move([...wanted.q]);
    else if (!(await showEdits(wanted))) {
      isOwn = false;
      return;
    }
    isOwn = false;
    to.push(last);
    last = from.pop();
    tell();
  };
  on('key:undo', () => go(past, future));
  on('key:redo', () => go(future, past));
}
