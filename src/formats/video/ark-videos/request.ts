import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { nearestLength, SHAPE, videoLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { nearestFrame, sizeOf } from '../shared/pixel-frames.ts';
import { apartFromFrames, imageParts, imagesCarried, referencesRefused } from '../shared/video-images.ts';
import { type ArkModel, arkModel, RATIOS } from './models.ts';

const USUAL_SECONDS = 5;
const FRAMES_PER_SECOND = 24;
/** The longest total length of reference videos; their frames are billed, too. */
const LONGEST_INPUT_SECONDS = 15;
const MOST_FRAMES = 3_600;
const PIXELS_PER_TOKEN = 1_024;

/**
 * Implements `TaskWire.asks`. "Pricing": a video has width × height × frames ÷ 1024 tokens, and one frame more than its seconds
 * have. If the model chooses the ratio, the largest frame of the resolution counts.
 */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = arkModel(upstreamModel);
  const { resolution, ratio, index } = shapeOf(request, model);
  const length = lengthOf(request, model);
  const sizes = (model.frames[resolution] ?? []).map(sizeOf).map(({ width, height }) => width * height);
  const pixels = ratio === null ? Math.max(...sizes) : (sizes[index] ?? Math.max(...sizes));
  const input = request.videoUrl === null ? 0 : LONGEST_INPUT_SECONDS * FRAMES_PER_SECOND;
  const outputTokens = Math.ceil((pixels * (length.frames + 1 + input)) / PIXELS_PER_TOKEN);
  const traits = model.hasSound && request.audio !== false ? ['audio'] : [];
  return { count: 1, seconds: length.frames / FRAMES_PER_SECOND, resolution, traits, outputTokens };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const model = arkModel(upstreamModel);
  const refusal = unfit(request, model);
  if (refusal !== null) return refusal;
  const lost = videoLosses(request, {
    ...imagesCarried(model),
    ...(model.hasVideo && { videoUrl: 'exact' }),
    ...(model.hasSound && { audio: 'exact' }),
    ...{ duration: 'exact', ...SHAPE, seed: 'exact', user: 'exact' },
  });
  if (lost instanceof Failure) return lost;
  const { resolution, ratio, losses } = shapeOf(request, model);
  const length = lengthOf(request, model);
  const members: Members = {
    model: upstreamModel,
    content: await contentOf(request),
    resolution,
    ratio,
    duration: length.isInFrames ? null : length.seconds,
    seed: request.seed,
    generate_audio: model.hasSound ? request.audio : null,
    safety_identifier: request.user,
  };
  return jsonRequest(members, request, [...lost, ...losses, ...length.losses]);
}

/** Refuses combinations: frames and references are different modes of the model. */
function unfit(request: VideoRequest, model: ArkModel): Failure | null {
  const { firstImage, lastImage, referenceImages, videoUrl, options } = request;
  const { frames } = options;
  if (frames !== undefined && !isFrameCount(frames)) {
    return refused('provider_options.frames', `it must be a whole number from 1 to ${MOST_FRAMES}`);
  }
  if (lastImage !== null && firstImage === null) {
    return refused('end_image_url', 'it also requires `image_url`, the first image');
  }
  if (firstImage !== null && (referenceImages.length > 0 || videoUrl !== null)) {
    return apartFromFrames(videoUrl === null ? 'reference_image_urls' : 'video_url');
  }
  return referencesRefused(request, model.mostReferences);
}

function isFrameCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_FRAMES;
}

interface Length {
  readonly seconds: number;
  readonly frames: number;
  /** Whether the client gives the number of frames (`provider_options.frames`), which overrides a length. */
  readonly isInFrames: boolean;
  readonly losses: readonly Loss[];
}

function lengthOf(request: VideoRequest, { lengths }: ArkModel): Length {
  const { frames } = request.options;
  if (isFrameCount(frames)) {
    const why = 'the request also has `provider_options.frames`, which is more specific';
    const losses: readonly Loss[] =
      request.durationSeconds === null ? [] : [{ field: 'duration', verdict: 'dropped', why }];
    return { seconds: frames / FRAMES_PER_SECOND, frames, isInFrames: true, losses };
  }
  const { seconds: asked, losses } = nearestLength(request, lengths);
  const seconds = asked ?? USUAL_SECONDS;
  return { seconds, frames: seconds * FRAMES_PER_SECOND, isInFrames: false, losses };
}

/** Returns a ratio of `null` if the model chooses it. */
function shapeOf(request: VideoRequest, { frames, usualResolution }: ArkModel) {
  const { resolution, index, losses } = nearestFrame(request, frames, usualResolution);
  const isShaped = request.size !== null || request.aspectRatio !== null;
  return { resolution, ratio: isShaped ? (RATIOS[index] ?? null) : null, index, losses };
}

async function contentOf(request: VideoRequest): Promise<unknown> {
  const { prompt, videoUrl } = request;
  return [
    ...(prompt === '' ? [] : [{ type: 'text', text: prompt }]),
    ...(await imageParts(request)),
    ...(videoUrl === null ? [] : [{ type: 'video_url', video_url: { url: videoUrl }, role: 'reference_video' }]),
  ];
}
