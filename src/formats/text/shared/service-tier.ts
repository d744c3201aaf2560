import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { entryOf } from '../../shared/json/record.ts';

/** A format's own tier names, keyed by the clients' names; `null` means that the tier is the default. */
type Tiers = Readonly<Record<string, string | null>>;

/** Returns the table of a format that uses the clients' own names. */
export function tiersOf(...names: readonly string[]): Tiers {
  return Object.fromEntries(names.map((name) => [name, name]));
}

/**
 * Returns the tier under the format's name; `null` for none. Vendors have different tiers: a name from another vendor would be
 * refused, so it is left out and noted, with `why`.
 */
export function placedTier(request: ExchangeRequest, to: string, tiers: Tiers, why: string, losses: Losses) {
  const { serviceTier, format, names } = request;
  if (serviceTier === null || format === to) return serviceTier;
  const tier = entryOf(tiers, serviceTier);
  if (tier === undefined) losses.note({ field: names['service-tier'] ?? 'service_tier', verdict: 'dropped', why });
  return tier ?? null;
}
