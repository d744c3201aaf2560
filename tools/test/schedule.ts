import type { Suite } from './suites.ts';

/** Test files that one process runs. */
export interface Batch {
  readonly name: string;
  readonly suite: Suite;
  readonly files: readonly string[];
  /** The expected time, from earlier runs. */
  readonly ms: number;
}

/**
 * Longer batches are divided, so that no process runs alone at the end, as one of `npm test` does for half a minute with 180 s. Each process loads
 * and compiles its code anew: in two processes the recordings take 109 s of CPU, in one 100.
 */
const LONGEST_BATCH_MS = 120_000;
/** The assumed time of a file without a measurement. */
const UNKNOWN_MS = 1_000;

export type Timings = Readonly<Record<string, number>>;

/**
 * Divides suites into batches of about equal time, the longest batch first. The files of a batch stay sorted by name. The division depends
 * only on the suites and the timings, so runs are reproducible.
 */
export function batchesOf(suites: readonly Suite[], timings: Timings): readonly Batch[] {
  return suites.flatMap((suite) => divide(suite, timings)).sort((one, other) => other.ms - one.ms);
}

function divide(suite: Suite, timings: Timings): Batch[] {
  const timeOf = (file: string) => timings[file] ?? UNKNOWN_MS;
  const total = suite.files.reduce((sum, file) => sum + timeOf(file), 0);
  const parts = Array.from({ length: Math.ceil(total / LONGEST_BATCH_MS) || 1 }, () => ({
    ms: 0,
    files: [] as string[],
  }));
  for (const file of [...suite.files].sort((one, other) => timeOf(other) - timeOf(one))) {
    const shortest = parts.reduce((least, part) => (part.ms < least.ms ? part : least));
    shortest.files.push(file);
    shortest.ms += timeOf(file);
  }
  const filled = parts.filter(({ files }) => files.length > 0);
  return filled.map(({ ms, files }, index) => ({
    name: filled.length === 1 ? suite.name : `${suite.name} (${index + 1} of ${filled.length})`,
    suite,
    files: files.sort(),
    ms,
  }));
}
