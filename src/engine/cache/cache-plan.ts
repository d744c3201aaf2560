import type { CacheControl, CachePolicy } from '../../domain/cache/cache.ts';

/** The cache's part in one request. */
export interface CachePlan {
  readonly finds: { readonly exact: boolean; readonly semantic: boolean };
  readonly keeps: { readonly exact: boolean; readonly semantic: boolean };
  /** Older answers are not served. */
  readonly maxAgeMs: number;
  readonly ttlMs: number;
  readonly coalesces: boolean;
  /** The certainty required to treat two questions as the same. */
  readonly certainty: number;
}

/** Applies the contract's table "Cache controls on request". Returns `null` if the cache takes no part in the request. */
export function cachePlan(
  control: CacheControl | null,
  policy: CachePolicy,
  isDeterministic: () => boolean,
): CachePlan | null {
  const { strategy, certainty } = policy;
  if (!isServed(control, policy, isDeterministic)) return null;
  const type = control?.type ?? 'default';
  const of = {
    exact: type !== 'semantic_only',
    semantic: type === 'semantic_only' || (strategy === 'semantic' && type !== 'response_only'),
  };
  const nothing = { exact: false, semantic: false };
  const maxAgeMs = (control?.maxAgeS ?? Number.POSITIVE_INFINITY) * 1000;
  const ttlMs = Math.min(policy.ttlMs, maxAgeMs);
  return {
    finds: type === 'no_cache' ? nothing : of,
    keeps: type === 'no_store' || ttlMs === 0 ? nothing : of,
    maxAgeMs,
    ttlMs,
    coalesces: type !== 'no_cache' && (control?.coalesce ?? policy.coalesce),
    certainty,
  };
}

/** Returns whether the cache takes part. A request that asks for variety, without cache controls, does not get a repeated answer. */
function isServed(control: CacheControl | null, { strategy }: CachePolicy, isDeterministic: () => boolean): boolean {
  if (strategy === 'off') return false;
  if (control !== null || strategy === 'exact' || strategy === 'semantic') return true;
  return strategy === 'deterministic' && isDeterministic();
}
