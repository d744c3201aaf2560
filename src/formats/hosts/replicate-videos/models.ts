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
import { replicateModel } from '../shared/replicate-predictions.ts';

/* The `input` members of each model (replicate.com/{owner}/{name}/api). */

const WIDE_OR_TALL = ['16:9', '9:16'];
const KLING_RATIOS = ['16:9', '9:16', '1:1'];
const SEEDANCE_RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', '9:21'];
const LUMA_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'];

const VEO_3: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  length: seconds([4, 6, 8], 8),
  ratio: shapes(WIDE_OR_TALL, false),
  resolution: heights('1080p', '720p'),
  sound: { member: 'generate_audio', usual: true },
  hasNegativePrompt: true,
  hasSeed: true,
};
const VEO_31: VideoModel = {
  ...VEO_3,
  lastImage: 'last_frame',
  references: { member: 'reference_images', most: 3 },
};
const VEO_2: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  length: seconds({ least: 5, most: 8 }, 5),
  ratio: shapes(WIDE_OR_TALL, false),
  resolution: fixedHeight('720p'),
  hasSeed: true,
};

const KLING: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'start_image',
  length: seconds([5, 10], 5),
  ratio: shapes(KLING_RATIOS, true),
  resolution: fixedHeight('720p'),
  hasNegativePrompt: true,
};
const KLING_PRO: VideoModel = { ...KLING, lastImage: 'end_image', resolution: fixedHeight('1080p') };
const KLING_REFERENCES = { member: 'reference_images', most: 4 };
/** The model always needs an image, and its mode determines the resolution. */
const KLING_21: VideoModel = {
  ...KLING,
  lastImage: 'end_image',
  ratio: null,
  resolution: { member: 'mode', words: { '720p': 'standard', '1080p': 'pro' }, usual: '720p' },
};
const KLING_O1: VideoModel = {
  ...KLING,
  lastImage: 'end_image',
  references: { member: 'reference_images', most: 7 },
  length: seconds({ least: 3, most: 10 }, 5),
  resolution: { member: 'mode', words: { '720p': 'std', '1080p': 'pro' }, usual: '1080p' },
  hasNegativePrompt: false,
};

const VIDEO_01: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'first_frame_image',
  length: fixedLength(6),
  resolution: fixedHeight('720p'),
};
const HAILUO_02: VideoModel = {
  ...VIDEO_01,
  lastImage: 'last_frame_image',
  length: seconds([6, 10], 6),
  resolution: heights('1080p', '768p', '512p'),
};
const HAILUO_23: VideoModel = { ...HAILUO_02, lastImage: null, resolution: heights('768p', '1080p') };

const SEEDANCE_PRO: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  lastImage: 'last_frame_image',
  length: seconds({ least: 2, most: 12 }, 5),
  ratio: shapes(SEEDANCE_RATIOS, true),
  resolution: heights('1080p', '720p', '480p'),
  hasSeed: true,
};
const SEEDANCE_2: VideoModel = {
  ...SEEDANCE_PRO,
  references: { member: 'reference_images', most: 9 },
  length: seconds({ least: 4, most: 15 }, 5),
  ratio: shapes(SEEDANCE_RATIOS, false),
  resolution: heights('720p', '480p'),
  sound: { member: 'generate_audio', usual: true },
};

/** The length is counted in frames, at sixteen per second. */
const WAN_22: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  lastImage: 'last_image',
  length: { member: 'num_frames', lengths: { least: 5, most: 7 }, usual: 5, as: { fps: 16 } },
  resolution: heights('480p', '720p'),
  hasSeed: true,
};
const WAN_25: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  length: seconds([5, 10], 5),
  resolution: heights('720p', '480p', '1080p'),
  sound: 'always',
  hasNegativePrompt: true,
  hasSeed: true,
};

const LTX_2: VideoModel = {
  ...TEXT_ALONE,
  firstImage: 'image',
  length: seconds([6, 8, 10], 6),
  resolution: { member: 'resolution', words: { '1080p': '1080p', '1440p': '2k', '4k': '4k' }, usual: '1080p' },
  sound: { member: 'generate_audio', usual: true },
};

function ray(height: string): VideoModel {
  return {
    ...TEXT_ALONE,
    firstImage: 'start_image',
    lastImage: 'end_image',
    length: seconds([5, 9], 5),
    ratio: shapes(LUMA_RATIOS, false),
    resolution: fixedHeight(height),
  };
}

const MODELS: Readonly<Record<string, VideoModel>> = {
  'google/veo-2': VEO_2,
  'google/veo-3': VEO_3,
  'google/veo-3-fast': VEO_3,
  'google/veo-3.1': VEO_31,
  'google/veo-3.1-fast': { ...VEO_31, references: null },
  'kwaivgi/kling-v1.6-standard': { ...KLING, references: KLING_REFERENCES },
  'kwaivgi/kling-v1.6-pro': { ...KLING_PRO, references: KLING_REFERENCES },
  'kwaivgi/kling-v2.0': KLING,
  'kwaivgi/kling-v2.1': KLING_21,
  'kwaivgi/kling-v2.1-master': { ...KLING_PRO, lastImage: null },
  'kwaivgi/kling-v2.5-turbo-pro': KLING_PRO,
  'kwaivgi/kling-o1': KLING_O1,
  'minimax/video-01': VIDEO_01,
  'minimax/video-01-live': VIDEO_01,
  'minimax/video-01-director': VIDEO_01,
  'minimax/hailuo-02': HAILUO_02,
  'minimax/hailuo-02-fast': { ...VIDEO_01, length: seconds([6, 10], 6), resolution: heights('512p') },
  'minimax/hailuo-2.3': HAILUO_23,
  'bytedance/seedance-1-pro': SEEDANCE_PRO,
  'bytedance/seedance-1-pro-fast': { ...SEEDANCE_PRO, lastImage: null },
  'bytedance/seedance-1-lite': {
    ...SEEDANCE_PRO,
    references: { member: 'reference_images', most: 4 },
    resolution: heights('720p', '480p', '1080p'),
  },
  'bytedance/seedance-2.0': SEEDANCE_2,
  'bytedance/seedance-2.0-fast': SEEDANCE_2,
  'wan-video/wan-2.2-i2v-fast': WAN_22,
  'wan-video/wan-2.2-t2v-fast': {
    ...WAN_22,
    firstImage: null,
    lastImage: null,
    ratio: shapes(WIDE_OR_TALL, false),
  },
  'wan-video/wan-2.5-i2v': WAN_25,
  'wan-video/wan-2.5-i2v-fast': { ...WAN_25, resolution: heights('720p', '1080p') },
  'lightricks/ltx-2-fast': { ...LTX_2, length: seconds([6, 8, 10, 12, 14, 16, 18, 20], 6) },
  'lightricks/ltx-2-pro': LTX_2,
  'luma/ray-2-540p': ray('540p'),
  'luma/ray-2-720p': ray('720p'),
  'luma/ray-flash-2-540p': ray('540p'),
  'luma/ray-flash-2-720p': ray('720p'),
};

const USUAL = usualVideo('image', 'last_frame_image', 'reference_images', 'video');

/** Returns a model's rules. */
export function replicateVideo(id: string): VideoModel {
  return replicateModel(MODELS, USUAL, id);
}

/** The names in the table, for tests. */
export const REPLICATE_VIDEOS: readonly string[] = Object.keys(MODELS);
