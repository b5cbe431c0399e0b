// The machine as a tree of links, with a search field.

import { h, replace } from '../dom.js';
import { on, set, state } from '../store.js';

// Depth of each link: described joints on the way to the world.
function depthOf(model, link) {
  let depth = 0;
  for (let j = link.joint; j >= 0; j = model.tree[j].parent) depth += 1;
  return depth;
}

export function treePanel() {
  const list = h('ul', { class: 'tree', 'aria-label': 'Links' });
  const search = h('input', {
    type: 'search',
    placeholder: 'Search links and frames  ( / )',
    'aria-label': 'Search',
    id: 'search',
    oninput: () => fill(),
  });
  const movable = h('input', { type: 'checkbox', onchange: () => fill() });
  let buttons = [];
  function fill() {
    const { model } = state;
    const text = search.value.toLowerCase();
    const items = [];
    for (const link of model.links) {
      const joint = model.tree[link.joint];
      if (movable.checked && (!joint || joint.nbody === 0)) continue;
      if (text && !link.name.toLowerCase().includes(text)) continue;
      items.push({
        name: link.name,
        detail: joint ? joint.type : '',
        depth: text ? 0 : depthOf(model, link),
        selection: { kind: 'link', index: model.links.indexOf(link), body: link.body },
      });
    }
    if (text) {
      model.frame_list.forEach((frame, index) => {
        if (frame.name.toLowerCase().includes(text))
          items.push({
            name: frame.name,
            detail: 'frame',
            depth: 0,
            selection: { kind: 'frame', index, body: frame.body },
          });
      });
    }
    buttons = items.map((item) => {
      const button = h(
        'button',
        { title: item.name, onclick: () => set('selection', item.selection) },
        h('span', { class: 'name' }, item.name),
        h('span', { class: 'muted' }, item.detail),
      );
      button.style.paddingLeft = `${4 + 10 * Math.min(item.depth, 12)}px`;
      return { button, item };
    });
    replace(list, ...buttons.map(({ button }) => h('li', {}, button)));
    mark();
  }
  function mark() {
    const s = state.selection;
    for (const { button, item } of buttons) {
      const isIt =
        s &&
        ((s.kind === item.selection.kind && s.index === item.selection.index) ||
          (s.kind === 'body' && item.selection.kind === 'link' && item.selection.body === s.index));
      button.classList.toggle('selected', Boolean(isIt));
    }
  }
  fill();
  const stop = on('selection', mark);
  return {
    element: h(
      'section',
      { class: 'section' },
      h('h2', {}, 'Machine', h('label', { class: 'muted' }, movable, ' movable only')),
      search,
      list,
    ),
    stop,
  };
}
