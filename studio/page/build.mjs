// build.mjs MODULES OUT: bundles src/ into OUT/assets.c, which the program embeds, and writes the
// sizes. MODULES is OUT/node_modules, with the packages of the lock file.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(modules, 'x.js'))('esbuild');

// Names of chunks depend on how paths of sources and packages lie to each other: a copy beside the
// packages gives the same bytes wherever the source is.
const page = join(out, 'src');
mkdirSync(out, { recursive: true });
rmSync(page, { recursive: true, force: true });
cpSync(join(here, 'src'), page, { recursive: true });

const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

// KaTeX names three forms of each font; the page needs one, and of twenty fonts only these.
const fonts = /KaTeX_(Main-Regular|Main-Bold|Math-Italic|Size[1-4]-Regular|AMS-Regular)\.woff2/;
const fewFonts = {
  name: 'few-fonts',
  setup(build) {
    build.onLoad({ filter: /katex\.min\.css$/ }, (args) => ({
      loader: 'css',
      contents: readFileSync(args.path, 'utf8')
        .replace(/@font-face\{[^}]*\}/g, (face) => (fonts.test(face) ? face : ''))
        .replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, ''),
    }));
  },
};

const common = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  nodePaths: [modules],
  absWorkingDir: out,
  preserveSymlinks: true,
  legalComments: 'none',
  write: false,
};

const result = await esbuild.build({
  ...common,
  entryPoints: [
    { in: join(page, 'main.js'), out: 'app' },
    { in: join(page, 'style.css'), out: 'style' },
    { in: join(page, 'katex.css'), out: 'katex' },
  ],
  splitting: true,
  outdir: '/a',
  publicPath: '/a',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.woff2': 'file' },
  plugins: [fewFonts],
  metafile: true,
});

const files = new Map();
const entry = {};
for (const file of result.outputFiles) {
  const name = file.path.slice('/a/'.length);
  files.set(`/a/${name}`, file.contents);
  const stem = name.match(/^(app|style|katex)-[A-Z0-9]+\.(js|css)$/);
  if (stem) entry[`${stem[1]}.${stem[2]}`] = `/a/${name}`;
}
// What the page loads before its first picture: the entry and what it imports statically.
const first = new Set();
const outputs = result.metafile.outputs;
const visit = [entry['app.js'], entry['style.css']];
while (visit.length > 0) {
  const path = visit.pop();
  if (first.has(path)) continue;
  first.add(path);
  const meta = Object.entries(outputs).find(([name]) => name.endsWith(path.slice(3)));
  for (const item of meta?.[1].imports ?? []) {
    if (item.kind === 'import-statement') visit.push(`/a/${item.path.split('/').pop()}`);
  }
}

// All of it is asked for at once: imports are known only when the entry is there and parsed.
const preloads = [...first]
  .filter((path) => path.endsWith('.js') && path !== entry['app.js'])
  .map((path) => `<link rel="modulepreload" href="${path}" />`);
const html = readFileSync(join(page, 'index.html'), 'utf8')
  .replace(/\{\{(.+?)\}\}/g, (_, name) => entry[name])
  .replace('<!-- preloads -->', preloads.join(''));
files.set('/', Buffer.from(html));
files.set('/favicon.svg', readFileSync(join(page, 'favicon.svg')));

// The page that --export writes: the same modules in one script, with the data in the file as their
// source instead of the server. The program writes both halves with the data between them.
const fileSource = {
  name: 'file-source',
  setup(build) {
    build.onResolve({ filter: /\/(api|modes)\.js$/ }, (args) =>
      args.resolveDir.startsWith(page)
        ? { path: join(page, `file_${args.path.split('/').pop()}`) }
        : undefined,
    );
  },
};

async function exportedPage() {
  const built = await esbuild.build({
    ...common,
    entryPoints: [join(page, 'main.js')],
    plugins: [fileSource],
  });
  const app = built.outputFiles[0].text
    .replaceAll('</script', '<\\/script')
    .replaceAll('<!--', '<\\!--');
  const style = Buffer.from(files.get(entry['style.css'])).toString();
  const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const icon = readFileSync(join(page, 'favicon.svg')).toString('base64');
  const parts = {
    policy:
      `default-src 'none'; script-src ${digest(app)} blob:; ` +
      `style-src ${digest(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'; ` +
      "require-trusted-types-for 'script'",
    icon: `data:image/svg+xml;base64,${icon}`,
    content:
      `<style>${style}</style>\n    <script type="application/json" id="data">{{data}}</script>\n` +
      `    <script type="module">${app}</script>`,
  };
  return readFileSync(join(page, 'file.html'), 'utf8')
    .replace('<!-- {{content}} -->', '{{content}}')
    .replace(/\{\{(.+?)\}\}/g, (_, name) => parts[name])
    .split('{{data}}');
}

const numbersOf = (bytes) =>
  [...bytes]
    .map((b) => `${b},`)
    .join('')
    .replace(/(.{90,93},)/g, '$1\n');

const rows = [];
let code = '// Made of studio/page by the build; do not edit.\n#include "assets.h"\n\n';
let all = 0;
let number = 0;
for (const [path, bytes] of files) {
  const packed = gzipSync(bytes, { level: 9 });
  packed[9] = 255; // the system is no matter: the same bytes everywhere
  all += packed.length;
  const ending = path === '/' ? 'html' : path.split('.').pop();
  code += `static const unsigned char file${number}[] = {${numbersOf(packed)}};\n`;
  rows.push(`    {"${path}", "${types[ending]}", file${number}, sizeof file${number}},`);
  number += 1;
}
code += `\nconst asset assets[] = {\n${rows.join('\n')}\n};\nconst int asset_count = ${number};\n`;
const halves = (await exportedPage()).map((half) => Buffer.from(half));
halves.forEach((half, i) => {
  code += `\nstatic const unsigned char half${i}[] = {${numbersOf(half)}};\n`;
});
code += '\nconst page_half exported_page[2] = {{half0, sizeof half0}, {half1, sizeof half1}};\n';
writeFileSync(join(out, 'assets.c'), code);

const exported = halves[0].length + halves[1].length; // bytes, before the data
const sizes = { first: 0, all, exported, files: {} };
for (const [path, bytes] of files) {
  const size = gzipSync(bytes, { level: 9 }).length;
  sizes.files[path.replace(/-[A-Z0-9]{8}\./, '.')] = size;
  if (first.has(path) || path === '/') sizes.first += size;
}
writeFileSync(join(out, 'sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
