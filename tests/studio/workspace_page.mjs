// The Workspace panel in Chromium: cells, section, measures, progress, cancel (R34).
import { readFileSync } from 'node:fs';
import { copyOf, openModel, path } from './pages.mjs';
import { check, linkwork, test, until } from './start.mjs';

const note = "document.querySelector('.left [role=status]').textContent";
const isIdle =
  "[...document.querySelectorAll('.left button')].some((b) => b.textContent === 'Run')";
const points = "__lw.app.view.cloud.children[0].geometry.getAttribute('position').count";
const field = (name) => `[aria-label="${name}"]`;
const address = (...values) => `&mode=workspace&panel=${values.join()}`;

async function ran(page) {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await until(page, `document.querySelector('${field('Cells')}') && ${isIdle}`, 'the cells');
}

await test('R34_workspace_cells_section_and_measures_are_those_of_the_program', async () => {
  const file = path('scara.xml');
  const { page, close, studio } = await openModel(file, {
    state: address(-1, 0.1, 20000, 0, 'no', 'xy', 0.15, 'manipulability', 'all', 0),
  });
  await ran(page);
  await page.getByRole('button', { name: 'Copy command' }).click();
  await until(page, '__lw.state.messages.length > 0', 'a message');
  const line = (await page.evaluate('__lw.state.messages'))
    .at(-1)
    .match(/linkwork workspace .*/)[0];
  const words = line.replace('scara.xml', file).split(' ').slice(1);
  const wanted = await linkwork(...words.slice(0, words.indexOf('-o')), '--json');
  check((await page.evaluate(points)) === wanted.reached, `${await page.evaluate(points)} cells`);
  const numbers = await page.locator(field('Section')).textContent();
  const area = String(Number(wanted.section.area.toPrecision(5)));
  check(numbers.includes(`${area} m²`), `${numbers} has no area ${area}`);
  const measure = await page.locator('.measure', { hasText: 'manipulability' }).textContent();
  const best = String(Number(wanted.best_manipulability.toPrecision(4)));
  check(
    measure.includes('m³') && measure.includes('no length') && measure.endsWith(best),
    `the measure is ${measure}, not ${best}`,
  );
  await page.setViewportSize({ width: 1024, height: 640 });
  const right = "document.querySelector('.right')";
  check(await page.evaluate(`${right}.scrollWidth <= ${right}.clientWidth + 1`), 'it is cut');
  const colors =
    "Array.from(__lw.app.view.cloud.children[0].geometry.getAttribute('color').array).join()";
  const before = await page.evaluate(colors);
  await page.locator('label', { hasText: 'Colours' }).locator('select').selectOption('samples');
  check((await page.evaluate(colors)) !== before, 'the colours stay');
  await page.getByLabel('Cells shown').selectOption('slice');
  check((await page.evaluate(points)) < wanted.reached, 'all cells are shown');

  // Along the boundary: the tool is where the curve is. The last point is where another curve cuts.
  const slider = page.getByLabel('Along the section');
  await slider.press('End');
  await slider.press('ArrowLeft');
  const end = "__lw.app.view.cloud.children.at(-2).geometry.getAttribute('position')";
  const [x, y] = await page.evaluate(
    `(() => { const p = ${end}; return [p.getX(p.count - 2), p.getY(p.count - 2)]; })()`,
  );
  await until(page, '__lw.state.status.good && __lw.latencies.length > 0');
  const q = await page.evaluate('__lw.state.q.join()');
  const frame = words[words.indexOf('--frame') + 1];
  const { position } = (await linkwork('fk', file, '-q', q, '--json')).frames[frame];
  check(Math.hypot(position[0] - x, position[1] - y) < 1e-5, `${position} is not (${x}, ${y})`);

  // Another tab with the address of this one shows the same.
  const state = await page.evaluate('__lw.addressState()');
  const other = await page.context().newPage();
  await other.goto(`${studio.url}&${state}`);
  await until(other, `window.__lw?.app.view?.cloud && ${isIdle}`, 'the cells of the address');
  check((await other.evaluate('__lw.addressState()')) === state, 'the address is another');
  check((await other.evaluate(points)) === (await page.evaluate(points)), 'other cells are shown');
  await page.getByLabel('Ellipsoid of').selectOption('dynamic');
  await ran(page);
  const dynamic = page.locator('.measure', { hasText: 'dynamic_manipulability' });
  check((await dynamic.textContent()).includes(', (m/s²)³'), 'no unit of accelerations');
  await page.locator('#mode-pose').click();
  check(await page.evaluate('!__lw.app.view.cloud'), 'the cells stay in another mode');
  await close();
});

await test('W9_a_workspace_shows_progress_is_cancelled_and_may_crash', async () => {
  const { page, close, studio } = await openModel(path('scara.xml'), {
    state: address(-1, 0.1, 2e8, 0, 'no', 'none', 0, 'manipulability', 'all', 1),
  });
  await until(page, `/^\\d+ %, samples$/.test(${note})`, 'progress');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await until(page, `${note} === 'cancelled' && ${isIdle}`, 'it is cancelled');
  check((await page.locator(field('Cells')).count()) === 0, 'there are cells');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await until(page, `/ %, samples/.test(${note})`, 'it runs again');
  const { pid } = studio.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) process.kill(Number(child), 'SIGSEGV');
  await until(page, `${note}.includes('crashed; the studio goes on')`, 'the crash is told');
  await page.getByLabel('Samples').fill('0');
  await page.getByLabel('Samples').press('Tab');
  check((await page.getByLabel('Samples').inputValue()) === '200000000', '0 samples are taken');
  await close();
});

// Names that are markup, options or columns of a table; and an address that makes no sense.
await test('W5_hostile_names_in_a_workspace_are_text', async () => {
  const name = '--json=&lt;img src=x onerror=window.hit=1&gt;, &quot;q.&quot;';
  const copy = copyOf(
    'scara.xml',
    () => `<linkwork version="1" name="hostile"><ground/>
<joint name="${name}" type="revolute" axis="0 0 1" from="ground" to="l" lower="-1" upper="1"/>
<link name="l" mass="1" inertia="1 1 1"><frame name="${name}" xyz="0.4 0 0"/></link></linkwork>`,
  );
  const { page, close } = await openModel(copy.file, {
    state: address('<b>', -1, 1e99, 'x', '%3Cb%3E', 'xy', 'NaN', '%3Cimg%3E', 'half', 1),
  });
  await until(page, `document.querySelector('${field('Section')}') && ${isIdle}`, 'the section');
  check((await page.locator('img').count()) === 0, 'a name became an element');
  check((await page.evaluate('window.hit')) === undefined, 'a name ran');
  const frame = await page.getByLabel('Frame').locator('option:checked').textContent();
  check(frame.includes('<img src=x'), `the frame is ${frame}`);
  await page.getByLabel('Along the section').press('End');
  await until(page, 'Math.abs(__lw.state.q[0]) > 0.9', 'a limit');
  await close();
});
