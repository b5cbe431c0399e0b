// Colours of the 3D view for both themes, and the series of plots (Okabe and Ito).

const light = {
  background: 0xf6f7f9,
  darkest: 0.12,
  grid: 0xd3d8df,
  gridMajor: 0xb4bcc7,
  shadow: 0.2,
  link: [0xc9ced6, 0xb3bbc6, 0xd6d2c9, 0xbfc9c4],
  ground: 0x8a939f,
  joint: 0x1f6feb,
  dependent: 0x8fb4ec,
  rod: 0xd98e00,
  spring: 0x1a7f37,
  axis: 0x5a6675,
  collision: 0xd55e00,
  mass: 0x7a3fb0,
  selection: 0x1f6feb,
  ghost: 0x1f6feb,
  open: 0xcf222e,
};
const dark = {
  ...light,
  background: 0x0f141a,
  darkest: 0.25,
  grid: 0x232b35,
  gridMajor: 0x36404d,
  shadow: 0.45,
  link: [0xa9b1bc, 0x929ca9, 0xb5b0a5, 0x9daaa4],
  ground: 0x5f6874,
  joint: 0x58a6ff,
  dependent: 0x35608f,
  rod: 0xe0a030,
  spring: 0x3fb950,
  axis: 0x9aa7b5,
  mass: 0xc297f0,
  selection: 0x58a6ff,
  ghost: 0x58a6ff,
  open: 0xf85149,
};

// Of x, y and z, as the style sheet has them for the sign in the corner.
export const axisColors = [0xd1383d, 0x2f8f46, 0x3b7ddd];

export const colorsOf = (theme) => (theme === 'dark' ? dark : light);

export const series = [
  '#0072B2',
  '#E69F00',
  '#009E73',
  '#CC79A7',
  '#56B4E9',
  '#D55E00',
  '#B8A900',
  '#7f7f7f',
];
