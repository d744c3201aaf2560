import { parseTime } from '../../domain/access/expiry.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { DEFAULT_TIME_ZONE, isTimeZone } from '../../domain/money/budget.ts';
import { wrongField } from '../../formats/shared/request/request-fields.ts';
import { monthSpan } from '../admin/usage/usage-spans.ts';
import type { WantedPeriod } from './read-sums.ts';
import type { UsageScope } from './spending.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The longest period of one request. */
export const MOST_DAYS = 100;
/** Days with 25 hours make a period longer. */
const SLACK_MS = 2 * 60 * MINUTE_MS;
export const MOST_MODELS = 100;
export const DEFAULT_MODELS = 20;

export interface UsageQueryFields extends WantedPeriod {
  readonly scope: UsageScope;
  /** The number of models that are listed. */
  readonly top: number;
}

/** Reads the query of `GET /v1/usage`. Unknown parameters are ignored. */
export function parseUsageQuery(
  query: URLSearchParams,
  principal: Principal,
  nowMs: number,
): UsageQueryFields | Failure {
  const scope = scopeIn(query, principal);
  if (scope instanceof Failure) return scope;
  const timeZone = query.get('time_zone') ?? usualZone(principal, scope);
  if (!isTimeZone(timeZone))
    return wrongField('invalid_value', 'time_zone', 'must be the IANA name of a time zone, such as Europe/Berlin');
  const top = topIn(query);
  if (top instanceof Failure) return top;
  const period = periodIn(query, timeZone, nowMs);
  return period instanceof Failure ? period : { ...period, timeZone, scope, top };
}

/** Reads the period of OpenAI's former `billing/usage`, whose dates are in UTC. */
export function parseBillingPeriod(query: URLSearchParams, nowMs: number): WantedPeriod | Failure {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const start = dateIn(query, 'start_date');
  if (start instanceof Failure) return start;
  const end = dateIn(query, 'end_date');
  if (end instanceof Failure) return end;
  // `end_date` is exclusive. But clients that compute a balance end with today, and mean all that was spent until now.
  const toMs = end === null || end === today ? today + DAY_MS : end;
  const fromMs = start ?? monthSpan(Math.min(toMs, today + DAY_MS) - 1, DEFAULT_TIME_ZONE).fromMs;
  return bounded({ fromMs, toMs, timeZone: DEFAULT_TIME_ZONE }, 'start_date', 'end_date');
}

/** Returns the requested scope; the default is all that the key may read. */
function scopeIn(query: URLSearchParams, { credential }: Principal): UsageScope | Failure {
  const scope = query.get('scope');
  const most = credential.usageAccess === 'account' ? 'account' : 'key';
  if (scope === null) return most;
  if (scope !== 'key' && scope !== 'account') return wrongField('invalid_value', 'scope', 'must be `key` or `account`');
  if (scope === 'key' || most === 'account') return scope;
  return new Failure('access_denied', {
    message: 'This key may read its own usage only, not that of its account.',
    param: 'scope',
    hint: 'Leave `scope` out, or ask an admin to set `usage_access` of the key to `account`.',
  });
}

/** Returns the zone of the budget, so that a month begins as the budget's does. */
function usualZone({ account, credential }: Principal, scope: UsageScope): string {
  const budget = credential.budget ?? (scope === 'account' ? account.budget : null);
  return budget?.timeZone ?? DEFAULT_TIME_ZONE;
}

function topIn(query: URLSearchParams): number | Failure {
  const text = query.get('top');
  if (text === null) return DEFAULT_MODELS;
  const top = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (top >= 1 && top <= MOST_MODELS) return top;
  return wrongField('invalid_value', 'top', `must be a whole number from 1 to ${MOST_MODELS}`);
}

function periodIn(query: URLSearchParams, timeZone: string, nowMs: number): WantedPeriod | Failure {
  const from = timeIn(query, 'from');
  if (from instanceof Failure) return from;
  const to = timeIn(query, 'to');
  if (to instanceof Failure) return to;
  const toMs = to ?? Math.floor(nowMs / MINUTE_MS + 1) * MINUTE_MS;
  return bounded({ fromMs: from ?? monthSpan(toMs - 1, timeZone).fromMs, toMs, timeZone }, 'from', 'to');
}

function timeIn(query: URLSearchParams, name: 'from' | 'to'): number | null | Failure {
  const text = query.get(name);
  if (text === null) return null;
  const parsed = parseTime(text);
  if (!parsed.ok) return wrongField('invalid_value', name, parsed.problem);
  if (parsed.timeMs % MINUTE_MS === 0) return parsed.timeMs;
  return wrongField('invalid_value', name, 'must be a whole minute: usage is summed by the minute');
}

function dateIn(query: URLSearchParams, name: 'start_date' | 'end_date'): number | null | Failure {
  const text = query.get(name);
  if (text === null) return null;
  const parsed = parseTime(text);
  if (parsed.ok && /^[\d-]{10}$/.test(text)) return parsed.timeMs;
  return wrongField('invalid_value', name, 'must be a date such as 2026-09-01');
}

function bounded(period: WantedPeriod, first: string, last: string): WantedPeriod | Failure {
  const { fromMs, toMs } = period;
  if (fromMs >= toMs) return wrongField('invalid_value', last, `must be later than \`${first}\``);
  if (toMs - fromMs > MOST_DAYS * DAY_MS + SLACK_MS)
    return wrongField('invalid_value', first, `must be at most ${MOST_DAYS} days before \`${last}\``);
  return fromMs >= 0 ? period : wrongField('invalid_value', first, 'must not be before 1970');
}
