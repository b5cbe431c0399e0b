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
