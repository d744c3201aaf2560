import { useEffect, useRef, useState } from 'react';
import {
  AmbientLight,
  Box3,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Sphere,
  TextureLoader,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { Loading, Notice } from '../../kit/status.tsx';
import { modelViewerText } from '../../text/model-viewer.ts';
import { useText } from '../../text/text.tsx';

export interface ModelStageProps {
  readonly url: string;
  /** `glb`, `gltf`, `obj` or `stl`, or the file's type; by default the extension in the address decides. */
  readonly format?: string | undefined;
  /** A description for screen readers. */
  readonly label: string;
}

type State = 'loading' | 'shown' | 'failed';

/** Loaded only by `ModelViewer`. */
export default function ModelStage({ url, format, label }: ModelStageProps) {
  const text = useText(modelViewerText);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<State>('loading');
  useEffect(() => {
    if (canvas.current === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    let end: (() => void) | undefined;
    show(canvas.current, url, format, signal).then(
      (stop) => {
        if (signal.aborted) return stop();
        end = stop;
        setState('shown');
      },
      () => {
        if (!signal.aborted) setState('failed');
      },
    );
    return () => {
      controller.abort();
      end?.();
    };
  }, [url, format]);
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${label}. ${text.keys}`}
        tabIndex={state === 'shown' ? 0 : -1}
        title={text.drag}
        className="block size-full cursor-grab touch-none focus-visible:outline-offset-[-2px] active:cursor-grabbing"
      />
      {state !== 'shown' && (
        <div className="absolute inset-0 flex items-center justify-center p-3">
          {state === 'loading' ? <Loading /> : <Notice tone="warn">{text.failed}</Notice>}
        </div>
      )}
    </>
  );
}

/** Rejects if the file cannot be shown, or the browser cannot render it. */
async function show(canvas: HTMLCanvasElement, url: string, format: string | undefined, signal: AbortSignal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  const model = await parsed(bytes, kindOf(url, format ?? answer.headers.get('content-type') ?? ''), url);
  return draw(canvas, model);
}

type Kind = 'gltf' | 'obj' | 'stl';

function kindOf(url: string, format: string): Kind {
  const ending = new URL(url, document.baseURI).pathname.split('.').at(-1) ?? '';
  const said = [format, ending].map((text) => text.toLowerCase());
  if (said.some((text) => /obj/.test(text))) return 'obj';
  if (said.some((text) => /stl/.test(text))) return 'stl';
  return 'gltf';
}

async function parsed(bytes: ArrayBuffer, kind: Kind, url: string): Promise<Object3D> {
  if (kind === 'stl') return new Mesh(new STLLoader().parse(bytes), new MeshStandardMaterial({ color: 0x9aa7b5 }));
  if (kind === 'obj') return new OBJLoader().parse(new TextDecoder().decode(bytes));
  const loader = new GLTFLoader();
  // The default loader fetches embedded textures from `blob:` addresses, which the page's policy forbids for fetches but allows for images.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: 'textures-as-images' };
  });
  const { scene }: GLTF = await loader.parseAsync(bytes, url.replace(/[^/]*$/, ''));
  return scene;
}

const VIEW_DEGREES = 40;
/** The step of the arrow keys, in radians. */
const STEP = Math.PI / 12;

function draw(canvas: HTMLCanvasElement, model: Object3D): () => void {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  const scene = new Scene();
  const light = new DirectionalLight(0xffffff, 2.5);
  light.position.set(3, 5, 4);
  scene.add(new AmbientLight(0xffffff, 1.4), light, centred(model));
  const camera = new PerspectiveCamera(VIEW_DEGREES, 1, 0.01, 100);
  camera.position.set(1.6, 1.2, 2.4);
  const controls = new OrbitControls(camera, canvas);
  controls.enablePan = false;
  const render = () => renderer.render(scene, camera);
  const resize = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = canvas;
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(1, height);
    camera.updateProjectionMatrix();
    render();
  });
  resize.observe(canvas);
  controls.addEventListener('change', render);
  const turn = turner(camera, controls);
  canvas.addEventListener('keydown', turn);
  controls.update();
  return () => {
    canvas.removeEventListener('keydown', turn);
    resize.disconnect();
    controls.dispose();
    renderer.dispose();
  };
}

/** Centres the model and scales it to a fixed size, however large the file says it is. */
function centred(model: Object3D): Object3D {
  const { center, radius } = new Box3().setFromObject(model).getBoundingSphere(new Sphere());
  const scale = 1 / (Number.isFinite(radius) && radius > 0 ? radius : 1);
  model.scale.multiplyScalar(scale);
  model.position.sub(center).multiplyScalar(scale);
  return model;
}

function turner(camera: PerspectiveCamera, controls: OrbitControls) {
  const up = new Vector3(0, 1, 0);
  return (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') camera.position.applyAxisAngle(up, -STEP);
    else if (event.key === 'ArrowRight') camera.position.applyAxisAngle(up, STEP);
    else if (event.key === '+') camera.position.multiplyScalar(0.85);
    else if (event.key === '-') camera.position.multiplyScalar(1 / 0.85);
    else return;
    event.preventDefault();
    controls.update();
  };
}
