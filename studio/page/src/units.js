// Units exist only at the glass: everything else is SI.

import { state } from './store.js';

const degrees = 180 / Math.PI;

// Factor, name and decimals of a kind: 'angle', 'length', 'quaternion'.
export function unitOf(kind) {
  if (kind === 'angle') {
    return state.units.angle === 'deg'
      ? { factor: degrees, name: 'deg', decimals: 1, step: 1 }
      : { factor: 1, name: 'rad', decimals: 3, step: 0.01 };
  }
  if (kind === 'length') {
    return state.units.length === 'mm'
      ? { factor: 1000, name: 'mm', decimals: 1, step: 1 }
      : { factor: 1, name: 'm', decimals: 4, step: 0.001 };
  }
  return { factor: 1, name: '', decimals: 4, step: 0.01 };
}

export function format(value, kind) {
  const unit = unitOf(kind);
  const text = (value * unit.factor).toFixed(unit.decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

export function withUnit(value, kind) {
  const unit = unitOf(kind).name;
  return unit ? `${format(value, kind)} ${unit}` : format(value, kind);
}

// Six significant digits, for masses and the like.
export function short(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : '-';
}

// The distance of the marks below a slider: the smallest round number of the unit that has at most
// twelve of them.
export function markStep(low, high, kind) {
  const { factor } = unitOf(kind);
  const span = high - low;
  const parts =
    kind === 'angle'
      ? [15, 30, 45, 90, 180, 360].map((degrees) => (degrees * Math.PI) / 180)
      : [1, 2, 5, 10].map((n) => (n * 10 ** Math.floor(Math.log10((span * factor) / 12))) / factor);
  return parts.find((step) => span / step <= 12) ?? parts.at(-1);
}

// The value, or the mark that it is next to.
export function snap(value, step) {
  const mark = Math.round(value / step) * step;
  return Math.abs(value - mark) < 0.04 * step ? mark : value;
}
