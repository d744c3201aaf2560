/** The size of all chunks of a file but the last, in bytes. A byte of the file is found by its offset. */
export const FILE_CHUNK_BYTES = 256 * 1024;

/** `batch` is the input of a batch, `batch_output` its output or its errors. */
export const FILE_PURPOSES = ['batch', 'batch_output'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

/** A file that the gateway keeps for an account. All times are in milliseconds since 1970. */
export interface StoredFile {
  /** `file-` and 32 characters. */
  readonly id: string;
  readonly accountId: string;
  /** The key that uploaded it, or that created its batch. */
  readonly keyId: string | null;
  readonly purpose: FilePurpose;
  /** The client's name for it. Encrypted in the store. */
  readonly name: string;
  /** The length in bytes; what has been written so far if it is not whole. */
  readonly bytes: number;
  readonly createdAtMs: number;
  /** When it is deleted; `null` for never. A file that is not whole is deleted then, too. */
  readonly expiresAtMs: number | null;
  /** Whether all of it was written. Clients see only whole files. */
  readonly isWhole: boolean;
}
