import { Database } from 'bun:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCodeOf } from '../shared/error-code.ts';
import type { ThreadAnswer } from './asking-thread.ts';

const { path }: { readonly path: string } = workerData;
let database: Database | null = null;

/** Copies the pages that no reader needs in the WAL. Writers and readers do not wait for it (`PASSIVE`). */
function checkpoint(): void {
  database ??= new Database(path, { readwrite: true, create: false });
  database.run('PRAGMA wal_checkpoint(PASSIVE)');
}

function answered(id: number): ThreadAnswer {
  try {
    checkpoint();
    return { id, result: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: errorCodeOf(error), message } };
  }
}

parentPort?.on('message', (request: { readonly id: number } | 'close') => {
  if (request === 'close') {
    database?.close();
    parentPort?.close();
  } else parentPort?.postMessage(answered(request.id));
});
