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

async function heap(page) {
  const session = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

const within = (a, b) => `within 2 %: ${(100 * (b / a - 1)).toFixed(1)} %`;

const sizes = JSON.parse(readFileSync(join(build, 'studio/sizes.json'), 'utf8'));
row('page before the first picture, gzip', `${(sizes.first / 1e3).toFixed(0)} kB`, '<= 220 kB');
row('page, all of it, gzip', `${(sizes.all / 1e3).toFixed(0)} kB`, '<= 460 kB');

writeFileSync(file, chain('chain'));
const studio = await startStudio(file);
// Pictures are composed by GL, as with a GPU: otherwise each is read back, and the page waits for it.
const browser = await startBrowser(
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--ignore-gpu-blocklist',
);
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const began = Date.now();
await page.goto(studio.url);
await until(page, 'window.__lw?.state.connected && __lw.frames > 0');
row(`first picture, ${links} links, software GL`, `${Date.now() - began} ms`, '< 1 s');

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
const first = await heap(page);
const serverFirst = serverMegabytes(studio.child.pid);
await moveOften(frames);
const second = await heap(page);
row(
  `heap of the page, then after ${frames} frames`,
  `${first.toFixed(2)}, ${second.toFixed(2)} MB`,
  within(first, second),
);

const times = [];
const reloadOften = async (count, from) => {
  for (let i = 0; i < count; i += 1) {
    const start = Date.now();
    writeFileSync(file, chain(`chain${from + i}`));
    await until(page, `__lw.state.model.name === 'chain${from + i}'`);
    times.push(Date.now() - start);
  }
};
// The first ones fill the list of messages, of 50, and have the page's code compiled.
const warm = 60;
await reloadOften(warm, 0);
const third = await heap(page);
await reloadOften(reloads, warm);
const fourth = await heap(page);
row(
  `heap after ${warm} reloads, then after ${reloads} more`,
  `${third.toFixed(2)}, ${fourth.toFixed(2)} MB`,
  within(third, fourth),
);
row('reload of the file, median', `${quantile(times, 0.5)} ms`, '< 150 ms');
row(
  'server, resident: at first, at the end',
  `${serverFirst.toFixed(1)}, ${serverMegabytes(studio.child.pid).toFixed(1)} MB`,
  '<= 40 MB',
);

await browser.close();
await studio.stop();
process.exit(0);
