// Meshes that the page reads itself, and screenshots.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, copyOf, openModel } from './pages.mjs';
import { check, print, shared, skip, test, until } from './start.mjs';

// A tetrahedron with its numbers in the file, and with them in another one.
await test('gltf_meshes_are_shown', async () => {
  const copy = copyOf('scara.xml');
  const numbers = Buffer.concat([
    Buffer.from(new Float32Array([0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.4]).buffer),
    Buffer.from(new Uint16Array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]).buffer),
  ]);
  const part = (uri) => ({
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    scene: 0,
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    buffers: [{ byteLength: 72, uri }],
    bufferViews: [
      { buffer: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 24 },
    ],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: 4,
        type: 'VEC3',
        min: [0, 0, 0],
        max: [1, 1, 1],
      },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
  });
  const inside = `data:application/octet-stream;base64,${numbers.toString('base64')}`;
  for (const [name, uri] of [
    ['inside', inside],
    ['outside', 'numbers.bin'],
  ])
    writeFileSync(join(copy.folder, `${name}.gltf`), JSON.stringify(part(uri)));
  copy.write(`<linkwork version="1" name="part"><ground/>
    <joint name="j" type="revolute" axis="0 0 1" from="ground" to="l"/>
    <link name="l" mass="1" inertia="1 1 1"><mesh file="inside.gltf" role="visual"/>
    <mesh file="outside.gltf" role="visual"/></link></linkwork>`);
  const { page, close } = await openModel(copy.file);
  const corners = await page.evaluate(`(() => {
    const found = [];
    for (const item of __lw.app.view.machine.layer.visual)
      item.traverse(({ geometry }) => found.push(geometry?.index?.count));
    return found;
  })()`);
  const messages = await page.evaluate('__lw.state.messages.join()');
  check(corners.filter((n) => n === 12).length === 1, `corners ${corners}: ${messages}`);
  check(/^outside\.gltf: .*numbers\.bin.*\.glb/.test(messages), `the messages are "${messages}"`);
  await close();
});

// A picture of the size that was asked for, with the model in it, whatever the machine is doing.
await test('a_screenshot_is_taken_when_all_is_drawn', async () => {
  const copy = copyOf('scara.xml');
  const file = join(copy.folder, 'picture.png');
  const words = ['studio', copy.file, '--screenshot', file, '--size'];
  await print(...words, '640x480', '--page', 'theme=light&mode=equations');
  const page = await browser.newPage();
  const data = `data:image/png;base64,${readFileSync(file).toString('base64')}`;
  const [width, height, colors] = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = '${data}';
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: image.width, height: image.height });
    const at = canvas.getContext('2d');
    at.drawImage(image, 0, 0);
    const { data } = at.getImageData(0, 100, image.width, 150);
    return [image.width, image.height, new Set(new Uint32Array(data.buffer)).size];
  })()`);
  check(width === 640 && height === 480, `${width} x ${height}`);
  check(colors > 50, `${colors} colours`);
  await page.close();
  const refused = await print(...words, '640').catch((error) => error.message);
  check(refused.includes('WIDTHxHEIGHT'), `a bad size gives ${refused}`);
});

const arm = join(shared, 'models/urdf/panda.urdf');
if (existsSync(arm)) {
  await test('meshes_of_shared_robots_are_shown', async () => {
    const { page, close } = await openModel(arm, {
      options: ['--path', join(shared, 'models/packages')],
    });
    await until(page, '__lw.app.view.renderer.info.render.triangles > 1000', 'the meshes');
    const messages = await page.evaluate('__lw.state.messages.join()');
    check(messages === '', `a DAE file is not read: ${messages}`);
    await close();
  });
} else {
  skip('meshes_of_shared_robots_are_shown', `${arm} is not there`);
}
