import type { UsageQuery, UsageSum } from '../../engine/ports/usage-store.ts';
import { balancedPage } from './ledger/balanced-page.ts';
import type { SqlDialect, SqlProgram, SqlRow, Statement } from './program.ts';
import { logPage } from './request-log/log-page.ts';
import { usageSums } from './usage/dearest-accounts.ts';

/** Read-only programs that run in one snapshot. SQLite runs them in its reader thread, so arguments and results are plain data. */
export const SNAPSHOT_PROGRAMS = { balancedPage, logPage, rowsOfEach, sumsOfEach };

type Programs = typeof SNAPSHOT_PROGRAMS;
export type SnapshotName = keyof Programs;
export type SnapshotTask<Name extends SnapshotName> = Parameters<Programs[Name]>[1];
type ResultOf<Program> = Program extends SqlProgram<infer Result> ? Result : never;

/** Runs one of the programs. */
export type Snapshots = <Name extends SnapshotName>(
  name: Name,
  task: SnapshotTask<Name>,
) => Promise<ResultOf<ReturnType<Programs[Name]>>>;

/** Returns the rows of each statement. */
function* rowsOfEach(
  _dialect: SqlDialect,
  statements: readonly Statement[],
): SqlProgram<readonly (readonly SqlRow[])[]> {
  const rows: (readonly SqlRow[])[] = [];
  for (const statement of statements) rows.push(yield statement);
  return rows;
}

/** Returns the sums of each query. */
function* sumsOfEach(
  dialect: SqlDialect,
  queries: readonly UsageQuery[],
): SqlProgram<readonly (readonly UsageSum[])[]> {
  const sums: (readonly UsageSum[])[] = [];
  for (const query of queries) sums.push(yield* usageSums(query, dialect));
  return sums;
}
