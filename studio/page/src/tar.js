// Files as one archive (POSIX ustar), so that all results are one download.

const block = 512;

function header(name, size) {
  const bytes = new Uint8Array(block);
  const put = (at, text) => bytes.set(new TextEncoder().encode(text), at);
  const octal = (value, digits) => value.toString(8).padStart(digits, '0');
  put(0, name);
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, `${octal(size, 11)} `);
  put(136, `${octal(0, 11)} `);
  put(148, ' '.repeat(8)); // while the checksum is computed
  put(156, '0');
  put(257, 'ustar');
  put(263, '00'); // behind a zero
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return bytes;
}

// files: {name: text}; names of up to 100 bytes.
export function tar(files) {
  const pieces = Object.entries(files).flatMap(([name, text]) => {
    const bytes = new TextEncoder().encode(text);
    const padded = new Uint8Array(Math.ceil(bytes.length / block) * block);
    padded.set(bytes);
    return [header(name, bytes.length), padded];
  });
  const end = new Uint8Array(2 * block);
  const whole = new Uint8Array([...pieces, end].reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
