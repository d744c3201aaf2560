import type { Audit } from './people-store.ts';

/** A person's erasure that has begun. It is stored until it is complete, so that it can resume after a crash. */
export interface Erasure {
  readonly userId: string;
  readonly email: string;
  /** The person's current and former names. */
  readonly names: readonly string[];
  /** Replaces the person in the audit log: `erased-` and 8 random hexadecimal digits. */
  readonly pseudonym: string;
  /** The sequence of the last audit log entry that has been checked for the person. */
  readonly auditedUntil: number;
  /** The number of audit log entries rewritten so far. */
  readonly rewritten: number;
}

export interface NewErasure extends Pick<Erasure, 'userId' | 'names' | 'pseudonym'> {
  readonly atMs: number;
  /** Archived accounts, which may be left without an owner. */
  readonly archivedAccounts: readonly string[];
}

export type ErasureBegun =
  | { readonly outcome: 'begun'; readonly erasure: Erasure }
  | { readonly outcome: 'not_found' }
  /** No operator who can sign in would remain. */
  | { readonly outcome: 'last_operator' }
  /** No owner who can sign in would remain in an account that is in use. */
  | { readonly outcome: 'last_owner'; readonly accountId: string };

/** The number of rows of each kind that belong to a person. */
export interface PersonalRows {
  readonly passwords: number;
  /** Linked identity providers. */
  readonly issuers: number;
  readonly passkeys: number;
  /** Authenticators, each with its backup codes. */
  readonly twoFactors: number;
  readonly sessions: number;
  /** Sign-ins in progress. */
  readonly verifications: number;
  /** Counters of emails sent to the address. */
  readonly attempts: number;
  readonly memberships: number;
  /** One-time links sent to the address, used by the person, or created by the person and unused. */
  readonly invitations: number;
  /** Alert events whose text contains the address. */
  readonly alertEvents: number;
}

/** Deletes a person's data and tracks erasures that are not complete. Changes are durable when their promise resolves. */
export interface ErasureStore {
  /** Resolves to the incomplete erasure of the user with this id or address. */
  find(named: string): Promise<Erasure | null>;
  /** Resolves to at most 100 erasures that are not complete. */
  open(): Promise<readonly Erasure[]>;
  /** Resolves to what `begin` would resolve to, without changing anything. */
  check(wanted: NewErasure): Promise<ErasureBegun>;
  /** Disables the user, which invalidates the sessions, and stores the erasure. One that has already begun keeps its pseudonym. */
  begin(wanted: NewErasure): Promise<ErasureBegun>;
  /** Stores how far the audit log has been rewritten. */
  advance(userId: string, auditedUntil: number, rewritten: number): Promise<void>;
  /**
   * Counts what `remove` would delete.
   *
   * @param attemptKeys the person's keys of attempt counters
   */
  count(erasure: Pick<Erasure, 'userId' | 'email'>, attemptKeys: readonly string[]): Promise<PersonalRows>;
  /** Deletes the user and all of the person's data; `null` if the user no longer exists. */
  remove(
    erasure: Pick<Erasure, 'userId' | 'email' | 'pseudonym'>,
    attemptKeys: readonly string[],
    audit: Audit<PersonalRows | null>,
  ): Promise<PersonalRows | null>;
  /** Deletes the completed erasure together with the address and the names. */
  end(userId: string): Promise<void>;
}
