// The page in Chromium. State is read through window.__lw; pictures only for "not blank".
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  check,
  finish,
  linkwork,
  shared,
  skip,
  source,
  startBrowser,
  startStudio,
  test,
  until,
} from './start.mjs';

const browser = await startBrowser();

// Opens a model, and collects what must not be: errors, policy violations, requests elsewhere.
async function openModel(
  model,
  { state = '', options = [], size = { width: 1280, height: 800 } } = {},
) {
  const studio = await startStudio(model, ...options);
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(studio.origin) && !/^(blob|data):/.test(request.url()))
      faults.push(`asked ${request.url()}`);
  });
  await page.goto(studio.url + state);
  await until(
    page,
    'window.__lw?.state.connected && __lw.frames > 0 && __lw.app.view.machine.pending === 0',
    'the model is shown',
  );
  return {
    studio,
    page,
    faults,
    close: async () => {
      await context.close();
      await studio.stop();
      check(faults.length === 0, `the page complained: ${faults.join('; ')}`);
    },
  };
}

const path = (name) => join(source, 'models', name);

const modes = ['pose', 'configure', 'equations', 'simulate', 'levels', 'loops'];

async function enterMode(page, mode) {
  await page.locator(`#mode-${mode}`).click();
  await until(page, `document.querySelector('#mode-${mode}').ariaSelected === 'true'`);
}

// Whether all corners of the box of the model are in the picture.
const isInPicture = `(() => {
  const { view } = __lw.app;
  const { min, max } = view.box();
  return [0, 1, 2, 3, 4, 5, 6, 7].every((i) => {
    const at = min.clone().set((i & 1 ? max : min).x, (i & 2 ? max : min).y, (i & 4 ? max : min).z);
    at.project(view.camera);
    return Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1;
  });
})()`;

async function showInEveryMode(file, options = []) {
  const { page, close } = await openModel(file, { options });
  const colors = await page.evaluate('__lw.app.view.countColors()');
  check(colors > 50, `${colors} colours`);
  check(await page.evaluate(isInPicture), 'the model is not in the picture');
  for (const mode of modes) await enterMode(page, mode);
  await close();
}

for (const name of [
  'ur5_class.xml',
  'panda_class.xml',
  'scara.xml',
  'closed/palletiser.xml',
  'closed/stewart.xml',
  'humanoid/humanoid.xml',
  'hr120/hr120.xml',
  'rover/rover.xml',
])
  await test(`every_mode_of_${name.replace(/\W/g, '_')}`, () => showInEveryMode(path(name)));

for (const name of [
  'urdf/ur5',
  'urdf/panda',
  'urdf/baxter',
  'urdf/g1_29dof',
  'urdf/go2',
  'urdf/iiwa14_primitive_collision',
  'urdf/osr_rover',
  'urdf/allegro_right_hand',
  'urdf/parallel_delta',
  'urdf_arms/jaco2_j2s6s300',
]) {
  const title = `every_mode_of_shared_${name.replace(/\W/g, '_')}`;
  const file = join(shared, `models/${name}.urdf`);
  if (existsSync(file))
    await test(title, () => showInEveryMode(file, ['--path', join(shared, 'models/packages')]));
  else skip(title, `${file} is not there`);
}

await test('slider_moves_as_fk_computes', async () => {
  const file = path('closed/palletiser.xml');
  const { page, close } = await openModel(file);
  const slider = page.locator('.joint input[type=range]').first();
  await slider.focus();
  for (let i = 0; i < 5; i += 1) await slider.press('Shift+ArrowRight');
  await until(page, '__lw.state.status.good && __lw.latencies.length > 0');
  await page.waitForTimeout(100);
  const { q, poses, frames } =
    await page.evaluate(`({q: __lw.state.q, poses: Array.from(__lw.state.poses),
    frames: __lw.state.model.frame_list})`);
  const wanted = (await linkwork('fk', file, '-q', q.join(','), '--json')).frames;
  for (const frame of frames) {
    if (frame.body < 0) continue;
    const [x, y, z, w, i, j, k] = poses.slice(7 * frame.body, 7 * frame.body + 7);
    const [a, b, c] = frame.position;
    // p + R (a, b, c) by the quaternion
    const t = [2 * (j * c - k * b), 2 * (k * a - i * c), 2 * (i * b - j * a)];
    const at = [
      x + a + w * t[0] + j * t[2] - k * t[1],
      y + b + w * t[1] + k * t[0] - i * t[2],
      z + c + w * t[2] + i * t[1] - j * t[0],
    ];
    const off = Math.max(...at.map((value, n) => Math.abs(value - wanted[frame.name].position[n])));
    check(off < 2e-6, `${frame.name} is ${off} m off`);
  }
  await close();
});

// A copy of a model that a test may change.
function copyOf(name, change = (text) => text) {
  const folder = mkdtempSync(join(tmpdir(), 'linkwork-studio-'));
  const file = join(folder, 'model.xml');
  writeFileSync(file, change(readFileSync(path(name), 'utf8')));
  return {
    file,
    folder,
    write: (text) => writeFileSync(file, text),
    read: () => readFileSync(file, 'utf8'),
  };
}

await test('open_loops_keep_the_last_pose', async () => {
  const { page, close } = await openModel(path('closed/excavator.xml'));
  const before = await page.evaluate('Array.from(__lw.state.poses)');
  await page.evaluate(
    '__lw.move(__lw.state.model.reference.map((x, i) => (__lw.state.model.positions[i] === "boom_stroke" ? 4 : x)))',
  );
  await until(page, '!__lw.state.status.good');
  check((await page.locator('.banner').textContent()).includes('apart'), 'the banner has no gap');
  const after = await page.evaluate('Array.from(__lw.state.poses)');
  check(JSON.stringify(after) === JSON.stringify(before), 'the last pose is not kept');
  await page.evaluate('__lw.move([...__lw.state.model.reference])');
  await until(
    page,
    "__lw.state.status.good && document.querySelector('.banner').textContent === ''",
  );
  await close();
});

await test('hot_reload_good_bad_good', async () => {
  const copy = copyOf('ur5_class.xml');
  const good = copy.read();
  const { page, close } = await openModel(copy.file);
  await page.evaluate('__lw.move([0.1, -0.2, 0.3, -0.4, 0.5, -0.6])');
  await until(page, '__lw.latencies.length > 0');
  copy.write(good.replace('name="ur5_class"', 'name="other"'));
  await until(page, '__lw.state.model.version === 2 && __lw.state.model.name === "other"');
  const q = await page.evaluate('Array.from(__lw.state.q)');
  check(Math.abs(q[2] - 0.3) < 1e-12, `q is ${q}`);
  copy.write(good.replace('<link ', '<lnk '));
  await until(page, '__lw.state.model.stale === true');
  check((await page.locator('.banner').textContent()).includes('error'), 'no banner');
  await page.locator('.drawer [role=tab]').first().click();
  check(
    /model\.xml:\d+:\d+/.test(await page.locator('.drawer .findings').textContent()),
    'no location',
  );
  copy.write(good);
  await until(page, '__lw.state.model.version === 3 && !__lw.state.model.stale');
  check((await page.locator('.banner').textContent()) === '', 'the banner stays');
  await close();
});

// W5: names of a robot are text everywhere.
await test('W5_hostile_names_are_text', async () => {
  const names = [
    '&lt;img src=x onerror=window.hit=1&gt;',
    '&lt;/script&gt;&lt;script&gt;window.hit=1&lt;/script&gt;',
    '$\\href{javascript:window.hit=1}{x}$',
    '\u202Egnp.exe',
    '\\\\input{/etc/passwd}',
    'x'.repeat(900), // a name has 1000 bytes at most
  ];
  const links = names.map(
    (name, i) =>
      `<joint name="j${name}${i}" type="revolute" axis="0 0 1" from="${i ? `l${names[i - 1]}${i - 1}` : 'ground'}" to="l${name}${i}"/><link name="l${name}${i}" mass="1" inertia="1 1 1"><frame name="f" xyz="0.1 0 0"/></link>`,
  );
  const copy = copyOf(
    'ur5_class.xml',
    () =>
      `<linkwork version="1" name="&lt;b&gt;bold&lt;/b&gt;"><ground/>${links.join('\n')}</linkwork>`,
  );
  const { page, close } = await openModel(copy.file);
  for (const button of await page.locator('.tree button').all()) await button.click();
  for (const mode of ['configure', 'simulate', 'levels', 'loops', 'equations'])
    await page.locator(`#mode-${mode}`).click();
  await page.getByRole('button', { name: 'Derive' }).click();
  await until(page, "document.querySelectorAll('.document details').length > 3", 'equations', 30);
  await page.evaluate(
    "for (const item of document.querySelectorAll('.document details')) item.open = true",
  );
  await until(page, "document.querySelectorAll('.document table').length > 2", 'tables');
  check((await page.locator('.document a').count()) === 0, 'a name became a link');
  check((await page.evaluate('window.hit')) === undefined, 'a name ran');
  check((await page.locator('img').count()) === 0, 'a name became an element');
  check((await page.locator('h1').textContent()) === '<b>bold</b>', 'the title is not the name');
  await close();
});

// Fifty random states, each by its address: in the same tab, and some in a tab of their own.
await test('the_address_restores_the_view', async () => {
  const { page, close, studio } = await openModel(path('ur5_class.xml'));
  const other = await page.context().newPage();
  await other.goto(studio.url);
  await until(other, 'window.__lw?.state.connected && __lw.frames > 0');
  await other.getByRole('button', { name: 'Take over' }).click();
  await until(other, '__lw.state.yours');
  const pick = (list) => list[Math.floor(list.length * Math.random())];
  const some = (list) => list.filter(() => Math.random() < 0.5);
  for (let i = 0; i < 50; i += 1) {
    const address = await page.evaluate(`(async () => {
      const { state, app, move, set } = __lw;
      set('units', ${JSON.stringify({ angle: pick(['deg', 'rad']), length: pick(['mm', 'm']) })});
      set('theme', '${pick(['light', 'dark'])}');
      state.mode = '${pick(modes)}';
      const shown = ${JSON.stringify(some(['visual', 'collision', 'skeleton', 'frames', 'mass', 'grid']))};
      set('layers', Object.fromEntries(Object.keys(state.layers).map((id) => [id, shown.includes(id)])));
      set('selection', ${pick(['null', "{ kind: 'body', index: 2 }", "{ kind: 'link', index: 1 }", "{ kind: 'frame', index: 3 }"])});
      state.q = Array.from({ length: 6 }, () => Math.fround(4 * Math.random() - 2));
      app.view.setCamera(Array.from({ length: 6 }, () => Math.fround(3 * Math.random())));
      return __lw.addressState();
    })()`);
    check(address.length < 2048, `${address.length} characters`);
    if (i % 10 === 0) {
      await other.goto('about:blank');
      await other.goto(`${studio.url}&${address}`);
    } else {
      await other.evaluate(`location.hash = '#${address}'`);
    }
    await until(
      other,
      `window.__lw?.state.connected && __lw.addressState() === '${address}'`,
      `the state ${address}`,
      5,
    ).catch(async (error) => {
      throw new Error(`${error.message}\nbut ${await other.evaluate('__lw.addressState()')}`);
    });
  }
  await close();
});

await test('a_dragged_frame_reaches_its_targets', async () => {
  const { page, close } = await openModel(path('ur5_class.xml'));
  await page.getByRole('button', { name: 'Handle' }).click();
  await until(page, '__lw.app.view.handle');
  const worst = await page.evaluate(`(async () => {
    const { state, app } = __lw;
    let worst = 0;
    for (let i = 0; i < 100; i += 1) {
      const target = app.view.handleTarget;
      app.view.handle.dragging = true;
      target.position.x += 0.02 * Math.sin(i);
      target.position.y += 0.02 * Math.cos(1.7 * i);
      target.position.z += 0.01 * Math.sin(0.6 * i);
      const before = __lw.latencies.length;
      app.view.handle.dispatchEvent({ type: 'objectChange' });
      for (let k = 0; k < 200 && __lw.latencies.length === before; k += 1) await new Promise((r) => setTimeout(r, 5));
      worst = Math.max(worst, state.status.residual ?? 1);
      app.view.handle.dragging = false;
    }
    return worst;
  })()`);
  check(worst < 1e-6, `residual ${worst}`);
  await page.getByRole('button', { name: 'All solutions' }).click();
  await until(
    page,
    "document.querySelectorAll('.solution').length === 8 && __lw.app.view.ghosts.length > 0",
    'eight solutions and their ghosts',
  );
  await close();
});

await test('a_dragged_link_moves_its_joint', async () => {
  const { page, close } = await openModel(path('scara.xml'));
  const before = await page.evaluate('Array.from(__lw.state.q)');
  const at = await page.evaluate(`(() => {
    const { view } = __lw.app;
    const area = view.canvas.getBoundingClientRect();
    for (let y = 100; y < area.height; y += 12) for (let x = 40; x < area.width; x += 12) {
      const event = { clientX: area.left + x, clientY: area.top + y };
      const hit = view.pick(event);
      if (hit && hit.body > 0) return { x: event.clientX, y: event.clientY };
    }
    return null;
  })()`);
  check(at, 'nothing is hit');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i += 1) await page.mouse.move(at.x + 6 * i, at.y + 3 * i);
  await page.mouse.up();
  await page.waitForTimeout(100);
  const after = await page.evaluate('Array.from(__lw.state.q)');
  const moved = after.map((value, k) => Math.abs(value - before[k]) > 1e-3);
  check(moved.filter(Boolean).length === 1, `q went from ${before} to ${after}`);
  await close();
});

await test('a_simulation_runs_and_is_scrubbed', async () => {
  const file = path('closed/slider_crank.xml');
  const { page, close } = await openModel(file, { state: '&mode=simulate' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await until(page, "document.querySelectorAll('.u-wrap').length >= 4", 'plots');
  await page.keyboard.press('Escape');
  await page.locator('[aria-label=Time]').fill('0.5');
  await until(
    page,
    'Math.abs(document.querySelector("[aria-label=Time]").valueAsNumber - 0.5) < 1e-9',
  );
  check((await page.locator('.right tbody tr').count()) === 1, 'one run');
  await close();
});

// Long work: how far it is, and its end by a button; a child that dies is a message.
await test('W9_long_work_shows_progress_and_is_cancelled', async () => {
  const { page, close, studio } = await openModel(path('closed/stewart.xml'), {
    state: '&mode=simulate',
  });
  await page.getByLabel('Duration, s').fill('100000');
  await page.getByLabel('Duration, s').press('Tab');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const note = "document.querySelector('.left [role=status]').textContent";
  await until(page, `/^\\d+ %, [\\d.e+]+ s of 1e\\+05 s$/.test(${note})`, 'simulated time');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await until(page, `${note} === 'cancelled'`, 'it is cancelled');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await until(page, `/ s of /.test(${note})`, 'it runs again');
  const children = readFileSync(
    `/proc/${studio.child.pid}/task/${studio.child.pid}/children`,
    'utf8',
  );
  for (const child of children.trim().split(' ')) process.kill(Number(child), 'SIGSEGV');
  await until(page, `${note}.includes('crashed; the studio goes on')`, 'the crash is told');
  await close();
});

await test('equations_are_shown_and_light_up', async () => {
  const { page, close } = await openModel(path('scara.xml'), { state: '&mode=equations' });
  await until(page, "document.querySelectorAll('.formula .symbol').length > 20", 'formulas');
  const wanted = await linkwork(
    'derive',
    path('scara.xml'),
    '--functions=elements',
    '--symbolic',
    '--json',
  );
  const counts = Object.values(wanted.forms.elements).map((c) => String(c.mul + c.div + c.sqrt));
  const shown = await page.locator('.left tbody tr td:nth-child(2)').allTextContents();
  check(JSON.stringify(shown) === JSON.stringify(counts), `counts ${shown}, not ${counts}`);
  check((await page.locator('.katex-error').count()) === 0, 'a formula cannot be read');
  // A mass is that of its body: m2 belongs to the second.
  const bodies =
    await page.evaluate(`[...document.querySelectorAll('.formula .symbol')].filter((e) =>
    /^m2/.test(e.textContent)).map((e) => __lw.state.model.bodies[e.dataset.body].name)`);
  check(bodies.length > 0 && bodies.every((name) => name === 'outer'), `m2 is of ${bodies}`);
  await page.locator('.formula .symbol').first().hover();
  check(
    await page.evaluate(
      '[...__lw.app.view.machine.materials.values()].some((m) => m.emissiveIntensity > 0)',
    ),
    'nothing is lit in the view',
  );
  await close();
});

await test('large_equations_are_a_picture_first', async () => {
  const { page, close } = await openModel(path('ur5_class.xml'), { state: '&mode=equations' });
  await page.getByLabel('as symbols').uncheck();
  await page.getByLabel('Form').selectOption('lagrange');
  await until(page, "document.querySelectorAll('.picture .cell').length >= 20", 'a picture', 60);
  check((await page.locator('.picture .formula').count()) === 0, 'an element is shown unasked');
  await page.locator('.picture .cell').first().click();
  const drawn = page.locator('.picture .element .katex-html');
  const element = (await drawn.allTextContents()).join().replace(/\u200b/g, '');
  check(element.startsWith('M11'), `the element is "${element}"`);
  check((await page.locator('.katex-error').count()) === 0, 'a formula cannot be read');
  await close();
});

// By keyboard only; every order of a SCARA with two revolute joints and a prismatic one.
await test('configure_accepts_and_refuses_as_rules_say', async () => {
  const { page, close } = await openModel(path('scara.xml'), { state: '&mode=configure' });
  const verdict = page.locator('.right h2 [role=status]');
  const letters = page.getByLabel('Letters');
  await until(page, "document.querySelectorAll('.left select option').length > 5", 'the classes');
  await page.getByLabel('Length 2').press('Control+A');
  await page.keyboard.type('a1');
  const said = (word) =>
    until(page, `document.querySelector('.right h2 [role=status]').textContent === '${word}'`);
  const type = async (text) => {
    await letters.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  };
  for (const order of ['RRTR', 'RTRR', 'TRRR']) {
    await type('R');
    await said('refused');
    await type(order);
    await said('accepted');
  }
  await type('RRRR');
  await said('refused');
  const rules = await page.locator('.rule.violated').allTextContents();
  check(
    rules.some((text) => text.includes('scara-principal-joints') && text.includes('Remedy')),
    `the rule is not named: ${rules}`,
  );
  await type('RRTR');
  await said('accepted');
  check((await verdict.textContent()) === 'accepted', 'not accepted');
  await page.getByRole('button', { name: 'Configure', exact: true }).press('Enter');
  await until(page, "document.querySelectorAll('.strip [aria-pressed]').length === 6", 'the strip');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'All (robot.tar)' }).press('Enter');
  check((await saved).suggestedFilename() === 'robot.tar', 'no archive');
  for (const name of ['DH', 'FK', 'IK', 'M, C, G', 'C'])
    await page.locator('.strip').getByRole('button', { name, exact: true }).press('Enter');
  check((await page.locator('.strip pre').textContent()).includes('robot_'), 'no C');
  await close();
});

await test('loops_are_listed_in_solve_order', async () => {
  const file = path('closed/palletiser.xml');
  const { page, close } = await openModel(file, { state: '&mode=loops' });
  await until(page, "document.querySelectorAll('.step').length > 0", 'steps');
  const wanted = (await linkwork('explain', file, '--json')).closure;
  const solved = await page.evaluate(
    "[...document.querySelectorAll('.step')].map((e) => [...e.querySelectorAll('.solved')].map((s) => s.textContent))",
  );
  const order = JSON.stringify(wanted.map(({ solves }) => solves));
  check(JSON.stringify(solved) === order, `${JSON.stringify(solved)}, not ${order}`);
  check(
    (await page.locator('.step').first().textContent()).includes('rod LAB gives R6'),
    'the step is not in words',
  );
  await close();
});

// The other branch: a ghost where the program puts it, then the model itself.
await test('loops_switch_branches_with_a_preview', async () => {
  const file = path('closed/four_bar.xml');
  const { page, close } = await openModel(file, { state: '&mode=loops' });
  const other = page.getByRole('button', { name: 'Branch − of close' });
  await other.hover();
  await until(page, '__lw.app.view.ghosts.length === 1', 'the ghost');
  await other.click();
  await until(page, '__lw.state.model.version === 2 && __lw.app.view.ghosts.length === 0');
  const options = await page.evaluate('__lw.state.model.options');
  check(options.join(' ') === '--branch close=-', `the options are ${options}`);
  const wanted = await linkwork('fk', file, '--branch', 'close=-', '--dependent', '--json');
  const { tree, dependent } = await page.evaluate(
    '({tree: Array.from(__lw.state.tree), dependent: __lw.state.model.dependent})',
  );
  for (const d of dependent)
    check(
      Math.abs(tree[d.tree] - wanted.dependent[d.name]) < 1e-12,
      `${d.name} is ${tree[d.tree]}, not ${wanted.dependent[d.name]}`,
    );
  await page.getByRole('button', { name: 'Branch + of close' }).click();
  await until(page, "__lw.state.model.options.join(' ') === '--branch close=+'");
  await close();
});

// The gain is the largest rate of a step's joints at unit rates of the drives, by differences; the
// ends of a loop that stays open are farther apart than where they come nearest.
await test('loops_show_gains_and_gaps_live', async () => {
  const file = path('closed/four_bar.xml');
  const { page, close } = await openModel(file, { state: '&mode=loops' });
  await page.evaluate('__lw.move([1.2])');
  const at = async (q) =>
    (await linkwork('fk', file, '-q', String(q), '--dependent', '--json')).dependent;
  const [low, high] = [await at(1.2 - 1e-5), await at(1.2 + 1e-5)];
  const gain = Math.max(...Object.keys(low).map((k) => Math.abs(high[k] - low[k]) / 2e-5));
  await until(
    page,
    `Math.abs(Number(document.querySelector('.gain')?.textContent || NaN) - ${gain}) < 1e-4`,
    `the gain ${gain}`,
  );
  await close();
  const open = await openModel(path('closed/excavator.xml'), { state: '&mode=loops' });
  await open.page.evaluate(
    '__lw.move(__lw.state.model.reference.map((x, i) => (__lw.state.model.positions[i] === "boom_stroke" ? 4 : x)))',
  );
  await until(open.page, '!__lw.state.status.good && __lw.app.view.gaps', 'the gap in the view');
  const text = await open.page.locator('.ends-apart').textContent();
  const vector = text
    .match(/\(([^)]*)\)/)[1]
    .split(',')
    .map(Number);
  const gap = await open.page.evaluate('1000 * __lw.state.status.gap');
  check(Math.hypot(...vector) > gap - 1 && gap > 100, `${text}, and ${gap} mm at the nearest`);
  await open.page.evaluate('__lw.move([...__lw.state.model.reference])');
  await until(open.page, '__lw.state.status.good && !__lw.app.view.gaps', 'no gap');
  await open.close();
});

await test('levels_are_compared_as_compare_computes', async () => {
  const file = path('hr120/hr120.xml');
  const { page, close } = await openModel(file, { state: '&mode=levels' });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await until(page, "document.querySelectorAll('.u-wrap').length >= 12", 'plots');
  const wanted = (await linkwork('compare', file, '--json')).compared;
  const drawn = await page.evaluate(
    '__lw.app.plotData().map((lines) => lines.slice(1).map((y) => Array.from(y)))',
  );
  wanted[0].tau[0].forEach((_, k) => {
    const torques = wanted.map(({ tau }) => tau.map((row) => row[k]));
    check(JSON.stringify(drawn[2 * k]) === JSON.stringify(torques), `torques of joint ${k} differ`);
    const off = torques.map((y) => y.map((value, i) => value - torques.at(-1)[i])).slice(0, -1);
    check(JSON.stringify(drawn[2 * k + 1]) === JSON.stringify(off), `differences of ${k} differ`);
  });
  const rows = await page.locator('.right section > table tbody td:first-child').allTextContents();
  check(rows.join() === wanted.map(({ levels }) => levels).join(), `the levels are ${rows}`);
  const last = await page
    .locator('.right section > table tbody tr:last-child td')
    .allTextContents();
  check(last[1] === String(wanted.at(-1).nbody), `${last[1]} bodies`);
  check(Number(last[3]) === 0, `the last level differs from itself by ${last[3]}`);
  const { gears } = await linkwork('explain', file, '--json');
  await until(page, `document.querySelectorAll('.gear').length === ${gears.length}`, 'the gears');
  await page.locator('.right summary').click();
  const first = await page.locator('.gear').first().textContent();
  const signs = gears[0].coefficients.map((c) => (c < 0 ? '−' : '+')).join('');
  check(first.includes(gears[0].name) && first.includes(`on ${gears[0].carrier}`), first);
  check(`+${first.replace(/[^+−]/g, '')}` === signs, `the signs of ${first}`);
  await page.getByLabel('Level of wrist').selectOption('high');
  const { nbody } = await linkwork('info', file, '--level', 'wrist=high', '--json');
  await until(page, `__lw.state.model.nbody === ${nbody}`, `${nbody} bodies`);
  await close();
});

await test('gearboxes_are_listed_without_wheels', async () => {
  const file = path('closed/driven_wrist.xml');
  const { page, close } = await openModel(file, { state: '&mode=levels' });
  const { gears } = await linkwork('explain', file, '--json');
  await until(page, `document.querySelectorAll('.gear').length === ${gears.length}`, 'the gears');
  await close();
});

await test('a_server_that_is_gone_is_reported', async () => {
  const { page, close, studio, faults } = await openModel(path('ur5_class.xml'));
  await studio.stop();
  await until(page, "document.querySelector('.banner').textContent.includes('does not answer')");
  check((await page.locator('.joint').count()) === 6, 'the panels are gone');
  check((await page.evaluate('__lw.app.view.countColors()')) > 50, 'the view is blank');
  await page.getByRole('button', { name: 'Try again' }).click();
  faults.length = 0; // refused connections are what was asked for
  const again = await startStudio(path('ur5_class.xml'), '--port', String(studio.port));
  await until(
    page,
    "document.querySelector('.banner').textContent.includes('no token')",
    'another start has another token',
  );
  // Its address in the same tab: the page goes on where it was.
  await page.evaluate('__lw.state.q[0] = 0.25');
  await page.evaluate(`location.hash = '#t=${again.token}'`);
  await until(page, "__lw.state.connected && document.querySelector('.banner').textContent === ''");
  await page.evaluate('__lw.disconnect()');
  await until(page, '!__lw.state.connected', 'the connection is lost');
  await until(page, '__lw.state.connected', 'it comes back');
  await page.close(); // it would complain again
  await again.stop();
  faults.length = 0;
  await close();
});

await test('two_pages_one_moves_the_other_watches', async () => {
  const { page, close, studio } = await openModel(path('ur5_class.xml'));
  const other = await page.context().newPage();
  await other.goto(studio.url);
  await until(other, 'window.__lw?.state.connected && __lw.state.yours === false');
  await page.evaluate('__lw.move([1, 0, 0, 0, 0, 0])');
  await until(other, '__lw.state.q[0] === 1', 'the other sees it');
  await other.getByRole('button', { name: 'Take over' }).click();
  await until(other, '__lw.state.yours === true');
  await until(page, '__lw.state.yours === false');
  await close();
});

await test('without_webgl_there_are_a_picture_and_all_numbers', async () => {
  const file = path('closed/palletiser.xml');
  const studio = await startStudio(file);
  const page = await browser.newPage();
  await page.goto(`${studio.url}&webgl=off&sel=frame.3`);
  await until(page, "document.querySelector('.view img')?.naturalWidth > 0", 'the SVG of draw');
  const numbers = 'document.querySelector(\'[aria-label="Dependent joints"]\').textContent';
  const before = await page.evaluate(numbers);
  const old = await page.evaluate("document.querySelector('.view img').src");
  await page.locator('.joint input[type=range]').nth(1).press('Shift+ArrowRight');
  await until(page, `${numbers} !== ${JSON.stringify(before)}`, 'dependent joints follow');
  await until(page, `document.querySelector('.view img').src !== '${old}'`, 'another picture');
  const { q, name } = await page.evaluate(
    '({ q: __lw.state.q, name: __lw.state.model.frame_list[3].name })',
  );
  const [x] = (await linkwork('fk', file, '-q', q.join(','), '--json')).frames[name].position;
  await page.evaluate("__lw.set('selection', { kind: 'frame', index: 3 })");
  const shown = await page.locator('[aria-label=Inspector]').textContent();
  check(shown.includes((1000 * x).toFixed(1)), `${shown} has no ${1000 * x}`);
  await page.close();
  await studio.stop();
});

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
    if (width > 800) {
      const tall = await page.evaluate('document.documentElement.scrollHeight');
      check(tall <= height, `the page is ${tall} high`);
    }
    await close();
  });

await test('it_prints_names_and_numbers', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  await page.emulateMedia({ media: 'print' });
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
    "getComputedStyle(document.querySelector('#mode-loops')).borderTopWidth",
  );
  check(border === '2px', `forced colours: the chosen mode has a border of ${border}`);
  await close();
});

// How many elements the Tab key has to reach.
const controls = `[...document.querySelectorAll('button, input, select, textarea, canvas, summary, [tabindex="0"]')]
  .filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.closest('dialog')).length`;

// Waits until a panel that asks the server has filled itself.
async function settled(page) {
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    await page.waitForTimeout(250);
    now = await page.evaluate(controls);
  }
}

// Tab goes through every control once, from the top bar to the left, the view and the right.
await test('every_panel_works_by_keyboard', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  for (const mode of modes) {
    await page.locator(`#mode-${mode}`).focus();
    await page.keyboard.press('Enter');
    check(
      await page.evaluate(`document.activeElement.id === 'mode-${mode}'`),
      `${mode}: the focus is lost`,
    );
    await settled(page);
    await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
    const order = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(`(() => {
        const e = document.activeElement;
        const style = getComputedStyle(e);
        e.dataset.tab ??= String(Math.random());
        return [e.closest('.top, .left, .view, .drawer, .right')?.className ?? 'nowhere', e.dataset.tab,
          (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2) || e.outerHTML.slice(0, 90)];
      })()`);
      if (at[0] === 'nowhere' || order.some(([, id]) => id === at[1])) break; // behind the last
      order.push(at);
    }
    const count = await page.evaluate(controls);
    check(order.length === count, `${mode}: ${order.length} of ${count} are reached`);
    const unseen = order.filter(([, , ring]) => ring !== true);
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

const arm = join(shared, 'models/urdf/panda.urdf');
if (existsSync(arm)) {
  await test('meshes_of_shared_robots_are_shown', async () => {
    const { page, close } = await openModel(arm, {
      options: ['--path', join(shared, 'models/packages')],
    });
    await until(page, '__lw.app.view.renderer.info.render.triangles > 1000', 'the meshes');
    const messages = await page.evaluate('__lw.state.messages.join()');
    check(messages === '', `a DAE file is not read: ${messages}`);
    await close();
  });
} else {
  skip('meshes_of_shared_robots_are_shown', `${arm} is not there`);
}

await browser.close();
finish();
