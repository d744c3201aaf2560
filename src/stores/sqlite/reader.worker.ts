import { Database } from 'bun:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { UsageQuery } from '../../engine/ports/usage-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { type LogPageTask, readLogPage } from '../shared/log-pages.ts';
import { runAtOnce, SQLITE, type Statement } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { usageSums } from '../sql/usage/dearest-accounts.ts';
import { SQLITE_LOG } from './log-dialect.ts';
import { verifyLedger } from './verify-ledger.ts';

/** The tasks of the thread: statements or usage sums in one snapshot, a page of the request log, or a verification of the ledger. */
export type ReadTask =
  | { readonly kind: 'verify-ledger' }
  | { readonly kind: 'snapshot'; readonly statements: readonly Statement[] }
  | { readonly kind: 'usage-sums'; readonly queries: readonly UsageQuery[] }
  | { readonly kind: 'log-page'; readonly task: LogPageTask };

export interface ReadRequest {
  readonly id: number;
  readonly task: ReadTask;
}

/** An error's class and code would be lost between threads. */
export type ReadAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly code: string | null; readonly message: string } };

const { path }: { readonly path: string } = workerData;
let database: Database | null = null;

function opened(): Database {
  database ??= new Database(path, { readonly: true, safeIntegers: true });
  return database;
}

async function perform(task: ReadTask): Promise<unknown> {
  const of = opened();
  if (task.kind === 'verify-ledger') return verifyLedger(of);
  of.run('BEGIN');
  try {
    if (task.kind === 'snapshot') return task.statements.map((asked) => runStatement(of, asked));
    if (task.kind === 'usage-sums') {
      const rowsOf = (asked: Statement) => runStatement(of, asked);
      return task.queries.map((query) => runAtOnce(usageSums(query, SQLITE), rowsOf));
    }
    return await readLogPage(task.task, SQLITE_LOG, (sql, values) =>
      of
        .query(sql)
        .all(...values)
        .map(asNumbers),
    );
  } finally {
    of.run('COMMIT');
  }
}

/** Log lines have no integer beyond 2^53 except the cost, which is read as text. */
function asNumbers(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row as object).map(([column, value]) => [column, typeof value === 'bigint' ? Number(value) : value]),
  );
}

async function answered({ id, task }: ReadRequest): Promise<ReadAnswer> {
  try {
    return { id, result: await perform(task) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: errorCodeOf(error), message } };
  }
}

/** Tasks run one after another, since they share a connection. */
let last = Promise.resolve();

parentPort?.on('message', (request: ReadRequest | 'close') => {
  last = last.then(async () => {
    if (request === 'close') {
      database?.close();
      parentPort?.close();
    } else parentPort?.postMessage(await answered(request));
  });
});
