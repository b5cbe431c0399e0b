// A model as objects of three: one group for each body, in it one group for each layer.

import {
  AxesHelper,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  NotEqualStencilFunc,
  Quaternion,
  ReplaceStencilOp,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
  BufferGeometry,
} from 'three';
import { emit, state } from '../store.js';
import { axisColors, colorsOf } from './colors.js';
import { ellipsoid } from './inertia.js';
import { loadMesh, matrixOf, poseMatrix, primitive, skeletonGeometry, vector } from './shapes.js';

export const layers = [
  { id: 'visual', title: 'Visual', key: 'v' },
  { id: 'collision', title: 'Collision', key: 'c' },
  { id: 'skeleton', title: 'Joints', key: 'j' },
  { id: 'frames', title: 'Frames', key: 'a' },
  { id: 'mass', title: 'Centres of mass', key: 'm' },
  { id: 'inertia', title: 'Inertia', key: 'i' },
];

// Whether there is something to draw: a mesh whose file was not found, or cannot be read, is not.
export function isDrawable(shape) {
  return (
    shape.type !== 'mesh' ||
    shape.mesh >= 0 ||
    ['dae', 'gltf', 'glb'].includes(shape.ending.toLowerCase())
  );
}

const bodiesOf = (model, isIt) => new Set(model.shapes.filter(isIt).map((s) => s.body));

// Bodies that have collision shapes to draw, and no visual one. Where most bodies have neither, such
// a shape is not what the robot looks like, and may hide it.
export function bareBodies(model) {
  const seen = bodiesOf(model, (s) => s.role === 'visual' && isDrawable(s));
  const bare = bodiesOf(model, (s) => s.role === 'collision' && isDrawable(s) && !seen.has(s.body));
  return 2 * (seen.size + bare.size) < model.bodies.length ? new Set() : bare;
}

// Bodies that shapes show as a whole: the bars of others are drawn too. A simple shape that stands
// for a mesh which was not found is seldom all of a link.
export function coveredBodies(model) {
  const bare = bareBodies(model);
  const lost = bodiesOf(model, (s) => s.role === 'visual' && !isDrawable(s));
  return bodiesOf(
    model,
    (s) =>
      isDrawable(s) &&
      (s.role === 'visual' || (s.role === 'collision' && bare.has(s.body))) &&
      (s.type === 'mesh' || !lost.has(s.body)),
  );
}

// What has a shadow is in this layer of three's too.
export const shadowLayer = 1;

export const ghostsMost = 16;

const unitSphere = new SphereGeometry(1, 24, 16);

function material(color, options = {}) {
  return new MeshStandardMaterial({
    color,
    roughness: 0.7,
    metalness: 0.05,
    fog: false,
    ...options,
  });
}

export class Machine {
  constructor(model, theme) {
    this.model = model;
    this.root = new Group();
    this.root.matrixAutoUpdate = false;
    this.bodies = [];
    this.layer = {};
    this.ties = [];
    this.materials = new Map();
    this.pale = []; // of ghosts
    this.pending = 0;
    this.colors = colorsOf(theme);
    this.size = this.measure();
    for (let i = -1; i < model.bodies.length; i += 1) {
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.userData.body = i;
      this.bodies.push(group);
      this.root.add(group);
    }
    for (const { id } of layers) this.layer[id] = [];
    this.addShapes();
    this.addSkeleton();
    this.addFrames();
    this.addMasses();
    this.addTies();
  }

  measure() {
    const { low, high } = this.model;
    this.low = low ? vector(low) : new Vector3(-0.5, -0.5, 0);
    this.high = high ? vector(high) : new Vector3(0.5, 0.5, 1);
    return Math.max(this.low.distanceTo(this.high), 1e-3);
  }

  body(i) {
    return this.bodies[i + 1];
  }

  // One material for each purpose, so that themes and highlights change it in one place.
  materialOf(role, options) {
    if (!this.materials.has(role)) {
      const made = material(this.colorOf(role), options);
      // Faces of two bodies in one plane: one of them is in front, everywhere.
      made.polygonOffset = true;
      made.polygonOffsetUnits = 2 * (this.materials.size % 16);
      this.materials.set(role, made);
    }
    return this.materials.get(role);
  }

  // A role is a purpose; behind a # stands the colour that the model gives.
  colorOf(role) {
    const [, own] = role.split('#');
    if (own) {
      // Black has no shade: it would be a hole in the picture, and nothing before a dark ground.
      const rgb = own.split(',').map(Number);
      const least = Math.max(...rgb) < this.colors.darkest ? this.colors.darkest : 0;
      return new Color().setRGB(...rgb.map((c) => Math.max(c, least)), SRGBColorSpace);
    }
    if (role.startsWith('link')) {
      const index = parseInt(role.slice(4), 10);
      return index < 0 ? this.colors.ground : this.colors.link[index % this.colors.link.length];
    }
    return this.colors[role.split(':')[0]] ?? this.colors.link[0];
  }

  setTheme(theme) {
    this.colors = colorsOf(theme);
    for (const [role, item] of this.materials) item.color = new Color(this.colorOf(role));
    for (const item of this.pale) item.color.set(this.colors.ghost);
  }

  add(layer, body, object) {
    object.userData.body = body;
    object.userData.layer = layer;
    object.traverse((child) => {
      child.userData.body = body;
      if (child.isMesh && (layer === 'visual' || layer === 'skeleton'))
        child.layers.enable(shadowLayer);
    });
    this.layer[layer].push(object);
    this.body(body).add(object);
    return object;
  }

  addMesh(layer, body, geometry, role, options) {
    const mesh = new Mesh(geometry, this.materialOf(role, options));
    return this.add(layer, body, mesh);
  }

  addShapes() {
    this.covered = coveredBodies(this.model);
    const bare = bareBodies(this.model);
    const painted = new Map(
      this.model.shapes.filter((s) => s.role === 'visual').map((s) => [s.body, s.color]),
    );
    this.model.shapes.forEach((shape, number) => {
      if (shape.role === 'bound' || !isDrawable(shape)) return;
      this.addShape(shape, number, shape.role === 'visual');
      // What a link collides with is what is seen of it where it has nothing else, in the colour of
      // the meshes that were not found.
      const color = shape.color ?? painted.get(shape.body);
      if (bare.has(shape.body)) this.addShape({ ...shape, color }, number, true);
    });
  }

  addShape(shape, number, isVisual) {
    const layer = isVisual ? 'visual' : 'collision';
    const [r, g, b, opacity] = shape.color ?? [];
    const own = shape.color ? `:${opacity}#${r},${g},${b}` : '';
    const role = isVisual ? `link${shape.body}${own}` : 'collision';
    const pale = isVisual ? opacity : 0.35;
    const options = pale < 1 ? { transparent: true, opacity: pale, depthWrite: false } : {};
    const matrix = matrixOf(shape);
    if (shape.type !== 'mesh') {
      const geometry = primitive(shape.type, shape.size).applyMatrix4(matrix);
      this.addMesh(layer, shape.body, geometry, role, options);
      return;
    }
    this.pending += 1;
    loadMesh(shape, number)
      .then((found) => this.placeMesh(found, { layer, shape, role, options, matrix }))
      .catch((error) => emit('message', `${shape.file}: ${error.message}`))
      .finally(() => {
        this.pending -= 1;
        emit('redraw');
        if (this.pending === 0 && !this.isDisposed) emit('meshes');
      });
  }

  placeMesh(found, { layer, shape, role, options, matrix }) {
    if (!found) return;
    const scaled = matrix.clone().multiply(new Matrix4().makeScale(...shape.size));
    const object = found.isBufferGeometry
      ? new Mesh(found, this.materialOf(role, { ...options, side: DoubleSide }))
      : found;
    const holder = new Group();
    holder.matrixAutoUpdate = false;
    holder.matrix.copy(scaled);
    holder.add(object);
    holder.visible = state.layers[layer];
    this.add(layer, shape.body, holder);
  }

  // The symbols of joints; bars of links that no visual shape covers count as visual.
  addSkeleton() {
    for (const item of this.model.skeleton) {
      const isLink = item.role === 'link' || item.role === 'ground' || item.role === 'wheel';
      const geometry = skeletonGeometry(item);
      const role =
        item.role === 'link' || item.role === 'wheel'
          ? `link${item.body}`
          : item.role === 'rail'
            ? 'axis'
            : item.role;
      const layer = isLink && !this.covered.has(item.body) ? 'visual' : 'skeleton';
      if (geometry) {
        this.addMesh(layer, item.body, geometry, role, { side: DoubleSide });
      } else if (item.points.length > 1) {
        const points = item.points.slice(1).flatMap((p, i) => [vector(item.points[i]), vector(p)]);
        const lines = new LineSegments(
          new BufferGeometry().setFromPoints(points),
          new LineBasicMaterial({ color: this.colors.axis }),
        );
        this.add('skeleton', item.body, lines);
      }
    }
  }

  addFrames() {
    const size = 0.05 * this.size;
    this.frames = this.model.frame_list.map((frame, index) => {
      const axes = new AxesHelper(size);
      axes.setColors(...axisColors.map((color) => new Color(color)));
      axes.material.depthTest = false; // seen through what is about it
      axes.renderOrder = 1;
      axes.matrixAutoUpdate = false;
      axes.matrix.copy(matrixOf(frame));
      axes.userData.frame = index;
      return this.add('frames', frame.body, axes);
    });
  }

  addMasses() {
    for (const link of this.model.links) {
      if (!(link.mass > 0)) continue;
      const matrix = matrixOf(link);
      const center = new Mesh(
        unitSphere,
        this.materialOf('mass', { depthTest: false, transparent: true, opacity: 0.9 }),
      );
      center.renderOrder = 2;
      center.matrixAutoUpdate = false;
      center.matrix.copy(matrix).scale(new Vector3(1, 1, 1).multiplyScalar(0.008 * this.size));
      this.add('mass', link.body, center);
      const solid = ellipsoid(link.mass, link.tensor);
      if (!solid) continue;
      const v = solid.vectors;
      const turn = new Matrix4().set(
        v[0],
        v[1],
        v[2],
        0,
        v[3],
        v[4],
        v[5],
        0,
        v[6],
        v[7],
        v[8],
        0,
        0,
        0,
        0,
        1,
      );
      if (turn.determinant() < 0) turn.scale(new Vector3(1, 1, -1));
      const shape = new Mesh(
        unitSphere,
        this.materialOf('mass:inertia', { transparent: true, opacity: 0.3, depthWrite: false }),
      );
      shape.matrixAutoUpdate = false;
      shape.matrix
        .copy(matrix)
        .multiply(turn)
        .scale(new Vector3(...solid.axes.map((a) => Math.max(a, 1e-5))));
      this.add('inertia', link.body, shape);
    }
  }

  // Rods and springs stretch between two bodies.
  addTies() {
    const radius = Math.max((this.model.unit ?? 0.01 * this.size) * 0.35, 1e-4);
    for (const tie of this.model.ties) {
      if (tie.kind === 'joint') {
        const ball = new Mesh(unitSphere, this.materialOf('rod'));
        ball.matrixAutoUpdate = false;
        ball.matrix
          .makeTranslation(...tie.a.position)
          .scale(new Vector3(1, 1, 1).multiplyScalar(1.6 * radius));
        this.add('skeleton', tie.a.body, ball);
        continue;
      }
      const role = tie.kind === 'rod' ? 'rod' : 'spring';
      const mesh = new Mesh(rodGeometry(), this.materialOf(role));
      mesh.matrixAutoUpdate = false;
      mesh.layers.enable(shadowLayer);
      this.root.add(mesh);
      this.ties.push({ mesh, tie, radius: tie.kind === 'rod' ? radius : 0.7 * radius });
    }
  }

  setPoses(poses) {
    for (let i = 0; i < this.model.bodies.length; i += 1) {
      const group = this.body(i);
      poseMatrix(poses, i, group.matrix);
      group.matrixWorldNeedsUpdate = true;
    }
    for (const item of this.ties) this.placeTie(item);
  }

  endOf(end) {
    return vector(end.position).applyMatrix4(this.body(end.body).matrix);
  }

  placeTie({ mesh, tie, radius }) {
    const a = this.endOf(tie.a);
    const along = this.endOf(tie.b).sub(a);
    const length = along.length();
    const turn = new Quaternion().setFromUnitVectors(
      new Vector3(0, 0, 1),
      along.divideScalar(length || 1),
    );
    mesh.matrix.compose(a, turn, new Vector3(radius, radius, Math.max(length, 1e-9)));
    mesh.matrixWorldNeedsUpdate = true;
  }

  // Puts all of it elsewhere: the shadow is the model laid flat.
  lay(matrix) {
    this.root.matrix.copy(matrix);
    this.root.updateMatrixWorld(true);
  }

  // The material of the ghost of a number. Each covers a pixel once, however many of its faces are
  // there: the low bit of the stencil is the shadow's, the others say which ghost was there last.
  paleOf(number) {
    this.pale[number] ??= material(this.colors.ghost, {
      transparent: true,
      opacity: 0.3,
      depthWrite: false,
      polygonOffset: true, // behind the robot where both are in one place
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
      stencilWrite: true,
      stencilFunc: NotEqualStencilFunc,
      stencilRef: 2 * (number + 1),
      stencilFuncMask: 0xfe,
      stencilWriteMask: 0xfe,
      stencilZPass: ReplaceStencilOp,
    });
    return this.pale[number];
  }

  // A pale copy of what is visible, at other poses.
  ghost(poses, number) {
    const group = new Group();
    const pale = this.paleOf(number);
    for (let i = 0; i < this.model.bodies.length; i += 1) {
      const copy = new Group();
      copy.matrixAutoUpdate = false;
      poseMatrix(poses, i, copy.matrix);
      for (const object of this.body(i).children) {
        if (!object.visible || object.userData.layer !== 'visual') continue;
        const clone = object.clone();
        clone.traverse((child) => {
          child.renderOrder = number - ghostsMost; // one after the other, before all else
          if (child.isMesh) child.material = pale;
        });
        copy.add(clone);
      }
      group.add(copy);
    }
    return group;
  }

  showLayers(wanted) {
    for (const [id, objects] of Object.entries(this.layer)) {
      for (const object of objects) object.visible = Boolean(wanted[id]);
    }
    for (const { mesh } of this.ties) mesh.visible = Boolean(wanted.visual || wanted.skeleton);
  }

  dispose() {
    this.isDisposed = true;
    this.root.traverse((object) => {
      const isShared = object.geometry === unitSphere || object.geometry?.isShared;
      if (!isShared) object.geometry?.dispose();
      for (const item of [object.material ?? []].flat()) item.dispose();
    });
    for (const item of this.materials.values()) item.dispose();
    for (const item of this.pale) item.dispose();
  }
}

let rod = null;

// A bar of length and radius one along z.
function rodGeometry() {
  if (!rod) {
    rod = primitive('cylinder', [1, 1, 1]).translate(0, 0, 0.5);
    rod.isShared = true;
  }
  return rod;
}
