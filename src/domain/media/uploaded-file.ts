/**
 * A file that a client has sent, in memory or on the disk. It exists until the call is over (`UploadedForm.remove`), and can be
 * read any number of times, since a request may be sent to several upstreams.
 */
export interface UploadedFile {
  /** As the client named it, without folders and control characters; `file` where it gave no name. */
  readonly name: string;
  /** As the client declared it, in lower case and without parameters; `null` where it declared nothing useful. */
  readonly declaredType: string | null;
  /** In bytes. */
  readonly size: number;
  /** The beginning of the file, at most 64 KiB. */
  readonly head: Uint8Array;
  /** Reads the file from its beginning, piece by piece. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The whole file in memory. Only for files whose size is bounded by a few megabytes. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The parts of a `multipart/form-data` body. Brackets at the end of a name do not belong to it: `image[]` is `image`. */
export interface UploadedForm {
  /** The text parts by name, in their order: a name has several values only where the rules allow it. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The files by the name of their part, in their order. */
  readonly files: ReadonlyMap<string, readonly UploadedFile[]>;
  /** Removes what lies on the disk. Harmless the second time. */
  remove(): void;
}

/** What a form may hold. What goes past it is refused while the body is still arriving. */
export interface FormRules {
  /** The parts that are files, by name. */
  readonly files: Readonly<Record<string, FileRule>>;
  /** Text parts that may be there more than once (`timestamp_granularities`), as those may that are not named here at all. */
  readonly lists: readonly string[];
  /** The other text parts that the gateway reads. A part with another spelling of any name here is refused. */
  readonly texts: readonly string[];
}

export interface FileRule {
  /** One file larger than this is refused with 413. */
  readonly maxBytes: number;
  readonly maxCount: number;
}
