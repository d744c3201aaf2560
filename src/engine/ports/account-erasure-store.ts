import type { Audit } from './people-store.ts';

/** The erasure of an account that has begun. It is kept until it is complete, so that it can be continued after a crash. */
export interface AccountErasure {
  readonly accountId: string;
  /** What the account is called, and was called earlier. */
  readonly names: readonly string[];
  /** Stands for every name: `erased-` and 8 hexadecimal digits, which are random. */
  readonly pseudonym: string;
  /** The entries of the audit log up to this one no longer name the account. */
  readonly auditedUntil: number;
  /** How many entries of the audit log were rewritten. */
  readonly rewritten: number;
}

export type NewAccountErasure = Pick<AccountErasure, 'accountId' | 'names' | 'pseudonym'>;

/** What an account has that is deleted row by row, in this order; the notes of its credits are replaced by the pseudonym. */
export const ACCOUNT_ROWS = [
  'memberships',
  'invitations',
  'alertDeliveries',
  'alertEvents',
  'alertStates',
  'alertTargets',
  'alertRules',
  'responses',
  'objects',
  'tasks',
  'holds',
  'cacheReports',
  'usageTags',
  'requestLines',
  'ledgerNotes',
] as const;
export type AccountRowKind = (typeof ACCOUNT_ROWS)[number];
export type AccountRowCounts = Readonly<Record<AccountRowKind, number>>;

/** A part of the rows of one kind that was removed. */
export interface RemovedRows {
  readonly removed: number;
  /** Where the next call begins; `null` where none is left. */
  readonly next: number | null;
}

/** Removes what belongs to an account, and remembers which erasures are not complete. Durable when resolved. */
export interface AccountErasureStore {
  find(accountId: string): Promise<AccountErasure | null>;
  /** The erasures that are not complete, at most 100. */
  open(): Promise<readonly AccountErasure[]>;
  /** Remembers the erasure. One that has begun already is continued: resolves to that one, with its pseudonym. */
  begin(wanted: NewAccountErasure): Promise<AccountErasure>;
  /** With the captures, which their own port removes. */
  count(accountId: string): Promise<AccountRowCounts & { readonly captures: number }>;
  /**
   * Removes a part of the rows, small enough not to hold up requests.
   *
   * @param from 0 at first, then `next` of the call before
   */
  remove(kind: AccountRowKind, erasure: NewAccountErasure, from: number): Promise<RemovedRows>;
  /** Remembers how far the audit log has been rewritten. */
  advance(accountId: string, auditedUntil: number, rewritten: number): Promise<void>;
  /** Forgets the erasure, which is complete, and with it the names; writes the entries that `audit` makes unless somebody else has ended it. */
  end(accountId: string, audit: Audit<boolean>): Promise<boolean>;
}
