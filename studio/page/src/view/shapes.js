// Shapes of a model as geometries of three.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Matrix4,
  Quaternion,
  RingGeometry,
  SphereGeometry,
  TextureLoader,
  TorusGeometry,
  Vector3,
} from 'three';
import { ConvexGeometry } from 'three/addons/geometries/ConvexGeometry.js';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { getBytes } from '../api.js';
import { creasedNormals } from './creases.js';

const up = new Vector3(0, 0, 1);

export const vector = ([x, y, z]) => new Vector3(x, y, z);

export function matrixOf({ position, quaternion }) {
  const [w, x, y, z] = quaternion;
  return new Matrix4().compose(vector(position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

const place = new Vector3();
const turn = new Quaternion();
const one = new Vector3(1, 1, 1);

// The pose of body i among seven numbers for each: position and quaternion w, x, y, z.
export function poseMatrix(poses, i, matrix = new Matrix4()) {
  const at = 7 * i;
  if (i < 0) return matrix.identity();
  place.set(poses[at], poses[at + 1], poses[at + 2]);
  turn.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
  return matrix.compose(place, turn, one);
}

// three has its round bodies about y; a model has them about z.
const aboutZ = (geometry) => geometry.rotateX(Math.PI / 2);

export function primitive(type, [x, y, z]) {
  switch (type) {
    case 'box':
      return new BoxGeometry(x, y, z);
    case 'sphere':
      return new SphereGeometry(x, 32, 20);
    case 'cylinder':
      return aboutZ(new CylinderGeometry(x, x, z, 40));
    case 'capsule':
      return aboutZ(new CapsuleGeometry(x, z, 6, 24));
    case 'cone':
      return aboutZ(new CylinderGeometry(x, y, z, 32)).translate(0, 0, -z / 2);
    case 'ring':
      return new RingGeometry(x, y, 48);
    case 'circle':
      return new TorusGeometry(x, x / 60, 6, 64);
    default:
      return null;
  }
}

// A round bar from a to b.
export function bar(a, b, radius) {
  const along = new Vector3().subVectors(b, a);
  const length = along.length();
  if (!(length > 1e-9)) return new SphereGeometry(radius, 20, 12).translate(a.x, a.y, a.z);
  const geometry = aboutZ(new CapsuleGeometry(radius, length, 8, 20));
  const turn = new Quaternion().setFromUnitVectors(up, along.divideScalar(length));
  return geometry
    .applyQuaternion(turn)
    .translate((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
}

function hull(points, radius) {
  const around = [];
  for (const p of points) {
    for (let i = 0; i < 12; i += 1) {
      const height = 1 - (2 * i + 1) / 12;
      const side = Math.sqrt(1 - height * height);
      const angle = 2.399963 * i;
      around.push(
        new Vector3(side * Math.cos(angle), side * Math.sin(angle), height)
          .multiplyScalar(radius)
          .add(p),
      );
    }
  }
  return new ConvexGeometry(around);
}

// What the skeleton has: lines are left to the caller.
export function skeletonGeometry(item) {
  const points = item.points.map(vector);
  if (item.kind === 'bar' || item.kind === 'line') {
    const radius = item.kind === 'bar' ? item.size[0] / 2 : 0;
    if (!(radius > 0)) return null;
    const bars = points.slice(1).map((p, i) => bar(points[i], p, radius));
    return bars.length > 1 ? mergeGeometries(bars) : bars[0];
  }
  if (item.kind === 'hull') return hull(points, Math.max(item.size[0] / 2, 1e-4));
  if (!item.position) return null;
  return primitive(item.kind, item.size)?.applyMatrix4(matrixOf(item)) ?? null;
}

export function decodeMesh(buffer) {
  const view = new DataView(buffer);
  const nvertex = view.getUint32(4, true);
  const nindex = view.getUint32(8, true);
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    'position',
    new BufferAttribute(new Float32Array(buffer, 16, 3 * nvertex), 3),
  );
  const index = new Uint32Array(buffer, 16 + 12 * nvertex, nindex);
  geometry.setIndex(new BufferAttribute(index, 1));
  const flat = geometry.toNonIndexed();
  const normals = creasedNormals(flat.attributes.position.array, index, nvertex);
  flat.setAttribute('normal', new BufferAttribute(normals, 3));
  return flat;
}

const meshes = new Map(); // by path and version

function cached(key, make) {
  if (!meshes.has(key)) meshes.set(key, make());
  return meshes.get(key);
}

export function forgetMeshes() {
  meshes.clear();
}

// The policy of the page has one door for text that is parsed, and only to XML, which runs nothing.
const asXml = globalThis.trustedTypes?.createPolicy('collada', { createHTML: (text) => text });

// The policy of the page refuses requests for what stands in the file itself, which the loader would
// make: numbers are decoded here, and pictures are elements.
function withoutRequests(parser) {
  parser.textureLoader = new TextureLoader();
  const whole = parser.loadBuffer.bind(parser);
  parser.loadBuffer = async (index) => {
    const { uri } = parser.json.buffers[index];
    const data = uri?.match(/^data:[^,]*;base64,(.*)$/)?.[1];
    if (data) return Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
    if (uri) throw new Error(`its numbers are in another file, ${uri}; a .glb file has them all`);
    return whole(index);
  };
  return { name: 'without requests' };
}

async function loadForeign(path, ending) {
  const bytes = await getBytes(path);
  let scene;
  if (ending === 'dae') {
    const { ColladaLoader } = await import('three/addons/loaders/ColladaLoader.js');
    const text = new TextDecoder().decode(bytes);
    scene = new ColladaLoader().parse(asXml?.createHTML(text) ?? text, '').scene;
  } else {
    const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
    const loader = new GLTFLoader();
    loader.register(withoutRequests);
    scene = (await loader.parseAsync(bytes, '')).scene;
  }
  return scene;
}

// The geometry of a mesh shape, or an object of three for formats that its loaders read; null where
// there is neither.
export async function loadMesh(shape, number) {
  if (shape.mesh >= 0) {
    return cached(`mesh/${shape.mesh}`, async () =>
      decodeMesh(await getBytes(`mesh/${shape.mesh}`)),
    );
  }
  const ending = shape.ending.toLowerCase();
  if (!['dae', 'gltf', 'glb'].includes(ending)) return null;
  const scene = await cached(`mesh_file/${shape.file}`, () =>
    loadForeign(`mesh_file/${number}`, ending),
  );
  return scene.clone();
}
