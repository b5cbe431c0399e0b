// The page in windows of several sizes, on paper, for screen readers, and by keyboard.
import { enterMode, modes, openModel, path } from './pages.mjs';
import { check, test, until } from './start.mjs';

// Windows of several sizes, and zoom of 200 %, which is a small window with large pixels.
for (const [width, height] of [
  [1024, 640],
  [1280, 800],
  [640, 400],
])
  await test(`it_fits_${width}_by_${height}`, async () => {
    const { page, close } = await openModel(path('closed/palletiser.xml'), {
      size: { width, height },
    });
    for (const mode of modes) {
      await enterMode(page, mode);
      const wide = await page.evaluate(
        `['html', '.top', '.modes', '.left', '.right', '.drawer'].filter((name) => {
          const element = document.querySelector(name);
          return element.scrollWidth > element.clientWidth + 1;
        })`,
      );
      check(wide.length === 0, `${mode}: ${wide} is cut`);
      const area = await page.locator('.view').boundingBox();
      check(
        area.width >= 400 && area.height >= 160,
        `${mode}: the view has ${area.width} x ${area.height}`,
      );
    }
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.top button')].filter((e) => e.scrollWidth > e.clientWidth).length",
    );
    check(cut === 0, `${cut} buttons of the top bar are cut`);
    if (width > 800) {
      const tall = await page.evaluate('document.documentElement.scrollHeight');
      check(tall <= height, `the page is ${tall} high`);
    }
    await close();
  });

await test('it_prints_names_and_numbers', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  await page.evaluate("__lw.set('theme', (document.documentElement.dataset.theme = 'dark'))");
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  await page.emulateMedia({ media: 'print' });
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  check(ground === 'rgb(246, 247, 249)', `the paper is ${ground}`);
  const seen = await page.evaluate(`(() => {
    const isSeen = (e) => e.checkVisibility() && e.getBoundingClientRect().height > 0;
    const all = (name) => [...document.querySelectorAll(name)];
    return { names: all('.joint .name').every(isSeen), numbers: all('.joint input[type=number]').every(isSeen),
      dependent: all('[aria-label="Dependent joints"] td').every(isSeen), canvas: all('canvas').every(isSeen),
      links: all('.tree button').every(isSeen), tools: all('.toolbar, .modes, .tabs').some(isSeen),
      cut: all('.side, .tree, #app').some((e) => e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflow !== 'visible') };
  })()`);
  const wanted = {
    names: true,
    numbers: true,
    dependent: true,
    canvas: true,
    links: true,
    tools: false,
    cut: false,
  };
  check(JSON.stringify(seen) === JSON.stringify(wanted), JSON.stringify(seen));
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  check((await page.evaluate('__lw.state.theme')) === 'dark', 'the theme is another after it');
  await close();
});

// What the accessibility tree of the browser, styles and sizes say of the page as it is.
const unfit = `(() => {
  const shown = (names) => [...document.querySelectorAll(names)].filter((e) => e.checkVisibility());
  const say = (e, why) => \`\${e.tagName} "\${e.textContent.trim().slice(0, 30)}" \${why}\`;
  const channel = (c) => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
  const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  const ground = (e) => { for (let at = e; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor; if (c.startsWith('rgb(')) return c; } return 'rgb(255,255,255)'; };
  const faults = [];
  for (const e of shown('button, td, th, h1, h2, h3, span, p, label, summary, li, pre, option')) {
    if (!e.textContent.trim() || e.closest('.u-wrap, .katex, :disabled')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push(say(e, \`has a contrast of \${ratio.toFixed(2)}\`));
  }
  for (const e of shown('button, select, input, summary')) {
    const { width, height } = e.getBoundingClientRect();
    const isInText = e.closest('.sr') || (e.type === 'checkbox' && e.closest('label'));
    if (!isInText && (width < 24 || height < 24)) faults.push(say(e, \`is \${width} x \${height}\`));
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push('two elements have one id');
  return faults;
})()`;

async function unnamed(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const has = (node, name) => node.properties?.some((p) => p.name === name && p.value.value);
  const of = (role) => nodes.filter((node) => node.role?.value === role);
  const lost = nodes
    .filter((node) => !node.ignored && has(node, 'focusable') && node.role.value !== 'RootWebArea')
    .filter((node) => !node.name?.value || ['generic', 'none'].includes(node.role.value))
    .map((node) => `${node.role.value} without a name`);
  for (const role of ['banner', 'main', 'complementary', 'tablist', 'toolbar', 'status', 'alert'])
    if (of(role).length === 0) lost.push(`no ${role}`);
  for (const role of ['complementary', 'tablist'])
    if (of(role).some((node) => !node.name?.value)) lost.push(`${role} without a name`);
  return lost;
}

await test('every_panel_has_names_roles_and_contrast', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  for (const mode of modes) {
    await enterMode(page, mode);
    for (const theme of ['light', 'dark']) {
      await page.evaluate(
        `__lw.state.theme === '${theme}' || document.querySelector('[aria-label="Light or dark"]').click()`,
      );
      const faults = [...(await page.evaluate(unfit)), ...(await unnamed(page))];
      check(faults.length === 0, `${mode}, ${theme}: ${faults.slice(0, 8).join('; ')}`);
    }
  }
  await page.emulateMedia({ forcedColors: 'active' });
  const border = await page.evaluate(
    "getComputedStyle(document.querySelector('.modes [aria-selected=true]')).borderTopWidth",
  );
  check(border === '2px', `forced colours: the chosen mode has a border of ${border}`);
  await close();
});

// How many elements the Tab key has to reach. What is wider than its place can be scrolled by keys.
const controls = `[...document.querySelectorAll('button, input, select, textarea, canvas, summary, [tabindex="0"], .formula')]
  .filter((e) => e.checkVisibility() && !e.disabled && !e.closest('dialog') &&
    (e.matches('.formula') ? e.scrollWidth > e.clientWidth : e.tabIndex >= 0)).length`;

// Waits until a panel that asks the server has filled itself.
async function settled(page) {
  await until(page, '__lw.operations() === 0', 'the operations end');
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    await page.waitForTimeout(60);
    now = await page.evaluate(controls);
  }
}

// A list of what has had the focus since refocus(): the region, and whether its outline is seen. It
// ends behind the last control, where the focus leaves the page or comes back to the first.
const recordFocus = `(() => {
  const seen = new Set();
  window.isOver = true;
  window.refocus = () => {
    document.body.tabIndex = -1;
    document.body.focus();
    seen.clear();
    window.isOver = false;
    window.focused = [];
  };
  document.addEventListener('focusin', ({ target }) => {
    const region = target.closest('.top, .left, .view, .drawer, .right')?.className;
    window.isOver ||= !region || seen.has(target);
    if (window.isOver) return;
    seen.add(target);
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    window.focused.push([region, isSeen || target.outerHTML.slice(0, 90)]);
  });
})()`;

// Tab goes through every control once, from the top bar to the left, the view and the right.
await test('every_panel_works_by_keyboard', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  await page.evaluate(recordFocus);
  await page.evaluate('__lw.app.view.redraw = () => {}'); // a focus takes as long as its picture
  for (const mode of modes) {
    await page.locator(`#mode-${mode}`).focus();
    await page.keyboard.press('Enter');
    check(
      await page.evaluate(`document.activeElement.id === 'mode-${mode}'`),
      `${mode}: the focus is lost`,
    );
    await settled(page);
    await page.evaluate('window.refocus()');
    while (!(await page.evaluate('window.isOver')))
      await Promise.all(Array.from({ length: 16 }, () => page.keyboard.press('Tab')));
    const order = await page.evaluate('window.focused');
    const count = await page.evaluate(controls);
    check(order.length === count, `${mode}: ${order.length} of ${count} are reached`);
    const unseen = order.filter(([, ring]) => ring !== true);
    check(unseen.length === 0, `${mode}: a focus is not seen: ${unseen}`);
    const regions = order.map(([region]) => region).filter((r, i, list) => r !== list[i - 1]);
    check(
      regions.join() ===
        ['top', 'side left', 'view', 'drawer', 'side right']
          .filter((r) => regions.includes(r))
          .join(),
      `${mode}: from ${regions}`,
    );
  }
  await page.evaluate('delete __lw.app.view.redraw');
  await page.locator('#mode-pose').focus();
  await page.keyboard.press('ArrowRight');
  check(await page.evaluate("document.activeElement.id === 'mode-configure'"), 'arrows on tabs');
  await page.keyboard.press('Escape');
  for (const [key, mode] of modes.map((name, i) => [String(i + 1), name])) {
    await page.keyboard.press(key);
    check(await page.evaluate(`__lw.state.mode === '${mode}'`), `${key} does not lead to ${mode}`);
  }
  await page.keyboard.press('?');
  check(await page.locator('dialog[open]').isVisible(), 'no sheet of keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  const camera = await page.evaluate('__lw.app.view.cameraState().join()');
  await page.locator('canvas').press('ArrowLeft');
  check(
    (await page.evaluate('__lw.app.view.cameraState().join()')) !== camera,
    'arrows on the view',
  );
  await close();
});
