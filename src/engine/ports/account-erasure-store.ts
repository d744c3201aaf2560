import type { Audit } from './people-store.ts';

/** An account erasure that has begun. It is stored until it is complete, so that it can resume after a crash. */
export interface AccountErasure {
  readonly accountId: string;
  /** The account's current and former names. */
  readonly names: readonly string[];
  /** Replaces every name: `erased-` and 8 random hexadecimal digits. */
  readonly pseudonym: string;
  /** The sequence of the last audit log entry that has been checked for the account's names. */
  readonly auditedUntil: number;
  /** The number of audit log entries rewritten so far. */
  readonly rewritten: number;
}

export type NewAccountErasure = Pick<AccountErasure, 'accountId' | 'names' | 'pseudonym'>;

/**
 * The kinds of account data that are removed in batches, in this order. `ledgerNotes` is the exception: notes of credits are replaced by
 * the pseudonym.
 */
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
  'batchLines',
  'batches',
  'fileChunks',
  'files',
  'holds',
  'cacheReports',
  'usageTags',
  'requestLines',
  'ledgerNotes',
] as const;
export type AccountRowKind = (typeof ACCOUNT_ROWS)[number];
export type AccountRowCounts = Readonly<Record<AccountRowKind, number>>;

/** The places in which tags are stored: sums are removed; requests, tasks and reservations keep the key of the tag. */
export const TAG_PLACES = ['usage', 'requestLines', 'tasks', 'holds'] as const;
export type TagPlace = (typeof TAG_PLACES)[number];

/** The result of removing one batch of rows. */
export interface RemovedRows {
  readonly removed: number;
  /** The start of the next batch; `null` if no rows are left. */
  readonly next: number | null;
}

/** Removes an account's data and tracks erasures that are not complete. Changes are durable when their promise resolves. */
export interface AccountErasureStore {
  find(accountId: string): Promise<AccountErasure | null>;
  /** Resolves to at most 100 erasures that are not complete. */
  open(): Promise<readonly AccountErasure[]>;
  /** Stores the erasure. If one has already begun for this account, resolves to that one, with its pseudonym. */
  begin(wanted: NewAccountErasure): Promise<AccountErasure>;
  /** Resolves to the number of rows of each kind, and of captures, which are removed through their own port. */
  count(accountId: string): Promise<AccountRowCounts & { readonly captures: number }>;
  /**
   * Removes one batch of rows, small enough not to delay requests.
   *
   * @param from 0 for the first batch, then the `next` of the previous one
   */
  remove(kind: AccountRowKind, erasure: NewAccountErasure, from: number): Promise<RemovedRows>;
  /**
   * Removes one batch of a tag of an account, written as `key=value`.
   *
   * @param from 0 for the first batch, then the `next` of the previous one
   */
  removeTag(
    of: { readonly accountId: string; readonly tag: string },
    place: TagPlace,
    from: number,
  ): Promise<RemovedRows>;
  /** Stores how far the audit log has been rewritten. */
  advance(accountId: string, auditedUntil: number, rewritten: number): Promise<void>;
  /**
   * Deletes the completed erasure together with the names. Appends the entries that `audit` returns, unless another process has already
   * ended it.
   */
  end(accountId: string, audit: Audit<boolean>): Promise<boolean>;
}
