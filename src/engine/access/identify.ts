import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Clock } from '../ports/clock.ts';
import { authenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import type { Principals } from './principals.ts';
import type { WrongKeys } from './wrong-keys.ts';

export interface IdentifyPorts {
  readonly principals: Pick<Principals, 'find'>;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Who opens a connection on which requests will come, each of which is admitted by itself. */
export async function identify(ports: IdentifyPorts, caller: Caller): Promise<Principal | Failure> {
  const principal = await authenticate(ports.principals, caller.secret, ports.clock.nowMs());
  return principal instanceof Failure ? ports.wrongKeys.refused(caller, principal) : principal;
}
