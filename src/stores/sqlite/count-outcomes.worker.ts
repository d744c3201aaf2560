import { Database } from 'bun:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { countOutcomes } from './count-outcomes.ts';

/** The task of the thread. */
export interface CountTask {
  readonly path: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The thread's final message. An error's class and code would be lost between threads. */
export type CountResult =
  | { readonly counts: readonly OutcomeCount[] }
  | { readonly code: string | null; readonly message: string };

/** Any message from the owner cancels the count. */
let isStopped = false;
parentPort?.once('message', () => {
  isStopped = true;
});

async function count({ path, fromMs, toMs }: CountTask): Promise<CountResult | null> {
  let database: Database | null = null;
  try {
    database = new Database(path, { readonly: true });
    const counting = countOutcomes(database, fromMs, toMs);
    for (;;) {
      const step = counting.next();
      if (step.done) return { counts: step.value };
      await new Promise(setImmediate);
      if (isStopped) return null;
    }
  } catch (error) {
    return { code: errorCodeOf(error), message: error instanceof Error ? error.message : String(error) };
  } finally {
    database?.close();
  }
}

const result = await count(workerData);
if (result !== null) parentPort?.postMessage(result);
parentPort?.close();
