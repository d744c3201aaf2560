import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { TAGS_HEADER } from '../../domain/usage/request-tags.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import type { Principals } from '../access/principals.ts';
import type { WrongKeys } from '../access/wrong-keys.ts';
import type { Admission, RequestLimits } from '../ports/admission.ts';
import type { Clock } from '../ports/clock.ts';
import { admitBatched, type BatchedCall } from './batched-call.ts';
import type { Outcome } from './outcome.ts';

export interface AdmitPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly limits: RequestLimits;
  readonly clock: Clock;
  /** Called when a request presents a valid key. */
  readonly keyUsed: (credential: Credential) => void;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
}

/** A caller whose request may have tags. */
export interface TaggedCaller extends Caller {
  header(name: string): string | null;
  /** The line of a batch that the call runs; absent for other calls. */
  readonly batch?: BatchedCall;
}

/**
 * Authenticates the caller, checks its limits and reads its tags; reports both to `outcome`. Returns synchronously if keys and counters
 * are in memory, which saves each call two turns of the microtask queue.
 */
export function admit(
  ports: AdmitPorts,
  caller: TaggedCaller,
  outcome: Outcome,
): Principal | Failure | Promise<Principal | Failure> {
  const principal = authenticate(ports.principals, caller.secret, ports.clock.nowMs());
  return principal instanceof Promise
    ? knownLater(ports, caller, outcome, principal)
    : known(ports, caller, outcome, principal);
}

async function knownLater(
  ports: AdmitPorts,
  caller: TaggedCaller,
  outcome: Outcome,
  finding: Promise<Principal | Failure>,
): Promise<Principal | Failure> {
  return known(ports, caller, outcome, await finding);
}

function known(
  { limits, keyUsed, wrongKeys }: AdmitPorts,
  caller: TaggedCaller,
  outcome: Outcome,
  principal: Principal | Failure,
): Principal | Failure | Promise<Principal | Failure> {
  const { batch } = caller;
  // A line has no sender: its key was valid when its batch was created.
  if (principal instanceof Failure) return batch === undefined ? wrongKeys.refused(caller, principal) : principal;
  outcome.admittedAs(principal);
  keyUsed(principal.credential);
  const admission = batch === undefined ? limits.admit(principal) : admitBatched(limits, principal, batch);
  return admission instanceof Promise
    ? limitedLater(caller, outcome, principal, admission)
    : limited(caller, outcome, principal, admission);
}

async function limitedLater(
  caller: TaggedCaller,
  outcome: Outcome,
  principal: Principal,
  admitting: Promise<Admission>,
): Promise<Principal | Failure> {
  return limited(caller, outcome, principal, await admitting);
}

function limited(
  caller: TaggedCaller,
  outcome: Outcome,
  principal: Principal,
  admission: Admission,
): Principal | Failure {
  outcome.limitedBy(admission);
  return admission.refusal ?? outcome.taggedBy(caller.header(TAGS_HEADER)) ?? principal;
}
