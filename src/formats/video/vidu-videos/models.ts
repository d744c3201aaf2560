import type { Lengths } from '../../shared/tasks/generation-request.ts';

/** The endpoints. */
export type ViduPath = 'text2video' | 'img2video' | 'start-end2video' | 'reference2video';

/** The rules of a model (platform.vidu.com, the pages of the four endpoints). */
export interface ViduModel {
  /** Returns the lengths; `null` if unknown, so that the client's length is sent. */
  lengths(path: ViduPath): Lengths | null;
  /** The default length; `null` if unknown. */
  readonly usualSeconds: number | null;
  /** Returns the resolutions for the length that is sent; `null` if unknown. */
  resolutions(path: ViduPath, seconds: number | null): readonly string[] | null;
  /** Returns the default resolution. */
  usualResolution(seconds: number | null): string | null;
  /** `null` if unknown. */
  readonly ratios: readonly string[] | null;
  /** Returns whether the endpoint has the member `audio`. */
  hasAudio(path: ViduPath): boolean;
  /** The default for sound if it is to make sound or differs by model: it is sent then. */
  readonly usualAudio: boolean | null;
}

const FEW_RATIOS = ['16:9', '9:16', '1:1'];
const RATIOS = [...FEW_RATIOS, '4:3', '3:4'];
const RESOLUTIONS = ['540p', '720p', '1080p'];

const THIRD: ViduModel = {
  lengths: () => ({ least: 1, most: 16 }),
  usualSeconds: 5,
  resolutions: () => RESOLUTIONS,
  usualResolution: () => '720p',
  ratios: RATIOS,
  hasAudio: () => true,
  usualAudio: true,
};

const SECOND: ViduModel = {
  lengths: (path) => ({ least: 1, most: path === 'start-end2video' ? 8 : 10 }),
  usualSeconds: 5,
  resolutions: () => RESOLUTIONS,
  usualResolution: () => '720p',
  ratios: RATIOS,
  // With references the model speaks only for named subjects.
  hasAudio: (path) => path === 'img2video',
  usualAudio: null,
};

const FIRST: ViduModel = {
  lengths: () => [5],
  usualSeconds: 5,
  resolutions: () => ['1080p'],
  usualResolution: () => '1080p',
  ratios: FEW_RATIOS,
  hasAudio: () => false,
  usualAudio: null,
};

/** The rules of vidu2.0 and vidu1.5. */
const BEFORE: ViduModel = {
  lengths: (path) => (path === 'reference2video' ? [4] : [4, 8]),
  usualSeconds: 4,
  resolutions: (path, seconds) => {
    if (seconds === 8) return ['720p'];
    return path === 'reference2video' ? ['360p', '720p'] : ['360p', '720p', '1080p'];
  },
  usualResolution: (seconds) => (seconds === 8 ? '720p' : '360p'),
  ratios: FEW_RATIOS,
  hasAudio: () => false,
  usualAudio: null,
};

const UNKNOWN: ViduModel = {
  lengths: () => null,
  usualSeconds: null,
  resolutions: () => null,
  usualResolution: () => null,
  ratios: null,
  hasAudio: () => true,
  usualAudio: null,
};

const FAMILIES: readonly (readonly [RegExp, ViduModel])[] = [
  [/^viduq3-mix$/, { ...THIRD, usualAudio: false }],
  [/^viduq3(?:-|$)/, THIRD],
  [/^viduq2-pro-fast$/, { ...SECOND, resolutions: () => ['720p', '1080p'] }],
  [/^viduq2(?:-|$)/, SECOND],
  [/^viduq1(?:-|$)/, FIRST],
  [/^vidu(?:2\.0|1\.5)$/, BEFORE],
];

export function viduModel(id: string): ViduModel {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? UNKNOWN;
}
