import type { RequestRecord } from './request-log.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** A line of the request log with what the export adds. */
export interface ExportedLine {
  /** The number of the line in the log. */
  readonly id: number;
  readonly record: RequestRecord;
  /** `null` unless names are exported. */
  readonly names: ExportedNames | null;
}

export interface ExportedNames {
  readonly account: string | null;
  readonly key: string | null;
  readonly channel: string | null;
}

/** A line that cannot be exported. It is left out, so that it does not stop all others. */
export interface SkippedLine {
  readonly requestId: string;
  /** For operators, without values of the line. */
  readonly reason: string;
}

/** Lines that are sent together. */
export interface ExportBatch {
  /** The approximate size in bytes so far, as it is held in memory. */
  readonly size: number;
  /** Resolves when the lines are encoded and more can be added. */
  add(lines: readonly ExportedLine[]): Promise<void>;
  /**
   * Sends the batch; resolves to the lines that were left out. Sending the same lines again replaces what was sent, or is recognized by the
   * destination.
   */
  send(): Promise<readonly SkippedLine[]>;
  /** Releases a batch that is not sent. */
  discard(): void;
}

/** Where exported lines go. */
export interface ExportDestination {
  open(): ExportBatch;
  /** Resolves to what prevents exports, each as a sentence that says what to do; empty if there is nothing. Never rejects. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ExportTable {
  /** The HTTP interface, without credentials. */
  readonly url: string;
  readonly database: string;
  readonly table: string;
  readonly user: string;
  readonly password: string;
}

/** One export of the request log. */
export interface ExportSettings {
  readonly id: string;
  readonly to:
    | { readonly kind: 's3'; readonly bucket: S3Bucket }
    | { readonly kind: 'clickhouse'; readonly table: ExportTable };
  /** Whether names of accounts, keys and channels are exported beside their ids. */
  readonly names: boolean;
  /** Whether a new export begins with the oldest line of the log, or with the next one. */
  readonly start: 'oldest' | 'now';
  /** How long lines wait for others before they are sent. */
  readonly intervalMs: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

export interface ExportsSettings {
  /** How long lines that are not exported are kept beyond `retention.request_log_days`. */
  readonly holdMs: number;
  readonly targets: readonly ExportSettings[];
}

export const DEFAULT_EXPORTS: ExportsSettings = { holdMs: 7 * 86_400_000, targets: [] };
