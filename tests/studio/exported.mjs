// Pages that `linkwork studio --export` writes, opened from a file without a network.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, coarse, path } from './pages.mjs';
import { check, linkwork, print, test, until } from './start.mjs';

const folder = mkdtempSync(join(tmpdir(), 'linkwork-export-'));

// Exports a model and opens the page; collects what must not be: errors, violations of its policy,
// requests.
async function openExported(model, ...options) {
  const file = join(folder, 'page.html');
  const text = await print('studio', model, '--export', file, ...options);
  const context = await browser.newContext({ ...coarse, viewport: { width: 900, height: 560 } });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GL Driver/.test(message.text()))
      faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (
      request.url().split('#')[0] !== pathToFileURL(file).href &&
      !/^(data|blob):/.test(request.url())
    )
      faults.push(`asked ${request.url().slice(0, 100)}`);
  });
  const open = async (state = '') => {
    await page.goto(pathToFileURL(file).href + state);
    await until(
      page,
      "window.__lw?.state.connected && (document.querySelector('.picture') || (__lw.frames > 0 && __lw.app.view.machine.pending === 0))",
      'the model is shown',
    );
  };
  await open();
  return {
    page,
    file,
    text,
    open,
    close: async () => {
      await context.close();
      check(faults.length === 0, `the page complained: ${faults.join('; ')}`);
    },
  };
}

// p + R x, and the product of quaternions (w, x, y, z).
function turned([w, i, j, k], [a, b, c]) {
  const t = [2 * (j * c - k * b), 2 * (k * a - i * c), 2 * (i * b - j * a)];
  return [
    a + w * t[0] + j * t[2] - k * t[1],
    b + w * t[1] + k * t[0] - i * t[2],
    c + w * t[2] + i * t[1] - j * t[0],
  ];
}
const product = ([a, b, c, d], [e, f, g, h]) => [
  a * e - b * f - c * g - d * h,
  a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f,
  a * h + b * g - c * f + d * e,
];

// How far the frames of the page are from those of `fk`, m and quaternions of one sign.
function difference(model, poses, wanted) {
  let worst = 0;
  for (const frame of model.frame_list) {
    if (frame.body < 0) continue;
    const p = poses.slice(7 * frame.body, 7 * frame.body + 3);
    const r = poses.slice(7 * frame.body + 3, 7 * frame.body + 7);
    const at = turned(r, frame.position).map((value, k) => value + p[k]);
    const turn = product(r, frame.quaternion);
    const { position, quaternion } = wanted[frame.name];
    const sign = turn.reduce((sum, value, k) => sum + value * quaternion[k], 0) < 0 ? -1 : 1;
    at.forEach((value, k) => {
      worst = Math.max(worst, Math.abs(value - position[k]));
    });
    turn.forEach((value, k) => {
      worst = Math.max(worst, Math.abs(sign * value - quaternion[k]));
    });
  }
  return worst;
}

// Numbers from 0 to 1 that are the same in every run (xorshift).
let seed = 20;
function random() {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
}

// Away from the reference by up to `reach`; rotations stay unit quaternions.
function randomState(model, reach) {
  const q = model.coordinates.map((c) => c.reference + reach * (2 * random() - 1));
  model.coordinates.forEach((c, k) => {
    if (c.kind !== 'quaternion' || model.coordinates[k - 1]?.kind === 'quaternion') return;
    const length = Math.hypot(...q.slice(k, k + 4));
    for (let i = k; i < k + 4; i += 1) q[i] /= length;
  });
  return q;
}

// A chain, one with a free base, closed forms, gears, and a Newton block.
for (const [name, reach] of [
  ['ur5_class.xml', 3],
  ['humanoid/humanoid.xml', 0.5],
  ['closed/palletiser.xml', 0.3],
  ['closed/planetary.xml', 2],
  ['closed/stewart.xml', 0.03],
]) {
  await test(`exported_poses_of_${name.replace(/\W/g, '_')}_are_those_of_fk`, async () => {
    const file = path(name);
    const { page, close } = await openExported(file);
    const model = await page.evaluate('__lw.state.model');
    let closed = 0;
    for (let i = 0; i < 6; i += 1) {
      const q = randomState(model, reach);
      await page.evaluate(`__lw.move([...__lw.state.model.reference]); __lw.move([${q}])`);
      const { good, poses, tree } = await page.evaluate(
        '({good: __lw.state.status.good, poses: Array.from(__lw.state.poses), tree: Array.from(__lw.state.tree)})',
      );
      const wanted = await linkwork('fk', file, '-q', q.join(), '--dependent', '--json').catch(
        () => null,
      );
      check(good === (wanted !== null), `the page says ${good} at ${q}`);
      if (!wanted) continue;
      closed += 1;
      const off = difference(model, poses, wanted.frames);
      check(off < 1e-12, `off by ${off} at ${q}`);
      const known = model.dependent.filter((d) => Number.isFinite(tree[d.tree]));
      check(known.length === model.dependent.length || name.includes('stewart'), 'joints unknown');
      for (const d of known) {
        const turns = d.kind === 'angle' ? (tree[d.tree] - wanted.dependent[d.name]) / Math.PI : 0;
        const far =
          d.kind === 'angle'
            ? Math.PI * Math.abs(turns - 2 * Math.round(turns / 2))
            : Math.abs(tree[d.tree] - wanted.dependent[d.name]);
        check(far < 1e-11, `${d.name} is off by ${far}`);
      }
    }
    check(closed >= 3, `only ${closed} states close`);
    check((await page.evaluate('__lw.app.view.countColors()')) > 50, 'the view is blank');
    await close();
  });
}

const swing = `<run version="1" name="swing" every="0.01"><limits velocity="1.5" acceleration="6"/>
  <motion><to q="0.5 -1 0.8 0.3 0.2 0.1"/></motion>
  <controller law="computed-torque" frequency="5" damping="1"/></run>`;

await test('exported_motion_plays_as_simulate_computes', async () => {
  const run = join(folder, 'swing.xml');
  const csv = join(folder, 'swing.csv');
  writeFileSync(run, swing);
  await print('simulate', path('ur5_class.xml'), '--run', run, '-o', csv);
  const rows = readFileSync(csv, 'utf8').trim().split('\n');
  const names = rows[0].split(',');
  const wanted = rows.map((row) => row.split(',').map(Number)).slice(1);
  for (const options of [
    ['--run', run],
    ['--log', csv],
  ]) {
    const { page, close } = await openExported(path('ur5_class.xml'), ...options);
    await until(page, "document.querySelectorAll('.u-wrap').length >= 3", 'plots');
    const row = wanted[60];
    const [time, first] = [row[names.indexOf('time')], names.findIndex((n) => n.startsWith('q.'))];
    await page.locator('[aria-label=Time]').fill(String(time));
    const { q, poses, model } = await page.evaluate(
      '({q: __lw.state.q, poses: Array.from(__lw.state.poses), model: __lw.state.model})',
    );
    check(q.join() === row.slice(first, first + 6).join(), `q is ${q} at ${time} s`);
    const { frames } = await linkwork('fk', path('ur5_class.xml'), '-q', q.join(), '--json');
    check(difference(model, poses, frames) < 1e-12, 'the poses differ');
    await page.locator('[aria-label=Speed]').selectOption('4');
    await page.locator('[aria-label=Time]').fill('0');
    await page.getByRole('button', { name: 'Play' }).click();
    await until(
      page,
      `__lw.state.q.join() === '${wanted.at(-1).slice(first, first + 6)}'`,
      'its end',
    );
    await close();
  }
  const other = join(folder, 'other.csv');
  writeFileSync(other, 'time,q.nobody\n0,1\n');
  const words = ['studio', path('ur5_class.xml'), '--export', join(folder, 'no.html')];
  const refused = await print(...words, '--log', other).catch((error) => error.message);
  check(refused.includes('q.NAME are needed'), `a foreign table gives ${refused}`);
});

// A coupling by a table has no formula: the page has poses that the program computed.
await test('what_has_no_code_is_recorded_and_said', async () => {
  const file = join(folder, 'cam.xml');
  writeFileSync(
    file,
    `<linkwork version="1" name="cam"><ground/>
    <link name="disc" mass="1" inertia="1 1 1">
      <cylinder radius="0.1" length="0.02" color="0.2 0.4 0.8" role="visual"/></link><link name="rod" mass="1" inertia="1 1 1"/>
    <joint name="turn" type="revolute" axis="0 0 1" from="ground" to="disc" lower="0" upper="3"/>
    <joint name="lift" type="prismatic" axis="0 1 0" from="ground" to="rod" dependent="true"/>
    <coupling name="cam" joint="lift" of="turn" table="0 0 1 0.2 2 0.1 3 0"/></linkwork>`,
  );
  const { page, text, close } = await openExported(file);
  check(text.includes('recorded poses'), `the program says ${text}`);
  check(
    (await page.locator('.banner').textContent()).includes('recorded poses'),
    'the page does not say so',
  );
  await page.evaluate('__lw.move([1.23])');
  const { q, poses, model } = await page.evaluate(
    '({q: __lw.state.q, poses: Array.from(__lw.state.poses), model: __lw.state.model})',
  );
  check(Math.abs(q[0] - 1.23) < 0.04, `the nearest is ${q}`);
  const { frames } = await linkwork('fk', file, '-q', q.join(), '--json');
  check(difference(model, poses, frames) < 1e-12, 'the poses differ');
  const colors = await page.evaluate(
    '[...__lw.app.view.machine.materials.values()].map((m) => m.color.getHexString())',
  );
  check(colors.includes('3366cc'), `the disc has none of ${colors}`);
  await close();
});

// W5: names of a robot are text, in the data of the file too.
await test('W5_hostile_names_of_exported_pages_are_text', async () => {
  const names = [
    '&lt;/script&gt;&lt;script&gt;window.hit=1&lt;/script&gt;',
    '&lt;!--&lt;script',
    '&lt;img src=x onerror=window.hit=1&gt;',
    '\u2028window.hit=1//',
    '*/window.hit=1/*',
    '\u202Egnp.exe',
  ];
  const links = names.map(
    (name, i) =>
      `<joint name="j${name}" type="revolute" axis="0 0 1" from="${i ? `l${names[i - 1]}` : 'ground'}" to="l${name}"/><link name="l${name}" mass="1" inertia="1 1 1"/>`,
  );
  const file = join(folder, 'hostile.xml');
  writeFileSync(
    file,
    `<linkwork version="1" name="&lt;/script&gt;&lt;b&gt;bold&lt;/b&gt;"><ground/>${links.join('\n')}</linkwork>`,
  );
  const { page, close } = await openExported(file);
  for (const button of await page.locator('.tree button').all()) await button.click();
  check((await page.evaluate('window.hit')) === undefined, 'a name ran');
  check((await page.locator('img').count()) === 0, 'a name became an element');
  check((await page.locator('h1').textContent()) === '</script><b>bold</b>', 'the title differs');
  check((await page.locator('.joint').count()) === names.length, 'sliders');
  await close();
});

await test('an_exported_page_is_strict_says_its_size_and_restores_its_view', async () => {
  const { page, file, text, open, close } = await openExported(path('scara.xml'));
  const size = statSync(file).size;
  check(text.includes(`${Math.round(size / 1000)} kB`), `${text}, not ${size} bytes`);
  check(size < 1e6, `${size} bytes`);
  const html = readFileSync(file, 'utf8');
  const [, policy] = html.match(/Content-Security-Policy" content="([^"]*)"/);
  check(!/unsafe|http|\*/.test(policy), `the policy is ${policy}`);
  const addresses = html.match(/(?:src|href)="[^"]*"/g);
  check(
    addresses.every((text) => /"data:/.test(text)),
    `it names ${addresses}`,
  );
  const slider = page.locator('.joint input[type=range]').first();
  await slider.focus();
  for (let i = 0; i < 3; i += 1) await slider.press('Shift+ArrowRight');
  const q = await page.evaluate('__lw.state.q.map(Math.fround)');
  check(q[0] !== 0, 'the slider does nothing');
  const address = await page.evaluate('__lw.addressState()');
  await page.goto('about:blank');
  await open(`#${address}`);
  const again = await page.evaluate('__lw.state.q.map(Math.fround)');
  check(again.join() === q.join(), `${again}, not ${q}`);
  check(
    (await page.getByRole('button', { name: 'All solutions' }).count()) === 0,
    'needs a server',
  );
  await close();
});

// A frame that is dragged: the page itself finds the joints, through loops too; what cannot be
// reached is said.
await test('a_dragged_frame_of_an_exported_page_reaches_its_targets', async () => {
  for (const [name, frame, reach] of [
    ['ur5_class.xml', 'wrist_3.tool', 0.4],
    ['closed/palletiser.xml', 'Payload.flange', 0.2],
  ]) {
    const { page, close } = await openExported(path(name));
    await page.evaluate('__lw.app.view.redraw = () => {}'); // pictures take longer than all the rest
    const model = await page.evaluate('__lw.state.model');
    const number = model.frame_list.findIndex((f) => f.name === frame);
    check(number >= 0, `frames are ${model.frame_list.map((f) => f.name)}`);
    let reached = 0;
    for (let i = 0; i < 8; i += 1) {
      const q = randomState(model, reach);
      const { frames } = await linkwork('fk', path(name), '-q', q.join(), '--json');
      const { position, quaternion } = frames[frame];
      await page.evaluate(`__lw.move([...__lw.state.model.reference]);
        for (let k = 0; k < 4; k += 1) __lw.drag(${number}, [${position}, ${quaternion}])`);
      const now = await page.evaluate('({ q: __lw.state.q, status: __lw.state.status })');
      const there = (await linkwork('fk', path(name), '-q', now.q.join(), '--json')).frames[frame];
      const off = Math.hypot(...there.position.map((x, k) => x - position[k]));
      check(
        Math.abs(off) <= now.status.residual + 1e-9,
        `${off} m off, ${now.status.residual} said`,
      );
      reached += off < 1e-8;
    }
    check(reached >= 7, `${reached} of 8 targets of ${name}`);
    await page.evaluate(`__lw.drag(${number}, [50, 0, 0, 1, 0, 0, 0])`);
    const { residual, good } = await page.evaluate('__lw.state.status');
    check(good && residual > 10, `a target at 50 m: ${residual}`);
    await page.evaluate('delete __lw.app.view.redraw');
    await page.getByRole('button', { name: 'Handle' }).click();
    await until(page, '__lw.app.view.handle', 'the handle');
    await close();
  }
});

await test('an_exported_page_without_webgl_has_outlines', async () => {
  const { page, open, close } = await openExported(path('closed/palletiser.xml'));
  await page.goto('about:blank');
  await open('#webgl=off');
  const count = async () => page.locator('.view svg.picture > *').count();
  check((await count()) > 10, `${await count()} outlines`);
  const before = await page.locator('.view svg.picture').innerHTML();
  const slider = page.locator('.joint input[type=range]').first();
  await slider.focus();
  for (let i = 0; i < 3; i += 1) await slider.press('Shift+ArrowRight');
  await until(
    page,
    `document.querySelector('.view svg.picture').children.length > 10 && __lw.state.q[0] !== 0`,
  );
  await page.waitForTimeout(100);
  check((await page.locator('.view svg.picture').innerHTML()) !== before, 'it does not move');
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
  await close();
});

rmSync(folder, { recursive: true });
