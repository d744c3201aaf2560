import { RecentAnswers } from '../../domain/concurrency/recent-answers.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { ManagementAnswer, ManagementCall } from './route.ts';

/** The parts of a call that a shared read may use: nothing of the requester, who has been admitted to this account before. */
export type SharedCall<Query> = Pick<ManagementCall<Query>, 'accountId' | 'params' | 'query'>;

/** A sentence for the descriptions of routes. */
export const SHARED_READ =
  'With `Cache-Control: max-age=1`, the response may be up to a second old; with `max-age=6`, up to six seconds.';

/** The maximum age of a shared answer, whatever `max-age` the request accepts. */
const LONGEST_MS = 6_000;
/** The limits for all shared answers of a route. An answer with 10,000 sums has some 5 million characters. */
const BOUNDS = { longestMs: LONGEST_MS, mostKept: 100, mostCharacters: 16_000_000 };

/**
 * Returns a handler for reads that many open pages repeat: requests that accept an answer of the last seconds (such as `Cache-Control:
 * max-age=1`) share one per account and query. All others get an answer of their own moment.
 */
export function sharedRead<Query, Body>(
  clock: Pick<Clock, 'nowMs'>,
  read: (call: SharedCall<Query>) => Promise<Body | string>,
): (call: ManagementCall<Query>) => Promise<ManagementAnswer<Body>> {
  const recent = new RecentAnswers(BOUNDS);
  return async ({ accountId, params, query, headers }) => {
    const most = Math.min(takenAgeMs(headers), LONGEST_MS);
    const make = () => read({ accountId, params, query });
    if (most === 0) return { body: await make() };
    const key = JSON.stringify([accountId, params, query]);
    const body = await recent.get(key, clock.nowMs(), most, async () => {
      const answer = await make();
      return typeof answer === 'string' ? answer : JSON.stringify(answer);
    });
    return { body };
  };
}

/** Parses `max-age` (RFC 9111, section 5.2.1.1). */
function takenAgeMs(headers: Headers): number {
  const seconds = /(?:^|[\s,])max-age=(\d+)/i.exec(headers.get('cache-control') ?? '')?.[1] ?? '0';
  return Number(seconds) * 1_000;
}
