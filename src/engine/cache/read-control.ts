import {
  CACHE_CONTROL_TYPES,
  type CacheControl,
  type CacheControlType,
  MOST_MAX_AGE_S,
} from '../../domain/cache/cache.ts';
import { Failure } from '../../domain/failure/failure.ts';

/** For formats whose body has no place for `cache_control`. */
export const CACHE_HEADER = 'x-switchyard-cache';
const HINT = `For example, send \`${CACHE_HEADER}: no_store\` or \`${CACHE_HEADER}: default; max_age=60\`.`;
const LONGEST = 200;

/**
 * Reads the header: a type of the contract, `max_age=` seconds, and `coalesce` or `coalesce=false`, each at most once, separated by
 * semicolons or commas. Dashes equal underscores, and case is ignored. Returns `null` without the header.
 */
export function headerControl(header: string | null): CacheControl | null | Failure {
  if (header === null || header.trim() === '') return null;
  if (header.length > LONGEST) return wrong(`is longer than ${LONGEST} characters`);
  let type: CacheControlType | null = null;
  let maxAgeS: number | null = null;
  let coalesce: boolean | null = null;
  for (const word of header.toLowerCase().split(/[;,]/)) {
    const [name = '', value] = word.trim().replaceAll('-', '_').split(/ *= */, 2);
    if (name === '') continue;
    if (name === 'max_age') {
      if (maxAgeS !== null) return wrong('has `max_age` twice');
      if (value === undefined || !/^\d{1,6}$/.test(value) || Number(value) > MOST_MAX_AGE_S) {
        return wrong(`has a \`max_age\` that is not an integer from 0 to ${MOST_MAX_AGE_S} (seconds)`);
      }
      maxAgeS = Number(value);
    } else if (name === 'coalesce') {
      if (coalesce !== null) return wrong('has `coalesce` twice');
      if (value !== undefined && value !== 'true' && value !== 'false')
        return wrong('has a `coalesce` that is not a boolean');
      coalesce = value !== 'false';
    } else {
      const known = CACHE_CONTROL_TYPES.find((one) => one === name && value === undefined);
      if (known === undefined)
        return wrong(`must begin with one of ${CACHE_CONTROL_TYPES.join(', ')}, not \`${word.trim()}\``);
      if (type !== null) return wrong('has two types');
      type = known;
    }
  }
  return { type: type ?? 'default', maxAgeS, coalesce };
}

function wrong(problem: string): Failure {
  return new Failure('invalid_value', {
    message: `The header \`${CACHE_HEADER}\` ${problem}.`,
    param: CACHE_HEADER,
    hint: HINT,
  });
}
