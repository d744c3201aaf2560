import { entryOf } from '../../shared/json/record.ts';
import type { Lengths } from '../../shared/tasks/generation-request.ts';

/** The rules of a model (the capability map of Kling's API). */
export interface KlingModel {
  /** `null` if unknown: the client's length is sent. */
  readonly lengths: Lengths | null;
  /** Whether the model has the member `sound`. */
  readonly hasSound: boolean;
  /** Whether sound is available only in the mode `pro`. */
  readonly soundIsPro: boolean;
  /** Whether the default for sound differs by input, so that `sound` is always sent. */
  readonly writesSound: boolean;
  /** The resolutions by which the mode is chosen. */
  readonly resolutions: readonly string[];
  /** The resolution if it is the same in all modes. */
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
  const known = entryOf(MODELS, id);
  if (known !== undefined) return known;
  return /^kling-v3(?:-|$)/.test(id) ? THIRD : UNKNOWN;
}

/** The names in the table, for tests. */
export const KLING_MODELS: readonly string[] = Object.keys(MODELS);
