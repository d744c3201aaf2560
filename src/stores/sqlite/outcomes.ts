import type { Database } from 'bun:sqlite';
import { Worker } from 'node:worker_threads';
import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import { workerScript } from '../../domain/worker-script.ts';
import type { OutcomeSource } from '../../engine/ports/outcomes.ts';
import type { RequestLog } from '../../engine/ports/request-log.ts';
import { isDamage } from './connection.ts';
import type { CountResult, CountTask } from './count-outcomes.worker.ts';

const WORKER = workerScript('count-outcomes', import.meta.url);

export interface SqliteOutcomesOptions {
  readonly path: string;
  /** A connection of the caller's thread. */
  readonly database: Database;
  readonly requestLog: RequestLog;
  readonly onDamage: (error: unknown) => void;
}

const ANY_LINE = 'SELECT 1 FROM request_log INDEXED BY request_log_by_time WHERE at_ms >= ? AND at_ms < ? LIMIT 1';

/** A counting thread and a function that stops it early. */
interface Counting {
  readonly exited: Promise<void>;
  stop(): void;
}

/**
 * Counts outcomes in the request log. SQLite works in the caller's thread, and counting a busy day takes seconds, so each count runs in a
 * new thread with its own connection, which costs nothing in between.
 */
export class SqliteOutcomes implements OutcomeSource {
  readonly #options: SqliteOutcomesOptions;
  readonly #running = new Set<Counting>();
  #isClosed = false;

  constructor(options: SqliteOutcomesOptions) {
    this.#options = options;
  }

  async count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]> {
    const { path, requestLog, onDamage } = this.#options;
    // The queue reports write failures; lines already written can still be counted.
    await requestLog.flush().catch(() => {});
    if (this.#isClosed) throw new Error('The store is closed.');
    if (!this.#hasLines(fromMs, toMs)) return [];
    const result = await this.#runThread({ path, fromMs, toMs });
    if ('counts' in result) return result.counts;
    const error = Object.assign(new Error(result.message), { code: result.code });
    if (isDamage(error)) onDamage(error);
    throw error;
  }

  /** Cancels running counts, which reject, and waits until they have closed the file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running];
    for (const { stop } of running) stop();
    await Promise.all(running.map(({ exited }) => exited));
  }

  /** Looks into the index only. A new gateway then starts no thread. */
  #hasLines(fromMs: number, toMs: number): boolean {
    const { database, onDamage } = this.#options;
    try {
      return database.query<object, [number, number]>(ANY_LINE).get(fromMs, toMs) !== null;
    } catch (error) {
      if (isDamage(error)) onDamage(error);
      throw error;
    }
  }

  #runThread(task: CountTask): Promise<CountResult> {
    const worker = new Worker(WORKER, { workerData: task });
    const exited = Promise.withResolvers<void>();
    const counting: Counting = { exited: exited.promise, stop: () => worker.postMessage('stop') };
    this.#running.add(counting);
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => {
        this.#running.delete(counting);
        exited.resolve();
        reject(new Error('The count of the request log did not finish.'));
      });
    });
  }
}
