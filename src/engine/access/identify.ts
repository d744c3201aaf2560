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

/** Authenticates a caller who opens a connection for requests, which are admitted one by one. */
export async function identify(ports: IdentifyPorts, caller: Caller): Promise<Principal | Failure> {
  const principal = await authenticate(ports.principals, caller.secret, ports.clock.nowMs());
  return principal instanceof Failure ? ports.wrongKeys.refused(caller, principal) : principal;
}

export interface IdentifyTokenPorts extends IdentifyPorts {
  readonly keyUsed: (credential: Credential) => void;
}

/** Authenticates a management token, records its use, and returns its owner and scopes. */
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
