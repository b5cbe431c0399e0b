// A workspace in the view: cells as points, sections as curves.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  Points,
  PointsMaterial,
  SRGBColorSpace,
  Vector3,
} from 'three';
import { colorAt } from '../workspace_map.js';
import { colorsOf } from './colors.js';

const shades = 64;
const palette = Array.from({ length: shades }, (_, i) =>
  new Color().setRGB(...colorAt(i / (shades - 1)), SRGBColorSpace).toArray(),
);

// positions: [3 n]; shares: [n] from 0 to 1, by which they are coloured.
function cells(positions, shares, size) {
  const colors = new Float32Array(positions.length);
  shares.forEach((share, i) =>
    colors.set(palette[Math.round(Math.min(Math.max(share, 0), 1) * (shades - 1))], 3 * i),
  );
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('color', new BufferAttribute(colors, 3));
  return new Points(geometry, new PointsMaterial({ size, vertexColors: true, fog: false }));
}

// In front of the cells, so that they are seen whole.
function curve(points, color, dash) {
  const options = { color, depthTest: false, fog: false };
  const line = new Line(
    new BufferGeometry().setFromPoints(points.map((p) => new Vector3(...p))),
    dash > 0
      ? new LineDashedMaterial({ ...options, dashSize: dash, gapSize: dash })
      : new LineBasicMaterial(options),
  );
  if (dash > 0) line.computeLineDistances();
  line.renderOrder = dash > 0 ? 2 : 3;
  return line;
}

export function hideCloud(view) {
  if (!view?.cloud) return;
  view.scene.remove(view.cloud);
  for (const { geometry, material } of view.cloud.children) {
    geometry.dispose();
    material.dispose();
  }
  view.cloud = null;
  view.redraw();
}

// {positions, shares, cell, curves: [{isBarrier, points}], box: points or null}
export function showCloud(view, theme, { positions, shares, cell, curves, box }) {
  hideCloud(view);
  const colors = colorsOf(theme);
  view.cloud = new Group();
  view.cloud.add(cells(positions, shares, 0.55 * cell));
  for (const { isBarrier, points } of curves)
    view.cloud.add(
      isBarrier ? curve(points, colors.axis, 0.4 * cell) : curve(points, colors.open, 0),
    );
  if (box) view.cloud.add(curve(box, colors.spring, 0));
  view.scene.add(view.cloud);
  view.redraw();
}
