import { Failure } from '../../../domain/failure/failure.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { falFailure } from '../shared/fal-failure.ts';
import { falRequest, polledFal, pollFal, refusedByFal, submittedToFal } from '../shared/fal-queue.ts';
import {
  askedOfThreeD,
  IMAGE_ALONE,
  THREE_D_HARMLESS_OPTIONS,
  THREE_D_PRICED_OPTIONS,
  type ThreeDModel,
  threeDMembers,
  usualThreeD,
} from '../shared/hosted-3d.ts';

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
  return { endpoint, model: (Object.hasOwn(MODELS, endpoint) ? MODELS[endpoint] : undefined) ?? USUAL };
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
export const falThreeD: TaskWire<ThreeDRequest> = {
  name: 'fal-3d',
  operations: ['3d.generations'],
  takesUrls: true,
  harmlessOptions: THREE_D_HARMLESS_OPTIONS,
  pricedOptions: THREE_D_PRICED_OPTIONS,
  asks: (request, { upstreamModel }) => askedOfThreeD(request, placeOf(upstreamModel, request).model),
  async encodeRequest(request, { upstreamModel }) {
    const { endpoint, model } = placeOf(upstreamModel, request);
    const input = await threeDMembers(request, model);
    if (input instanceof Failure) return input;
    return falRequest(endpoint, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer, request, { upstreamModel }) =>
    submittedToFal(answer, placeOf(upstreamModel, request).endpoint, request.format),
  poll: pollFal,
  decodePoll: (answer, ticket) => polledFal(answer, ticket, '3d'),
  decodeRefusal: refusedByFal,
  decodeFailure: (status, headers, bytes) =>
    falFailure(status, headers, bytes, 'image_url', (member) => entryOf(CLIENTS_NAMES, member) ?? null),
};
