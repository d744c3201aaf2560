import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { authenticate } from '../access/authenticate.ts';
import { type Caller, DelegatedReader } from '../access/caller.ts';
import type { Principals } from '../access/principals.ts';
import type { WrongKeys } from '../access/wrong-keys.ts';
import type { RequestLimits } from '../ports/admission.ts';
import type { Clock } from '../ports/clock.ts';
import { addLimitHeaders } from './end-of-call.ts';

export interface AdmittedCallPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly limits: RequestLimits;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Called when a request presents a valid key. */
  readonly keyUsed: (credential: Credential) => void;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
}

export interface AdmittedResult<Result> {
  readonly result: Result | Failure;
  /** The headers with the limits and the remaining quota. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Runs a call that asks no model. It counts against the account's limits like every other call (contract, Limits). */
export async function admittedCall<Result>(
  { principals, limits, clock, keyUsed, wrongKeys }: AdmittedCallPorts,
  caller: Caller,
  use: (principal: Principal) => Result | Failure | Promise<Result | Failure>,
): Promise<AdmittedResult<Result>> {
  const principal = await authenticate(principals, caller.secret, clock.nowMs());
  if (principal instanceof Failure) return { result: wrongKeys.refused(caller, principal), headers: {} };
  // A reader's key is not stored, so there is no last use to record.
  if (!(caller.secret instanceof DelegatedReader)) keyUsed(principal.credential);
  const admission = await limits.admit(principal);
  try {
    const headers = {};
    addLimitHeaders(headers, caller.envelope, admission, clock.nowMs());
    return { result: admission.refusal ?? (await use(principal)), headers };
  } finally {
    admission.end(null);
  }
}
