import type { LedgerReport } from '../../../engine/ports/ledger.ts';

/** A value of SQLite. Integers are `bigint`. */
export type MovedValue = string | bigint | number | Uint8Array | null;
export type MovedRow = Readonly<Record<string, MovedValue>>;

export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The highest number that its automatic key has ever had; `null` if unknown. */
  readonly highest: bigint | null;
}

/** A locked database of which one state is copied. */
export interface MoveSource {
  tables(): readonly SourceTable[];
  /** Reads the rows of a table in batches of limited size. */
  batches(table: string, columns: readonly string[]): Iterable<readonly MovedRow[]>;
  verify(): LedgerReport;
  /** Ends the lock. The database stays as it is. */
  close(): void;
}

export interface MoveProgress {
  /** A table is about to be copied. */
  begins(table: string, rows: number): void;
  /** Some rows of it were copied, `done` of them in all. */
  copied(table: string, done: number, rows: number): void;
}
