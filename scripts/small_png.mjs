// small_png.mjs FILE.png ...: writes each anew with a palette of at most 256 colours.
//
// For screenshots, which have 8 bits for each of red, green, blue and perhaps opacity, and no
// interlace. Colours are chosen by median cut.
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateSync, inflateSync } from 'node:zlib';

const most = 256;

// {width, height, pixels}: one number for each, 0xrrggbb.
function read(bytes) {
  const header = bytes.subarray(16, 29);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9]];
  if (bytes.readUInt32BE(0) !== 0x89504e47 || header[8] !== 8 || !channels || header[12] !== 0)
    throw new Error('not a PNG file with 8 bits for each of red, green and blue');
  const parts = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  let above = new Uint8Array(stride);
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    const row = data.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    for (let i = 0; i < stride; i += 1) {
      const left = i < channels ? 0 : row[i - channels];
      const corner = i < channels ? 0 : above[i - channels];
      const paeth = left + above[i] - corner;
      const [a, b, c] = [left, above[i], corner].map((value) => Math.abs(paeth - value));
      const nearest = a <= b && a <= c ? left : b <= c ? above[i] : corner;
      row[i] += [0, left, above[i], (left + above[i]) >> 1, nearest][filter];
    }
    above = row;
    for (let x = 0; x < width; x += 1) {
      const at = x * channels;
      pixels[y * width + x] = (row[at] << 16) | (row[at + 1] << 8) | row[at + 2];
    }
  }
  return { width, height, pixels };
}

const channel = (color, k) => (color >> (16 - 8 * k)) & 255;

// Colours that stand for all of `counts`: boxes are cut in two where half of their pixels are.
function palette(counts) {
  const measure = (colors) => {
    const spans = [0, 1, 2].map((k) => {
      const values = colors.map(([color]) => channel(color, k));
      return values.reduce((m, v) => Math.max(m, v)) - values.reduce((m, v) => Math.min(m, v));
    });
    const axis = spans.indexOf(Math.max(...spans));
    const count = colors.reduce((sum, [, n]) => sum + n, 0);
    return { colors, axis, count, weight: spans[axis] * Math.sqrt(count) };
  };
  const boxes = [measure([...counts])];
  while (boxes.length < most) {
    boxes.sort((a, b) => a.weight - b.weight);
    const { colors, axis, count, weight } = boxes.pop();
    if (weight === 0) break;
    colors.sort(([a], [b]) => channel(a, axis) - channel(b, axis));
    let cut = 0;
    for (let seen = 0; cut < colors.length - 1 && seen < count / 2; cut += 1)
      seen += colors[cut][1];
    boxes.push(measure(colors.slice(0, cut)), measure(colors.slice(cut)));
  }
  // The commonest colour of each box: flat areas keep theirs.
  return boxes.map(({ colors }) => colors.reduce((a, b) => (b[1] > a[1] ? b : a))[0]);
}

function crc32(bytes) {
  let rest = -1;
  for (const byte of bytes) {
    rest ^= byte;
    for (let i = 0; i < 8; i += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ~rest >>> 0;
}

function chunk(name, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

function small({ width, height, pixels }) {
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const colors = palette(counts).sort((a, b) => a - b);
  const distance = (a, b) =>
    [0, 1, 2].reduce((sum, k) => sum + (channel(a, k) - channel(b, k)) ** 2, 0);
  const nearest = new Map();
  for (const color of counts.keys()) {
    let best = 0;
    for (let i = 1; i < colors.length; i += 1)
      if (distance(color, colors[i]) < distance(color, colors[best])) best = i;
    nearest.set(color, best);
  }
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((color, i) => {
    rows[i + 1 + Math.floor(i / width)] = nearest.get(color);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colors.flatMap((color) => [0, 1, 2].map((k) => channel(color, k))))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

for (const path of process.argv.slice(2)) writeFileSync(path, small(read(readFileSync(path))));
