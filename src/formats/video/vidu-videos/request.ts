import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused, reservedOptions } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { shapeByImage, videoShape } from '../shared/video-shape.ts';
import { type ViduModel, type ViduPath, viduModel } from './models.ts';

function pathOf({ referenceImages, firstImage, lastImage }: VideoRequest): ViduPath {
  if (referenceImages.length > 0) return 'reference2video';
  if (lastImage !== null) return 'start-end2video';
  return firstImage === null ? 'text2video' : 'img2video';
}

const MOST_REFERENCES = 7;
const RESERVED = ['duration', 'resolution', 'audio', 'images'];
/** For models whose lengths are unknown. */
const ANY_LENGTH = { least: 1, most: 600 };

interface Plan {
  /** `null`: the member is not sent. */
  readonly seconds: number | null;
  readonly resolution: string | null;
  readonly ratio: string | null;
  readonly audio: boolean | null;
  readonly losses: readonly Loss[];
}

/** Implements `TaskWire.asks`. With some models reference images cost more, and so does sound. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = viduModel(upstreamModel);
  const { seconds, resolution, audio } = planOf(request, model);
  const made = seconds ?? model.usualSeconds;
  return {
    count: 1,
    seconds: made,
    resolution: resolution ?? model.usualResolution(made),
    traits: [...(pathOf(request) === 'reference2video' ? ['reference'] : []), ...(audio === true ? ['audio'] : [])],
  };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const model = viduModel(upstreamModel);
  const path = pathOf(request);
  const problem = imagesRefused(request) ?? reservedOptions(request.options, RESERVED);
  if (problem !== null) return problem;
  const lost = videoLosses(request, {
    firstImage: 'exact',
    lastImage: 'exact',
    referenceImages: 'exact',
    ...{ duration: 'exact', ...SHAPE },
    seed: 'exact',
    ...(model.hasAudio(path) && { audio: 'exact' }),
  });
  if (lost instanceof Failure) return lost;
  const plan = planOf(request, model);
  const members: Members = {
    model: upstreamModel,
    ...(await imagesOf(request)),
    prompt: request.prompt === '' ? null : request.prompt,
    duration: plan.seconds,
    seed: request.seed,
    aspect_ratio: plan.ratio,
    resolution: plan.resolution,
    audio: plan.audio,
  };
  return jsonRequest(members, request, [...lost, ...plan.losses], { suffix: `/${path}` });
}

function planOf(request: VideoRequest, model: ViduModel): Plan {
  const path = pathOf(request);
  const length = nearestLength(request, model.lengths(path) ?? ANY_LENGTH);
  const isByImage = path === 'img2video' || path === 'start-end2video';
  const resolutions = model.resolutions(path, length.seconds ?? model.usualSeconds);
  const shape = isByImage
    ? shapeByImage(request, resolutions)
    : videoShape(request, { ratios: model.ratios, resolutions });
  return {
    seconds: length.seconds,
    resolution: shape.resolution,
    ratio: shape.ratio,
    audio: model.hasAudio(path) ? (request.audio ?? model.usualAudio) : null,
    losses: [...length.losses, ...shape.losses],
  };
}

function imagesRefused({ referenceImages, firstImage, lastImage }: VideoRequest): Failure | null {
  const field = 'reference_image_urls';
  if (referenceImages.length > 0 && (firstImage !== null || lastImage !== null)) {
    return refused(field, 'the provider of this model accepts either reference images or a first and last image');
  }
  if (referenceImages.length > MOST_REFERENCES) {
    return refused(field, `the provider of this model accepts at most ${MOST_REFERENCES} images`);
  }
  if (lastImage === null || firstImage !== null) return null;
  return refused('end_image_url', 'the provider of this model accepts it only with `image_url`');
}

/** Returns URLs or `data:` URIs. */
async function imagesOf({ referenceImages, firstImage, lastImage }: VideoRequest): Promise<Members> {
  const all = [...referenceImages, firstImage, lastImage].filter((image) => image !== null);
  return all.length === 0 ? {} : { images: await Promise.all(all.map(imageUrl)) };
}
