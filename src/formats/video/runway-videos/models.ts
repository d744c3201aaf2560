import { entryOf } from '../../shared/json/record.ts';
import type { Lengths } from '../../shared/tasks/generation-request.ts';
import type { PixelFrames } from '../shared/pixel-frames.ts';

/** The rules of one model at one endpoint (docs.dev.runwayml.com, API reference of 2024-11-06). */
export interface RunwayEndpoint {
  /** The frames by resolution, the default resolution first; `null` if the endpoint takes none. */
  readonly frames: PixelFrames | null;
  /**
   * A ratio and a resolution (`768P`) instead of pixels, the default resolution first; a list is empty if there is no such
   * member.
   */
  readonly words: { readonly ratios: readonly string[]; readonly resolutions: readonly string[] } | null;
  /** `null` if the video has the length of its source video. */
  readonly lengths: Lengths | null;
  /** The length that is requested if the client gives none, so that the price is known. */
  readonly usualSeconds: number;
  readonly needsPrompt: boolean;
  readonly hasSeed: boolean;
  readonly hasNegativePrompt: boolean;
  /** Whether the endpoint accepts a last image. */
  readonly hasLast: boolean;
  readonly mostReferences: number;
  /** The member for the video to edit. */
  readonly video: 'videoUri' | 'promptVideo';
}

/** `optional`: a member controls sound, and it is on by default. */
export type RunwaySound = 'none' | 'always' | 'optional';

export interface RunwayModel {
  readonly text: RunwayEndpoint | null;
  readonly image: RunwayEndpoint | null;
  readonly video: RunwayEndpoint | null;
  readonly sound: RunwaySound;
}

const WIDE = ['1280x720', '720x1280'];
const HD: PixelFrames = { '720p': WIDE };
const FULL_HD: PixelFrames = { '720p': WIDE, '1080p': ['1920x1080', '1080x1920'] };
const GEN_4: PixelFrames = { '720p': [...WIDE, '1104x832', '960x960', '832x1104', '1584x672'] };
const HAPPY_HORSE: PixelFrames = {
  '720p': [...WIDE, '960x960', '1108x832', '832x1108'],
  '1080p': ['1920x1080', '1080x1920', '1440x1440', '1662x1248', '1248x1662'],
};
const SEEDANCE_720 = [...WIDE, '960x960', '1112x834', '834x1112', '1470x630'];
const SEEDANCE: PixelFrames = {
  '720p': SEEDANCE_720,
  '480p': ['864x496', '496x864', '640x640', '752x560', '560x752', '992x432'],
};
const SEEDANCE_2_5: PixelFrames = {
  '720p': SEEDANCE_720,
  '480p': ['854x480', '480x854', '640x640', '752x560', '560x752', '992x432'],
};
const SEEDANCE_4K: PixelFrames = {
  ...SEEDANCE,
  '1080p': ['1920x1080', '1080x1920', '1440x1440', '1664x1248', '1248x1664', '2206x946'],
  '4k': ['3840x2160', '2160x3840', '3840x3840', '3840x2880', '2880x3840', '3840x1646'],
};
const HAILUO_WORDS = { ratios: ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'], resolutions: ['768p', '2k'] };

const PLAIN: RunwayEndpoint = {
  frames: HD,
  words: null,
  lengths: { least: 2, most: 10 },
  usualSeconds: 5,
  needsPrompt: false,
  hasSeed: false,
  hasNegativePrompt: false,
  hasLast: false,
  mostReferences: 0,
  video: 'promptVideo',
};

const GEN_4_5: RunwayModel = {
  text: { ...PLAIN, needsPrompt: true, hasSeed: true },
  image: { ...PLAIN, frames: GEN_4, needsPrompt: true, hasSeed: true },
  video: null,
  sound: 'none',
};
const GEN_4_TURBO: RunwayModel = {
  text: null,
  image: { ...PLAIN, frames: GEN_4, hasSeed: true },
  video: null,
  sound: 'none',
};
const VEO_ENDPOINT: RunwayEndpoint = {
  ...PLAIN,
  frames: FULL_HD,
  lengths: [4, 6, 8],
  usualSeconds: 8,
  hasNegativePrompt: true,
};
const VEO: RunwayModel = {
  text: { ...VEO_ENDPOINT, needsPrompt: true },
  image: { ...VEO_ENDPOINT, hasLast: true },
  video: null,
  sound: 'optional',
};
const HAILUO_ENDPOINT: RunwayEndpoint = {
  ...PLAIN,
  frames: null,
  words: HAILUO_WORDS,
  lengths: { least: 5, most: 15 },
  needsPrompt: true,
  mostReferences: 9,
};
const HAILUO: RunwayModel = {
  text: HAILUO_ENDPOINT,
  image: { ...HAILUO_ENDPOINT, hasLast: true, mostReferences: 0 },
  video: HAILUO_ENDPOINT,
  sound: 'always',
};
const HAPPY: RunwayModel = {
  text: { ...PLAIN, frames: HAPPY_HORSE, lengths: { least: 3, most: 15 }, needsPrompt: true },
  image: {
    ...PLAIN,
    frames: null,
    words: { ratios: [], resolutions: ['720p', '1080p'] },
    lengths: { least: 3, most: 15 },
  },
  video: null,
  sound: 'always',
};
const OMNI: RunwayModel = {
  text: { ...PLAIN, lengths: { least: 3, most: 10 }, needsPrompt: true },
  image: { ...PLAIN, lengths: { least: 3, most: 10 } },
  video: { ...PLAIN, frames: null, lengths: null, needsPrompt: true, mostReferences: 5, video: 'videoUri' },
  sound: 'always',
};
const ALEPH: RunwayModel = {
  text: null,
  image: null,
  video: {
    ...PLAIN,
    frames: null,
    words: { ratios: ['16:9', '4:3', '3:2', '1:1', '2:3', '3:4', '9:16', '21:9'], resolutions: [] },
    lengths: null,
    hasSeed: true,
    video: 'videoUri',
  },
  sound: 'none',
};

function seedance(frames: PixelFrames, longest: number, mostReferences: number): RunwayModel {
  const endpoint: RunwayEndpoint = { ...PLAIN, frames, lengths: { least: 4, most: longest }, mostReferences };
  return {
    text: { ...endpoint, needsPrompt: true },
    image: { ...endpoint, hasLast: true, mostReferences: 0 },
    video: endpoint,
    sound: 'optional',
  };
}

const MODELS: Readonly<Record<string, RunwayModel>> = {
  'gen4.5': GEN_4_5,
  gen4_turbo: GEN_4_TURBO,
  'veo3.1': VEO,
  'veo3.1_fast': VEO,
  hailuo3: HAILUO,
  happyhorse_1_0: HAPPY,
  seedance2: seedance(SEEDANCE_4K, 15, 9),
  seedance2_fast: seedance(SEEDANCE, 15, 9),
  seedance2_mini: seedance(SEEDANCE, 15, 9),
  seedance2_5: seedance(SEEDANCE_2_5, 30, 30),
  gemini_omni_flash: OMNI,
  aleph2: ALEPH,
};

/** An unknown model may have any of the members, and gets the client's values. */
const ANY_ENDPOINT: RunwayEndpoint = {
  ...PLAIN,
  frames: SEEDANCE_4K,
  lengths: { least: 1, most: 60 },
  hasSeed: true,
  hasNegativePrompt: true,
  hasLast: true,
  mostReferences: 30,
};
const ANY_MODEL: RunwayModel = {
  text: ANY_ENDPOINT,
  image: { ...ANY_ENDPOINT, mostReferences: 0 },
  video: ANY_ENDPOINT,
  sound: 'optional',
};

export function runwayModel(id: string): RunwayModel {
  return entryOf(MODELS, id) ?? ANY_MODEL;
}

export const RUNWAY_MODELS: readonly string[] = Object.keys(MODELS);
