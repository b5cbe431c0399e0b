// The server under attack: groups W1 to W14.
import net from 'node:net';
import { join } from 'node:path';
import { check, finish, source, startStudio, test } from './start.mjs';

const studio = await startStudio(join(source, 'models/ur5_class.xml'));
const { port, token, origin } = studio;
const bearer = { Authorization: `Bearer ${token}` };

// Sends bytes as they are, and returns the status, 0 where the connection ends without one.
function raw(bytes, { wait = 3000 } = {}) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    const end = () => {
      socket.destroy();
      resolve({ status: Number(text.match(/^HTTP\/1\.1 (\d+)/)?.[1] ?? 0), text });
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (text.includes('\r\n\r\n')) end();
    });
    socket.on('close', end);
    socket.on('error', end);
    setTimeout(end, wait);
  });
}

const get = (path, headers = {}) =>
  raw(`GET ${path} HTTP/1.1\r\n${Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`);

async function status(path, headers, wanted) {
  const found = (await get(path, headers)).status;
  check(found === wanted, `${path} ${JSON.stringify(headers)}: ${found} instead of ${wanted}`);
}

await test('W1_other_hosts_are_refused', async () => {
  await status('/', {}, 200);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`]) {
    await status('/', { Host: host }, 403);
  }
});

await test('W2_tokens_and_origins_are_needed', async () => {
  await status('/api/1/model', bearer, 200);
  await status('/api/1/model', {}, 401);
  await status('/api/1/model', { Authorization: `Bearer ${'0'.repeat(32)}` }, 401);
  await status('/api/1/model', { ...bearer, Origin: 'http://evil.example' }, 403);
  await status('/api/1/model', { ...bearer, 'Sec-Fetch-Site': 'cross-site' }, 403);
  const reply = await get('/', {});
  check(!/access-control-allow/i.test(reply.text), 'a CORS header');
  const form = await raw(`POST /api/1/fk HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://evil.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n\r\n{}`);
  check(form.status === 403, `a form: ${form.status}`);
});

const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Protocol': 'linkwork.1', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };

await test('W3_sockets_of_other_origins_are_refused', async () => {
  await status('/api/1/live', { ...upgrade, Origin: origin }, 101);
  await status('/api/1/live', upgrade, 403);
  await status('/api/1/live', { ...upgrade, Origin: 'http://evil.example' }, 403);
  await status('/api/1/live', { ...upgrade, Origin: origin, 'Sec-WebSocket-Version': '8' }, 400);
  await status('/api/1/live', { ...upgrade, Origin: origin, 'Sec-WebSocket-Key': 'x' }, 400);
});

await test('W4_paths_lead_nowhere_else', async () => {
  const ups = ['..', '%2e%2e', '%2e.', '.%2e', '..%2f', '..\\', '..%5c', '....', '.%00.', '%c0%ae%c0%ae'];
  const roots = ['/', '/a/', '/api/1/source/', '/api/1/mesh/', '/api/1/mesh_file/'];
  for (const root of roots) {
    for (const up of ups) {
      const path = `${root}${up}/${up}/${up}/etc/passwd`;
      const reply = await get(path, bearer);
      check([400, 404].includes(reply.status), `${path}: ${reply.status}`);
      check(!reply.text.includes('root:'), `${path} gave a file`);
    }
  }
  await status('/api/1/source/ur5_class.xml', bearer, 200);
  await status('//etc/passwd', {}, 404);
});

await test('W6_large_bodies_are_refused', async () => {
  const head = `POST /api/1/fk HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\nAuthorization: Bearer ${token}\r\n`;
  check((await raw(`${head}Content-Length: 99999999999\r\n\r\n`)).status === 413, 'a length of 100 GB');
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  const many = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}0\r\n\r\n`);
  check([413, 0].includes(many.status), `12 MB in chunks: ${many.status}`);
  await status('/', {}, 200);
});

await test('W7_half_open_connections_cost_nothing', async () => {
  const sockets = Array.from({ length: 500 }, (_, i) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      if (i % 2) socket.write('GET / HTTP/1.1\r\nHost: ');
    });
    socket.on('error', () => {});
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const times = [];
  for (let i = 0; i < 20; i += 1) {
    const began = performance.now();
    await status('/api/1/diagnostics', bearer, 200);
    times.push(performance.now() - began);
  }
  for (const socket of sockets) socket.destroy();
  console.log(`500 half-open connections: answers within ${Math.max(...times).toFixed(1)} ms`);
});

await test('W8_malformed_requests_are_refused', async () => {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  check((await raw(`GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(100000)}\r\n\r\n`)).status === 431, 'a header of 100 kB');
  for (const bytes of ['\r\n\r\n\r\n\r\n', 'GET\r\n\r\n', `GET / HTTP/9.9\r\n${host}\r\n`, `\0\0\0\r\n\r\n`, `GET / HTTP/1.0\r\n${host}\r\n`]) {
    const reply = await raw(bytes, { wait: 500 });
    check(reply.status === 0 || reply.status >= 400, `${JSON.stringify(bytes)}: ${reply.status}`);
  }
  await status('/', {}, 200);
});

await studio.stop();
finish();
