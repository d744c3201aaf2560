import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { WINDOW_MS } from '../limits/principal-quota.ts';
import { unavailable } from '../limits/refusal.ts';
import type { Admission, RequestLimits } from '../ports/admission.ts';
import type { CountersAway, RateCounters, RateWindow, Taken } from '../ports/rate-counters.ts';

/** The reads of one key, and of one account with all its keys, in any 60 s. */
export const READS_PER_MINUTE = { key: 60, account: 300 } as const;
type Owner = keyof typeof READS_PER_MINUTE;

/**
 * Bounds how often keys read their usage. These reads have windows of their own: a client that polls does not use up the requests that its
 * account may send to models, and an account that has used those up can still see its usage.
 */
export class UsageLimits implements RequestLimits {
  constructor(private readonly counters: Pick<RateCounters, 'take'>) {}

  admit({ account, credential }: Principal): Admission | Promise<Admission> {
    const windows = [
      windowOf('account', account.id, 'usage'),
      windowOf('key', account.id, `usage:key:${encodeURIComponent(credential.id)}`),
    ];
    const taken = this.counters.take({ windows, places: null });
    return taken instanceof Promise ? taken.then(admissionOf) : admissionOf(taken);
  }
}

function windowOf(owner: Owner, accountId: string, name: string): RateWindow {
  const scope = `{${encodeURIComponent(accountId)}}:${name}`;
  return { scope, limit: READS_PER_MINUTE[owner], windowMs: WINDOW_MS, amount: 1 };
}

function admissionOf(taken: Taken | CountersAway): Admission {
  // The headers with the limits are for the requests to models.
  return { headers: null, limits: null, refusal: refusalOf(taken), end: () => {} };
}

function refusalOf(taken: Taken | CountersAway): Failure | null {
  if (!('decisions' in taken)) return unavailable(taken);
  if (taken.isAdmitted) return null;
  const [ofAccount, ofKey] = taken.decisions;
  const owner: Owner = ofKey?.isAdmitted === false ? 'key' : 'account';
  return new Failure('rate_limit_exceeded', {
    message: `This ${owner} may read its usage ${READS_PER_MINUTE[owner]} times in any 60 seconds.`,
    kind: 'usage_reads_per_minute',
    side: 'client',
    retry: 'never',
    retryAfterMs: Math.max(ofAccount?.retryAfterMs ?? 0, ofKey?.retryAfterMs ?? 0),
    hint: 'Wait for retry_after seconds. Requests to models are counted separately.',
  });
}
