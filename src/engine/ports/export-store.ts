/** The numbers from `firstId` to `lastId` have not appeared yet; a node may still be writing them. */
export interface MissingLines {
  readonly firstId: number;
  readonly lastId: number;
  /** When they were found missing, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** How far an export has read the log: all lines up to `topId` except the missing ones. */
export interface ExportPlace {
  readonly topId: number;
  readonly missing: readonly MissingLines[];
}

/** The progress of an export. All times are in milliseconds since 1970. */
export interface ExportProgress {
  /** Everything up to here is at the destination. */
  readonly place: ExportPlace;
  /** The end of a batch that is being sent: it begins at `place`. A batch that was interrupted is sent again with the same lines. */
  readonly sending: ExportPlace | null;
  /** The request id of the line `place.topId`, by which a log that was replaced is recognized; `null` before the first line. */
  readonly lastRequestId: string | null;
  readonly exportedLines: number;
  readonly skippedLines: number;
  /** When a batch was sent last; `null` if none was. */
  readonly exportedAtMs: number | null;
  /** The latest failure since then. */
  readonly failure: { readonly atMs: number; readonly message: string } | null;
}

export interface StoredExport {
  readonly exportId: string;
  readonly progress: ExportProgress;
  /** The process that exports, while its claim lasts. */
  readonly holder: string | null;
}

/** The progress of exports of the request log. Each is done by one process at a time. */
export interface ExportStore {
  /**
   * Claims an export, or renews the claim; resolves to `null` while another process has it. The first claim stores `initial`.
   *
   * @param nowMs the own time, which is only used if the database has no clock of its own
   */
  claim(
    exportId: string,
    claim: {
      readonly holder: string;
      readonly nowMs: number;
      readonly forMs: number;
      readonly initial: ExportProgress;
    },
  ): Promise<StoredExport | null>;
  /** Stores the progress durably; resolves to whether `holder` still has the claim. Otherwise nothing is changed. */
  save(exportId: string, holder: string, progress: ExportProgress): Promise<boolean>;
  release(exportId: string, holder: string): Promise<void>;
  list(): Promise<readonly StoredExport[]>;
}
