import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { fromRemoteError, type RemoteError, toRemoteError } from '../shared/remote-error.ts';
import { toRequestLogValues } from '../shared/tables/request-log.ts';
import type { SealedLine } from '../shared/tables/sealed-failure.ts';
import { toUsageValues, usageOfLines } from '../shared/tables/usage.ts';

/*
 * Data sent to the writer thread for every request, as one string. That costs the main thread 0.4 µs per line and 0.25 µs per charge (`packCharges`);
 * objects cost 2.8 and 0.8, and values written into bytes one by one 0.55.
 */

type Value = string | number | null;

export interface PackedLines {
  /** Values of `REQUEST_LOG_COLUMNS`. */
  readonly lines: Value[][];
  /** Values of `USAGE_COLUMNS`. */
  readonly usage: Value[][];
}

/** A serialised line. It is created when its request ends, since serialising a hundred at once would block requests for a millisecond. */
export interface PackedLine {
  readonly record: SealedLine;
  readonly json: string;
}

export function packLine(record: SealedLine): PackedLine {
  return { record, json: JSON.stringify(toRequestLogValues(record)) };
}

/** Returns `PackedLines` as JSON. Money is written as digits, which integer columns accept. */
export function packLines(lines: readonly PackedLine[]): string {
  const usage = usageOfLines(lines.map(({ record }) => record)).map((row) => toUsageValues(row).map(digits));
  return `{"lines":[${lines.map(({ json }) => json).join(',')}],"usage":${JSON.stringify(usage)}}`;
}

/** `undefined` if all were charged, the usual case. */
export type PackedOutcomes = readonly (RemoteError | 'charged' | 'known')[] | undefined;

export function packOutcomes(outcomes: readonly ChargeOutcome[]): PackedOutcomes {
  if (outcomes.every((outcome) => outcome === 'charged')) return undefined;
  return outcomes.map((outcome) => (outcome instanceof Error ? toRemoteError(outcome) : outcome));
}

/** @param count the number of charges */
export function unpackOutcomes(packed: PackedOutcomes, count: number): readonly ChargeOutcome[] {
  if (packed === undefined) return Array<ChargeOutcome>(count).fill('charged');
  return packed.map((outcome) => (typeof outcome === 'string' ? outcome : fromRemoteError(outcome)));
}

function digits(value: string | number | bigint | null): Value {
  return typeof value === 'bigint' ? String(value) : value;
}
