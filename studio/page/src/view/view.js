// The 3D view: renderer, camera, light, grid, picking. Draws only when something has changed.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  EqualStencilFunc,
  Fog,
  Group,
  HemisphereLight,
  IncrementStencilOp,
  LineBasicMaterial,
  LineSegments,
  BufferGeometry,
  Matrix4,
  MeshBasicMaterial,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { emit, on, state } from '../store.js';
import { colorsOf } from './colors.js';
import { ghostsMost, Machine, shadowLayer } from './machine.js';
import { forgetMeshes } from './shapes.js';

const directions = {
  iso: [1, -1.25, 0.8],
  front: [1, 0, 0.02],
  side: [0, -1, 0.02],
  top: [0, -0.0001, 1],
};

function gridLines(step, count, floor, isMajor, material) {
  const points = [];
  const reach = step * count;
  for (let i = -count; i <= count; i += 1) {
    if ((i % 5 === 0) !== isMajor) continue;
    points.push(new Vector3(i * step, -reach, floor), new Vector3(i * step, reach, floor));
    points.push(new Vector3(-reach, i * step, floor), new Vector3(reach, i * step, floor));
  }
  return new LineSegments(new BufferGeometry().setFromPoints(points), material);
}

// Boxes of objects that have any extent.
const boxesOf = (objects) =>
  objects.map((object) => new Box3().setFromObject(object)).filter((box) => !box.isEmpty());

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: true,
      stencil: true,
      preserveDrawingBuffer: true,
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => {
      this.redraw();
      emit('camera');
    });
    this.controls.addEventListener('start', () => {
      this.isTurned = true;
      this.isFitting = false;
      this.looked = null;
    });
    this.key = new DirectionalLight(0xffffff, 1.9);
    this.scene.add(
      new HemisphereLight(0xffffff, 0x8d949e, 1.5),
      new AmbientLight(0xffffff, 0.25),
      this.key,
    );
    this.scene.fog = new Fog(0, 1, 2); // the grid ends softly
    this.flat = new Matrix4();
    // Front faces alone: those of a closed surface have all of its shadow.
    this.shade = new MeshBasicMaterial({
      color: 0,
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -8,
      stencilWrite: true,
      stencilFunc: EqualStencilFunc,
      stencilFuncMask: 1,
      stencilWriteMask: 1,
      stencilZPass: IncrementStencilOp,
    });
    this.grid = new Group();
    this.gridMaterials = [new LineBasicMaterial(), new LineBasicMaterial()];
    this.extras = new Group();
    this.scene.add(this.grid, this.extras);
    this.machine = null;
    this.retired = null; // the model before it, until it is drawn
    this.isDrawn = false;
    this.ghosts = [];
    this.selected = null; // the body that is lit up
    this.frames = 0;
    this.work = []; // ms of the last frames, and of what is not the renderer's; benchmarks read it
    this.poseWork = [];
    this.isDirty = false;
    this.isAimed = false;
    this.free = 1; // share of the height that the toolbar does not cover
    this.looked = null; // arguments of the last look(), until the camera is moved otherwise
    this.isPatient = true; // a picture waits for the one before it
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    on('poses', () => this.pose());
    on('layers redraw', () => this.showLayers());
    on('meshes', () => this.settle());
    on('theme', () => this.setTheme());
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault(); // so that it may come back
      emit('context', false);
    });
    canvas.addEventListener('webglcontextrestored', () => emit('context', true));
  }

  // The shadow on the ground: the model once more, laid flat by the light, each pixel darkened once.
  drawShadow() {
    const { scene, camera, renderer } = this;
    const { background } = scene;
    if (!this.grid.visible || !this.machine || camera.position.z < this.floor) return;
    this.machine.lay(this.flat);
    Object.assign(scene, { overrideMaterial: this.shade, background: null });
    renderer.autoClear = false;
    camera.layers.set(shadowLayer);
    renderer.render(scene, camera);
    camera.layers.set(0);
    renderer.autoClear = true;
    Object.assign(scene, { overrideMaterial: null, background });
    this.machine.lay(new Matrix4());
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    // The middle of the picture is that of what the toolbar leaves free.
    const bar = this.canvas.parentElement.querySelector('.toolbar');
    const covered = bar ? Math.min(bar.offsetTop + bar.offsetHeight, height / 2) : 0;
    this.free = 1 - covered / height;
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, -covered / 2, width, height);
    if (this.looked && this.machine) this.look(...this.looked);
    this.redraw();
  }

  redraw() {
    if (this.isDirty || !this.machine) return;
    this.isDirty = true;
    requestAnimationFrame(() => this.render());
  }

  // Whether the last picture is still under way. Others would queue up behind it, and with them all
  // that the page does: without a GPU a picture takes longer than the way to the server and back.
  isBusy() {
    const gl = this.renderer.getContext();
    const waits =
      this.isPatient &&
      this.fence &&
      gl.getSyncParameter(this.fence, gl.SYNC_STATUS) === gl.UNSIGNALED;
    if (!waits && this.fence) {
      gl.deleteSync(this.fence);
      this.fence = null;
    }
    return waits;
  }

  render() {
    if (this.isBusy()) {
      requestAnimationFrame(() => this.render());
      return;
    }
    this.isDirty = false;
    const began = performance.now();
    if (this.latest) {
      if (!this.previewed) this.machine?.setPoses(this.latest);
      this.latest = null;
      emit('posed');
    }
    this.key.position
      .copy(this.camera.position)
      .add(new Vector3(0.3, 0.4, 1).multiplyScalar(this.camera.position.length()));
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.scene.fog.near = distance;
    this.scene.fog.far = distance + 1.1 * this.reach;
    this.scene.updateMatrixWorld();
    const posed = performance.now();
    this.renderer.render(this.scene, this.camera);
    this.drawShadow();
    this.isDrawn = true;
    this.retired?.dispose();
    this.retired = null;
    const gl = this.renderer.getContext();
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.frames += 1;
    keepTime(this.poseWork, posed - began);
    keepTime(this.work, performance.now() - began);
  }

  // Without waiting for the picture before it.
  renderNow() {
    const { isPatient } = this;
    this.isPatient = false;
    this.render();
    this.isPatient = isPatient;
  }

  pose() {
    this.latest = state.poses;
    this.redraw();
  }

  // Another model in the place of the open one, at its own poses; null to go back.
  preview(model) {
    if (!model && !this.previewed) return;
    this.isTurned &&= Boolean(this.previewed);
    this.previewed = model;
    if (model) {
      if (!this.before) this.lookedBefore = this.looked;
      this.before ??= this.cameraState();
      this.setModel(model, true);
      this.machine.setPoses(model.poses);
      if (!this.isTurned) this.look('iso');
      return;
    }
    this.setModel(state.model, true);
    this.setCamera(this.before);
    if (this.lookedBefore) this.look(...this.lookedBefore); // the window may be another
    this.before = null; // the camera of the open model, while another is shown
  }

  // Takes the model out of the scene. Its materials stay until the next one is drawn: the renderer
  // would compile programs anew which no material needs in between, and has arrays as long as the
  // number of the last program for every geometry. What was never drawn has no programs.
  retire() {
    if (!this.machine) return;
    this.scene.remove(this.machine.root);
    if (this.retired || !this.isDrawn) this.machine.dispose();
    else this.retired = this.machine;
    this.isDrawn = false;
  }

  setModel(model, keepsCamera) {
    this.clearGhosts();
    this.retire();
    forgetMeshes();
    this.machine = new Machine(model, state.theme);
    this.scene.add(this.machine.root);
    this.showLayers();
    if (state.poses && model === state.model) this.machine.setPoses(state.poses);
    this.isFitting ||= !keepsCamera;
    this.settle();
  }

  // Ground and camera fit what is drawn: once with the model, once when its meshes are there.
  settle() {
    this.select(this.selected); // colours of meshes came with them
    this.makeGrid(this.machine.model);
    this.setTheme();
    if (this.isFitting) this.look('iso');
    this.isFitting &&= this.machine.pending > 0;
  }

  makeGrid(model) {
    for (const lines of this.grid.children) lines.geometry.dispose();
    this.grid.clear();
    const low = (sofar, { min }) => Math.min(sofar, min.z);
    const floor = this.boxes().reduce(low, model.floor ?? 0);
    this.gridStep = model.grid > 0 ? model.grid : 0.1;
    const count = Math.min(
      60,
      Math.max(10, Math.ceil((2 * this.machine.size) / this.gridStep / 5) * 5),
    );
    this.reach = this.gridStep * count;
    this.grid.add(
      gridLines(this.gridStep, count, floor, false, this.gridMaterials[0]),
      gridLines(this.gridStep, count, floor, true, this.gridMaterials[1]),
    );
    this.floor = floor;
    const [x, y] = [0.15, 0.25]; // how far the light leads away, for each unit of height
    this.flat.set(1, 0, x, -x * floor, 0, 1, y, -y * floor, 0, 0, 0, floor, 0, 0, 0, 1);
  }

  setTheme() {
    const colors = colorsOf(state.theme);
    this.scene.background = new Color(colors.background);
    this.scene.fog.color.set(colors.background);
    this.shade.opacity = colors.shadow;
    this.machine?.setTheme(state.theme);
    this.grid.children.forEach((lines, i) =>
      lines.material.color.set(i === 0 ? colors.grid : colors.gridMajor),
    );
    this.redraw();
  }

  showLayers() {
    // A robot that was configured has symbols and bars only.
    this.machine?.showLayers(
      this.previewed ? { ...state.layers, visual: true, skeleton: true } : state.layers,
    );
    this.grid.visible = state.layers.grid !== false;
    this.redraw();
  }

  // Boxes of what is drawn now: of all objects, or of those of one body.
  boxes(body) {
    this.machine.root.updateMatrixWorld(true);
    const { visual, skeleton } = this.machine.layer;
    const isShown = (object) =>
      object.visible && (body === undefined || object.userData.body === body);
    return boxesOf([...visual, ...skeleton].filter(isShown));
  }

  // The corners of all that the camera fits; ghosts and workspaces too.
  corners(body) {
    const boxes = this.boxes(body);
    if (body === undefined) boxes.push(...boxesOf([this.cloud, ...this.ghosts].filter(Boolean)));
    if (boxes.length === 0) boxes.push(new Box3(this.machine.low, this.machine.high));
    return boxes.flatMap(({ min, max }) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map(
        (i) => new Vector3((i & 1 ? max : min).x, (i & 2 ? max : min).y, (i & 4 ? max : min).z),
      ),
    );
  }

  // The nearest camera in a direction that has all of the model, or of a body, in its picture. In
  // its coordinates, with z towards it, the edges of the picture are planes: a point is in it where
  // |x - camera.x| <= slope (camera.z - z), so that each pair of edges has a nearest camera.
  look(name, body) {
    this.looked = [name, body];
    const toward = new Vector3(...directions[name]).normalize();
    const right = new Vector3().crossVectors(this.camera.up, toward).normalize();
    const above = new Vector3().crossVectors(toward, right);
    const slope = 0.88 * Math.tan((this.camera.fov * Math.PI) / 360);
    const points = this.corners(body);
    const most = (f) => points.reduce((sofar, p) => Math.max(sofar, f(p)), -Infinity);
    const fit = (axis, ratio) => {
      const low = most((p) => ratio * p.dot(toward) - p.dot(axis));
      const high = most((p) => ratio * p.dot(toward) + p.dot(axis));
      return { middle: (high - low) / 2, nearest: (high + low) / (2 * ratio) };
    };
    const across = fit(right, slope * this.camera.aspect);
    const up = fit(above, slope * this.free);
    const depth = (most((p) => p.dot(toward)) - most((p) => -p.dot(toward))) / 2;
    const distance = Math.max(across.nearest, up.nearest, depth + 1e-3) - depth;
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    const { target } = this.controls;
    target.copy(toward).multiplyScalar(depth);
    target.addScaledVector(right, across.middle).addScaledVector(above, up.middle);
    this.camera.position.copy(target).addScaledVector(toward, distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  // Turns and moves the camera by the keyboard.
  nudge(right, upward) {
    this.looked = null;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const flat = Math.hypot(offset.x, offset.y);
    const angle = Math.atan2(offset.y, offset.x) + right;
    const lift = Math.min(1.5, Math.max(-1.5, Math.atan2(offset.z, flat) + upward));
    const length = offset.length();
    offset.set(Math.cos(lift) * Math.cos(angle), Math.cos(lift) * Math.sin(angle), Math.sin(lift));
    this.camera.position.copy(this.controls.target).addScaledVector(offset, length);
    this.controls.update();
  }

  cameraState() {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  setCamera(values) {
    this.isFitting = false;
    this.looked = null;
    this.isAimed = true; // by an address
    this.camera.position.fromArray(values, 0);
    this.controls.target.fromArray(values, 3);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  setGhosts(list) {
    this.clearGhosts();
    this.ghosts = list.slice(0, ghostsMost).map((poses, i) => this.machine.ghost(poses, i));
    this.scene.add(...this.ghosts);
    // One that is out of the picture would not be seen; the camera stays where the user put it.
    const isOut = (p) => Math.max(Math.abs(p.x), Math.abs(p.y)) > 1;
    if (this.looked && this.corners().some((p) => isOut(p.project(this.camera))))
      this.look(this.looked[0]);
    this.redraw();
  }

  clearGhosts() {
    for (const ghost of this.ghosts) this.scene.remove(ghost);
    this.ghosts = [];
    this.redraw();
  }

  // Lines from end to end of loops that are open: [[a, b], ...], none to remove them.
  setGaps(list) {
    if (this.gaps) {
      this.scene.remove(this.gaps);
      this.gaps.geometry.dispose();
      this.gaps.material.dispose();
    }
    this.gaps = null;
    if (list.length > 0) {
      this.gaps = new LineSegments(
        new BufferGeometry().setFromPoints(list.flat().map((p) => new Vector3(...p))),
        new LineBasicMaterial({ color: colorsOf(state.theme).open, depthTest: false }),
      );
      this.gaps.renderOrder = 3;
      this.scene.add(this.gaps);
    }
    this.redraw();
  }

  ray(event) {
    const area = this.canvas.getBoundingClientRect();
    const at = new Vector2(
      ((event.clientX - area.left) / area.width) * 2 - 1,
      1 - ((event.clientY - area.top) / area.height) * 2,
    );
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  // What is under the pointer: {body, point}, or null.
  pick(event) {
    if (!this.machine || this.previewed) return null;
    const hits = this.ray(event)
      .intersectObjects(this.machine.bodies, true)
      .filter(({ object }) => object.isMesh && isShown(object));
    const hit = hits[0];
    return hit ? { body: hit.object.userData.body, point: hit.point } : null;
  }

  // Lights up one body.
  select(body) {
    this.selected = body;
    if (!this.machine) return;
    for (const [role, item] of this.machine.materials) {
      const isIt = body !== null && role.split(':')[0] === `link${body}`;
      item.emissive.set(isIt ? this.machine.colors.selection : 0);
      item.emissiveIntensity = isIt ? 0.35 : 0;
    }
    this.redraw();
  }

  // For tests: how many colours the picture has.
  countColors() {
    const gl = this.renderer.getContext();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) {
      seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    }
    return seen.size;
  }
}

function keepTime(list, ms) {
  list.push(ms);
  if (list.length > 1000) list.shift();
}

function isShown(object) {
  for (let at = object; at; at = at.parent) {
    if (!at.visible) return false;
  }
  return true;
}
