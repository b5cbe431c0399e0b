// node run.cjs PROGRAM.wasm: runs a WebAssembly program that prints.
const { readFileSync } = require('node:fs');
const { WASI } = require('node:wasi');
const wasi = new WASI({ version: 'preview1', args: ['program'] });
WebAssembly.instantiate(readFileSync(process.argv[2]), { wasi_snapshot_preview1: wasi.wasiImport })
  .then(({ instance }) => process.exit(wasi.start(instance)));
