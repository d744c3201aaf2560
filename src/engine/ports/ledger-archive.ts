/** A charge as an archive has it. Its idempotency key is `charge:` and the request's id. */
export interface ArchivedCharge {
  readonly sequence: number;
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** Zero or less, as in the ledger. */
  readonly amountNanoUsd: bigint;
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** When it counts for budgets; `null` where that is `atMs`. */
  readonly countedAtMs: number | null;
}

/** An archive that the ledger knows. Each names the one before, so that none can be exchanged or left out unnoticed. */
export interface Checkpoint {
  /** From 1 on, without gaps. */
  readonly number: number;
  /** Charges before this, in milliseconds since 1970, were archived. */
  readonly beforeMs: number;
  readonly entries: number;
  /** The sum of its entries. */
  readonly amountNanoUsd: bigint;
  readonly fileName: string;
  /** Of the bytes of the file, as hex. */
  readonly sha256: string;
  /** Of the archive before; `null` for the first one. */
  readonly previousSha256: string | null;
  /** Charges of the archive up to this entry have left the ledger. */
  readonly movedTo: number;
  /** Whether all of them have. */
  readonly isComplete: boolean;
}

export type NewCheckpoint = Omit<Checkpoint, 'movedTo' | 'isComplete'>;

/** What the archived charges of a key come to. */
export interface ArchivedSum {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly amountNanoUsd: bigint;
  readonly entries: number;
}

export interface ChargePage {
  readonly charges: readonly ArchivedCharge[];
  /** The last entry that was looked at, of whatever kind, and the earliest time of these entries; `null` where there is none. */
  readonly last: { readonly sequence: number; readonly earliestMs: number } | null;
}

/** The charges of the ledger have changed since they were written to a file. */
export class ArchiveMismatch extends Error {}

/**
 * Moves old charges out of the ledger. At every moment balances and spending are the sums of the entries and of what is archived: a batch of
 * charges is deleted and added to the sums in one transaction. Durable when resolved.
 */
export interface LedgerArchive {
  /** Resolves to whether `holder` is the one process that archives until `untilMs`; it is renewed by claiming again. */
  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /** In order. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** The charges among the next `limit` entries. */
  chargesAfter(sequence: number, limit: number): Promise<ChargePage>;
  begin(checkpoint: NewCheckpoint): Promise<void>;
  /** Moves these charges of the archive, which come after what was moved before. Throws `ArchiveMismatch`, and then nothing was changed. */
  move(checkpoint: Pick<Checkpoint, 'number' | 'beforeMs'>, charges: readonly ArchivedCharge[]): Promise<void>;
  /** Notes that all charges were moved. Throws `ArchiveMismatch` where the sums are not those of the archive. */
  complete(checkpoint: NewCheckpoint): Promise<void>;
  /** The sums of an archive, by account and key. */
  sums(number: number): Promise<readonly ArchivedSum[]>;
}

/** What the first line of an archive says. */
export interface ArchiveHeader {
  readonly number: number;
  readonly beforeMs: number;
  readonly previousSha256: string | null;
}

/** Why an archive cannot be used. */
export class ArchiveFileError extends Error {}

/** A folder of archives. */
export interface ArchiveFolder {
  /** Writes an archive that is there whole and on the disk when this resolves, or not at all; one of the same name is replaced. */
  write(name: string, header: ArchiveHeader, charges: AsyncIterable<readonly ArchivedCharge[]>): Promise<void>;
  /** The SHA-256 of the file's bytes, as hex; `null` where it is missing. */
  sha256(name: string): Promise<string | null>;
  /** Throws `ArchiveFileError` for what is no archive. */
  read(name: string): Promise<{ readonly header: ArchiveHeader; charges(): AsyncIterable<readonly ArchivedCharge[]> }>;
  remove(name: string): Promise<void>;
}
