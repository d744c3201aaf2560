import { PRICE_KEYS } from '../../domain/money/pricing.ts';
import type { FieldPath } from './problem.ts';

/** Whether this place holds a price; a channel's `costs` name models before prices. */
export function isPrice(path: FieldPath): boolean {
  const [section, , field] = path;
  const isInside =
    (section === 'models' && field === 'pricing') || (section === 'channels' && field === 'costs' && path.length > 4);
  return isInside && PRICE_KEYS.some((key) => key === path.at(-1));
}
