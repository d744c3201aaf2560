import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import {
  apartFromFrames,
  imageParts,
  imagesCarried,
  referencesRefused,
  soundLoss,
  urlOrNull,
} from '../shared/video-images.ts';
import { shapeByImage, videoShape } from '../shared/video-shape.ts';
import { type MinimaxModel, minimaxModel } from './models.ts';

/** The path of the second API relative to the first one's (`/v1`), with which a channel's base address ends. */
export const SECOND_API = '/../v2';

/** Implements `TaskWire.asks`. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const { resolution, seconds } = shapeOf(request, minimaxModel(upstreamModel));
  return { count: 1, seconds, resolution };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const model = minimaxModel(upstreamModel);
  const refusal = unfit(request, model);
  if (refusal !== null) return refusal;
  const lost = videoLosses(request, {
    ...imagesCarried(model),
    ...{ duration: 'exact', ...SHAPE },
    ...(model.api === '2' && { audio: 'exact' }),
  });
  if (lost instanceof Failure) return lost;
  const shape = shapeOf(request, model);
  const losses = [...lost, ...shape.losses, ...(model.api === '1' ? [] : soundLoss(request))];
  const { api } = model;
  const members: Members = {
    model: upstreamModel,
    ...(api === '1' ? await firstMembers(request) : { content: await contentOf(request), ratio: shape.ratio }),
    duration: shape.seconds,
    resolution: shape.resolution.toUpperCase(),
  };

  return jsonRequest(members, request, losses, {
    suffix: api === '1' ? '/video_generation' : `${SECOND_API}/video_generation`,
  });
}

function unfit(request: VideoRequest, model: MinimaxModel): Failure | null {
  const { firstImage, lastImage, referenceImages, prompt } = request;
  if (prompt === '' && model.api === '2') return refused('prompt', 'this model also requires text');
  if (!model.takesText && model.hasFirst && firstImage === null) {
    return refused('prompt', 'this model also requires `image_url`');
  }
  if (!model.takesText && !model.hasFirst && referenceImages.length === 0) {
    return refused('prompt', 'this model also requires `reference_image_urls`');
  }
  const isBoth = model.api === '2' && referenceImages.length > 0 && (firstImage ?? lastImage) !== null;
  return referencesRefused(request, model.mostReferences) ?? (isBoth ? apartFromFrames() : null);
}

const RATIOS = ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'];

/** Always sends resolution and length, so that the price is known. Only the second API has a ratio. */
function shapeOf(request: VideoRequest, model: MinimaxModel) {
  const { api } = model;
  const isFramed = (request.firstImage ?? request.lastImage) !== null;
  const made = madeOf(request, model);
  const shape =
    api === '2' && !isFramed
      ? videoShape(request, { ratios: RATIOS, resolutions: made })
      : shapeByImage(request, made, isFramed ? undefined : 'the provider does not support this field');
  const resolution = shape.resolution ?? usualOf(model);
  // A request with only text has no inherent shape.
  const isText = api === '2' && !isFramed && request.referenceImages.length === 0;
  const lengths = model.shortOnly.includes(resolution) ? [model.usualSeconds] : model.lengths;
  const length = nearestLength(request, lengths);
  return {
    resolution,
    seconds: length.seconds ?? model.usualSeconds,
    ratio: shape.ratio ?? (isText ? '16:9' : null),
    losses: [...shape.losses, ...length.losses],
  };
}

function usualOf({ resolutions }: MinimaxModel): string {
  const [usual] = resolutions;
  if (usual === undefined) throw new Error('a model without a resolution');
  return usual;
}

/** Returns the possible resolutions. Models with few of them make 512p only from a first image without a last one. */
function madeOf({ firstImage, lastImage }: VideoRequest, { resolutions }: MinimaxModel): readonly string[] {
  if (firstImage !== null && lastImage === null) return resolutions;
  return resolutions.length > 3 ? resolutions : resolutions.filter((one) => one !== '512p');
}

async function firstMembers({ prompt, firstImage, lastImage, referenceImages }: VideoRequest): Promise<Members> {
  const subjects = await Promise.all(referenceImages.map(imageUrl));
  return {
    prompt: prompt === '' ? null : prompt,
    first_frame_image: await urlOrNull(firstImage),
    last_frame_image: await urlOrNull(lastImage),
    subject_reference: subjects.length === 0 ? null : [{ type: 'character', image: subjects }],
  };
}

async function contentOf(request: VideoRequest): Promise<unknown> {
  return [{ type: 'text', text: request.prompt }, ...(await imageParts(request))];
}
