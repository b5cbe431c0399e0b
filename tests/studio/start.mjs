// What the tests of the studio are written with: a server, a browser, and lines "ok NAME".
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const source = process.env.SOURCE_DIR;
export const build = process.env.BUILD_DIR;
export const program = process.env.PROGRAM ?? join(build, 'linkwork');
export const shared = process.env.LINKWORK_SHARED_DIR ?? join(source, '../shared');

// Seconds after which what is waited for counts as never: long, because a busy machine is no fault.
export const patience = 300;

let failures = 0;

// Runs one test; what it throws is why it failed. ONLY=word runs those with the word in the name,
// TIMES=1 prints how long each took.
export async function test(name, body) {
  if (!name.includes(process.env.ONLY ?? '')) return;
  const began = Date.now();
  try {
    await body();
    if (process.env.TIMES) console.log(`${((Date.now() - began) / 1000).toFixed(1)} s`);
    console.log(`ok      ${name}`);
  } catch (error) {
    failures += 1;
    console.log(error.stack ?? String(error));
    console.log(`FAILED  ${name}`);
  }
}

export function skip(name, why) {
  console.log(`skip: ${why}\nskipped ${name}`);
}

export function finish() {
  process.exit(failures === 0 ? 0 : 1);
}

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

// A test that fails leaves its server behind.
const servers = new Set();
process.on('exit', () => {
  for (const child of servers) child.kill();
});

// Starts `linkwork studio`: {url, origin, port, token, child, stop}.
export async function startStudio(model, ...options) {
  const child = spawn(program, ['studio', model, '--no-browser', ...options]);
  servers.add(child);
  child.on('exit', () => servers.delete(child));
  let text = '';
  child.stderr.on('data', (data) => {
    text += data;
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`linkwork studio ended with ${code}: ${text}`)));
  });
  const [, port, token] = url.match(/127\.0\.0\.1:(\d+)\/#t=(\w+)/);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    url,
    port: Number(port),
    token,
    origin: `http://127.0.0.1:${port}`,
    child,
    stop: async () => {
      child.kill();
      return ended;
    },
  };
}

// Runs the program; what it prints, or an error with what it complains of.
export async function print(...words) {
  const child = spawn(program, words);
  let text = '';
  let complaint = '';
  child.stdout.on('data', (data) => {
    text += data;
  });
  child.stderr.on('data', (data) => {
    complaint += data;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`linkwork ${words[0]} ended with ${code}: ${complaint}`);
  return text;
}

// Runs the program and reads its JSON.
export const linkwork = async (...words) => JSON.parse(await print(...words));

export async function startBrowser(...extra) {
  const { chromium } = createRequire(join(build, 'studio/node_modules/x.js'))('playwright-core');
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      '--no-sandbox',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...extra,
    ],
  });
}

// Polls an expression in the page: waiting for functions needs eval, which the policy refuses.
export async function until(page, expression, what = expression) {
  const end = Date.now() + 1000 * patience;
  for (;;) {
    if (await page.evaluate(expression).catch(() => false)) return;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
