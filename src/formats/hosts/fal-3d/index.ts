import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import { falTasks } from '../shared/fal-queue.ts';
import { HOSTED_3D, IMAGE_ALONE, type ThreeDModel, usualThreeD } from '../shared/hosted-3d.ts';

const TRELLIS: ThreeDModel = { ...IMAGE_ALONE, image: 'image_url', hasSeed: true };
const HUNYUAN_2: ThreeDModel = {
  ...IMAGE_ALONE,
  image: 'input_image_url',
  texture: { member: 'textured_mesh', on: true, off: false, usual: false },
  hasSeed: true,
};
const HUNYUAN_3: ThreeDModel = {
  ...IMAGE_ALONE,
  image: null,
  texture: { member: 'generate_type', on: 'Normal', off: 'Geometry', usual: true },
  polycount: { member: 'face_count', least: 40_000, most: 1_500_000 },
};
const RODIN: ThreeDModel = {
  ...IMAGE_ALONE,
  prompt: 'prompt',
  image: null,
  images: { member: 'input_image_urls', most: 5 },
  formats: ['glb', 'usdz', 'fbx', 'obj', 'stl'],
  formatMember: 'geometry_file_format',
  hasSeed: true,
};

/** The members of each model (fal.ai/models/{id}/llms.txt). */
const MODELS: Readonly<Record<string, ThreeDModel>> = {
  'fal-ai/trellis': TRELLIS,
  'fal-ai/trellis/multi': { ...TRELLIS, image: null, images: { member: 'image_urls', most: 16 } },
  'fal-ai/trellis-2': TRELLIS,
  'fal-ai/hunyuan3d/v2': HUNYUAN_2,
  'fal-ai/hunyuan3d/v2/turbo': HUNYUAN_2,
  'fal-ai/hunyuan3d/v2/mini': HUNYUAN_2,
  'fal-ai/hunyuan3d-v21': HUNYUAN_2,
  'fal-ai/hunyuan3d-v3/image-to-3d': { ...HUNYUAN_3, image: 'input_image_url' },
  'fal-ai/hunyuan3d-v3/text-to-3d': { ...HUNYUAN_3, prompt: 'prompt' },
  'fal-ai/hyper3d/rodin': RODIN,
  'fal-ai/hyper3d/rodin/v2': RODIN,
  'fal-ai/triposr': {
    ...IMAGE_ALONE,
    image: 'image_url',
    formats: ['glb', 'obj'],
    formatMember: 'output_format',
  },
};

const USUAL = usualThreeD('image_url', 'image_urls');

/** Chooses the endpoint by the request, for a model that has one for texts and one for images. */
function placeOf(id: string, { images }: ThreeDRequest): { readonly endpoint: string; readonly model: ThreeDModel } {
  const wanted = images.length > 0 ? 'image-to-3d' : 'text-to-3d';
  const endpoint = id.replace(/(?<=\/)(?:text|image)-to-3d(?=\/|$)/, wanted);
  return { endpoint, model: entryOf(MODELS, endpoint) ?? USUAL };
}

/** Members that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  input_image_url: 'image_url',
  input_image_urls: 'image_urls',
  face_count: 'target_polycount',
  generate_type: 'texture',
  textured_mesh: 'texture',
  geometry_file_format: 'format',
  output_format: 'format',
};

/** Models at fal that make 3D models. */
export const falThreeD = falTasks('fal-3d', HOSTED_3D, { placeOf, imageField: 'image_url', names: CLIENTS_NAMES });
