import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused, reservedOptions } from '../../shared/media/image-request.ts';
import {
  type Carrying,
  nearestLength,
  SHAPE,
  type VideoKnob,
  videoLosses,
} from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { videoShape } from '../shared/video-shape.ts';
import { DEFAULT_RESOLUTION, DEFAULT_SECONDS, EDITED, isImagine, LENGTHS, shapesOf } from './models.ts';

/** Implements `TaskWire.asks`. An edit is as long and large as its video, within bounds. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const isKnown = isImagine(upstreamModel);
  if (request.videoUrl !== null) {
    return { count: 1, seconds: isKnown ? EDITED.seconds : null, resolution: isKnown ? EDITED.resolution : null };
  }
  const { resolution } = videoShape(request, shapesOf(upstreamModel));
  const { seconds } = lengthFor(request, upstreamModel);
  return {
    count: 1,
    seconds: seconds ?? (isKnown ? DEFAULT_SECONDS : null),
    resolution: resolution ?? (isKnown ? DEFAULT_RESOLUTION : null),
  };
}

const AS_THE_VIDEO = { verdict: 'dropped', why: 'an edit has the length and size of its video' } as const;
const ONE_SOURCE = {
  verdict: 'refused',
  why: 'the provider accepts only one of a first image, reference images and a video',
} as const;
const ALWAYS_SOUND: Loss = { field: 'audio', verdict: 'dropped', why: 'the videos of this provider always have sound' };

/** Implements `TaskWire.encodeRequest`. `provider_options` are further members of the body. */
export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const isEdit = request.videoUrl !== null;
  const lost = videoLosses(request, isEdit ? EDIT_CARRIES : CARRIES);
  if (lost instanceof Failure) return lost;
  if (request.firstImage !== null && request.referenceImages.length > 0) {
    return refused('reference_image_urls', ONE_SOURCE.why);
  }
  const taken = reservedOptions(request.options, RESERVED);
  if (taken !== null) return taken;
  const sound = request.audio === false ? [ALWAYS_SOUND] : [];
  const common: Members = {
    model: upstreamModel,
    prompt: request.prompt === '' ? null : request.prompt,
    user: request.user,
  };
  if (isEdit) {
    return jsonRequest({ ...common, video: { url: request.videoUrl } }, request, [...lost, ...sound], {
      suffix: '/edits',
    });
  }
  const shape = videoShape(request, shapesOf(upstreamModel));
  const length = lengthFor(request, upstreamModel);
  return jsonRequest(
    {
      ...common,
      duration: length.seconds,
      aspect_ratio: shape.ratio,
      resolution: shape.resolution,
      image: request.firstImage === null ? null : await imageMember(request.firstImage),
      reference_images: await referenceMembers(request),
    },
    request,
    [...lost, ...sound, ...shape.losses, ...length.losses],
    { suffix: '/generations' },
  );
}

const CARRIES: Carrying<VideoKnob> = {
  ...{ firstImage: 'exact', referenceImages: 'exact' },
  ...{ duration: 'exact', ...SHAPE, audio: 'exact', user: 'exact' },
};
const EDIT_CARRIES: Carrying<VideoKnob> = {
  firstImage: ONE_SOURCE,
  referenceImages: ONE_SOURCE,
  videoUrl: 'exact',
  ...{ duration: AS_THE_VIDEO, aspectRatio: AS_THE_VIDEO, resolution: AS_THE_VIDEO, size: AS_THE_VIDEO },
  ...{ audio: 'exact', user: 'exact' },
};

const RESERVED = [
  ...['model', 'prompt', 'user', 'duration', 'aspect_ratio', 'resolution', 'size', 'n', 'image', 'image_url'],
  ...['reference_images', 'video', 'video_url'],
];

function lengthFor(request: VideoRequest, upstreamModel: string): ReturnType<typeof nearestLength> {
  return isImagine(upstreamModel) ? nearestLength(request, LENGTHS) : { seconds: request.durationSeconds, losses: [] };
}

async function imageMember(input: ImageInput): Promise<Members> {
  return { url: await imageUrl(input) };
}

async function referenceMembers({ referenceImages }: VideoRequest): Promise<readonly Members[] | null> {
  return referenceImages.length === 0 ? null : await Promise.all(referenceImages.map(imageMember));
}
