import type { CacheControl, CacheEntry, CacheHit, CachePolicy } from '../../domain/cache/cache.ts';
import type { RoutingFacts, ToldSteps } from '../../domain/exchange/routing-info.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { AnswerCache, FoundEntry } from './answer-cache.ts';
import { type CachePlan, cachePlan } from './cache-plan.ts';

/* Shared by the operations whose answers are cached. */

/** Returns the cache plan; `null` if the cache takes no part in the request. Counts a request whose cache controls are ignored. */
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

/** Returns whether other accounts may get the answer, which excludes answers of an account's own channels. */
export function isSharedBy({ settings }: AnswerCache, { targets }: Pick<Ways<Target>, 'targets'>): boolean {
  return settings.isShared && !targets.some(({ isPrivate }) => isPrivate);
}

/** Returns the part of a digest that decides which accounts share it. */
export function scopeOf(isShared: boolean, accountId: string): string {
  return isShared ? 'all accounts' : `account ${accountId}`;
}

/** Returns the target that an answer came from. The answer is served only while its channel still serves the model in the same way. */
export function targetOf<T extends Target>(
  { targets }: Pick<Ways<T>, 'targets'>,
  { channel, upstreamModel }: Pick<CacheEntry, 'channel' | 'upstreamModel'>,
): T | undefined {
  return targets.find((target) => target.channel.id === channel.id && target.upstreamModel === upstreamModel);
}

/** The facts of a known answer, without the answer itself. */
export interface FoundHit<T extends Target> {
  readonly target: T;
  readonly routing: RoutingFacts;
  readonly hit: CacheHit;
}

/** Returns the facts of an answer from the cache. `told` has the changes of the request's model, if any. */
export function hitOf<T extends Target>(
  { settings }: AnswerCache,
  target: T,
  found: FoundEntry,
  told: ToldSteps | null,
): FoundHit<T> {
  const { entry, match, ageMs } = found;
  const { hitPricePercent: pricePercent } = settings;
  const price = pricePercent === 0 ? null : { pricePercent };
  const routing = target.routing.withCached(entry.id).withSteps(told);
  return { target, routing, hit: { entryId: entry.id, match, ageMs, ...price } };
}
