import type { CacheControl } from '../../domain/cache/cache-control.ts';
import type { CacheEntry } from '../../domain/cache/cache-entry.ts';
import type { CacheHit } from '../../domain/cache/cache-hit.ts';
import type { CachePolicy } from '../../domain/cache/cache-policy.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { AnswerCache, FoundEntry } from './answer-cache.ts';
import { type CachePlan, cachePlan } from './cache-plan.ts';

/* What the operations whose answers are kept do alike. */

/** `null` if the cache has nothing to do with the request; if it has asked for the cache, the metrics are told so. */
export function planFor(
  { ports }: AnswerCache,
  control: CacheControl | null,
  policy: CachePolicy,
  isDeterministic: () => boolean,
): CachePlan | null {
  const plan = cachePlan(control, policy, isDeterministic);
  if (plan === null && control !== null) ports.metrics.cacheSkipped('policy');
  return plan;
}

/** Whether other accounts may get the answer. What concerns an account's own channels is its own. */
export function isSharedBy({ settings }: AnswerCache, { targets }: Pick<Ways<Target>, 'targets'>): boolean {
  return settings.isShared && !targets.some(({ isPrivate }) => isPrivate);
}

/** Whose requests have the same digests: a part of what digests are made of. */
export function scopeOf(isShared: boolean, accountId: string): string {
  return isShared ? 'all accounts' : `account ${accountId}`;
}

/** The target that an answer came from. It is given only while its channel serves the model in the same way. */
export function targetOf<T extends Target>(
  { targets }: Pick<Ways<T>, 'targets'>,
  { channel, upstreamModel }: Pick<CacheEntry, 'channel' | 'upstreamModel'>,
): T | undefined {
  return targets.find((target) => target.channel.id === channel.id && target.upstreamModel === upstreamModel);
}

/** A known answer without the answer itself. */
export interface FoundHit<T extends Target> {
  readonly target: T;
  readonly routing: RoutingFacts;
  readonly hit: CacheHit;
}

/** What the call is told of an answer from the cache. */
export function hitOf<T extends Target>({ settings }: AnswerCache, target: T, found: FoundEntry): FoundHit<T> {
  const { entry, match, ageMs } = found;
  const { hitPricePercent: pricePercent } = settings;
  const price = pricePercent === 0 ? null : { pricePercent };
  return { target, routing: target.routing.withCached(entry.id), hit: { entryId: entry.id, match, ageMs, ...price } };
}
