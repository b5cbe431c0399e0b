// The drawer below the view: tabs for messages, sources, and what a mode shows there.

import { getSource } from '../api.js';
import { h, replace, replaceTabs, tablist } from '../dom.js';
import { on, state } from '../store.js';
import { sourceLink } from './inspector.js';

export function makeDrawer() {
  const tabs = tablist({ class: 'tabs', 'aria-label': 'Drawer' });
  const content = h('div', { class: 'content hidden', role: 'tabpanel' });
  const element = h('div', { class: 'drawer' }, tabs, content);
  const pages = new Map(); // id -> {title, element}
  let open = null;

  function paint() {
    replaceTabs(
      tabs,
      ...[...pages].map(([id, page]) =>
        h(
          'button',
          {
            role: 'tab',
            'aria-selected': String(open === id),
            onclick: () => show(open === id ? null : id),
          },
          page.title(),
        ),
      ),
    );
    content.classList.toggle('hidden', open === null);
    if (open) replace(content, pages.get(open).element);
  }
  function show(id) {
    open = id;
    paint();
  }
  function add(id, title, body) {
    pages.set(id, { title: typeof title === 'function' ? title : () => title, element: body });
    paint();
  }
  function remove(id) {
    pages.delete(id);
    if (open === id) open = null;
    paint();
  }

  // Diagnostics of the library, word by word, and messages of the page.
  const list = h('ul', { class: 'findings' });
  const findings = () => state.model?.findings ?? [];
  const ranks = ['error', 'warning'];
  const rank = ({ severity }) => (ranks.indexOf(severity) + 3) % 3; // what is neither comes last
  function fillMessages() {
    replace(
      list,
      ...state.messages.map((text) => h('li', {}, text)),
      ...[...findings()]
        .sort((a, b) => rank(a) - rank(b))
        .map((f) =>
          h(
            'li',
            { class: f.severity },
            h('span', { class: f.severity }, f.severity),
            ' ',
            sourceLink(f.line > 0 ? f : null) ?? f.file,
            ' ',
            f.message,
          ),
        ),
    );
    paint();
  }
  add(
    'messages',
    () => {
      const errors = findings().filter((f) => f.severity === 'error').length;
      return `Messages ${state.messages.length + findings().length}${errors ? ` (${errors} errors)` : ''}`;
    },
    list,
  );
  on('model findings', fillMessages);
  on('message', (text) => {
    state.messages = [text, ...state.messages].slice(0, 50);
    fillMessages();
  });

  // A file of the model with a line marked.
  const source = h('pre', { tabindex: '0', 'aria-label': 'Source' });
  on('source', async ({ file, line, column }) => {
    const text = await getSource(file).catch((error) => error.message);
    const lines = text.split('\n');
    const first = Math.max(0, line - 15);
    replace(
      source,
      ...lines.slice(first, line + 40).flatMap((text, i) => {
        const number = first + i + 1;
        const row = `${String(number).padStart(5)}  ${text}`;
        if (number !== line) return [h('div', {}, row)];
        // Tabs stay, so that the caret is below its character.
        const caret = ' '.repeat(7) + text.slice(0, Math.max(0, column - 1)).replace(/[^\t]/g, ' ');
        return [
          h('div', { class: 'here' }, row),
          column > 0 ? h('div', { class: 'here', 'aria-hidden': 'true' }, `${caret}^`) : null,
        ].filter(Boolean);
      }),
    );
    add('source', file, source);
    show('source');
    source.querySelector('.here')?.scrollIntoView({ block: 'center' });
  });

  return { element, add, remove, show };
}
