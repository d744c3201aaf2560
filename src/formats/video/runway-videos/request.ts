import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { seedWithin } from '../../shared/seeds.ts';
import {
  type Carrying,
  nearestLength,
  SHAPE,
  type VideoKnob,
  videoLosses,
} from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { nearestFrame } from '../shared/pixel-frames.ts';
import { apartFromFrames, imagesCarried, referencesRefused, soundLoss, urlOrNull } from '../shared/video-images.ts';
import { shapeByImage, videoShape } from '../shared/video-shape.ts';
import { type RunwayEndpoint, type RunwayModel, runwayModel } from './models.ts';

/** The API's version. A request without it is refused. */
export const VERSION_HEADER = { 'x-runway-version': '2024-11-06' };

type Endpoint = 'text' | 'image' | 'video';

const PATHS: Readonly<Record<Endpoint, string>> = {
  text: '/text_to_video',
  image: '/image_to_video',
  video: '/video_to_video',
};

/** The largest seed at all endpoints (the published document). */
const LARGEST_SEED = 2 ** 32 - 1;

/** The option that raises the price per second, and its values; the default is MP4. */
const OUTPUT_FORMATS: readonly unknown[] = ['mp4', 'prores', 'png_sequence'];

/** Implements `TaskWire.asks`. */
export function asks(request: VideoRequest, { upstreamModel }: WireTarget): AskedWork {
  const model = runwayModel(upstreamModel);
  const endpoint = model[endpointOf(request)];
  if (endpoint === null) return { count: 1, seconds: null, resolution: null };
  const { outputFormat } = request.options;
  const isDearer = typeof outputFormat === 'string' && outputFormat !== 'mp4' && OUTPUT_FORMATS.includes(outputFormat);
  const traits = [...(hasSound(request, model) ? ['audio'] : []), ...(isDearer ? [outputFormat] : [])];
  const seconds = endpoint.lengths === null ? null : lengthOf(request, endpoint).seconds;
  return { count: 1, seconds, resolution: frameOf(request, endpoint, upstreamModel).resolution, traits };
}

export async function encodeRequest(
  request: VideoRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const model = runwayModel(upstreamModel);
  const name = endpointOf(request);
  const endpoint = model[name];
  if (endpoint === null) return wrongEndpoint(request, model, name);
  const refusal = unfit(request, endpoint, name);
  if (refusal !== null) return refusal;
  const lost = videoLosses(request, carriedBy(endpoint, name, model));
  if (lost instanceof Failure) return lost;
  const length = endpoint.lengths === null ? null : lengthOf(request, endpoint);
  const frame = frameOf(request, endpoint, upstreamModel);
  const silent = model.sound === 'always' ? soundLoss(request) : [];
  const seed = endpoint.hasSeed ? seedWithin(request, LARGEST_SEED) : null;
  const members: Members = {
    model: upstreamModel,
    promptText: request.prompt === '' ? null : request.prompt,
    negativePrompt: endpoint.hasNegativePrompt ? request.negativePrompt : null,
    ...(await mediaOf(request, endpoint, name)),
    ...frame.members,
    duration: length?.seconds,
    seed: seed?.value,
    audio: model.sound === 'optional' ? request.audio : null,
  };
  const losses = [...lost, ...(length?.losses ?? []), ...frame.losses, ...(seed?.losses ?? []), ...silent];
  return jsonRequest(members, request, losses, { headers: VERSION_HEADER, suffix: PATHS[name] });
}

function endpointOf({ videoUrl, firstImage, lastImage }: VideoRequest): Endpoint {
  if (videoUrl !== null) return 'video';
  return firstImage !== null || lastImage !== null ? 'image' : 'text';
}

function wrongEndpoint({ firstImage }: VideoRequest, model: RunwayModel, name: Endpoint): Failure {
  if (name === 'video') return refused('video_url', 'this model cannot change a video');
  const image = firstImage === null ? 'end_image_url' : 'image_url';
  if (name === 'image') return refused(image, 'this model makes videos from videos');
  const needed = model.image === null ? 'video_url' : 'image_url';
  return refused('prompt', `this model also requires \`${needed}\``);
}

/** Refuses what the endpoint does not accept at all, or not in combination. */
function unfit(request: VideoRequest, endpoint: RunwayEndpoint, name: Endpoint): Failure | null {
  const { firstImage, lastImage, referenceImages, options } = request;
  if (request.prompt === '' && endpoint.needsPrompt) return refused('prompt', 'this model also requires text');
  if (name === 'video' && firstImage !== null)
    return refused('image_url', 'it does not accept a first image with a video');
  if (name === 'video' && lastImage !== null)
    return refused('end_image_url', 'it does not accept a last image with a video');
  if (name === 'image' && referenceImages.length > 0) return apartFromFrames();
  const tooMany = referencesRefused(request, endpoint.mostReferences);
  if (tooMany !== null) return tooMany;
  const { outputFormat } = options;
  if (outputFormat === undefined || OUTPUT_FORMATS.includes(outputFormat)) return null;
  return refused('provider_options.outputFormat', `it must be one of ${OUTPUT_FORMATS.join(', ')}`);
}

function carriedBy(endpoint: RunwayEndpoint, name: Endpoint, { sound }: RunwayModel): Carrying<VideoKnob> {
  const why = 'the video has the length of its source video';
  return {
    ...imagesCarried({ ...endpoint, hasFirst: name === 'image', hasLast: name === 'image' && endpoint.hasLast }),
    ...(name === 'video' && { videoUrl: 'exact' }),
    ...(endpoint.hasSeed && { seed: 'exact' }),
    ...(endpoint.hasNegativePrompt && { negativePrompt: 'exact' }),
    ...(sound !== 'none' && { audio: 'exact' }),
    duration: endpoint.lengths === null ? { verdict: 'dropped', why } : 'exact',
    ...SHAPE,
  };
}

function hasSound({ audio }: VideoRequest, { sound }: RunwayModel): boolean {
  return sound === 'always' || (sound === 'optional' && audio !== false);
}

function lengthOf(request: VideoRequest, { lengths, usualSeconds }: RunwayEndpoint) {
  const { seconds, losses } = nearestLength(request, lengths ?? []);
  return { seconds: seconds ?? usualSeconds, losses };
}

interface Frame {
  readonly members: Members;
  readonly resolution: string | null;
  readonly losses: readonly Loss[];
}

function frameOf(request: VideoRequest, endpoint: RunwayEndpoint, upstreamModel: string): Frame {
  const { frames, words } = endpoint;
  if (words !== null) return frameFromText(request, words, endpoint.video === 'videoUri');
  if (frames === null) return { members: {}, resolution: null, losses: shapeDropped(request) };
  const [usual = ''] = Object.keys(frames);
  const { pixels, resolution, losses } = nearestFrame(request, frames, usual);
  const isKnown = runwayModel(upstreamModel)[endpointOf(request)] !== runwayModel('')[endpointOf(request)];
  const { width, height } = isKnown ? pixels : (request.size ?? pixels);
  return {
    members: { ratio: `${width}:${height}` },
    resolution,
    losses: isKnown ? losses : losses.filter(({ field }) => field !== 'size'),
  };
}

function frameFromText(
  request: VideoRequest,
  { ratios, resolutions }: { readonly ratios: readonly string[]; readonly resolutions: readonly string[] },
  isEdit: boolean,
): Frame {
  const shape = ratios.length === 0 ? shapeByImage(request, resolutions) : videoShape(request, { ratios, resolutions });
  const resolution = shape.resolution ?? resolutions[0] ?? null;
  // A request with text only needs a ratio; with an image, the image's shape is the default.
  const adapted = ratios.length === 0 ? null : endpointOf(request) === 'text' ? '16:9' : null;
  const ratio = isEdit ? { targetAspectRatio: shape.ratio } : { ratio: shape.ratio ?? adapted };
  return { members: { ...ratio, resolution: resolution?.toUpperCase() }, resolution, losses: shape.losses };
}

function shapeDropped({ size, aspectRatio, resolution }: VideoRequest): readonly Loss[] {
  const asked = { size, aspect_ratio: aspectRatio, resolution };
  return Object.entries(asked)
    .filter(([, value]) => value !== null)
    .map(([field]) => ({ field, verdict: 'dropped', why: 'the video has the shape of its source video' }));
}

async function mediaOf(request: VideoRequest, endpoint: RunwayEndpoint, name: Endpoint): Promise<Members> {
  const references = await Promise.all(request.referenceImages.map(async (image) => ({ uri: await imageUrl(image) })));
  const members = references.length === 0 ? {} : { references };
  if (name === 'video') return { ...members, [endpoint.video]: request.videoUrl };
  if (name === 'text') return members;
  const { firstImage, lastImage } = request;
  if (lastImage === null) return { promptImage: await urlOrNull(firstImage) };
  const first = firstImage === null ? [] : [{ uri: await imageUrl(firstImage), position: 'first' }];
  return { promptImage: [...first, { uri: await imageUrl(lastImage), position: 'last' }] };
}
