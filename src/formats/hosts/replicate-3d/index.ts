import { HOSTED_3D, IMAGE_ALONE, type ThreeDModel, usualThreeD } from '../shared/hosted-3d.ts';
import { replicateModel, replicateTasks } from '../shared/replicate-predictions.ts';

/** The `input` members of each model (replicate.com/{owner}/{name}/api). */
const MODELS: Readonly<Record<string, ThreeDModel>> = {
  'firtoz/trellis': {
    ...IMAGE_ALONE,
    image: null,
    images: { member: 'images', most: 16 },
    hasSeed: true,
    // Without this option the model produces only a video of the object.
    always: { generate_model: true },
  },
  'tencent/hunyuan3d-2': { ...IMAGE_ALONE, hasSeed: true },
  'tencent/hunyuan-3d-3.1': {
    ...IMAGE_ALONE,
    prompt: 'prompt',
    texture: { member: 'generate_type', on: 'Normal', off: 'Geometry', usual: true },
    polycount: { member: 'face_count', least: 40_000, most: 1_500_000 },
  },
  'hyper3d/rodin': {
    ...IMAGE_ALONE,
    prompt: 'prompt',
    image: null,
    images: { member: 'images', most: 5 },
    formats: ['glb', 'usdz', 'fbx', 'obj', 'stl'],
    formatMember: 'geometry_file_format',
    hasSeed: true,
  },
};

const USUAL = usualThreeD('image', 'images');

/** Members of `input` that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  image: 'image_url',
  images: 'image_urls',
  face_count: 'target_polycount',
  generate_type: 'texture',
  geometry_file_format: 'format',
};

/** 3D models at Replicate. */
export const replicateThreeD = replicateTasks(
  'replicate-3d',
  HOSTED_3D,
  (id) => replicateModel(MODELS, USUAL, id),
  CLIENTS_NAMES,
);
