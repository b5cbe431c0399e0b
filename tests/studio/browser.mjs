// The page in Chromium. State is read through window.__lw; pictures only for "not blank".
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, copyOf, enterMode, modes, openModel, path } from './pages.mjs';
import { check, finish, linkwork, shared, skip, startStudio, test, until } from './start.mjs';

// Tests mostly wait, for pictures and for processes: these go beside those below.
const others = (async () => {
  await import('./access_page.mjs');
  await import('./pictures_page.mjs');
  await import('./exported.mjs');
  await import('./workspace_page.mjs');
  await import('./loading_page.mjs');
})();

// How much of what the toolbar leaves free the corners of all that is drawn reach over, from its
// middle: 0.88 is as near as the camera goes.
const reach = `(() => {
  const { view } = __lw.app;
  const of = (p) => Math.max(Math.abs(p.x), Math.abs(p.y + 1 - view.free) / view.free);
  return Math.max(...view.corners().map((p) => of(p.project(view.camera))));
})()`;

// In a small window: software GL takes longest for large pictures.
async function showInEveryMode(file, options = []) {
  const { page, close } = await openModel(file, { options, size: { width: 900, height: 560 } });
  const colors = await page.evaluate('__lw.app.view.countColors()');
  check(colors > 50, `${colors} colours`);
  const share = await page.evaluate(reach);
  check(Math.abs(share - 0.88) < 0.01, `the model reaches over ${share} of the picture`);
  const places = '[...__lw.state.model.links, ...__lw.state.model.tree].map(({ file }) => file)';
  const files = await page.evaluate(places);
  check(files.every(Boolean), 'numbers without a place in a file');
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

await test('K27_R44_slider_moves_as_fk_computes', async () => {
  const file = path('closed/palletiser.xml');
  const { page, close } = await openModel(file);
  const slider = page.locator('.joint input[type=range]').first();
  await slider.focus();
  for (let i = 0; i < 5; i += 1) await slider.press('Shift+ArrowRight');
  // Poses are those of the last configuration that was answered.
  await until(page, '__lw.state.status.good && `${__lw.state.q}` === `${__lw.state.posed}`');
  const { q, poses, frames } =
    await page.evaluate(`({q: __lw.state.q, poses: Array.from(__lw.state.poses),
    frames: __lw.state.model.frame_list})`);
  // The command line that the page copies gives the same numbers.
  await page.getByRole('button', { name: 'Copy command' }).first().click();
  await until(page, '__lw.state.messages.length > 0', 'a message');
  const [line] = (await page.evaluate('__lw.state.messages[0]')).match(/linkwork fk .*/);
  const words = line.replace('palletiser.xml', file).split(' ').slice(1);
  check(
    words
      .at(-1)
      .split(',')
      .every((word, k) => Math.abs(word - q[k]) < 1e-11),
    line,
  );
  const wanted = (await linkwork(...words, '--json')).frames;
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

await test('open_loops_keep_the_last_pose', async () => {
  const { page, close } = await openModel(path('closed/excavator.xml'));
  const before = await page.evaluate('Array.from(__lw.state.poses)');
  await page.evaluate(
    '__lw.move(__lw.state.model.reference.map((x, i) => (__lw.state.model.positions[i] === "boom_stroke" ? 4 : x)))',
  );
  await until(page, '!__lw.state.status.good');
  const gap = "document.querySelector('.banner').textContent.includes('apart')";
  await until(page, gap, 'the gap in the banner');
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
  // The frame that is selected has another number in the new version.
  const selected = '__lw.state.model.frame_list[__lw.state.selection.index].name';
  const [frame] = await page.evaluate(
    `__lw.state.model.frame_list.map(({ name }) => name).filter((name) => name.includes('tool'))`,
  );
  await page.evaluate(
    `__lw.set('selection', { kind: 'frame', index: __lw.state.model.frame_list.findIndex(({ name }) => name === '${frame}') })`,
  );
  const number = await page.evaluate('__lw.state.selection.index');
  copy.write(
    good
      .replace('name="ur5_class"', 'name="other"')
      .replace('<cylinder name="turret"', '<frame name="more" xyz="0 0 0.1"/>$&'),
  );
  await until(page, '__lw.state.model.version === 2 && __lw.state.model.name === "other"');
  check((await page.evaluate(selected)) === frame, 'another frame is selected');
  check((await page.evaluate('__lw.state.selection.index')) !== number, 'its number is the same');
  const q = await page.evaluate('Array.from(__lw.state.q)');
  check(Math.abs(q[2] - 0.3) < 1e-12, `q is ${q}`);
  copy.write(good.replace('<link ', '<lnk '));
  await until(page, '__lw.state.model.stale === true');
  check(
    /error.*version of \d+:\d+/.test(await page.locator('.banner').textContent()),
    'no banner with the time',
  );
  await page.locator('.drawer [role=tab]').first().click();
  const error = page.locator('.drawer .findings .error').first();
  check(/my #1%41 model\.xml:\d+:\d+/.test(await error.textContent()), 'no location');
  const column = Number((await error.getByRole('button').textContent()).split(':').at(-1));
  await error.getByRole('button').click();
  await until(page, "document.querySelectorAll('pre .here').length === 2", 'the line and a caret');
  const [line, caret] = await page.locator('pre .here').allTextContents();
  check(caret.indexOf('^') === 6 + column, `column ${column} of ${line} has its caret at ${caret}`);
  copy.write(good);
  await until(page, '__lw.state.model.version === 3 && !__lw.state.model.stale');
  check((await page.locator('.banner').textContent()) === '', 'the banner stays');
  await close();
});

// The renderer keeps nothing of a model that was replaced, and compiles no program anew for it: numbers
// of programs that rise are lengths of arrays that grow.
await test('a_reload_keeps_programs_and_leaves_no_geometry', async () => {
  const copy = copyOf('ur5_class.xml');
  const { page, close } = await openModel(copy.file);
  const held = `(({ info }) => JSON.stringify([info.memory, info.programs.map(({ id }) => id)]))
    (__lw.app.view.renderer)`;
  const drawn = async () => {
    const frames = await page.evaluate('(__lw.app.view.redraw(), __lw.frames)');
    await until(page, `__lw.frames > ${frames}`);
    return page.evaluate(held);
  };
  await page.evaluate(
    "__lw.set('layers', { visual: true, skeleton: true, frames: true, mass: true })",
  );
  const before = await drawn();
  for (const name of ['one', 'two', 'three']) {
    copy.write(copy.read().replace(/(<linkwork[^>]* name=")[^"]*/, `$1${name}`));
    await until(page, `__lw.state.model.name === '${name}'`);
    const now = await drawn();
    check(now === before, `${before} before, ${now} after ${name}`);
  }
  await close();
});

// A file that is read while it is written has errors for a moment: the page hears of them, and asks,
// when the good version is there already. Replies are held back until then, and come one by one.
await test('a_reload_is_not_lost_behind_diagnostics_of_the_version_before', async () => {
  const copy = copyOf('ur5_class.xml');
  const good = copy.read();
  const { page, close, studio } = await openModel(copy.file);
  const release = {};
  const held = new Promise((resolve) => Object.assign(release, { replies: resolve }));
  const replies = [held];
  await page.route(/\/api\/1\/(model|diagnostics)$/, (route) => {
    const reply = async () => route.fulfill({ response: await route.fetch() });
    replies.push(replies.at(-1).then(reply));
  });
  copy.write('');
  while (replies.length === 1) await new Promise((resolve) => setTimeout(resolve, 10));
  copy.write(good.replace('name="ur5_class"', 'name="other"'));
  const headers = { Authorization: `Bearer ${studio.token}` };
  for (let version = 1; version < 2; )
    ({ version } = await (await fetch(`${studio.origin}/api/1/diagnostics`, { headers })).json());
  release.replies();
  await until(page, '__lw.state.model.name === "other" && !__lw.state.model.stale', 'it came');
  await page.unrouteAll({ behavior: 'wait' });
  await close();
});

await test('configurations_of_the_srdf_file_are_buttons', async () => {
  const copy = copyOf('scara.xml');
  const joints = (await linkwork('info', copy.file, '--json')).positions;
  const srdf = join(copy.folder, 'scara.srdf');
  const states = [
    ['arm', 'home', [[joints[0], 0.25]]],
    ['arm', '&lt;b&gt;', [[joints[1], -0.5]]],
    ['wrist', 'home', [[joints[0], 0.75]]],
  ];
  const text = (list) =>
    `<robot name="scara">${list.map(
      ([group, name, values]) =>
        `<group_state name="${name}" group="${group}">${values.map(
          ([joint, value]) => `<joint name="${joint}" value="${value}"/>`,
        )}<joint name="nobody" value="1"/></group_state>`,
    )}</robot>`.replaceAll(',', '');
  writeFileSync(srdf, text(states));
  const { page, close } = await openModel(copy.file, { options: ['--srdf', srdf] });
  const names = () => page.locator('.named').allTextContents();
  check((await names()).join() === 'arm/home,<b>,wrist/home', `${await names()}`);
  await page.getByRole('button', { name: 'wrist/home' }).click();
  await until(page, '__lw.state.posed[0] === 0.75', 'the first joint');
  await page.getByRole('button', { name: '<b>' }).click();
  await until(page, '__lw.state.posed[0] === 0.75 && __lw.state.posed[1] === -0.5', 'the second');
  writeFileSync(srdf, text(states.slice(0, 1)));
  await until(page, "document.querySelectorAll('.named').length === 1", 'the new file');
  check((await names()).join() === 'home', `${await names()}`);
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
  const isCut = `['.left', '.right'].some((name) => {
    const { scrollWidth, clientWidth } = document.querySelector(name);
    return scrollWidth > clientWidth + 1;
  })`;
  for (const button of await page.locator('.tree button').all()) {
    await button.click();
    check(!(await page.evaluate(isCut)), 'a name is wider than its panel');
  }
  for (const mode of ['configure', 'simulate', 'levels', 'loops', 'equations'])
    await page.locator(`#mode-${mode}`).click();
  await page.getByRole('button', { name: 'Derive' }).click();
  await until(page, "document.querySelectorAll('.document details').length > 3", 'equations');
  await page.evaluate(
    "for (const item of document.querySelectorAll('.document details')) item.open = true",
  );
  await until(page, "document.querySelectorAll('.document table').length > 2", 'tables');
  check((await page.locator('.document a').count()) === 0, 'a name became a link');
  check((await page.evaluate('window.hit')) === undefined, 'a name ran');
  check((await page.locator('img').count()) === 0, 'a name became an element');
  const turned =
    '[...document.querySelectorAll("*")].filter((e) => [...e.childNodes].some((n) => n.data?.includes("\u202e"))).map((e) => e.outerHTML.slice(0, 200)).join()';
  check((await page.evaluate(turned)) === '', `text is turned: ${await page.evaluate(turned)}`);
  check((await page.locator('h1').textContent()) === '<b>bold</b>', 'the title is not the name');
  await close();
});

// Fifty random states, each by its address: in the same tab, and some in a tab of their own.
await test('the_address_restores_the_view', async () => {
  const { page, close, studio } = await openModel(path('scara.xml'), {
    size: { width: 900, height: 560 },
  });
  const other = await page.context().newPage();
  await other.goto(studio.url);
  await until(other, 'window.__lw?.state.connected && __lw.frames > 0');
  await other.getByRole('button', { name: 'Take over' }).click();
  await until(other, '__lw.state.yours');
  await page.evaluate('__lw.app.view.redraw = () => {}'); // the other one draws
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
      state.q = Array.from({ length: state.model.nq }, () => Math.fround(4 * Math.random() - 2));
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
    ).catch(async (error) => {
      throw new Error(`${error.message}\nbut ${await other.evaluate('__lw.addressState()')}`);
    });
  }
  await close();
});

// Configure shows its own robot, with a camera of its own: the way back must not undo the address.
await test('the_address_restores_the_view_after_configure', async () => {
  const { page, close } = await openModel(path('scara.xml'), {
    size: { width: 900, height: 560 },
  });
  await enterMode(page, 'pose');
  await page.evaluate('__lw.app.view.setCamera([2, -1.5, 1.25, 0.25, 0, 0.5])');
  const address = await page.evaluate('__lw.addressState()');
  await page.evaluate('__lw.app.view.setCamera([3, -2, 1, 0, 0, 0])');
  await enterMode(page, 'configure');
  await until(page, '__lw.app.view.previewed', 'the configured robot');
  await page.evaluate(`location.hash = '#${address}'`);
  await until(page, `__lw.addressState() === '${address}'`, 'the address');
  await close();
});

await test('a_dragged_frame_reaches_its_targets', async () => {
  const { page, close } = await openModel(path('ur5_class.xml'));
  await page.getByRole('button', { name: 'Handle' }).click();
  await until(page, '__lw.app.view.handle');
  const worst = await page.evaluate(`(async () => {
    const { state, app } = __lw;
    let worst = 0;
    app.view.redraw = () => {}; // pictures take longer than all the rest
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
    delete app.view.redraw;
    return worst;
  })()`);
  check(worst < 1e-6, `residual ${worst}`);
  await page.getByRole('button', { name: 'All solutions' }).click();
  await until(
    page,
    "document.querySelectorAll('.solution').length === 8 && __lw.app.view.ghosts.length > 0",
    'eight solutions and their ghosts',
  );
  // That of the one under the pointer alone.
  await page.locator('.solution').nth(2).hover();
  await until(page, '__lw.app.view.ghosts.length === 1', 'one ghost');
  await page.locator('.top h1').hover();
  await until(page, '__lw.app.view.ghosts.length > 1', 'all ghosts again');
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
  // Functions that are code in the document are formulas too.
  await page.getByLabel('Function').selectOption('jacobian');
  await until(page, "document.querySelectorAll('.matrix tr').length === 6", 'the Jacobian');
  check((await page.locator('.katex-error').count()) === 0, 'code cannot be read');
  check((await page.locator('.formula .symbol').count()) > 0, 'no symbol of the Jacobian is lit');
  await page.locator('.left').getByLabel('Frame').selectOption('inner');
  await until(
    page,
    "document.querySelectorAll('.matrix tr').length === 6 && !document.querySelector('.matrix').textContent.includes('t')",
    'that of another frame, shorter',
  );
  await close();
});

await test('large_equations_are_a_picture_first', async () => {
  const { page, close } = await openModel(path('ur5_class.xml'), { state: '&mode=equations' });
  await page.getByLabel('as symbols').uncheck();
  await page.getByLabel('Form').selectOption('lagrange');
  await until(page, "document.querySelectorAll('.picture .cell').length >= 20", 'a picture');
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
  const old = page.locator('.strip .warning');
  check((await old.textContent()) === '', 'the results are said to be old');
  await type('RTRR');
  check(/has changed/.test(await old.textContent()), 'the results of another specification');
  await close();
});

// The robot of the form is in the view while it is typed, closed classes by their sizes; the open
// model is back when the mode is left.
await test('configure_shows_the_robot_live', async () => {
  const { page, close } = await openModel(path('humanoid/humanoid.xml'), {
    state: '&mode=configure',
  });
  const shown = '__lw.app.view.previewed';
  await until(page, `${shown}?.nq === 4 && ${shown}.loops === 0`, 'the SCARA');
  const joints = await page.evaluate(`${shown}.tree.map((j) => j.type).join()`);
  check(joints === 'revolute,revolute,prismatic,revolute', joints);
  await page.getByLabel('Length 1').fill('0.8');
  await until(page, `Math.abs(${shown}.high[2] - 0.8) < 0.2`, 'a longer column');
  for (const [kind, nq, size] of [
    ['delta', 3, 'arm'],
    ['palletiser', 4, 'arm'],
    ['parallelogram', 6, 'forearm'],
    ['five-bar', 2, 'forearm'],
  ]) {
    await page.locator('.left select').selectOption(kind);
    await until(page, `${shown}.nq === ${nq} && ${shown}.loops > 0`, kind);
    const extent = `Math.hypot(...${shown}.high.map((x, k) => x - ${shown}.low[k]))`;
    const before = await page.evaluate(extent);
    const field = page.getByLabel(`Size ${size}`, { exact: true });
    const length = Number(await field.inputValue());
    await field.fill(String(1.1 * length));
    await until(page, `${extent} > ${before} + ${0.02 * length}`, `a larger ${kind}`);
  }
  await page.getByLabel('Size base', { exact: true }).fill('');
  await until(
    page,
    "document.querySelector('.left [role=status]').textContent.includes('size.base')",
  );
  await enterMode(page, 'pose');
  await until(
    page,
    `!${shown} && __lw.app.view.machine.model === __lw.state.model`,
    'the open one',
  );
  // As large as the window lets it be, which has no drawer any more.
  await until(page, `Math.abs(${reach} - 0.88) < 0.01`, 'the open one as near as it was');
  const words = await page.locator('.hud').textContent();
  check(/per solve/.test(words), `the view says "${words}"`);
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
  await page.getByRole('button', { name: 'Copy command' }).click();
  await until(page, '__lw.state.messages[0]?.endsWith("linkwork explain palletiser.xml")');
  await page.locator('.right button.source').first().click();
  const here = "document.querySelector('.drawer .here')?.textContent";
  await until(page, `/<rod name="LAB"/.test(${here})`, 'the line of the rod');
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
  check((await page.evaluate(reach)) < 0.9, 'the ghost is not in the picture');
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
  await page.locator('.top').getByRole('button', { name: 'Undo' }).click();
  await until(page, "__lw.state.model.options.join(' ') === '--branch close=-'", 'undone');
  await page.keyboard.press('Control+Z');
  await until(page, '__lw.state.model.options.length === 0', 'undone twice');
  check(
    await page.getByRole('button', { name: 'Undo' }).isDisabled(),
    'there is more than what was done',
  );
  await page.keyboard.press('Control+Shift+Z');
  await until(page, "__lw.state.model.options.join(' ') === '--branch close=-'", 'done again');
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
  const condition = page.locator('.condition').first();
  const [, reference] = (await condition.locator('..').textContent()).match(/, (\S+) at the ref/);
  check((await condition.textContent()) !== reference, 'the condition number stays');
  await page.evaluate('__lw.move([...__lw.state.model.reference])');
  await until(
    page,
    `document.querySelector('.condition').textContent === '${reference}'`,
    `the condition number ${reference} at the reference`,
  );
  check(
    /closed to \S+ mm/.test(await page.getByText('all loops are closed').textContent()),
    'the gap is not shown',
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
  const button = page.getByRole('button', { name: 'Compare', exact: true });
  // The second click, before any answer, cancels.
  await button.evaluate((element) => [1, 2].forEach(() => element.click()));
  await until(page, "document.querySelector('.left')?.innerText.includes('cancelled')", 'the end');
  check((await page.locator('.u-wrap').count()) === 0, 'plots of what was cancelled');
  await button.click();
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
  const legend = await page
    .locator('.u-wrap + .u-legend')
    .first()
    .locator('.u-label')
    .allInnerTexts();
  check(legend.join() === wanted.map(({ levels }) => levels).join(), `lines ${legend}`);
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

await test('gears_are_listed_without_wheels_and_conditions', async () => {
  const file = path('closed/driven_wrist.xml');
  const { page, close } = await openModel(file, { state: '&mode=levels' });
  const { gears } = await linkwork('explain', file, '--json');
  await until(page, `document.querySelectorAll('.gear').length === ${gears.length}`, 'the gears');
  await enterMode(page, 'loops');
  await until(page, "document.querySelectorAll('.step').length > 0", 'the steps');
  const linear = page.locator('.step', { hasText: 'closed form: linear' });
  check((await linear.count()) > 0, 'no step of a gear');
  check((await linear.getByText('condition number').count()) === 0, 'a gear has a condition');
  await close();
});

await test('a_server_that_is_gone_is_reported', async () => {
  const { page, close, studio, faults } = await openModel(path('ur5_class.xml'));
  await studio.stop();
  await until(page, "document.querySelector('.banner').textContent.includes('does not answer')");
  check((await page.locator('.joint').count()) === 6, 'the panels are gone');
  check((await page.evaluate('__lw.app.view.countColors()')) > 50, 'the view is blank');
  for (const mode of [...modes, 'pose']) await enterMode(page, mode);
  await page.getByRole('button', { name: 'Try again' }).click();
  const others = faults.filter((text) => !/net::ERR_CONNECTION/.test(text));
  check(others.length === 0, `the page complained: ${others.join('; ')}`);
  faults.length = 0; // refused connections are what was asked for
  const again = await startStudio(path('ur5_class.xml'), '--port', String(studio.port));
  await until(
    page,
    "document.querySelector('.banner').textContent.includes('no token')",
    'another start has another token',
  );
  // Its address in the same tab: the page goes on where it was.
  // However often it is told of it, there is one connection: another would only watch.
  const sockets = [];
  page.on('websocket', (socket) => sockets.push(socket));
  await page.evaluate('__lw.state.q[0] = 0.25');
  await page.evaluate(
    `location.hash = '#t=${again.token}&mode=pose'; location.hash = '#t=${again.token}'`,
  );
  await until(page, "__lw.state.connected && document.querySelector('.banner').textContent === ''");
  const open = sockets.filter((socket) => !socket.isClosed()).length;
  check(open === 1, `${open} connections are open`);
  // It comes back at once, maybe between two looks at the state.
  const next = page.waitForEvent('websocket');
  await page.evaluate('__lw.disconnect()');
  await next;
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
  const image = "document.querySelector('.view img').src";
  await until(page, `${image} !== '${old}'`, 'another picture');
  check((await page.locator('.axes, .layers').count()) === 0, 'layers that a picture has not');
  const turned = await page.evaluate(image);
  await page.getByRole('button', { name: 'View: top' }).click();
  await until(page, `${image} !== '${turned}'`, 'a picture from above');
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

// Branches of two loops, and configurations: each undone is what was before it, done again what it was.
await test('a_lost_context_has_a_picture_until_it_is_back', async () => {
  const { page, close, faults } = await openModel(path('closed/four_bar.xml'));
  const context = "__lw.app.view.renderer.getContext().getExtension('WEBGL_lose_context')";
  await page.evaluate(`__lw.lose = ${context}, __lw.lose.loseContext()`);
  await page.locator('.view img').waitFor();
  check(/lost this view/.test(await page.locator('.banner').textContent()), 'no banner');
  await page.evaluate('__lw.lose.restoreContext()');
  await until(page, "!document.querySelector('.view img')", 'the view is back');
  await until(page, '__lw.isReady() && __lw.app.view.countColors() > 50', 'it is drawn');
  check((await page.locator('.banner').textContent()) === '', 'the banner stays');
  faults.length = 0; // three says that it was lost
  await close();
});

await test('a_hundred_edits_are_undone_and_done_again', async () => {
  const { page, close } = await openModel(path('closed/palletiser.xml'));
  const wrong = await page.evaluate(`(async () => {
    const { state, app, edit, emit, move } = __lw;
    app.view.redraw = () => {};
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const now = () => JSON.stringify([state.model.hash, state.model.options, state.q]);
    const becomes = async (wanted) => {
      for (let i = 0; now() !== wanted && i < 6000; i += 1) await pause(5);
      await pause(1); // what waits for the model has heard of it
      return now() === wanted;
    };
    const branch = {};
    const seen = [now()];
    for (let i = 0; i < 100; i += 1) {
      const loop = Math.random() < 0.5 ? 'LAB' : 'LCD';
      if (i % 20 === 7) {
        move(state.q.map((x) => x + 0.01));
        await pause(450); // a gesture ends
      } else {
        branch[loop] = branch[loop] === '+' ? '-' : '+';
        const before = state.model.version;
        await edit({ branch: { [loop]: branch[loop] } });
        for (let k = 0; state.model.version === before && k < 6000; k += 1) await pause(5);
      }
      seen.push(now());
    }
    for (let i = 99; i >= 0; i -= 1) {
      emit('key:undo');
      if (!(await becomes(seen[i]))) return 'undo ' + i + ': ' + now() + ', not ' + seen[i];
    }
    for (let i = 1; i <= 100; i += 1) {
      emit('key:redo');
      if (!(await becomes(seen[i]))) return 'redo ' + i + ': ' + now() + ', not ' + seen[i];
    }
    return '';
  })()`);
  check(wrong === '', wrong);
  await close();
});

await others;
await browser.close();
finish();
