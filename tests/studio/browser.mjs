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

for (const name of [
  'ur5_class.xml',
  'panda_class.xml',
  'scara.xml',
  'closed/palletiser.xml',
  'closed/stewart.xml',
  'humanoid/humanoid.xml',
]) {
  await test(`shows_${name.replace(/\W/g, '_')}`, async () => {
    const { page, close } = await openModel(path(name));
    const colors = await page.evaluate('__lw.app.view.countColors()');
    check(colors > 50, `${colors} colours`);
    await close();
  });
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
    'x'.repeat(900),
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

await test('the_address_restores_the_view', async () => {
  const { page, close, studio } = await openModel(path('ur5_class.xml'));
  for (let i = 0; i < 10; i += 1) {
    await page.evaluate(
      `__lw.move(Array.from({length: 6}, () => Math.fround(4 * Math.random() - 2)))`,
    );
    if (i % 2) await page.keyboard.press('j');
    await page
      .locator('.tree button')
      .nth(i % 5)
      .click();
    await page.waitForTimeout(60);
    const address = await page.evaluate('__lw.addressState()');
    check(address.length < 2048, `${address.length} characters`);
    const other = await page.context().newPage();
    await other.goto(`${studio.url}&${address}`);
    await until(other, 'window.__lw?.state.connected && __lw.latencies.length > 0');
    check((await other.evaluate('__lw.addressState()')) === address, `it differs from ${address}`);
    await other.close();
    await page.waitForTimeout(60);
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

await test('levels_are_compared_as_compare_computes', async () => {
  const file = path('hr120/hr120.xml');
  const { page, close } = await openModel(file, { state: '&mode=levels' });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await until(page, "document.querySelectorAll('.u-wrap').length >= 12", 'plots');
  const wanted = (await linkwork('compare', file, '--json')).compared;
  const rows = await page.locator('.right tbody tr td:first-child').allTextContents();
  check(rows.join() === wanted.map(({ levels }) => levels).join(), `the levels are ${rows}`);
  const last = await page.locator('.right tbody tr:last-child td').allTextContents();
  check(last[1] === String(wanted.at(-1).nbody), `${last[1]} bodies`);
  check(Number(last[3]) === 0, `the last level differs from itself by ${last[3]}`);
  await page.getByLabel('Level of wrist').selectOption('high');
  const { nbody } = await linkwork('info', file, '--level', 'wrist=high', '--json');
  await until(page, `__lw.state.model.nbody === ${nbody}`, `${nbody} bodies`);
  await close();
});

await test('a_server_that_is_gone_is_reported', async () => {
  const { page, close, studio, faults } = await openModel(path('ur5_class.xml'));
  await studio.stop();
  await until(page, "document.querySelector('.banner').textContent.includes('does not answer')");
  check((await page.locator('.joint').count()) === 6, 'the panels are gone');
  check((await page.evaluate('__lw.app.view.countColors()')) > 50, 'the view is blank');
  faults.length = 0; // refused connections are what was asked for
  const again = await startStudio(path('ur5_class.xml'), '--port', String(studio.port));
  await until(
    page,
    "document.querySelector('.banner').textContent.includes('no token')",
    'another start has another token',
  );
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

await test('without_webgl_there_is_a_picture', async () => {
  const studio = await startStudio(path('ur5_class.xml'));
  const page = await browser.newPage();
  await page.goto(`${studio.url}&webgl=off`);
  await until(page, "document.querySelector('.view img')?.naturalWidth > 0", 'the SVG of draw');
  check((await page.locator('.joint').count()) === 6, 'sliders');
  await page.close();
  await studio.stop();
});

await test('it_fits_1024_by_640', async () => {
  const { page, close } = await openModel(path('ur5_class.xml'), {
    size: { width: 1024, height: 640 },
  });
  const size = await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.scrollHeight]',
  );
  check(size[0] <= 1024 && size[1] <= 640, `${size}`);
  const top = await page.evaluate(
    "document.querySelector('.top').scrollWidth - document.querySelector('.top').clientWidth",
  );
  check(top <= 0, 'the top bar is cut');
  await close();
});

await test('everything_has_a_name_and_contrast', async () => {
  for (const theme of ['light', 'dark']) {
    const { page, close } = await openModel(path('closed/palletiser.xml'), {
      state: `&theme=${theme}`,
    });
    const unnamed =
      await page.evaluate(`[...document.querySelectorAll('button, input, select, textarea')].filter((e) =>
      !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length || e.title)).map((e) => e.outerHTML)`);
    check(unnamed.length === 0, `without a name: ${unnamed}`);
    const pale = await page.evaluate(`(() => {
      const channel = (c) => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
      const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
      const ground = (e) => { for (let at = e; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor; if (!/rgba\\(.*, 0\\)|transparent/.test(c) && c.startsWith('rgb(')) return c; } return 'rgb(255,255,255)'; };
      return [...document.querySelectorAll('button, td, th, h1, h2, h3, span, p, label')].filter((e) => e.textContent.trim() && e.checkVisibility() && !e.closest('.u-wrap, dialog, :disabled')).map((e) => {
        const a = light(getComputedStyle(e).color), b = light(ground(e));
        return { text: e.textContent.slice(0, 30), ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
      }).filter(({ ratio }) => ratio < 4.5);
    })()`);
    check(pale.length === 0, `${theme}: ${JSON.stringify(pale.slice(0, 5))}`);
    const small = await page.evaluate(
      `[...document.querySelectorAll('button, select')].filter((e) => e.checkVisibility()).map((e) => [e.textContent, e.getBoundingClientRect()]).filter(([, r]) => r.height < 24 || r.width < 24).map(([t, r]) => t + ' ' + r.width + 'x' + r.height)`,
    );
    check(small.length === 0, `small targets: ${small.slice(0, 5)}`);
    await close();
  }
});

const arm = join(shared, 'models/urdf/ur5.urdf');
if (existsSync(arm)) {
  await test('meshes_of_shared_robots_are_shown', async () => {
    const { page, close } = await openModel(arm, {
      options: ['--path', join(shared, 'models/packages')],
      state: '&layers=collision,grid',
    });
    await until(page, '__lw.app.view.renderer.info.render.triangles > 1000', 'the meshes');
    await close();
  });
} else {
  skip('meshes_of_shared_robots_are_shown', `${arm} is not there`);
}

await browser.close();
finish();
