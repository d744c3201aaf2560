import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import type { Principals } from '../access/principals.ts';
import type { WrongKeys } from '../access/wrong-keys.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { RequestLimits } from '../ports/admission.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outcome } from './outcome.ts';

export interface AdmitPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly limits: RequestLimits;
  readonly clock: Clock;
  readonly keyUsed: (credential: Credential) => void;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
}

/** Who calls, and whether the limits let him: noted in what is recorded of the call. */
export async function admit(
  { principals, limits, clock, keyUsed, wrongKeys }: AdmitPorts,
  caller: Caller,
  outcome: Outcome<AskedTarget>,
): Promise<Principal | Failure> {
  const principal = await authenticate(principals, caller.secret, clock.nowMs());
  if (principal instanceof Failure) return wrongKeys.refused(caller, principal);
  outcome.principal = principal;
  keyUsed(principal.credential);
  const admission = await limits.admit(principal);
  outcome.admission = admission;
  return admission.refusal ?? principal;
}
