// studio.mjs: measures the page of the studio in Chromium. Prints what bench/results/studio.md has.
//
//   SOURCE_DIR=$PWD BUILD_DIR=$PWD/build CHROMIUM=$(command -v chromium) node bench/studio.mjs
//
// Frames and reloads may be given: node bench/studio.mjs 10000 200. The chain has 60 links.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, startBrowser, startStudio, until } from '../tests/studio/start.mjs';

const [frames, reloads] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 20)];
const links = 60;
const file = join(mkdtempSync(join(tmpdir(), 'linkwork-bench-')), 'chain.xml');

function chain(name) {
  const rows = Array.from(
    { length: links },
    (
      _,
      i,
    ) => `<joint name="j${i}" type="revolute" axis="${i % 2 ? '0 1 0' : '0 0 1'}" from="${i ? `l${i - 1}.b` : 'ground'}" to="l${i}" lower="-3" upper="3"/>
<link name="l${i}" mass="1" center="0.05 0 0" inertia="0.01 0.01 0.01"><b xyz="0.1 0 0"/><capsule radius="0.02" length="0.08" xyz="0.05 0 0" rpy="0 1.5707963 0"/></link>`,
  );
  return `<linkwork version="1" name="${name}"><ground/>${rows.join('\n')}</linkwork>\n`;
}

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))];
const row = (name, value, goal) =>
  console.log(`${name.padEnd(52)} ${String(value).padStart(16)}   ${goal}`);

function serverMegabytes(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(text.match(/VmRSS:\s+(\d+)/)[1]) / 1024;
}

// Waits until the page has drawn what it has, and has let go of what was before: the renderer keeps
// the objects of its last picture.
async function settle(page) {
  for (let i = 0; i < 2; i += 1) {
    const drawn = await page.evaluate('(__lw.app.view.redraw(), __lw.frames)');
    await until(page, `__lw.frames > ${drawn}`);
  }
  await page.waitForTimeout(700); // timers of the page have at most 400 ms
}

// The heap of V8 after a garbage collection, in MB: all of it, and of that the objects of the page.
// The rest is code: functions are compiled again, and better, the more often they have run.
async function heap(page) {
  await settle(page);
  const session = await page.context().newCDPSession(page);
  const chunks = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  for (let i = 0; i < 3; i += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  const { snapshot, nodes, strings } = JSON.parse(chunks.join(''));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field));
  let objects = 0;
  for (let i = 0; i < nodes.length; i += fields.length) {
    const kind = types[type][nodes[i + type]];
    const isNumbers = strings[nodes[i + name]] === 'system / JSArrayBufferData';
    if ((kind !== 'code' && kind !== 'native') || isNumbers) objects += nodes[i + size];
  }
  return { all: usedSize / 1e6, objects: objects / 1e6 };
}

function heapRows(first, second, what) {
  for (const [key, title] of [
    ['objects', 'objects of the page'],
    ['all', 'heap with compiled code'],
  ]) {
    const [a, b] = [first[key], second[key]];
    const text = `${a.toFixed(2)}, ${b.toFixed(2)} MB`;
    row(`${title}: ${what}`, text, `within 2 %: ${(100 * (b / a - 1)).toFixed(1)} %`);
  }
}

const sizes = JSON.parse(readFileSync(join(build, 'studio/sizes.json'), 'utf8'));
row('page before the first picture, gzip', `${(sizes.first / 1e3).toFixed(0)} kB`, '<= 220 kB');
row('page, all of it, gzip', `${(sizes.all / 1e3).toFixed(0)} kB`, '<= 460 kB');

writeFileSync(file, chain('chain'));
const studio = await startStudio(file);

// Opens the page in a browser of its own, that has run for a while.
async function open(seconds) {
  // Pictures are composed by GL, as with a GPU: otherwise each is read back, and the page waits for
  // it.
  const browser = await startBrowser(
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--ignore-gpu-blocklist',
  );
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.waitForTimeout(1000 * seconds);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const began = Date.now();
  await page.goto(studio.url);
  await until(page, 'window.__lw?.state.connected && __lw.frames > 0');
  return { browser, page, session, ms: Date.now() - began };
}

// A browser that has just started loads its own pages and draws its own window for about a second.
const early = await open(0);
await early.browser.close();
const { browser, page, session, ms } = await open(4);
row(`first picture, ${links} links, software GL`, `${ms} ms`, '< 1 s');
row('  while the browser itself starts', `${early.ms} ms`, '-');

// What that is made of. Processor time of the page's thread does not depend on other programs.
const { metrics } = await session.send('Performance.getMetrics');
await session.detach();
const metric = (name) => 1000 * metrics.find((item) => item.name === name).value;
const { model, script, draw } = await page.evaluate(`(() => {
  const wait = (word) => performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes(word))
    .reduce((sum, { requestStart, responseEnd }) => sum + responseEnd - requestStart, 0);
  return { model: wait('/api/1/model'), script: wait('.js'), draw: __lw.app.view.work[0] };
})()`);
for (const [name, ms] of [
  ['server and transfer: scripts', script],
  ['server and transfer: model', model],
  ['processor time of the page, all tasks', metric('TaskDuration')],
  ['... of scripts', metric('ScriptDuration')],
  ['... of style and layout', metric('LayoutDuration') + metric('RecalcStyleDuration')],
  ['first draw, with programs of the software GL', draw],
])
  row(`  ${name}`, `${ms.toFixed(0)} ms`, '-');

// One move after the other, each when the poses of the one before have arrived.
const moveOften = (count) =>
  page.evaluate(`(async () => {
    const { state, app } = __lw;
    const n = state.model.nq;
    for (let i = 0; i < ${count}; i += 1) {
      const before = state.poses;
      __lw.move(Array.from({ length: n }, (_, k) => 0.05 * Math.sin(0.01 * i + k)));
      while (state.poses === before) await new Promise((r) => setTimeout(r, 0));
    }
    return [__lw.latencies.slice(-500), app.view.poseWork.slice(-500), app.view.work.slice(-500), state.status.microseconds];
  })()`);
await moveOften(50);
const [latency, work, render, solve] = await moveOften(500);
row('slider to poses applied, median', `${quantile(latency, 0.5).toFixed(1)} ms`, '<= 16 ms');
row('slider to poses applied, 99 %', `${quantile(latency, 0.99).toFixed(1)} ms`, '<= 50 ms');
row(
  'page work per frame without software GL, median',
  `${quantile(work, 0.5).toFixed(2)} ms`,
  '<= 4 ms',
);
row(
  'page work per frame without software GL, 99 %',
  `${quantile(work, 0.99).toFixed(2)} ms`,
  '<= 8 ms',
);
row('page work per frame with software GL, median', `${quantile(render, 0.5).toFixed(2)} ms`, '-');
row('poses and dependent joints in the server', `${solve.toFixed(1)} us`, '<= 1 ms');

// Memory does not depend on the size of the picture; software GL takes long for a large one.
await page.setViewportSize({ width: 900, height: 300 });
await moveOften(frames / 2);
const first = await heap(page);
const serverFirst = serverMegabytes(studio.child.pid);
await moveOften(frames);
heapRows(first, await heap(page), `${frames} frames after ${frames / 2}`);

const times = [];
const reloadOften = async (count, from) => {
  for (let i = 0; i < count; i += 1) {
    // The page itself looks every millisecond: a question from here takes up to 30 ms.
    const shown = page.evaluate(`(async () => {
      while (__lw.state.model.name !== 'chain${from + i}') await new Promise((r) => setTimeout(r, 1));
      return Date.now();
    })()`);
    const start = Date.now();
    writeFileSync(file, chain(`chain${from + i}`));
    times.push((await shown) - start);
  }
};
// The first ones fill the list of messages, of 50, and have the page's code compiled.
const warm = 240;
await reloadOften(warm, 0);
const third = await heap(page);
await reloadOften(reloads, warm);
heapRows(third, await heap(page), `${reloads} reloads after ${warm}`);
row('reload of the file, median', `${quantile(times, 0.5)} ms`, '< 150 ms');
row(
  'server, resident: at first, at the end',
  `${serverFirst.toFixed(1)}, ${serverMegabytes(studio.child.pid).toFixed(1)} MB`,
  '<= 40 MB',
);

await browser.close();
await studio.stop();
process.exit(0);
