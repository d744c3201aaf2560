import { dividedBy, timesWhole } from '../../../kit/decimal.ts';
import type { PriceKey } from './pricing.ts';

/** The unit of a price as people compare it, which may be a multiple of the unit in which it is stored. */
export type ShownUnit = Exclude<PriceKey, 'per_character'> | 'per_1m_characters' | 'per_minute';

/** Sound is sold by the minute, video by the second. */
const BY_MINUTE: ReadonlySet<string> = new Set(['stt', 'tts', 'audio', 'music']);

const MULTIPLES: Readonly<Partial<Record<ShownUnit, bigint>>> = { per_1m_characters: 1_000_000n, per_minute: 60n };

/** The most decimals of a stored price. A sixtieth of a price is rounded to them, which is less than any amount that is charged. */
const STORED_DECIMALS = 18;
/** More decimals of a price per minute come from that rounding. */
const SHOWN_DECIMALS = 15;

/** @param category the model's category; if unknown, seconds stay seconds */
export function shownUnit(key: PriceKey, category?: string): ShownUnit {
  if (key === 'per_character') return 'per_1m_characters';
  return key === 'per_second' && category !== undefined && BY_MINUTE.has(category) ? 'per_minute' : key;
}

/** Converts a stored price to its shown unit. A text that is no price stays as it is. */
export function shownPrice(usd: string, unit: ShownUnit): string {
  const multiple = MULTIPLES[unit];
  const product = multiple === undefined ? undefined : timesWhole(usd, multiple);
  return product === undefined ? usd : (dividedBy(product, 1n, SHOWN_DECIMALS) ?? usd);
}

/** Converts a typed price to the unit in which it is stored. A text that is no price stays as it is, for the gateway to refuse. */
export function storedPrice(text: string, unit: ShownUnit): string {
  const multiple = MULTIPLES[unit];
  return (multiple === undefined ? undefined : dividedBy(text, multiple, STORED_DECIMALS)) ?? text;
}
