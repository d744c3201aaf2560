import { workerScript } from '../../domain/worker-script.ts';
import { AskingThread, type ThreadAnswer } from './asking-thread.ts';

const WORKER = workerScript('checkpoints', import.meta.url);
/** About 1,000 pages of the WAL, SQLite's own default. */
const WRITES_PER_CHECKPOINT = 100;

/**
 * A thread that copies what is in the WAL to the database file, which takes some milliseconds and waits for the disk twice. The writer thread
 * would do it within a commit, and all charges behind that would wait. If this thread fails or falls behind, the writer thread does it at
 * `WAL_PAGES` (`connection.ts`).
 */
export class Checkpoints extends AskingThread<ThreadAnswer> {
  #writes = 0;
  #isRunning = false;

  constructor(path: string) {
    super({ worker: WORKER, name: 'checkpoints', data: { path } });
  }

  /** Counts a write of the writer thread, and begins a checkpoint after enough of them. */
  written(): void {
    this.#writes += 1;
    if (this.#writes < WRITES_PER_CHECKPOINT || this.#isRunning) return;
    this.#writes = 0;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      await this.request({});
    } catch {
      // Nothing is lost: what was not copied stays in the WAL. The writer thread meets the same disk and reports it.
    }
    this.#isRunning = false;
  }
}
