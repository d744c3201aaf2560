/** The rules of a model of the first API (platform.minimax.io, "Video generation"); H3 has a second API. */
export interface MinimaxModel {
  readonly api: '1' | '2';
  /** The resolutions in the provider's order, the default first; empty if there is no such member. */
  readonly resolutions: readonly string[];
  /** The lengths of each resolution, in seconds; for the second API, any integer between two bounds. */
  readonly lengths: readonly number[] | { readonly least: number; readonly most: number };
  /** Resolutions with only one length. */
  readonly shortOnly: readonly string[];
  readonly usualSeconds: number;
  readonly takesText: boolean;
  readonly hasFirst: boolean;
  readonly hasLast: boolean;
  readonly mostReferences: number;
}

const HAILUO: MinimaxModel = {
  api: '1',
  resolutions: ['768p', '1080p'],
  lengths: [6, 10],
  shortOnly: ['1080p'],
  usualSeconds: 6,
  takesText: true,
  hasFirst: true,
  hasLast: false,
  mostReferences: 0,
};
const FIRST_GENERATION: MinimaxModel = { ...HAILUO, resolutions: ['720p'], lengths: [6], shortOnly: [] };
const H3: MinimaxModel = {
  ...HAILUO,
  api: '2',
  resolutions: ['768p', '2k'],
  lengths: { least: 4, most: 15 },
  shortOnly: [],
  usualSeconds: 5,
  hasLast: true,
  mostReferences: 9,
};

const FAMILIES: readonly (readonly [RegExp, MinimaxModel])[] = [
  [/^MiniMax-H3-Max/i, { ...H3, resolutions: ['768p', '480p'], lengths: { least: 5, most: 15 }, mostReferences: 0 }],
  [/^MiniMax-H\d/i, H3],
  [/^MiniMax-Hailuo-2\.3-Fast/i, { ...HAILUO, takesText: false }],
  [/^MiniMax-Hailuo-2\.3/i, HAILUO],
  [/^MiniMax-Hailuo-02/i, { ...HAILUO, resolutions: ['768p', '512p', '1080p'], hasLast: true }],
  [/^T2V-/i, { ...FIRST_GENERATION, hasFirst: false }],
  [/^I2V-/i, { ...FIRST_GENERATION, takesText: false }],
  [/^S2V-/i, { ...FIRST_GENERATION, hasFirst: false, takesText: false, mostReferences: 1 }],
];

/** An unknown model may accept anything that the first API has. */
const ANY: MinimaxModel = {
  ...HAILUO,
  resolutions: ['768p', '480p', '512p', '720p', '1080p', '2k', '4k'],
  lengths: { least: 1, most: 60 },
  shortOnly: [],
  hasLast: true,
  mostReferences: 1,
};

export function minimaxModel(id: string): MinimaxModel {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? ANY;
}
