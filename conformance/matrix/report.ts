import type { Skipped } from './cases.ts';
import { describeVerdict, failed, type Verdict } from './check.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { DRIVERS } from './sdks/index.ts';

const FAILURE_LINES = 200;

/**
 * The passed and total numbers for each provider and client format: whole responses, streams, and whole
 * responses to clients that requested a stream.
 */
export function printTable(verdicts: readonly Verdict[]): void {
  const formats = DRIVERS.map(({ format }) => format);
  console.log(row('upstream', formats));
  const byProvider = [...Map.groupBy(verdicts, ({ one }) => one.recording.provider)].sort(([a], [b]) =>
    a.localeCompare(b),
  );
  for (const [provider, found] of [...byProvider, ['total', verdicts] as const]) {
    const cells = formats.map((format) => cell(found.filter(({ driver }) => driver.format === format)));
    console.log(row(provider, cells));
  }
}

function cell(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return '-';
  return `${verdicts.filter((verdict) => !failed(verdict)).length}/${verdicts.length}`;
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(14) + cells.map((text) => text.padStart(20)).join('');
}

export function printFailures(verdicts: readonly Verdict[]): void {
  const lines = verdicts.filter(failed).flatMap((verdict) => describeVerdict(verdict).split('\n'));
  for (const line of lines.slice(0, FAILURE_LINES)) console.log(line);
  if (lines.length > FAILURE_LINES) console.log(`… and ${lines.length - FAILURE_LINES} more lines`);
}

export function printKnown(verdicts: readonly Verdict[]): void {
  for (const known of new Set(verdicts.flatMap((verdict) => verdict.known))) {
    const formats = verdicts.filter((verdict) => verdict.known.includes(known)).map(({ driver }) => driver.format);
    console.log(`known: ${known.file} (${[...new Set(formats)].join(', ')}): ${known.reason}`);
  }
}

/** Prints the known differences that no longer occur; returns whether there are any. */
export function printStale(verdicts: readonly Verdict[]): boolean {
  const met = new Set(verdicts.flatMap((verdict) => verdict.known));
  const stale = KNOWN_DIFFERENCES.filter((known) => !met.has(known));
  for (const { file } of stale) console.log(`a known difference no longer occurs: ${file}`);
  return stale.length > 0;
}

export function printSkipped(skipped: readonly Skipped[]): void {
  for (const [reason, found] of Map.groupBy(skipped, (one) => one.reason)) {
    console.log(`not in the matrix, ${found.length}: ${reason}`);
  }
}
