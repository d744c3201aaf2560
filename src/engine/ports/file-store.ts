import type { FilePurpose, StoredFile } from '../../domain/batches/stored-file.ts';

/** Conditions that must all hold; omitted ones are ignored. */
export interface FileQuery {
  readonly accountId?: string;
  readonly purpose?: FilePurpose;
  /** Leaves out files that have expired at this time. */
  readonly readableAtMs: number;
  /** Lists the oldest first. */
  readonly isAscending?: boolean;
  /** The last file of the previous page; it may have been deleted since. */
  readonly after?: Pick<StoredFile, 'createdAtMs' | 'id'>;
}

export interface StoredAmount {
  readonly files: number;
  readonly bytes: number;
}

/** Files of accounts, in encrypted chunks. Changes are durable when their promise resolves. */
export interface FileStore {
  /** Begins a file, which is not whole. Throws if the id exists. */
  create(file: StoredFile): Promise<void>;
  /**
   * Begins a file, and counts its `bytes` as stored already. Resolves to `false`, without changing anything, if the account would then store
   * more than this, also if several begin at the same time.
   */
  createWithin(file: StoredFile, most: StoredAmount): Promise<boolean>;
  /**
   * Adds a chunk of `FILE_CHUNK_BYTES`, or fewer for the last; the first has the number 0. Writing a number again replaces its chunk.
   * Resolves to `false` if there is no such file that is not whole. The bytes must not change before that, and may afterwards.
   */
  append(fileId: string, number: number, bytes: Uint8Array): Promise<boolean>;
  /** Marks a file as whole. Resolves to `false` if there is no such file that is not whole. */
  finish(fileId: string, bytes: number, expiresAtMs: number | null): Promise<boolean>;
  /** Finds a whole file. @param accountId `null` to find it in any account */
  find(id: string, accountId: string | null): Promise<StoredFile | null>;
  /** Finds a file that was whole, also if it was deleted or has expired while a batch reads it. Clients must not see it. */
  findKept(id: string): Promise<StoredFile | null>;
  /** Resolves to whole files from newest to oldest. */
  list(query: FileQuery, limit: number): Promise<readonly StoredFile[]>;
  /** Resolves to a chunk of a file, whether it is whole or not, in bytes that the caller may free; `null` if there is none. */
  chunk(fileId: string, number: number): Promise<Uint8Array | null>;
  /**
   * Deletes a file of an account: nobody sees it any more. Its chunks are removed in steps, and if the process dies between them,
   * `removeExpired` removes the others. The chunks of a file that an open batch reads are kept until `removeDeleted`. Resolves to `false` if
   * there is no such file, or if it was deleted before.
   */
  delete(id: string, accountId: string): Promise<boolean>;
  /** Removes what is left of a file that was deleted, unless an open batch still reads it. */
  removeDeleted(id: string): Promise<void>;
  /** Resolves to the amount that an account stores, including files that are not whole, and expired ones until they are removed. */
  amountOf(accountId: string): Promise<StoredAmount>;
  /**
   * Removes at most `limit` chunks of files that have expired, or whose deletion was interrupted, and those files, unless an open batch reads
   * them. Resolves to the number of removed rows, 0 when none are left.
   */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
