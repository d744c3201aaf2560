import { PRICE_KEYS, VARIANT_PRICE_KEYS } from '../../../domain/money/pricing.ts';
import type { FieldPath } from './problem.ts';

const AMOUNT_FIELDS: ReadonlySet<unknown> = new Set(['balance_usd', 'limit_usd', 'private_channel_fee_usd']);

/** Returns whether this place of a configuration holds an amount or a price, whose digits are kept as they are written. */
export function isDecimal(path: FieldPath): boolean {
  return AMOUNT_FIELDS.has(path.at(-1)) || isBudget(path) || isPrice(path);
}

function isBudget(path: FieldPath): boolean {
  return path.at(-2) === 'budget' && path.at(-1) === 'usd';
}

/** Returns whether this place holds a price. A channel's `costs` have a level for the model above the prices. */
function isPrice(path: FieldPath): boolean {
  const [section, , field] = path;
  const isInside =
    (section === 'models' && field === 'pricing') || (section === 'channels' && field === 'costs' && path.length > 4);
  return (
    isInside && (PRICE_KEYS.some((key) => key === path.at(-1)) || VARIANT_PRICE_KEYS.some((key) => key === path.at(-2)))
  );
}
