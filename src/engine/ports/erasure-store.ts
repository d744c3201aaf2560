import type { Audit } from './people-store.ts';

/** The erasure of a person that has begun. It is kept until it is complete, so that it can be continued after a crash. */
export interface Erasure {
  readonly userId: string;
  readonly email: string;
  /** What the person is called, and was called earlier. */
  readonly names: readonly string[];
  /** Stands in the audit log for the person: `erased-` and 8 hexadecimal digits, which are random. */
  readonly pseudonym: string;
  /** The entries of the audit log up to this one no longer name the person. */
  readonly auditedUntil: number;
  /** How many entries of the audit log were rewritten. */
  readonly rewritten: number;
}

export interface NewErasure extends Pick<Erasure, 'userId' | 'names' | 'pseudonym'> {
  readonly atMs: number;
  /** Accounts that may be left without an owner, since they are archived. */
  readonly archivedAccounts: readonly string[];
}

export type ErasureBegun =
  | { readonly outcome: 'begun'; readonly erasure: Erasure }
  | { readonly outcome: 'not_found' }
  /** Nobody who can sign in would be an operator any more. */
  | { readonly outcome: 'last_operator' }
  /** An account that is in use would have no owner who can sign in any more. */
  | { readonly outcome: 'last_owner'; readonly accountId: string };

/** What belongs to a person and is deleted, or was. */
export interface PersonalRows {
  readonly passwords: number;
  /** Links with issuers. */
  readonly issuers: number;
  readonly passkeys: number;
  /** Authenticators, each with its backup codes. */
  readonly twoFactors: number;
  readonly sessions: number;
  /** Sign-ins that were under way. */
  readonly verifications: number;
  /** Counters of mails that were sent to the address. */
  readonly attempts: number;
  readonly memberships: number;
  /** One-time links: those to the address, those that the person has used, and those that the person has made and nobody has used. */
  readonly invitations: number;
  /** Events of alerts whose text has the address. */
  readonly alertEvents: number;
}

/** Deletes what belongs to a person, and remembers which erasures are not complete. Durable when resolved. */
export interface ErasureStore {
  /** The erasure of the user with this id or address that is not complete. */
  find(named: string): Promise<Erasure | null>;
  /** The erasures that are not complete, at most 100. */
  open(): Promise<readonly Erasure[]>;
  /** Tells what `begin` would say, without a change. */
  check(wanted: NewErasure): Promise<ErasureBegun>;
  /** Disables the user, whose sessions are refused from then on, and remembers the erasure. One that has begun already is continued with its pseudonym. */
  begin(wanted: NewErasure): Promise<ErasureBegun>;
  /** Remembers how far the audit log has been rewritten. */
  advance(userId: string, auditedUntil: number, rewritten: number): Promise<void>;
  /** @param attemptKeys keys of counters that are the person's */
  count(erasure: Pick<Erasure, 'userId' | 'email'>, attemptKeys: readonly string[]): Promise<PersonalRows>;
  /** Deletes the user with all that belongs to the person; `null` where the user has gone already. */
  remove(
    erasure: Pick<Erasure, 'userId' | 'email' | 'pseudonym'>,
    attemptKeys: readonly string[],
    audit: Audit<PersonalRows | null>,
  ): Promise<PersonalRows | null>;
  /** Forgets the erasure, which is complete, and with it the address and the names. */
  end(userId: string): Promise<void>;
}
