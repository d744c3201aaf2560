/**
 * Tokens in parts that do not overlap, as in `Usage`: a token is counted in exactly one of them. The first six are of the
 * prompt, the others of the answer.
 */
export const PROMPT_TOKEN_UNITS = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'cache_write_1h_token',
  'audio_input_token',
  'image_input_token',
] as const;
export const COMPLETION_TOKEN_UNITS = [
  'output_token',
  'reasoning_token',
  'audio_output_token',
  'image_output_token',
] as const;

/**
 * What is counted by the piece. A `millisecond` is one of audio or video: models are priced by the second. A `clip` is a whole video,
 * song or 3D model.
 */
export const PIECE_UNITS = ['image', 'millisecond', 'clip', 'character', 'request', 'web_search'] as const;

/** One for each price that a model can have (pricing.ts). */
export const UNITS = [...PROMPT_TOKEN_UNITS, ...COMPLETION_TOKEN_UNITS, ...PIECE_UNITS] as const;
export type Unit = (typeof UNITS)[number];
export type PieceUnit = (typeof PIECE_UNITS)[number];

/** So much of one thing that may have a price. */
export interface Quantity<Counted extends Unit = Unit> {
  readonly unit: Counted;
  /** A whole number, zero or more. */
  readonly amount: number;
  /**
   * What the price of an image, a second or a clip may depend on, the most important first: an image's size and quality
   * (`1024x1024/high`), a video's resolution (`1080p`), for a clip followed by its length (`1080p/6s`). Absent where it is not
   * known or does not matter. What a tool has drawn is named by it, too (drawn.ts).
   */
  readonly variant?: string;
}

/**
 * The usage of a request of any operation: all that may be charged for it. Several quantities may have the same unit (images of
 * two sizes); units that are absent are zero.
 */
export interface Billable {
  readonly quantities: readonly Quantity[];
  /** `reported` by the upstream, or `estimated` by the gateway. */
  readonly source: 'reported' | 'estimated';
}

export const ONE_REQUEST: Quantity<'request'> = { unit: 'request', amount: 1 };

/** No quantity at all, not even a request. */
export const NOTHING_BILLABLE: Billable = { quantities: [], source: 'reported' };

type Side = 'prompt' | 'completion' | 'none';

const sidesOf = <Of extends Unit>(units: readonly Of[], side: Side) =>
  Object.fromEntries(units.map((unit) => [unit, side])) as Record<Of, Side>;

const SIDES: Readonly<Record<Unit, Side>> = {
  ...sidesOf(PROMPT_TOKEN_UNITS, 'prompt'),
  ...sidesOf(COMPLETION_TOKEN_UNITS, 'completion'),
  ...sidesOf(PIECE_UNITS, 'none'),
};

export function isTokenUnit(unit: Unit): boolean {
  return SIDES[unit] !== 'none';
}

/** All tokens of the prompt, those that came from a cache among them. */
export function promptTokensOf(billable: Billable): number {
  return tokensOf(billable, 'prompt');
}

/** All tokens of the answer, with those that the model thought with. */
export function completionTokensOf(billable: Billable): number {
  return tokensOf(billable, 'completion');
}

function tokensOf({ quantities }: Billable, side: Side): number {
  let tokens = 0;
  // Tokens with a variant are those of another model, which a tool has asked.
  for (const { unit, amount, variant } of quantities)
    if (SIDES[unit] === side && variant === undefined) tokens += amount;
  return tokens;
}

/** How much there is of one unit, in all its variants. */
export function amountOf({ quantities }: Billable, unit: Unit): number {
  let sum = 0;
  for (const quantity of quantities) if (quantity.unit === unit) sum += quantity.amount;
  return sum;
}
