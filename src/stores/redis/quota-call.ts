import type { Quota, RateDecision, RateWindow, Taken } from '../../engine/ports/rate-counters.ts';
import { slotUs } from '../shared/rate-slots.ts';

/* Serialises quotas for the script in scripts.ts and parses its responses. */

/** An amount counted by a gateway, with its age. */
export interface RecentEntry {
  readonly ageUs: number;
  readonly amount: number;
}

const KEY_PREFIX = 'switchyard:limits:';

/** Returns the key of a scope. The part in braces at its beginning keeps the keys of one quota on one cluster node. */
export function keyOf(scope: string): string {
  return KEY_PREFIX + scope;
}

/** The arguments that are the same for every request of a quota. */
export interface QuotaCall {
  readonly keys: readonly string[];
  readonly windowCount: number;
  /** The numbers of each window. */
  readonly args: readonly number[];
}

/** Returns the keys of the scopes, and those of the hashes that record which gateways have reported their admissions there. */
export function keysOf(scopes: readonly string[]): readonly string[] {
  const keys = scopes.map(keyOf);
  return [...keys, ...keys.map((key) => `${key}:gateways`)];
}

export function quotaCall({ windows, places }: Quota): QuotaCall {
  const scopes = windows.map(({ scope }) => scope);
  if (places !== null) scopes.push(places.scope);
  const args = windows.flatMap((window) => windowArguments(window, window.amount));
  return { keys: keysOf(scopes), windowCount: windows.length, args };
}

export function windowArguments(window: RateWindow, amount: number): number[] {
  return [window.limit, window.windowMs * 1_000, amount, slotUs(window)];
}

const NUMBERS_BEFORE_WINDOWS = 2;
const NUMBERS_A_WINDOW = 4;

/** Parses a response. Throws if it is not one of the script. */
export function readAnswer({ windows }: Quota, place: string | null, answer: unknown): Taken {
  const length = NUMBERS_BEFORE_WINDOWS + windows.length * NUMBERS_A_WINDOW;
  if (!Array.isArray(answer) || answer.length !== length) throw new Error('Redis sent an unexpected response');
  const numbers = answer.map(Number);
  const decisions = windows.map(({ limit }, index): RateDecision => {
    const first = NUMBERS_BEFORE_WINDOWS + index * NUMBERS_A_WINDOW;
    const [admits = 0, remaining = 0, resetUs = 0, waitUs = 0] = numbers.slice(first, first + NUMBERS_A_WINDOW);
    const resetMs = Math.ceil(resetUs / 1_000);
    return { isAdmitted: admits === 1, limit, remaining, resetMs, retryAfterMs: Math.ceil(waitUs / 1_000) };
  });
  return { isAdmitted: numbers[0] === 1, hasFreePlace: numbers[1] === 1, decisions, place };
}

/** Returns a gateway's admissions in a window as arguments of `SEED`. */
export function seedArguments(
  { windowMs }: Pick<RateWindow, 'windowMs'>,
  entries: readonly RecentEntry[],
): readonly number[] {
  return [windowMs * 1_000, entries.length, ...entries.flatMap(({ ageUs, amount }) => [ageUs, amount])];
}

/** Combines two results that must both admit. */
export function stricter(a: Taken, b: Taken): Taken {
  const decisions = a.decisions.map((one, index): RateDecision => {
    const other = b.decisions[index] ?? one;
    return {
      isAdmitted: one.isAdmitted && other.isAdmitted,
      limit: one.limit,
      remaining: Math.min(one.remaining, other.remaining),
      resetMs: Math.max(one.resetMs, other.resetMs),
      retryAfterMs: Math.max(one.retryAfterMs, other.retryAfterMs),
    };
  });
  return {
    isAdmitted: a.isAdmitted && b.isAdmitted,
    hasFreePlace: a.hasFreePlace && b.hasFreePlace,
    decisions,
    place: a.place,
  };
}
