import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import {
  imageBase64,
  jsonRequest,
  type Members,
  mergeOptions,
  refused,
  reservedOptions,
} from '../../shared/media/image-request.ts';
import {
  type Carrying,
  nearestLength,
  SHAPE,
  type VideoKnob,
  videoLosses,
} from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { type ChosenShape, videoShape } from '../shared/video-shape.ts';
import { MOST_REFERENCES, MOST_VIDEOS, type VeoModel, veoModel } from './models.ts';

/** The values that are sent, and the resulting losses. */
interface Plan {
  readonly shape: ChosenShape;
  readonly seconds: number | null;
  /** The value as it is sent; `null` if it is not sent, because the API or the model has no such member. */
  readonly generateAudio: boolean | null;
  /** Whether the videos will have sound. */
  readonly hasSound: boolean;
  readonly losses: readonly Loss[];
}

function planOf(request: VideoRequest, target: WireTarget): Plan {
  const model = veoModel(target.upstreamModel);
  const shape = videoShape(request, model?.shapes ?? { ratios: null, resolutions: null });
  const length = lengthFor(request, model, shape, target);
  const sound = soundFor(request, model, target);
  return { shape, seconds: length.seconds, ...sound, losses: [...shape.losses, ...length.losses, ...sound.losses] };
}

/** Implements `TaskWire.asks`. Sound has a separate price. */
export function asks(request: VideoRequest, target: WireTarget): AskedWork {
  const model = veoModel(target.upstreamModel);
  const { shape, seconds, hasSound } = planOf(request, target);
  return {
    count: request.count,
    seconds: seconds ?? model?.defaultSeconds ?? null,
    resolution: shape.resolution ?? model?.defaultResolution ?? null,
    traits: hasSound ? ['audio'] : [],
  };
}

/**
 * Returns whether sound can be chosen: the Gemini API makes all videos with sound and refuses the member; Vertex AI requires it
 * for models with sound.
 */
function canChooseSound({ members }: WireTarget): boolean {
  return members?.generateAudio !== null;
}

/**
 * Returns the length. Videos with reference images, and on the Gemini API large ones and those with a last image, have only one
 * length.
 */
function lengthFor(
  request: VideoRequest,
  model: VeoModel | null,
  { resolution }: ChosenShape,
  target: WireTarget,
): ReturnType<typeof nearestLength> {
  if (model === null) return { seconds: request.durationSeconds, losses: [] };
  const isSpecial = resolution === '1080p' || resolution === '4k' || request.lastImage !== null;
  const isFixed = request.referenceImages.length > 0 || (isSpecial && !canChooseSound(target));
  return nearestLength(request, isFixed ? [model.defaultSeconds] : model.lengths);
}

type Sound = Pick<Plan, 'generateAudio' | 'hasSound' | 'losses'>;

function soundFor({ audio }: VideoRequest, model: VeoModel | null, target: WireTarget): Sound {
  if (model !== null && !model.hasSound) return { generateAudio: null, hasSound: false, losses: [] };
  if (canChooseSound(target)) {
    // Always sent, because the price must not depend on a default.
    const generateAudio = model === null ? audio : (audio ?? true);
    return { generateAudio, hasSound: generateAudio ?? true, losses: [] };
  }
  const why = 'the videos of this provider always have sound';
  const losses: readonly Loss[] = audio === false ? [{ field: 'audio', verdict: 'dropped', why }] : [];
  return { generateAudio: null, hasSound: true, losses };
}

function carriesOf(model: VeoModel | null): Carrying<VideoKnob> {
  return {
    negativePrompt: 'exact',
    firstImage: 'exact',
    lastImage: 'exact',
    referenceImages: 'exact',
    videoUrl: { verdict: 'refused', why: 'the provider can continue only videos that it made' },
    ...{ duration: 'exact', ...SHAPE, count: 'exact', seed: 'exact' },
    ...((model === null || model.hasSound) && { audio: 'exact' }),
  };
}

/** Implements `TaskWire.encodeRequest`. `provider_options` are members of `parameters`, such as `personGeneration`. */
export async function encodeRequest(request: VideoRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const lost = videoLosses(request, carriesOf(veoModel(target.upstreamModel)));
  if (lost instanceof Failure) return lost;
  const refusal = tooMuch(request);
  if (refusal !== null) return refusal;
  const plan = planOf(request, target);
  const parameters: Record<string, unknown> = Object.fromEntries(
    Object.entries({
      sampleCount: request.count,
      aspectRatio: plan.shape.ratio,
      resolution: plan.shape.resolution,
      durationSeconds: plan.seconds,
      negativePrompt: request.negativePrompt,
      seed: request.seed,
      generateAudio: plan.generateAudio,
    }).filter(([, value]) => value !== null),
  );
  const problem = reservedOptions(request.options, RESERVED) ?? mergeOptions(parameters, request.options);
  if (problem !== null) return problem;
  const instance = await instanceOf(request);
  return jsonRequest({ instances: [instance], parameters }, { options: {} }, [...lost, ...plan.losses]);
}

const RESERVED = [
  'sampleCount',
  'aspectRatio',
  'resolution',
  'durationSeconds',
  'negativePrompt',
  'seed',
  'generateAudio',
];

function tooMuch({ count, referenceImages, firstImage, lastImage, options }: VideoRequest): Failure | null {
  if (count > MOST_VIDEOS) return refused('n', `the provider makes at most ${MOST_VIDEOS} videos per request`);
  if (referenceImages.length > MOST_REFERENCES) {
    return refused('reference_image_urls', `the provider accepts at most ${MOST_REFERENCES} of them`);
  }
  if (referenceImages.length > 0 && (firstImage !== null || lastImage !== null)) {
    return refused('reference_image_urls', 'the provider accepts them only without a first and last image');
  }
  if (lastImage !== null && firstImage === null) {
    return refused('end_image_url', 'the provider accepts it only with the first image');
  }
  if (Object.hasOwn(options, 'storageUri')) {
    return refused('provider_options.storageUri', 'the gateway does not read videos from a storage bucket');
  }
  return null;
}

async function instanceOf(request: VideoRequest): Promise<Members> {
  const { prompt, firstImage, lastImage, referenceImages } = request;
  const references = referenceImages.map(async (one) => ({ image: await imageMember(one), referenceType: 'asset' }));
  return {
    ...(prompt !== '' && { prompt }),
    ...(firstImage !== null && { image: await imageMember(firstImage) }),
    ...(lastImage !== null && { lastFrame: await imageMember(lastImage) }),
    ...(references.length > 0 && { referenceImages: await Promise.all(references) }),
  };
}

async function imageMember(input: ImageInput): Promise<Members> {
  const { base64, mediaType } = await imageBase64(input);
  return { bytesBase64Encoded: base64, mimeType: mediaType };
}
