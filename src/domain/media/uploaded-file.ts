/** The largest image file, in bytes (contract, Errors, rule 4). */
export const MOST_IMAGE_BYTES = 20 * 1024 * 1024;
/** The largest audio file, in bytes (contract, Errors, rule 4). */
export const MOST_AUDIO_BYTES = 25 * 1024 * 1024;

/**
 * A file that a client has sent, in memory or on disk. It exists until the call ends (`UploadedForm.remove`), and can be read
 * repeatedly, because a request may be sent to several upstreams.
 */
export interface UploadedFile {
  /** The client's name without folders and control characters; `file` if it gave none. */
  readonly name: string;
  /** The declared type in lower case and without parameters; `null` if the client declared nothing useful. */
  readonly declaredType: string | null;
  /** The size in bytes. */
  readonly size: number;
  /** The beginning of the file, at most 64 KiB. */
  readonly head: Uint8Array;
  /** Reads the file from its beginning, piece by piece. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Returns the whole file in memory. Only for files limited to a few megabytes. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The parts of a `multipart/form-data` body. Brackets at the end of a name are dropped: `image[]` becomes `image`. */
export interface UploadedForm {
  /** The text parts by name, in order: a name has several values only if the rules allow it. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The files by the name of their part, in order. */
  readonly files: ReadonlyMap<string, readonly UploadedFile[]>;
  /** Deletes files on disk. Idempotent. */
  remove(): void;
}

/** The limits of a form. Anything beyond them is refused while the body is still arriving. */
export interface FormRules {
  /** The file parts, by name. */
  readonly files: Readonly<Record<string, FileRule>>;
  /** Text parts that may be repeated (`timestamp_granularities`), like those that are not listed here at all. */
  readonly lists: readonly string[];
  /** The other text parts that the gateway reads. A part with a different spelling of any name here is refused. */
  readonly texts: readonly string[];
}

export interface FileRule {
  /** A larger file is refused with a 413. */
  readonly maxBytes: number;
  readonly maxCount: number;
}
