import type { UserWithMemberships } from '../domain/access/user.ts';
import type { AuditLog } from '../engine/ports/audit-log.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { PasswordHasher } from '../engine/ports/password-hasher.ts';
import type { PeopleStore } from '../engine/ports/people-store.ts';
import type { SignInDatabase } from '../engine/ports/sign-in-database.ts';
import type { SignInSettings } from '../engine/settings/sign-in-settings.ts';
import type { SignInAttempts } from './attempts.ts';

/** Below which the sign-in library answers. */
export const SIGN_IN_PATH = '/v1/management/auth';

/** A person with a session that is in force. */
export interface SignedIn {
  /** As the store has the user now: a disabled one is nobody. */
  readonly user: UserWithMemberships;
  readonly sessionId: string;
  /** Whether a second factor was used: a code of an authenticator, a backup code, a passkey, or an issuer that asks for one. */
  readonly secondFactor: boolean;
  /** When it was last used; `null` for never. */
  readonly secondFactorAtMs: number | null;
  /** The session may do nothing before a second factor is used, or set up. */
  readonly needsSecondFactor: boolean;
}

/** What is known of a request beside itself. */
export interface SignInFacts {
  /** The client's, behind the operator's own proxies. */
  readonly address: string | null;
  /** By which the client reaches the gateway, with the path below which a proxy has it. */
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
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  /** 32 bytes of this purpose alone, the same on all nodes. */
  readonly key: Uint8Array;
}

/** What the library signs cookies with. */
export function libraryKey({ key }: Pick<SignInOptions, 'key'>): string {
  return Buffer.from(key).toString('base64url');
}
