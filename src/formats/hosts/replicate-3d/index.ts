import { Failure } from '../../../domain/failure/failure.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import {
  askedOfThreeD,
  IMAGE_ALONE,
  THREE_D_HARMLESS_OPTIONS,
  THREE_D_PRICED_OPTIONS,
  type ThreeDModel,
  threeDMembers,
  usualThreeD,
} from '../shared/hosted-3d.ts';
import {
  polledPrediction,
  pollPrediction,
  predictionFailure,
  predictionRequest,
  submittedPrediction,
} from '../shared/replicate-predictions.ts';

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

function modelOf(id: string): ThreeDModel {
  const [name = ''] = id.split(':');
  return (Object.hasOwn(MODELS, name) ? MODELS[name] : undefined) ?? USUAL;
}

/** Members of `input` that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  image: 'image_url',
  images: 'image_urls',
  face_count: 'target_polycount',
  generate_type: 'texture',
  geometry_file_format: 'format',
};

/** 3D models at Replicate. */
export const replicateThreeD: TaskWire<ThreeDRequest> = {
  name: 'replicate-3d',
  operations: ['3d.generations'],
  takesUrls: true,
  harmlessOptions: THREE_D_HARMLESS_OPTIONS,
  pricedOptions: THREE_D_PRICED_OPTIONS,
  asks: (request, { upstreamModel }) => askedOfThreeD(request, modelOf(upstreamModel)),
  async encodeRequest(request, { upstreamModel }) {
    const input = await threeDMembers(request, modelOf(upstreamModel));
    if (input instanceof Failure) return input;
    return predictionRequest(upstreamModel, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer, { format }) => submittedPrediction(answer, '3d', format),
  poll: pollPrediction,
  decodePoll: (answer, ticket) => polledPrediction(answer, ticket, '3d'),
  decodeFailure: (status, headers, bytes) => predictionFailure(status, headers, bytes, CLIENTS_NAMES),
};
