import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { jsonRequest, type Members, refused, reservedOptions } from '../../shared/media/image-request.ts';
import { type Lengths, nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { type VideoShapes, videoShape } from '../shared/video-shape.ts';

interface LumaModel extends VideoShapes {
  readonly lengths: Lengths;
  /** The defaults are undocumented, so these values are always sent. */
  readonly usual: { readonly seconds: number; readonly resolution: string } | null;
}

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21'];
const RAY_2: LumaModel = {
  lengths: [5, 9],
  ratios: RATIOS,
  resolutions: ['540p', '720p', '1080p', '4k'],
  usual: { seconds: 5, resolution: '720p' },
};
const UNKNOWN: LumaModel = { lengths: { least: 1, most: 600 }, ratios: null, resolutions: null, usual: null };

function modelOf(id: string): LumaModel {
  return id === 'ray-2' || id === 'ray-flash-2' ? RAY_2 : UNKNOWN;
}

interface Plan {
  /** `null`: the member is not sent. */
  readonly seconds: number | null;
  readonly resolution: string | null;
  readonly ratio: string | null;
  readonly losses: readonly Loss[];
}

function planOf(request: VideoRequest, model: LumaModel): Plan {
  const length = nearestLength(request, model.lengths);
  const shape = videoShape(request, model);
  return {
    seconds: length.seconds ?? model.usual?.seconds ?? null,
    resolution: shape.resolution ?? model.usual?.resolution ?? null,
    ratio: shape.ratio,
    losses: [...length.losses, ...shape.losses],
  };
}

/** Implements `TaskWire.asks`. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const { seconds, resolution } = planOf(request, modelOf(upstreamModel));
  return { count: 1, seconds, resolution, traits: [] };
}

/** Encodes for `POST /generations/video`, a `GenerationRequest` of Luma's document. */
export function encodeRequest(request: VideoRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const { firstImage, lastImage } = request;
  const lost = videoLosses(request, {
    firstImage: 'exact',
    lastImage: 'exact',
    ...{ duration: 'exact', ...SHAPE },
  });
  if (lost instanceof Failure) return lost;
  const problem =
    fileRefused('image_url', firstImage) ??
    fileRefused('end_image_url', lastImage) ??
    reservedOptions(request.options, ['duration', 'resolution']);
  if (problem !== null) return problem;
  const plan = planOf(request, modelOf(upstreamModel));
  const frames: Members = { ...keyframe('frame0', firstImage), ...keyframe('frame1', lastImage) };
  const members: Members = {
    generation_type: 'video',
    model: upstreamModel,
    prompt: request.prompt === '' ? null : request.prompt,
    keyframes: firstImage === null && lastImage === null ? null : frames,
    aspect_ratio: plan.ratio,
    resolution: plan.resolution,
    duration: plan.seconds === null ? null : `${plan.seconds}s`,
  };
  return jsonRequest(members, request, [...lost, ...plan.losses], { suffix: '/generations/video' });
}

function keyframe(name: 'frame0' | 'frame1', image: ImageInput | null): Members {
  return image?.kind === 'url' ? { [name]: { type: 'image', url: image.url } } : {};
}

function fileRefused(field: string, image: ImageInput | null): Failure | null {
  if (image === null || image.kind === 'url') return null;
  return refused(field, 'the provider of this model accepts only images at a public https URL');
}
