// Elements without markup: names of a robot are text everywhere.

// Text as it is read: characters that turn the direction of what follows are written out.
export const visible = (text) =>
  String(text).replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16)}`,
  );

const isNothing = (child) => child === null || child === undefined;

// h('button', {class: 'plain', onclick: f}, 'text', child)
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key in element && typeof value !== 'string') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  const shown = children.filter((child) => !isNothing(child));
  element.append(...shown.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

// The same for a picture: svg('line', {x2: 3})
export function svg(tag, props, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.filter((child) => !isNothing(child)));
}

// A list of tabs: arrow keys go from one to the next.
export function tablist(props) {
  const list = h('div', { role: 'tablist', ...props });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const tabs = [...list.children];
    if (!step) return;
    tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length).focus();
    event.preventDefault();
  });
  return list;
}

// New tabs in a list: the one at the place of the focus has it again.
export function replaceTabs(list, ...tabs) {
  const at = [...list.children].indexOf(document.activeElement);
  replace(list, ...tabs);
  list.children[at]?.focus();
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { class: 'sr' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function download(name, text, type = 'text/plain') {
  const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The address of a file that the build has named: assetUrl('katex.css').
export function assetUrl(name) {
  return document.querySelector(`meta[name="asset:${name}"]`).content;
}
