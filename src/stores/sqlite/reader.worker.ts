import { Database } from 'bun:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCodeOf } from '../shared/error-code.ts';
import { runAtOnce, SQLITE, type SqlDialect, type SqlProgram } from '../sql/program.ts';
import { SNAPSHOT_PROGRAMS, type SnapshotName, type SnapshotTask } from '../sql/snapshot-programs.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import type { ThreadAnswer } from './asking-thread.ts';
import { inTransaction } from './connection.ts';
import { verifyLedger } from './verify-ledger.ts';

export type ReadTask =
  | { readonly name: 'verifyLedger' }
  | { readonly name: 'copy'; readonly target: string }
  | { readonly name: SnapshotName; readonly task: SnapshotTask<SnapshotName> };

export type ReadRequest = ReadTask & { readonly id: number };

const { path }: { readonly path: string } = workerData;
let database: Database | null = null;

function opened(): Database {
  database ??= new Database(path, { readonly: true, safeIntegers: true });
  return database;
}

function perform(request: ReadTask): unknown {
  const of = opened();
  if (request.name === 'verifyLedger') return verifyLedger(of);
  if (request.name === 'copy') return void of.run('VACUUM INTO ?', [request.target]);
  const { name, task } = request;
  // The task is that of the program.
  const program = SNAPSHOT_PROGRAMS[name] as (dialect: SqlDialect, given: typeof task) => SqlProgram<unknown>;
  return inTransaction(of, 'DEFERRED', () => runAtOnce(program(SQLITE, task), (asked) => runStatement(of, asked)));
}

function answered(request: ReadRequest): ThreadAnswer {
  const { id } = request;
  try {
    return { id, result: perform(request) };
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
