import type { Lengths } from '../../shared/tasks/generation-request.ts';

/** What a model takes (the capability map of Kling's API). */
export interface KlingModel {
  /** `null` where they are not known: what the client said is sent. */
  readonly lengths: Lengths | null;
  /** It has the member `sound`. */
  readonly hasSound: boolean;
  /** It makes sound in the mode `pro` alone. */
  readonly soundIsPro: boolean;
  /** Whether it makes sound if nothing is said differs by source, so that `sound` is always written. */
  readonly writesSound: boolean;
  /** The modes by which a client's resolution is chosen. */
  readonly resolutions: readonly string[];
  /** Where it has the same resolution in all modes. */
  readonly onlyResolution: string | null;
  readonly hasAnyRatio: boolean;
}

const EARLY: KlingModel = {
  lengths: [5, 10],
  hasSound: false,
  soundIsPro: false,
  writesSound: false,
  resolutions: ['720p', '1080p'],
  onlyResolution: null,
  hasAnyRatio: false,
};
const only = (resolution: string): KlingModel => ({
  ...EARLY,
  resolutions: [resolution],
  onlyResolution: resolution,
});

const MODELS: Readonly<Record<string, KlingModel>> = {
  'kling-v1': only('720p'),
  'kling-v1-5': EARLY,
  'kling-v1-6': EARLY,
  'kling-v2-master': only('720p'),
  'kling-v2-1': EARLY,
  'kling-v2-1-master': only('1080p'),
  'kling-v2-5-turbo': EARLY,
  'kling-v2-6': { ...EARLY, hasSound: true, soundIsPro: true },
};

const THIRD: KlingModel = {
  ...EARLY,
  lengths: { least: 3, most: 15 },
  hasSound: true,
  writesSound: true,
  resolutions: ['720p', '1080p', '4k'],
};

const UNKNOWN: KlingModel = { ...THIRD, lengths: null, writesSound: false, hasAnyRatio: true };

export function klingModel(id: string): KlingModel {
  const known = Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
  if (known !== undefined) return known;
  return /^kling-v3(?:-|$)/.test(id) ? THIRD : UNKNOWN;
}

/** Names that are in the table, for tests. */
export const KLING_MODELS: readonly string[] = Object.keys(MODELS);
