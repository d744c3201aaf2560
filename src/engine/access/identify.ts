import type { TokenActor } from '../../domain/access/actor.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Clock } from '../ports/clock.ts';
import { authenticate } from './authenticate.ts';
import { authenticateToken } from './authenticate-token.ts';
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

export interface IdentifyTokenPorts extends IdentifyPorts {
  readonly keyUsed: (credential: Credential) => void;
}

/** Whose management token a request has, and what it may do. It is noted as used. */
export async function identifyToken(
  ports: IdentifyTokenPorts,
  caller: Caller & { readonly secret: string | null },
): Promise<TokenActor | Failure> {
  const principal = await authenticateToken(ports.principals, caller.secret, ports.clock.nowMs());
  if (principal instanceof Failure) return ports.wrongKeys.refused(caller, principal);
  const { account, credential } = principal;
  ports.keyUsed(credential);
  const { id: tokenId, name, accountId, scopes, expiresAtMs } = credential;
  return { kind: 'token', accountId, tokenId, name, scopes: scopes ?? [], expiresAtMs, isOperator: account.admin };
}
