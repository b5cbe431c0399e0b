// The state of the page in its address, behind '#': it is never sent to the server.

export function encodeNumbers(values) {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export function decodeNumbers(text) {
  try {
    const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    if (bytes.length % 4 !== 0) return null;
    const values = new Float32Array(Uint8Array.from(bytes, (c) => c.charCodeAt(0)).buffer);
    return values.every(Number.isFinite) ? Array.from(values) : null;
  } catch {
    return null;
  }
}

// {mode, q, camera, ...} <-> "mode=pose&q=...": texts stay texts, lists of numbers are packed.
export function encodeState(values) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === '') continue;
    words.set(key, Array.isArray(value) ? `~${encodeNumbers(value)}` : String(value));
  }
  return words.toString();
}

export function decodeState(text) {
  const values = {};
  for (const [key, value] of new URLSearchParams(text)) {
    values[key] = value.startsWith('~') ? decodeNumbers(value.slice(1)) : value;
  }
  return values;
}
