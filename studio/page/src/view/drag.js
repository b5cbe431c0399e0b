// Dragging in the view: a link about its joint, a frame by its handle.

import { Object3D, Plane, Quaternion, Vector3 } from 'three';
import { drag, move } from '../api.js';
import { emit, on, set, state } from '../store.js';
import { matrixOf, poseMatrix } from './shapes.js';

// The independent coordinate that moves a body, next to it on the way to the world; -1 for none.
export function coordinateOf(model, body) {
  for (let b = body; b >= 0; b = model.bodies[b].parent) {
    const found = model.coordinates.findIndex((c) => c.body === b && c.kind !== 'quaternion');
    if (found >= 0 && isOneDof(model, found)) return found;
  }
  return -1;
}

export function isOneDof(model, k) {
  const { body } = model.coordinates[k];
  return model.coordinates.filter((c) => c.body === body).length === 1;
}

// How far a ray moves a coordinate from where the drag began: rotation about z of the body, or
// travel along it.
function travelOf(ray, start) {
  const { origin, axis, kind, from } = start;
  if (kind === 'length') {
    // Nearest point of the axis to the ray.
    const d = ray.direction.dot(axis);
    const w = new Vector3().subVectors(from, ray.origin);
    const bottom = 1 - d * d;
    return bottom < 1e-4 ? null : (d * ray.direction.dot(w) - axis.dot(w)) / bottom;
  }
  const plane = new Plane().setFromNormalAndCoplanarPoint(axis, from);
  const hit = ray.intersectPlane(plane, new Vector3());
  if (!hit || Math.abs(ray.direction.dot(axis)) < 0.08) return null;
  const a = from.clone().sub(origin).projectOnPlane(axis);
  const b = hit.sub(origin).projectOnPlane(axis);
  return Math.atan2(new Vector3().crossVectors(a, b).dot(axis), a.dot(b));
}

export function enableLinkDrag(view) {
  let start = null;
  view.canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || event.shiftKey || view.handle?.dragging) return;
      const hit = view.pick(event);
      start = { x: event.clientX, y: event.clientY, hit, isMoving: false };
      const k = hit ? coordinateOf(state.model, hit.body) : -1;
      if (k < 0 || !state.yours) return;
      const coordinate = state.model.coordinates[k];
      const pose = view.machine.body(coordinate.body).matrix;
      start.k = k;
      start.kind = coordinate.kind;
      start.value = state.q[k];
      start.origin = new Vector3().setFromMatrixPosition(pose);
      start.axis = new Vector3().setFromMatrixColumn(pose, 2).normalize();
      start.from = hit.point;
      view.controls.enabled = false;
      view.canvas.setPointerCapture(event.pointerId);
    },
    { capture: true },
  );
  view.canvas.addEventListener('pointermove', (event) => {
    if (!start?.axis) return;
    start.isMoving ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) > 3;
    const travel = start.isMoving ? travelOf(view.ray(event).ray, start) : null;
    if (travel === null) return;
    const q = [...state.q];
    q[start.k] = start.value + travel;
    move(q);
  });
  const end = (event) => {
    if (!start) return;
    const isClick = Math.hypot(event.clientX - start.x, event.clientY - start.y) <= 3;
    if (isClick && event.type === 'pointerup') {
      set(
        'selection',
        start.hit && start.hit.body >= 0 ? { kind: 'body', index: start.hit.body } : null,
      );
    }
    start = null;
    view.controls.enabled = true;
  };
  view.canvas.addEventListener('pointerup', end);
  view.canvas.addEventListener('pointercancel', end);
}

// The handle of a frame: while it is dragged the server solves for the configuration.
export async function showHandle(view, frame) {
  hideHandle(view);
  const { TransformControls } = await import('three/addons/controls/TransformControls.js');
  const target = new Object3D();
  const handle = new TransformControls(view.camera, view.canvas);
  const follow = () => {
    if (handle.dragging) return;
    frameMatrix(frame).decompose(target.position, target.quaternion, new Vector3());
    view.redraw();
  };
  handle.attach(target);
  handle.setSize(0.8);
  handle.addEventListener('change', () => view.redraw());
  handle.addEventListener('dragging-changed', ({ value }) => {
    view.controls.enabled = !value;
    if (!value) {
      follow();
      emit('dragged', frame);
    }
  });
  handle.addEventListener('objectChange', () => {
    const p = target.position;
    const r = target.quaternion;
    drag(frame, [p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
  });
  view.extras.add(target, handle.getHelper());
  view.handle = handle;
  view.handleTarget = target;
  view.dropHandle = on('posed', follow);
  follow();
}

export function setHandleMode(view, mode) {
  view.handle?.setMode(mode);
}

export function hideHandle(view) {
  if (!view.handle) return;
  view.dropHandle();
  view.handle.detach();
  view.handle.dispose();
  view.extras.clear();
  view.handle = null;
  view.redraw();
}

function frameMatrix(frame) {
  const item = state.model.frame_list[frame];
  return poseMatrix(state.poses, item.body).multiply(matrixOf(item));
}

// Position and quaternion (w, x, y, z) of a frame in the world.
export function framePose(frame) {
  const p = new Vector3();
  const r = new Quaternion();
  frameMatrix(frame).decompose(p, r, new Vector3());
  return [p.x, p.y, p.z, r.w, r.x, r.y, r.z];
}
