import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, reservedOptions } from '../../shared/media/image-request.ts';
import { type Carrying, SHAPE, type VideoKnob, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { resolutionOf } from '../shared/video-shape.ts';

/** Implements `TaskWire.asks`. The models are from many vendors, so only the client's own values are known. */
export function asks({ durationSeconds, resolution, size, audio }: VideoRequest): AskedWork {
  return {
    count: 1,
    seconds: durationSeconds,
    resolution: size === null ? resolution : resolutionOf(size),
    traits: audio === true ? ['audio'] : [],
  };
}

const CARRIES: Carrying<VideoKnob> = {
  negativePrompt: 'exact',
  firstImage: 'exact',
  lastImage: 'exact',
  referenceImages: 'exact',
  videoUrl: 'exact',
  ...{ duration: 'exact', ...SHAPE, seed: 'exact', audio: 'exact' },
};

const RESERVED = [
  ...['model', 'prompt', 'seconds', 'height', 'width', 'resolution', 'ratio', 'seed', 'negative_prompt'],
  ...['generate_audio', 'frame_images', 'reference_images'],
];

/** Implements `TaskWire.encodeRequest`. `provider_options` are further members of the body. */
export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const losses = videoLosses(request, CARRIES);
  if (losses instanceof Failure) return losses;
  const taken = reservedOptions(request.options, RESERVED);
  if (taken !== null) return taken;
  const { durationSeconds, size } = request;
  return jsonRequest(
    {
      model: upstreamModel,
      prompt: request.prompt === '' ? null : request.prompt,
      // A text of digits, as documented.
      seconds: durationSeconds === null ? null : String(durationSeconds),
      width: size?.width,
      height: size?.height,
      resolution: request.resolution,
      ratio: request.aspectRatio,
      seed: request.seed,
      negative_prompt: request.negativePrompt,
      generate_audio: request.audio,
      media: await mediaOf(request),
    },
    request,
    losses,
  );
}

async function mediaOf({ firstImage, lastImage, referenceImages, videoUrl }: VideoRequest): Promise<Members | null> {
  const frames = await Promise.all([frameOf('first', firstImage), frameOf('last', lastImage)]);
  const media: Members = {
    frame_images: listOrNull(frames.flat()),
    reference_images: listOrNull(await Promise.all(referenceImages.map(imageUrl))),
    source_video: videoUrl,
  };
  return Object.values(media).every((value) => value === null) ? null : media;
}

async function frameOf(frame: 'first' | 'last', image: ImageInput | null): Promise<readonly Members[]> {
  return image === null ? [] : [{ input_image: await imageUrl(image), frame }];
}

function listOrNull(list: readonly unknown[]): readonly unknown[] | null {
  return list.length === 0 ? null : list;
}
