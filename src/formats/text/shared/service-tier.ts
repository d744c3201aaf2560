import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { entryOf } from '../../shared/json/record.ts';

/** A format's own words by those of any client; `null` says the same as none. */
type Tiers = Readonly<Record<string, string | null>>;

/** The tiers of a format that calls each by the name that clients give it. */
export function tiersOf(...names: readonly string[]): Tiers {
  return Object.fromEntries(names.map((name) => [name, name]));
}

/**
 * The tier as the format calls it; `null` for none. Each vendor has tiers of its own: a word of another one would be refused, so it
 * is left out and noted, with `why`.
 */
export function placedTier(request: ExchangeRequest, to: string, tiers: Tiers, why: string, losses: Losses) {
  const { serviceTier, format, names } = request;
  if (serviceTier === null || format === to) return serviceTier;
  const tier = entryOf(tiers, serviceTier);
  if (tier === undefined) losses.note({ field: names['service-tier'] ?? 'service_tier', verdict: 'dropped', why });
  return tier ?? null;
}
