import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import {
  fixedHeight,
  fixedLength,
  heights,
  seconds,
  shapes,
  TEXT_ALONE,
  usualVideo,
  type VideoModel,
} from '../shared/hosted-videos.ts';

/*
 * The members of each model (fal.ai/models/{id}/llms.txt). A model has an endpoint for each kind of starting point; a client may
 * name any of them.
 */

/** The endpoints of a model; absent ones do not exist. */
interface FalVideos {
  /** The members that all endpoints have in common. */
  readonly model: VideoModel;
  /** Replaces `text-to-video` in the id, or is appended. */
  readonly image?: Endpoint;
  /** There is no endpoint for text without an image. */
  readonly needsImage?: true;
  readonly references?: Endpoint;
  /** The endpoint for a first and a last image together, if it is a different one. */
  readonly ends?: Endpoint;
}

interface Endpoint {
  readonly name: string;
  /** Differences from the members that all endpoints of the model have. */
  readonly takes: Partial<VideoModel>;
}

const WIDE_OR_TALL = ['16:9', '9:16'];
const AND_SQUARE = [...WIDE_OR_TALL, '1:1'];
const SEEDANCE_RATIOS = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'];

function beginning(firstImage: string, lastImage: string | null = null, takes: Partial<VideoModel> = {}): Endpoint {
  return { name: 'image-to-video', takes: { firstImage, lastImage, ...takes } };
}

const VEO: VideoModel = {
  ...TEXT_ALONE,
  length: seconds([4, 6, 8], 8, 'text with s'),
  ratio: shapes(WIDE_OR_TALL, false),
  resolution: heights('720p', '1080p'),
  sound: { member: 'generate_audio', usual: true },
  hasNegativePrompt: true,
  hasSeed: true,
};
const VEO_3: FalVideos = { model: VEO, image: beginning('image_url') };
const VEO_31: FalVideos = {
  model: { ...VEO, resolution: heights('720p', '1080p', '4k') },
  image: beginning('image_url'),
  ends: {
    name: 'first-last-frame-to-video',
    takes: { firstImage: 'first_frame_url', lastImage: 'last_frame_url' },
  },
};
const VEO_31_FULL: FalVideos = {
  ...VEO_31,
  references: {
    name: 'reference-to-video',
    takes: {
      references: { member: 'image_urls', most: 3 },
      length: seconds([8], 8, 'text with s'),
      hasNegativePrompt: false,
      hasSeed: false,
    },
  },
};

const KLING_MODEL: VideoModel = {
  ...TEXT_ALONE,
  length: seconds([5, 10], 5, 'text'),
  ratio: shapes(AND_SQUARE, true),
  hasNegativePrompt: true,
};

function kling(height: string, lastImage: string | null): FalVideos {
  return { model: { ...KLING_MODEL, resolution: fixedHeight(height) }, image: beginning('image_url', lastImage) };
}

function hailuo(model: Partial<VideoModel>, image: Endpoint): FalVideos {
  return { model: { ...TEXT_ALONE, length: fixedLength(6), ...model }, image };
}

/** Image endpoints offer the two resolutions that the model calls `512P` and `768P`. */
const HAILUO_HEIGHTS = { member: 'resolution', words: { '768p': '768P', '512p': '512P' }, usual: '768p' } as const;

const HAILUO_STANDARD = { length: seconds([6, 10], 6, 'text'), resolution: fixedHeight('768p') };
const HAILUO_PRO = { resolution: fixedHeight('1080p') };

function seedance(model: Partial<VideoModel>, lastImage: string | null): FalVideos {
  return {
    model: {
      ...TEXT_ALONE,
      length: seconds({ least: 2, most: 12 }, 5, 'text'),
      ratio: shapes(SEEDANCE_RATIOS, false),
      resolution: heights('1080p', '720p', '480p'),
      hasSeed: true,
      ...model,
    },
    image: beginning('image_url', lastImage),
  };
}

/** The length is counted in frames, at sixteen per second. */
const WAN_22: FalVideos = {
  model: {
    ...TEXT_ALONE,
    length: { member: 'num_frames', lengths: { least: 1, most: 10 }, usual: 5, as: { fps: 16 } },
    ratio: shapes(AND_SQUARE, false),
    resolution: heights('720p', '480p', '580p'),
    hasNegativePrompt: true,
    hasSeed: true,
  },
  image: beginning('image_url', 'end_image_url'),
};
const WAN_25: FalVideos = {
  model: {
    ...TEXT_ALONE,
    length: seconds([5, 10], 5, 'text'),
    ratio: shapes(AND_SQUARE, true),
    resolution: heights('1080p', '720p', '480p'),
    sound: 'always',
    hasNegativePrompt: true,
    hasSeed: true,
  },
  image: beginning('image_url'),
};

const RAY: FalVideos = {
  model: {
    ...TEXT_ALONE,
    length: seconds([5, 9], 5, 'text with s'),
    ratio: shapes(['16:9', '9:16', '4:3', '3:4', '21:9', '9:21'], false),
    resolution: heights('540p', '720p', '1080p'),
  },
  image: beginning('image_url', 'end_image_url'),
};

function ltx(lengths: readonly number[]): FalVideos {
  return {
    model: {
      ...TEXT_ALONE,
      length: seconds(lengths, 6),
      resolution: {
        member: 'resolution',
        words: { '1080p': '1080p', '1440p': '1440p', '4k': '2160p' },
        usual: '1080p',
      },
      sound: { member: 'generate_audio', usual: true },
    },
    image: beginning('image_url'),
  };
}

/** Models by the id of their text endpoint, without the part that names the endpoint. */
const MODELS: Readonly<Record<string, FalVideos>> = {
  'fal-ai/veo3': VEO_3,
  'fal-ai/veo3/fast': VEO_3,
  'fal-ai/veo3.1': VEO_31_FULL,
  'fal-ai/veo3.1/fast': VEO_31,
  'fal-ai/veo3.1/lite': { model: VEO, image: beginning('image_url') },
  'fal-ai/kling-video/v1.6/standard': kling('720p', null),
  'fal-ai/kling-video/v1.6/pro': kling('1080p', 'tail_image_url'),
  'fal-ai/kling-video/v2/master': kling('1080p', null),
  'fal-ai/kling-video/v2.1/standard': { ...kling('720p', null), needsImage: true },
  'fal-ai/kling-video/v2.1/pro': { ...kling('1080p', 'tail_image_url'), needsImage: true },
  'fal-ai/kling-video/v2.1/master': kling('1080p', null),
  'fal-ai/kling-video/v2.5-turbo/standard': kling('720p', null),
  'fal-ai/kling-video/v2.5-turbo/pro': kling('1080p', 'tail_image_url'),
  'fal-ai/minimax/video-01': hailuo({ resolution: fixedHeight('720p') }, beginning('image_url')),
  'fal-ai/minimax/hailuo-02/standard': hailuo(
    HAILUO_STANDARD,
    beginning('image_url', 'end_image_url', { resolution: HAILUO_HEIGHTS }),
  ),
  'fal-ai/minimax/hailuo-02/pro': hailuo(HAILUO_PRO, beginning('image_url', 'end_image_url')),
  'fal-ai/minimax/hailuo-02-fast': {
    ...hailuo({ ...HAILUO_STANDARD, resolution: fixedHeight('512p') }, beginning('image_url')),
    needsImage: true,
  },
  'fal-ai/minimax/hailuo-2.3/standard': hailuo(HAILUO_STANDARD, beginning('image_url')),
  'fal-ai/minimax/hailuo-2.3/pro': hailuo(HAILUO_PRO, beginning('image_url')),
  'fal-ai/bytedance/seedance/v1/pro': seedance({}, 'end_image_url'),
  'fal-ai/bytedance/seedance/v1/pro/fast': seedance({}, null),
  'fal-ai/bytedance/seedance/v1/lite': {
    ...seedance({ resolution: heights('720p', '480p', '1080p') }, 'end_image_url'),
    references: {
      name: 'reference-to-video',
      takes: { references: { member: 'reference_image_urls', most: 4 }, resolution: heights('720p', '480p') },
    },
  },
  'fal-ai/bytedance/seedance/v1.5/pro': seedance(
    {
      length: seconds({ least: 4, most: 12 }, 5, 'text'),
      resolution: heights('720p', '480p', '1080p'),
      sound: { member: 'generate_audio', usual: true },
    },
    'end_image_url',
  ),
  'fal-ai/wan/v2.2-a14b': WAN_22,
  'fal-ai/wan-25-preview': WAN_25,
  'fal-ai/luma-dream-machine/ray-2': RAY,
  'fal-ai/luma-dream-machine/ray-2-flash': RAY,
  'fal-ai/ltx-2': ltx([6, 8, 10]),
  'fal-ai/ltx-2/fast': ltx([6, 8, 10, 12, 14, 16, 18, 20]),
};

const USUAL = usualVideo('image_url', 'end_image_url', 'reference_image_urls', 'video_url');

/** The parts of ids that name an endpoint's starting point. */
const ENDPOINT = /^(?:text|image|reference|video|first-last-frame)-to-video$/;
const FROM_TEXT = 'text-to-video';

/** Returns the endpoint for this request, and its members. */
export function falVideo(id: string, request: VideoRequest): { readonly endpoint: string; readonly model: VideoModel } {
  const segments = id.split('/');
  const place = segments.findIndex((segment) => ENDPOINT.test(segment));
  const name = segments.filter((_, at) => at !== place).join('/');
  const known = entryOf(MODELS, name);
  // An unknown id without such a part may belong to any endpoint.
  if (known === undefined)
    return { endpoint: elsewhere(segments, place, usualEndpoint(segments[place], request)), model: USUAL };
  const wanted = endpointOf(known, request);
  const model = { ...known.model, ...wanted?.takes };
  const isNamed = segments[place] === wanted?.name || (wanted === null && segments[place] === FROM_TEXT);
  if (isNamed) return { endpoint: id, model };
  if (place >= 0) return { endpoint: elsewhere(segments, place, wanted?.name ?? textEndpoint(name)), model };
  return { endpoint: wanted === null ? id : `${id}/${wanted.name}`, model };
}

/** Models whose text endpoint has no such part in its id. */
const PLAIN: readonly string[] = ['fal-ai/veo', 'fal-ai/luma-dream-machine/', 'fal-ai/minimax/video-01'];

function textEndpoint(name: string): string {
  return PLAIN.some((prefix) => name.startsWith(prefix)) ? '' : FROM_TEXT;
}

function endpointOf({ image, references, ends, needsImage }: FalVideos, request: VideoRequest): Endpoint | null {
  const { firstImage, lastImage, referenceImages } = request;
  if (referenceImages.length > 0 && references !== undefined) return references;
  if (lastImage !== null && ends !== undefined) return ends;
  const hasImage = firstImage !== null || lastImage !== null || needsImage === true;
  return hasImage && image !== undefined ? image : null;
}

/** Returns the endpoint for a request. A text-to-video endpoint would silently ignore an image. */
function usualEndpoint(named: string | undefined, { firstImage, lastImage, referenceImages }: VideoRequest): string {
  if (named !== FROM_TEXT) return named ?? '';
  if (referenceImages.length > 0) return 'reference-to-video';
  return firstImage === null && lastImage === null ? named : 'image-to-video';
}

/** Returns the id with this segment replaced; an empty name removes it. */
function elsewhere(segments: readonly string[], place: number, name: string): string {
  return segments.flatMap((segment, at) => (at !== place ? [segment] : name === '' ? [] : [name])).join('/');
}

/** The names in the table, for tests. */
export const FAL_VIDEOS: readonly string[] = Object.keys(MODELS);
