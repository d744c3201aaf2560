/** An archived charge. Its idempotency key is `charge:` and the request's id. */
export interface ArchivedCharge {
  readonly sequence: number;
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** Zero or less, as in the ledger. */
  readonly amountNanoUsd: bigint;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The time that decides its budget period; `null` if that is `atMs`. */
  readonly countedAtMs: number | null;
}

/** The ledger's record of an archive. Each contains the previous archive's hash, so that a replaced or missing archive is detected. */
export interface Checkpoint {
  /** Numbered from 1 without gaps. */
  readonly number: number;
  /** The archive contains charges before this time, in milliseconds since 1970. */
  readonly beforeMs: number;
  readonly entries: number;
  /** The sum of its entries. */
  readonly amountNanoUsd: bigint;
  readonly fileName: string;
  /** The SHA-256 of the file, in hex. */
  readonly sha256: string;
  /** The SHA-256 of the previous archive; `null` for the first. */
  readonly previousSha256: string | null;
  /** The sequence of the last charge that was moved out of the ledger. */
  readonly movedTo: number;
  /** Whether all charges of the archive were moved. */
  readonly isComplete: boolean;
}

export type NewCheckpoint = Omit<Checkpoint, 'movedTo' | 'isComplete'>;

/** The sum of a key's archived charges. */
export interface ArchivedSum {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly amountNanoUsd: bigint;
  readonly entries: number;
}

export interface ChargePage {
  readonly charges: readonly ArchivedCharge[];
  /** The last entry scanned, of any kind, and the earliest time among the scanned entries; `null` if there were none. */
  readonly last: { readonly sequence: number; readonly earliestMs: number } | null;
}

/** Thrown if the ledger's charges differ from the archive file. */
export class ArchiveMismatch extends Error {}

/**
 * Moves old charges out of the ledger. Balances and spending always equal the entries plus the archived sums, since a batch of charges is
 * deleted and added to the sums in one transaction. Changes are durable when their promise resolves.
 */
export interface LedgerArchive {
  /** Resolves to whether `holder` is the only process that may archive until `untilMs`. Claim again to renew. */
  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /** Resolves to all checkpoints by number. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Resolves to the charges among the `limit` entries after `sequence`. */
  chargesAfter(sequence: number, limit: number): Promise<ChargePage>;
  begin(checkpoint: NewCheckpoint): Promise<void>;
  /** Moves the next charges of the archive. Throws `ArchiveMismatch` without changing anything. */
  move(checkpoint: Pick<Checkpoint, 'number' | 'beforeMs'>, charges: readonly ArchivedCharge[]): Promise<void>;
  /** Marks the archive as complete. Throws `ArchiveMismatch` if its sums differ from the checkpoint. */
  complete(checkpoint: NewCheckpoint): Promise<void>;
  /** Resolves to the sums of an archive by account and key. */
  sums(number: number): Promise<readonly ArchivedSum[]>;
}

/** The first line of an archive. */
export interface ArchiveHeader {
  readonly number: number;
  readonly beforeMs: number;
  readonly previousSha256: string | null;
}

/** Thrown for an archive that cannot be used. */
export class ArchiveFileError extends Error {}

/** A folder of archives. */
export interface ArchiveFolder {
  /** Writes an archive atomically and durably. Replaces one of the same name. */
  write(name: string, header: ArchiveHeader, charges: AsyncIterable<readonly ArchivedCharge[]>): Promise<void>;
  /** Resolves to the SHA-256 of the file, in hex; `null` if it is missing. */
  sha256(name: string): Promise<string | null>;
  /** Throws `ArchiveFileError` if the file is not an archive. */
  read(name: string): Promise<{ readonly header: ArchiveHeader; charges(): AsyncIterable<readonly ArchivedCharge[]> }>;
  remove(name: string): Promise<void>;
}
