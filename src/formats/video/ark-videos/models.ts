import type { Lengths } from '../../shared/tasks/generation-request.ts';
import type { PixelFrames } from '../shared/pixel-frames.ts';

/** The rules of a Seedance model (volcengine.com/docs/82379, "Create a video generation task"). */
export interface ArkModel {
  /** The frames in the order of `RATIOS`. */
  readonly frames: PixelFrames;
  readonly usualResolution: string;
  readonly lengths: Lengths;
  readonly hasFirst: boolean;
  readonly hasLast: boolean;
  readonly mostReferences: number;
  readonly hasVideo: boolean;
  readonly hasSound: boolean;
}

export const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'];

/** The frames of the first generation; later ones have other pixels for the same ratios. */
const FIRST: PixelFrames = {
  '480p': ['864x480', '736x544', '640x640', '544x736', '480x864', '960x416'],
  '720p': ['1248x704', '1120x832', '960x960', '832x1120', '704x1248', '1504x640'],
  '1080p': ['1920x1088', '1664x1248', '1440x1440', '1248x1664', '1088x1920', '2176x928'],
};
const SMALL: PixelFrames = {
  '480p': ['864x496', '752x560', '640x640', '560x752', '496x864', '992x432'],
  '720p': ['1280x720', '1112x834', '960x960', '834x1112', '720x1280', '1470x630'],
};
const LARGE: PixelFrames = {
  ...SMALL,
  '1080p': ['1920x1080', '1664x1248', '1440x1440', '1248x1664', '1080x1920', '2206x946'],
};
const LARGEST: PixelFrames = {
  ...LARGE,
  '4k': ['3840x2160', '3840x2880', '3840x3840', '2880x3840', '2160x3840', '3840x1646'],
};

const SEEDANCE_2: ArkModel = {
  frames: LARGEST,
  usualResolution: '720p',
  lengths: { least: 4, most: 15 },
  hasFirst: true,
  hasLast: true,
  mostReferences: 9,
  hasVideo: true,
  hasSound: true,
};
const SEEDANCE_1: ArkModel = {
  frames: FIRST,
  usualResolution: '1080p',
  lengths: { least: 2, most: 12 },
  hasFirst: true,
  hasLast: true,
  mostReferences: 0,
  hasVideo: false,
  hasSound: false,
};

/** Ids have a prefix (`doubao-`, `dreamina-`, or none) and end with the day of the version. */
const FAMILIES: readonly (readonly [RegExp, ArkModel])[] = [
  [/seedance-2-5/, { ...SEEDANCE_2, frames: LARGE, lengths: { least: 4, most: 30 }, mostReferences: 30 }],
  [/seedance-2-\d-(?:fast|mini)/, { ...SEEDANCE_2, frames: SMALL }],
  [/seedance-2/, SEEDANCE_2],
  [
    /seedance-1-5/,
    { ...SEEDANCE_2, frames: LARGE, lengths: { least: 4, most: 12 }, mostReferences: 0, hasVideo: false },
  ],
  [/seedance-1-\d-pro-fast/, { ...SEEDANCE_1, hasLast: false }],
  [/seedance-1-\d-pro/, SEEDANCE_1],
  [/seedance-1-\d-lite-t2v/, { ...SEEDANCE_1, usualResolution: '720p', hasFirst: false, hasLast: false }],
  [/seedance-1-\d-lite/, { ...SEEDANCE_1, usualResolution: '720p', mostReferences: 4 }],
];

/** An id such as `ep-20260601…` names an endpoint of the account, which may have any model behind it. */
const ANY: ArkModel = { ...SEEDANCE_2, lengths: { least: 1, most: 60 }, mostReferences: 30 };

export function arkModel(id: string): ArkModel {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? ANY;
}
