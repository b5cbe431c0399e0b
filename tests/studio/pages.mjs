// Pages for tests in Chromium: one browser for all of them, a server for each.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, patience, source, startBrowser, startStudio, until } from './start.mjs';

export const browser = await startBrowser();

// Few large pixels: software GL takes longest for what it draws, and the layout is the same.
export const coarse = { deviceScaleFactor: 0.5 };

// Opens a model, and collects what must not be: errors, policy violations, requests elsewhere.
export async function openModel(
  model,
  { state = '', options = [], size = { width: 1280, height: 800 } } = {},
) {
  const studio = await startStudio(model, ...options);
  const context = await browser.newContext({ ...coarse, viewport: size });
  context.setDefaultTimeout(1000 * patience);
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
    // And drawn: the camera that fits the last mesh is that of the next picture.
    `window.__lw?.state.connected && __lw.frames > 0 && __lw.app.view.machine.pending === 0 &&
    !__lw.app.view.isDirty`,
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

export const path = (name) => join(source, 'models', name);

export const modes = ['pose', 'configure', 'equations', 'simulate', 'levels', 'loops', 'workspace'];

export async function enterMode(page, mode) {
  await page.locator(`#mode-${mode}`).click();
  await until(page, `document.querySelector('#mode-${mode}').ariaSelected === 'true'`);
}

// A copy of a model that a test may change.
export function copyOf(name, change = (text) => text) {
  const folder = mkdtempSync(join(tmpdir(), 'linkwork-studio-'));
  const file = join(folder, 'my #1%41 model.xml');
  writeFileSync(file, change(readFileSync(path(name), 'utf8')));
  return {
    file,
    folder,
    write: (text) => writeFileSync(file, text),
    read: () => readFileSync(file, 'utf8'),
  };
}
