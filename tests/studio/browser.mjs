// The page in Chromium. State is read through window.__lw; pictures only for "not blank".
import { join } from 'node:path';
import { check, finish, linkwork, shared, source, startBrowser, startStudio, test, until } from './start.mjs';

const browser = await startBrowser();

// Opens a model, and collects what must not be: errors, policy violations, requests elsewhere.
async function openModel(model, { state = '', options = [], size = { width: 1280, height: 800 } } = {}) {
  const studio = await startStudio(model, ...options);
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(studio.origin) && !/^(blob|data):/.test(request.url())) faults.push(`asked ${request.url()}`);
  });
  await page.goto(studio.url + state);
  await until(page, 'window.__lw?.state.connected && __lw.frames > 0 && __lw.app.view.machine.pending === 0', 'the model is shown');
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

for (const name of ['ur5_class.xml', 'panda_class.xml', 'scara.xml', 'closed/palletiser.xml', 'closed/stewart.xml', 'humanoid/humanoid.xml']) {
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
  const { q, poses, frames } = await page.evaluate(`({q: __lw.state.q, poses: Array.from(__lw.state.poses),
    frames: __lw.state.model.frame_list})`);
  const wanted = (await linkwork('fk', file, '-q', q.join(','), '--json')).frames;
  for (const frame of frames) {
    if (frame.body < 0) continue;
    const [x, y, z, w, i, j, k] = poses.slice(7 * frame.body, 7 * frame.body + 7);
    const [a, b, c] = frame.position;
    // p + R (a, b, c) by the quaternion
    const t = [2 * (j * c - k * b), 2 * (k * a - i * c), 2 * (i * b - j * a)];
    const at = [x + a + w * t[0] + j * t[2] - k * t[1], y + b + w * t[1] + k * t[0] - i * t[2], z + c + w * t[2] + i * t[1] - j * t[0]];
    const off = Math.max(...at.map((value, n) => Math.abs(value - wanted[frame.name].position[n])));
    check(off < 2e-6, `${frame.name} is ${off} m off`);
  }
  await close();
});

void shared;
await browser.close();
finish();
