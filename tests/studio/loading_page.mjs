// What the page waits for until its first picture, and until a file that has changed is shown.
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { browser, copyOf, openModel, path } from './pages.mjs';
import { check, skip, startStudio, test, until } from './start.mjs';

// A page whose replies to requests of a kind are held back until release().
async function openHeld(kind) {
  const studio = await startStudio(path('scara.xml'));
  const context = await browser.newContext({ viewport: { width: 900, height: 560 } });
  const page = await context.newPage();
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(kind, (route) => held.then(() => route.continue()));
  await page.addInitScript(() => {
    const { fetch } = window;
    const canvas = HTMLCanvasElement.prototype;
    const { getContext } = canvas;
    const order = [];
    window.order = order;
    window.fetch = (...words) => {
      order.push('request');
      return fetch(...words);
    };
    canvas.getContext = function context(...words) {
      order.push('renderer');
      return getContext.apply(this, words);
    };
  });
  await page.goto(studio.url, { waitUntil: 'commit' });
  const close = async () => {
    await context.close();
    await studio.stop();
  };
  return { page, asked, release, close };
}

// Polls what the test itself has seen.
async function eventually(isSo, what) {
  for (let i = 0; !isSo(); i += 1) {
    check(i < 1000, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isShown = 'window.__lw?.state.connected && __lw.frames > 0';

await test('scripts_are_asked_for_without_waiting_for_the_first', async () => {
  const { page, asked, release, close } = await openHeld(/\/a\/app-/);
  await eventually(() => asked.some((name) => name.startsWith('/a/chunk-')), 'a request');
  release();
  await until(page, isShown);
  const scripts = asked.filter((name) => name.endsWith('.js'));
  check(new Set(scripts).size === scripts.length, `asked for twice: ${scripts}`);
  await close();
});

await test('the_renderer_starts_while_the_server_answers_and_draws_with_the_model', async () => {
  const { page, release, close } = await openHeld(/\/api\/1\/model/);
  await until(page, "window.order.includes('renderer')", 'a renderer without a model');
  check((await page.evaluate('window.order[0]')) === 'request', 'the renderer is first');
  await page.evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
  check((await page.evaluate('__lw.frames')) === 0, 'a picture without a model');
  release();
  await until(page, isShown);
  check(await page.evaluate('__lw.app.view.isDrawn'), 'no picture of the model');
  await close();
});

// Inodes whose events a process waits for.
function watchedInodes(pid) {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder)
    .filter((fd) => readlinkSync(`${folder}/${fd}`) === 'anon_inode:inotify')
    .flatMap((fd) => [...readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').matchAll(/ ino:(\w+)/g)])
    .map(([, inode]) => parseInt(inode, 16));
}

const events = 'a_file_that_is_written_or_replaced_is_an_event';
if (process.platform === 'linux')
  await test(events, async () => {
    const copy = copyOf('ur5_class.xml');
    const { page, close, studio } = await openModel(copy.file);
    const folder = statSync(copy.folder).ino;
    check(watchedInodes(studio.child.pid).includes(folder), 'the folder is not watched');
    const named = (name) => copy.read().replace(/(<linkwork[^>]* name=")[^"]*/, `$1${name}`);
    copy.write(named('written'));
    await until(page, "__lw.state.model.name === 'written'");
    writeFileSync(`${copy.file}.new`, named('renamed'));
    renameSync(`${copy.file}.new`, copy.file);
    await until(page, "__lw.state.model.name === 'renamed'");
    await close();
  });
else skip(events, 'only Linux has them');
