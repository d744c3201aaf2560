import type { Clock } from '../../engine/ports/clock.ts';
import type { ManagementAnswer, ManagementCall } from './route.ts';

/** The parts of a call that a shared read may use: nothing of the requester, who has been admitted to this account before. */
export type SharedCall<Query> = Pick<ManagementCall<Query>, 'accountId' | 'params' | 'query'>;

interface Kept {
  readonly startedMs: number;
  readonly body: Promise<string>;
  /** The length of the body, once it is there. */
  characters: number;
}

/** A sentence for the descriptions of routes. */
export const SHARED_READ =
  'With `Cache-Control: max-age=1`, the response may be up to a second old; with `max-age=6`, up to six seconds.';

/** The maximum age of a shared answer, whatever `max-age` the request accepts. */
const LONGEST_MS = 6_000;
const MOST_KEPT = 100;
/** The limit for all shared answers of a route. An answer with 10,000 sums has some 5 million. */
const MOST_CHARACTERS = 16_000_000;

/**
 * Returns a handler for reads that many open pages repeat: requests that accept an answer of the last seconds (such as `Cache-Control:
 * max-age=1`) share one per account and query. All others get an answer of their own moment.
 */
export function sharedRead<Query, Body>(
  clock: Pick<Clock, 'nowMs'>,
  read: (call: SharedCall<Query>) => Promise<Body | string>,
): (call: ManagementCall<Query>) => Promise<ManagementAnswer<Body>> {
  /** Ordered from the oldest. */
  const kept = new Map<string, Kept>();
  return async ({ accountId, params, query, headers }) => {
    const most = Math.min(takenAgeMs(headers), LONGEST_MS);
    if (most === 0) return { body: await read({ accountId, params, query }) };
    const nowMs = clock.nowMs();
    const key = JSON.stringify([accountId, params, query]);
    const found = kept.get(key);
    if (found !== undefined && isFresh(found, nowMs, most)) return { body: await found.body };
    const body = read({ accountId, params, query }).then((answer) =>
      typeof answer === 'string' ? answer : JSON.stringify(answer),
    );
    const made = { startedMs: nowMs, body, characters: 0 };
    kept.delete(key);
    for (const [oldest, { startedMs }] of kept) {
      if (kept.size < MOST_KEPT && isFresh({ startedMs }, nowMs, LONGEST_MS)) break;
      kept.delete(oldest);
    }
    kept.set(key, made);
    try {
      const text = await body;
      made.characters = text.length;
      forgetOldest(kept);
      return { body: text };
    } catch (error) {
      if (kept.get(key) === made) kept.delete(key);
      throw error;
    }
  };
}

/** Evicts the oldest answers until the rest fits. */
function forgetOldest(kept: Map<string, Kept>): void {
  let characters = 0;
  for (const one of kept.values()) characters += one.characters;
  for (const [oldest, one] of kept) {
    if (characters <= MOST_CHARACTERS) return;
    characters -= one.characters;
    kept.delete(oldest);
  }
}

/** Returns whether an answer is recent enough; one from the future, after the clock was set back, is not. */
function isFresh({ startedMs }: Pick<Kept, 'startedMs'>, nowMs: number, mostMs: number): boolean {
  return nowMs >= startedMs && nowMs - startedMs <= mostMs;
}

/** Parses `max-age` (RFC 9111, section 5.2.1.1). */
function takenAgeMs(headers: Headers): number {
  const seconds = /(?:^|[\s,])max-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1] ?? '0';
  return Number(seconds) * 1_000;
}
