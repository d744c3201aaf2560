/**
 * Tokens in disjoint parts, as in `Usage`: each token is counted in exactly one. The first six belong to the prompt, the others
 * to the answer.
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
 * Units counted by the piece. A `millisecond` is one of audio or video, although models are priced by the second. A `clip` is a
 * whole video, song or 3D model.
 */
export const PIECE_UNITS = ['image', 'millisecond', 'clip', 'character', 'request', 'web_search'] as const;

/** One for each price that a model can have (pricing.ts). */
export const UNITS = [...PROMPT_TOKEN_UNITS, ...COMPLETION_TOKEN_UNITS, ...PIECE_UNITS] as const;
export type Unit = (typeof UNITS)[number];
export type PieceUnit = (typeof PIECE_UNITS)[number];

/** An amount of one thing that may have a price. */
export interface Quantity<Counted extends Unit = Unit> {
  readonly unit: Counted;
  /** A non-negative integer. */
  readonly amount: number;
  /**
   * The variant on which the price of an image, a second or a clip may depend, the most important first: an image's size and quality
   * (`1024x1024/high`), a video's resolution (`1080p`), for a clip followed by its length (`1080p/6s`). Absent if unknown or
   * irrelevant. It also marks what a tool has drawn (drawn.ts).
   */
  readonly variant?: string;
}

/**
 * The usage of a request of any operation: everything that may be charged for. Several quantities may have the same unit (images
 * of two sizes); absent units are zero.
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

/** Returns all tokens of the prompt, including cached ones. */
export function promptTokensOf(billable: Billable): number {
  return tokensOf(billable, 'prompt');
}

/** Returns all tokens of the answer, including reasoning. */
export function completionTokensOf(billable: Billable): number {
  return tokensOf(billable, 'completion');
}

function tokensOf({ quantities }: Billable, side: Side): number {
  let tokens = 0;
  // Tokens with a variant belong to another model, which a tool has called.
  for (const { unit, amount, variant } of quantities)
    if (SIDES[unit] === side && variant === undefined) tokens += amount;
  return tokens;
}

/** Returns the total of one unit, over all its variants. */
export function amountOf({ quantities }: Billable, unit: Unit): number {
  let sum = 0;
  for (const quantity of quantities) if (quantity.unit === unit) sum += quantity.amount;
  return sum;
}
