import { Database } from 'bun:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { UsageQuery } from '../../engine/ports/usage-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { runAtOnce, SQLITE, type SqlProgram, type Statement } from '../sql/program.ts';
import { type LogPageTask, logPage } from '../sql/request-log/log-page.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { usageSums } from '../sql/usage/dearest-accounts.ts';
import { inTransaction } from './connection.ts';
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

function perform(task: ReadTask): unknown {
  const of = opened();
  if (task.kind === 'verify-ledger') return verifyLedger(of);
  const rowsOf = (asked: Statement) => runStatement(of, asked);
  const run = <Result>(program: SqlProgram<Result>) => runAtOnce(program, rowsOf);
  return inTransaction(of, 'DEFERRED', () => {
    if (task.kind === 'snapshot') return task.statements.map(rowsOf);
    if (task.kind === 'usage-sums') return task.queries.map((query) => run(usageSums(query, SQLITE)));
    return run(logPage(SQLITE, task.task));
  });
}

function answered({ id, task }: ReadRequest): ReadAnswer {
  try {
    return { id, result: perform(task) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: errorCodeOf(error), message } };
  }
}

parentPort?.on('message', (request: ReadRequest | 'close') => {
  if (request === 'close') {
    database?.close();
    parentPort?.close();
  } else parentPort?.postMessage(answered(request));
});
