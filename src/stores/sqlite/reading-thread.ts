import { workerScript } from '../../domain/worker-script.ts';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import type { Snapshots } from '../sql/snapshot-programs.ts';
import { AskingThread, type ThreadAnswer } from './asking-thread.ts';
import type { ReadTask } from './reader.worker.ts';

const WORKER = workerScript('reader', import.meta.url);

/**
 * A thread with its own read-only connection. SQLite works in the caller's thread, and a search in millions of rows may take far longer
 * than a request.
 */
export class ReadingThread extends AskingThread<ThreadAnswer> {
  readonly #path: string;

  constructor(path: string) {
    super({ worker: WORKER, name: 'reader', data: { path } });
    this.#path = path;
  }

  readonly snapshots: Snapshots = (name, task) => {
    // The worker responds with the result of the program.
    return this.request({ name, task } satisfies ReadTask) as ReturnType<typeof this.snapshots<typeof name>>;
  };

  /** Uses a separate thread, so that other reads do not wait. */
  async verifyLedger(): Promise<LedgerReport> {
    const other = new ReadingThread(this.#path);
    try {
      return (await other.request({ name: 'verifyLedger' } satisfies ReadTask)) as LedgerReport; // The result of `verifyLedger`.
    } finally {
      await other.close();
    }
  }

  /** Copies the committed state of one moment into a file, which must be empty. Rejects with the database's error. */
  async copyTo(target: string): Promise<void> {
    await this.request({ name: 'copy', target } satisfies ReadTask);
  }
}
