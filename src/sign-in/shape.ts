import type { UserWithMemberships } from '../domain/access/user.ts';
import type { AuditLog } from '../engine/ports/audit-log.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { PasswordHasher, PeopleStore } from '../engine/ports/people-store.ts';
import type { SignInDatabase } from '../engine/ports/sign-in-database.ts';
import type { SignInSettings } from '../engine/settings/settings.ts';
import type { SignInAttempts } from './attempts.ts';

/** The base path of the sign-in library. */
export const SIGN_IN_PATH = '/v1/management/auth';

/** A person with a valid session. */
export interface SignedIn {
  /** The user as currently stored, never a disabled one. */
  readonly user: UserWithMemberships;
  readonly sessionId: string;
  /** Whether a second factor was used: an authenticator's code, a backup code, a passkey, or an issuer that requires one. */
  readonly secondFactor: boolean;
  /** When it was last used; `null` for never. */
  readonly secondFactorAtMs: number | null;
  /** Whether the session may do nothing until a second factor is used or set up. */
  readonly needsSecondFactor: boolean;
}

/** Facts about a request beyond the request itself. */
export interface SignInFacts {
  /** The client's address, behind trusted proxies. */
  readonly address: string | null;
  /** The address at which the client reaches the gateway, including a proxy's path. */
  readonly publicOrigin: string;
  readonly requestId: string;
}

export interface SignInOptions {
  readonly people: PeopleStore;
  readonly database: SignInDatabase;
  readonly audit: AuditLog;
  readonly passwords: PasswordHasher;
  readonly attempts: SignInAttempts;
  readonly settings: SignInSettings;
  /** The name under which authenticator apps and passkeys list the gateway. */
  readonly serviceName: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  /** 32 bytes derived for this purpose only, the same on all nodes. */
  readonly key: Uint8Array;
}

/** Returns the key with which the library signs cookies. */
export function libraryKey({ key }: Pick<SignInOptions, 'key'>): string {
  return Buffer.from(key).toString('base64url');
}
