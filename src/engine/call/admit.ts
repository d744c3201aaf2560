import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import type { Principals } from '../access/principals.ts';
import type { WrongKeys } from '../access/wrong-keys.ts';
import type { Admission, RequestLimits } from '../ports/admission.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outcome } from './outcome.ts';

export interface AdmitPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly limits: RequestLimits;
  readonly clock: Clock;
  /** Called when a request presents a valid key. */
  readonly keyUsed: (credential: Credential) => void;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
}

/**
 * Authenticates the caller and checks its limits; reports both to `outcome`. Returns synchronously if keys and counters
 * are in memory, which saves each call two turns of the microtask queue.
 */
export function admit(
  ports: AdmitPorts,
  caller: Caller,
  outcome: Outcome,
): Principal | Failure | Promise<Principal | Failure> {
  const principal = authenticate(ports.principals, caller.secret, ports.clock.nowMs());
  return principal instanceof Promise
    ? principal.then((found) => known(ports, caller, outcome, found))
    : known(ports, caller, outcome, principal);
}

function known(
  { limits, keyUsed, wrongKeys }: AdmitPorts,
  caller: Caller,
  outcome: Outcome,
  principal: Principal | Failure,
): Principal | Failure | Promise<Principal | Failure> {
  if (principal instanceof Failure) return wrongKeys.refused(caller, principal);
  outcome.admittedAs(principal);
  keyUsed(principal.credential);
  const admission = limits.admit(principal);
  return admission instanceof Promise
    ? admission.then((said) => limited(outcome, principal, said))
    : limited(outcome, principal, admission);
}

function limited(outcome: Outcome, principal: Principal, admission: Admission): Principal | Failure {
  outcome.limitedBy(admission);
  return admission.refusal ?? principal;
}
