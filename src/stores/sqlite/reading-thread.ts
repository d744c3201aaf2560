import { Worker } from 'node:worker_threads';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import type { RequestLogPage } from '../../engine/ports/request-log.ts';
import type { UsageQuery, UsageSum } from '../../engine/ports/usage-store.ts';
import { within } from '../shared/within.ts';
import type { SqlRow, Statement } from '../sql/program.ts';
import type { LogPageTask } from '../sql/request-log/log-page.ts';
import type { ReadAnswer, ReadRequest, ReadTask } from './reader.worker.ts';

/** The path of a worker differs between the source tree and the single executable (package.json, `build`). */
const WORKER = new URL(
  import.meta.file === 'reading-thread.ts' ? './reader.worker.ts' : './stores/sqlite/reader.worker.ts',
  import.meta.url,
);
const CLOSE_WITHIN_MS = 2_000;

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread with its own read-only connection. SQLite works in the caller's thread, and a search in millions of rows may take far longer
 * than a request. Started on the first call.
 */
export class ReadingThread {
  readonly #path: string;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  async rows<Row>(sql: string, values: Statement['values']): Promise<readonly Row[]> {
    const [rows = []] = await this.snapshot([{ sql, values }]);
    return rows as readonly Row[]; // The type follows from the statement.
  }

  /** Resolves to the rows of each statement from one snapshot. */
  async snapshot(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]> {
    return (await this.#ask({ kind: 'snapshot', statements })) as readonly (readonly SqlRow[])[]; // One list for each.
  }

  /** Resolves to the sums of each query from one snapshot. */
  async usageSums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    return (await this.#ask({ kind: 'usage-sums', queries })) as readonly (readonly UsageSum[])[]; // One list for each.
  }

  async logPage(task: LogPageTask): Promise<RequestLogPage> {
    return (await this.#ask({ kind: 'log-page', task })) as RequestLogPage; // The result of `logPage`.
  }

  /** Uses a separate thread, so that other reads do not wait. */
  async verifyLedger(): Promise<LedgerReport> {
    const other = new ReadingThread(this.#path);
    try {
      return (await other.#ask({ kind: 'verify-ledger' })) as LedgerReport; // The result of `verifyLedger`.
    } finally {
      await other.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage('close');
    await within(CLOSE_WITHIN_MS, exited).catch(() => {});
    await worker.terminate();
  }

  #ask(task: ReadTask): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('The store is closed.'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const request: ReadRequest = { id: ++this.#lastId, task };
    this.#asked.set(request.id, { resolve, reject });
    const worker = this.#started();
    // Keeps the process alive only while a call is pending.
    worker.ref();
    worker.postMessage(request);
    return promise;
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(WORKER, { workerData: { path: this.#path } });
    worker.on('message', (answer: ReadAnswer) => this.#answered(answer));
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#lost(worker, new Error('The reader thread has exited.')));
    this.#worker = worker;
    return worker;
  }

  #answered(answer: ReadAnswer): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (this.#asked.size === 0) this.#worker?.unref();
    if ('error' in answer) asked?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
    else asked?.resolve(answer.result);
  }

  #lost(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of lost) reject(error);
  }
}
