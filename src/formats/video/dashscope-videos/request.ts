import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio } from '../../../domain/images/image-size.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { nearestFrame } from '../shared/pixel-frames.ts';
import { apartFromFrames, imagesCarried, referencesRefused, soundLoss, urlOrNull } from '../shared/video-images.ts';
import { type WanModel, wanModel } from './models.ts';

/** Videos are made only in the background, which this header requests. */
const ASYNC_HEADER = { 'x-dashscope-async': 'enable' };

const USUAL_SECONDS = 5;
/** Options that are members of `input`; all others belong to `parameters`. */
const INPUT_OPTIONS: ReadonlySet<string> = new Set([
  'audio_url',
  'template',
  'reference_voice',
  'reference_video_urls',
]);

/** Implements `TaskWire.asks`. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = wanModel(upstreamModel);
  const { resolution } = shapeOf(request, model);
  const traits = model.sound === 'always' || (model.sound === 'optional' && request.audio !== false) ? ['audio'] : [];
  return { count: 1, seconds: lengthOf(request, model).seconds, resolution, traits };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const model = wanModel(upstreamModel);
  const refusal = unfit(request, model);
  if (refusal !== null) return refusal;
  const lost = videoLosses(request, {
    ...imagesCarried(model),
    ...(model.video !== null && { videoUrl: 'exact' }),
    ...(model.sound !== 'none' && { audio: 'exact' }),
    ...(model.hasNegativePrompt && { negativePrompt: 'exact' }),
    ...{ duration: 'exact', ...SHAPE, seed: 'exact' },
  });
  if (lost instanceof Failure) return lost;
  const shape = shapeOf(request, model);
  const length = lengthOf(request, model);
  const silent = model.sound === 'always' ? soundLoss(request) : [];
  const members: Members = {
    model: upstreamModel,
    input: {
      prompt: request.prompt === '' ? null : request.prompt,
      negative_prompt: model.hasNegativePrompt ? request.negativePrompt : null,
      ...(await mediaOf(request, model)),
    },
    parameters: {
      ...shape.members,
      duration: length.seconds,
      seed: request.seed,
      audio: model.sound === 'optional' ? request.audio : null,
    },
  };
  const losses = [...lost, ...shape.losses, ...length.losses, ...silent];
  const service = model.input === 'frames' ? 'image2video' : 'video-generation';
  return jsonRequest(members, { options: placed(request.options) }, losses, {
    headers: ASYNC_HEADER,
    suffix: `/services/aigc/${service}/video-synthesis`,
  });
}

/** Returns the client's options in the places that the provider expects; a client may write `input` or `parameters` itself. */
function placed(options: VideoRequest['options']): Members {
  const input: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  const top: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const place = name === 'input' || name === 'parameters' ? top : INPUT_OPTIONS.has(name) ? input : parameters;
    Object.defineProperty(place, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return {
    ...top,
    ...(Object.keys(input).length > 0 && !('input' in top) && { input }),
    ...(Object.keys(parameters).length > 0 && !('parameters' in top) && { parameters }),
  };
}

function unfit(request: VideoRequest, model: WanModel): Failure | null {
  const { firstImage, lastImage, referenceImages, videoUrl, options } = request;
  if (model.needsImage && firstImage === null) return refused('prompt', 'this model also requires `image_url`');
  if (model.input === 'frames' && lastImage === null)
    return refused('prompt', 'this model also requires `end_image_url`');
  if (model.video === 'video' && videoUrl === null) return refused('prompt', 'this model also requires `video_url`');
  const hasReferences = referenceImages.length > 0 || (videoUrl !== null && model.video !== 'first_clip');
  if (model.isEither && (firstImage ?? lastImage) !== null && hasReferences) {
    return apartFromFrames(referenceImages.length > 0 ? 'reference_image_urls' : 'video_url');
  }
  if (model.video === 'first_clip' && videoUrl !== null && firstImage !== null) {
    return refused('image_url', 'it does not accept a first image with a video to continue');
  }
  return referencesRefused(request, model.mostReferences) ?? lengthInOptions(options);
}

/** Refuses options that affect the price and have a dedicated client field. */
function lengthInOptions(options: VideoRequest['options']): Failure | null {
  for (const name of ['duration', 'resolution', 'size']) {
    if (Object.hasOwn(options, name)) return refused(`provider_options.${name}`, `\`${name}\` itself says it`);
  }
  return null;
}

function lengthOf(request: VideoRequest, { lengths }: WanModel) {
  const { seconds, losses } = nearestLength(request, lengths);
  return { seconds: seconds ?? USUAL_SECONDS, losses };
}

interface Shape {
  readonly members: Members;
  readonly resolution: string;
  readonly losses: readonly Loss[];
}

const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4'];

/** Always sends the resolution, so that the price is known. */
function shapeOf(request: VideoRequest, { frames, shape, usualResolution }: WanModel): Shape {
  const chosen = nearestFrame(request, frames, usualResolution);
  const { resolution, pixels } = chosen;
  if (shape === 'size') return { members: { size: `${pixels.width}*${pixels.height}` }, ...chosen };
  const members = { resolution: resolution.toUpperCase() };
  const isShaped = request.size !== null || request.aspectRatio !== null;
  if (!isShaped) return { members, resolution, losses: chosen.losses };
  if (shape === 'ratio') {
    const ratio = nearestRatio({ size: pixels, aspectRatio: null }, RATIOS).value;
    return { members: { ...members, ratio }, resolution, losses: chosen.losses };
  }
  const why = 'the video has the shape of its image';
  const losses: readonly Loss[] =
    request.size === null
      ? [
          ...chosen.losses.filter(({ field }) => field === 'resolution'),
          { field: 'aspect_ratio', verdict: 'dropped', why },
        ]
      : [{ field: 'size', verdict: 'approximated', why: `it becomes ${resolution}; ${why}` }];
  return { members, resolution, losses };
}

async function mediaOf(request: VideoRequest, { input, video }: WanModel): Promise<Members> {
  const { firstImage, lastImage, referenceImages, videoUrl } = request;
  const first = await urlOrNull(firstImage);
  if (input === 'none') return {};
  if (input === 'first') return { img_url: first };
  const last = await urlOrNull(lastImage);
  if (input === 'frames') return { first_frame_url: first, last_frame_url: last };
  const references = await Promise.all(referenceImages.map(imageUrl));
  const media = [
    ...(first === null ? [] : [{ type: 'first_frame', url: first }]),
    ...(videoUrl === null || video === null ? [] : [{ type: video, url: videoUrl }]),
    ...(last === null ? [] : [{ type: 'last_frame', url: last }]),
    ...references.map((url) => ({ type: 'reference_image', url })),
  ];
  return media.length === 0 ? {} : { media };
}
