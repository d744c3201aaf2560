import type { ClientFormat } from '../readers/index.ts';

export interface KnownDifference {
  /** A recording's file below the recordings folder. */
  readonly file: string;
  /** Where it differs; in every client format where this is absent. */
  readonly formats?: readonly ClientFormat[];
  /** One that a user would accept. */
  readonly reason: string;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];

export function knownReason(file: string, format: ClientFormat): string | undefined {
  return KNOWN_DIFFERENCES.find((one) => one.file === file && (one.formats?.includes(format) ?? true))?.reason;
}
