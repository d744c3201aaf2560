import { CACHE_CONTROL_TYPES, type CacheControl, MOST_MAX_AGE_S } from '../../../domain/cache/cache.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../json/record.ts';
import { bodyValidator, integerFrom, object, oneOf } from './schema-error.ts';

/*
 * The body member `cache_control` (contract, Cache), with which a client controls the gateway's own cache. It is never sent
 * upstream.
 */

/** The member's paths, for the names that the gateway reads. */
export const CACHE_CONTROL_NAMES = { cache_control: true, 'cache_control.type': true, 'cache_control.max_age': true };

/** Returns the schema of the member; `types` are the allowed values of `type`. */
export function cacheControlSchema<const Types extends readonly [string, ...string[]]>(types: Types) {
  return object({ type: oneOf(types).nullish(), max_age: integerFrom(0, MOST_MAX_AGE_S).nullish() }).nullish();
}

const validate = bodyValidator(object({ cache_control: cacheControlSchema(CACHE_CONTROL_TYPES) }, 'a JSON object'));

/** Returns what a body says; `null` if it says nothing, and a failure (400) for anything that the contract does not define. */
export function readCacheControl({ cache_control }: Readonly<Record<string, unknown>>): CacheControl | null | Failure {
  if (cache_control === undefined || cache_control === null) return null;
  return validate({ cache_control }) ?? cacheControlOf(cache_control);
}

/** Reads a value that has already been validated. */
export function cacheControlOf(control: unknown): CacheControl | null {
  if (!isRecord(control)) return null;
  const { type, max_age: maxAge } = control;
  return {
    type: CACHE_CONTROL_TYPES.find((one) => one === type) ?? 'default',
    maxAgeS: typeof maxAge === 'number' ? maxAge : null,
    coalesce: null,
  };
}
