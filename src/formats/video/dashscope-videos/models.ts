import type { Lengths } from '../../shared/tasks/generation-request.ts';
import type { PixelFrames } from '../shared/pixel-frames.ts';

/** The rules of a Wan model (alibabacloud.com/help/en/model-studio, "Wan" API references). */
export interface WanModel {
  /**
   * Where the images go: `input.img_url` (`first`), `input.first_frame_url` and `last_frame_url` at a separate endpoint
   * (`frames`), the list `input.media` of later models (`media`), or nowhere (`none`).
   */
  readonly input: 'none' | 'first' | 'frames' | 'media';
  /** The frames by resolution. */
  readonly frames: PixelFrames;
  /** How frames are expressed: in pixels (`size`), as a resolution's name (`resolution`), or as a name with a ratio. */
  readonly shape: 'size' | 'resolution' | 'ratio';
  readonly usualResolution: string;
  readonly lengths: Lengths;
  /** `optional`: a member controls sound, and it is on by default. */
  readonly sound: 'none' | 'always' | 'optional';
  readonly hasNegativePrompt: boolean;
  readonly hasFirst: boolean;
  readonly hasLast: boolean;
  readonly needsImage: boolean;
  readonly mostReferences: number;
  /** Frames and references are different modes. */
  readonly isEither: boolean;
  /** The type of the video in the media list. */
  readonly video: 'first_clip' | 'reference_video' | 'video' | null;
}

const P480 = ['832x480', '480x832', '624x624'];
const P720 = ['1280x720', '720x1280', '960x960', '1088x832', '832x1088'];
const P1080 = ['1920x1080', '1080x1920', '1440x1440', '1632x1248', '1248x1632'];

const TEXT: WanModel = {
  input: 'none',
  frames: { '720p': P720, '1080p': P1080 },
  shape: 'size',
  usualResolution: '1080p',
  lengths: { least: 2, most: 15 },
  sound: 'always',
  hasNegativePrompt: true,
  hasFirst: false,
  hasLast: false,
  needsImage: false,
  mostReferences: 0,
  isEither: false,
  video: null,
};
const IMAGE: WanModel = { ...TEXT, input: 'first', shape: 'resolution', hasFirst: true, needsImage: true };
const MEDIA: WanModel = { ...TEXT, input: 'media', shape: 'ratio' };
const ALL: PixelFrames = { '480p': P480, '720p': P720, '1080p': P1080 };
const TEXT_2: WanModel = { ...TEXT, lengths: [5], sound: 'none' };
const IMAGE_2: WanModel = { ...IMAGE, lengths: [5], sound: 'none' };

/** Ids of versions end with a day, and regional ids with `-us`. */
const FAMILIES: readonly (readonly [RegExp, WanModel])[] = [
  [
    /^wan3\.\d+-video/,
    {
      ...MEDIA,
      frames: ALL,
      lengths: { least: 2, most: 30 },
      sound: 'optional',
      hasNegativePrompt: false,
      hasFirst: true,
      hasLast: true,
      mostReferences: 10,
      isEither: true,
      video: 'reference_video',
    },
  ],
  [/^wan2\.7-t2v/, MEDIA],
  [/^wan2\.7-i2v/, { ...MEDIA, shape: 'resolution', hasFirst: true, hasLast: true, video: 'first_clip' }],
  [/^wan2\.7-r2v/, { ...MEDIA, hasFirst: true, mostReferences: 5, video: 'reference_video' }],
  [/^wan2\.7-videoedit/, { ...MEDIA, lengths: { least: 2, most: 10 }, mostReferences: 3, video: 'video' }],
  [/^wan2\.6-t2v/, TEXT],
  [/^wan2\.6-i2v-flash/, { ...IMAGE, sound: 'optional' }],
  [/^wan2\.6-i2v/, IMAGE],
  [/^wan2\.5-t2v/, { ...TEXT, frames: ALL, lengths: [5, 10] }],
  [/^wan2\.5-i2v/, { ...IMAGE, frames: ALL, lengths: [5, 10] }],
  [/^wanx?2\.[12]-kf2v/, { ...IMAGE_2, input: 'frames', frames: ALL, usualResolution: '720p', hasLast: true }],
  [/^wan2\.2-t2v/, { ...TEXT_2, frames: { '480p': P480, '1080p': P1080 } }],
  [/^wan2\.2-i2v-flash/, { ...IMAGE_2, frames: ALL, usualResolution: '720p' }],
  [/^wan2\.2-i2v/, { ...IMAGE_2, frames: { '480p': P480, '1080p': P1080 } }],
  [/^wanx?2\.1-t2v/, { ...TEXT_2, frames: { '480p': P480, '720p': P720 }, usualResolution: '720p' }],
  [
    /^wanx?2\.1-i2v/,
    { ...IMAGE_2, frames: { '480p': P480, '720p': P720 }, usualResolution: '720p', lengths: { least: 3, most: 5 } },
  ],
];

/** An unknown model is assumed to be one of the newest, which have one request shape for everything. */
const ANY: WanModel = {
  ...MEDIA,
  frames: ALL,
  lengths: { least: 1, most: 60 },
  sound: 'optional',
  hasFirst: true,
  hasLast: true,
  mostReferences: 10,
  video: 'reference_video',
};

export function wanModel(id: string): WanModel {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? ANY;
}
