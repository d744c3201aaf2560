import { Worker } from 'node:worker_threads';
import { within } from '../shared/within.ts';
import type { CacheAnswer, CacheResults, CacheTask, CacheTaskRequest, CacheWorkerData } from './cache-task.ts';

/** The path of a worker differs between the source tree and the single executable (package.json, `build`). */
const WORKER = new URL(
  import.meta.file === 'cache-thread.ts' ? './cache-file.worker.ts' : './stores/sqlite/cache-file.worker.ts',
  import.meta.url,
);
const CLOSE_WITHIN_MS = 2_000;

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface CacheThreadOptions {
  readonly data: CacheWorkerData;
  readonly nowMs: () => number;
  readonly onAnswer: (answer: CacheAnswer) => void;
}

/** The writer thread of the cache. In the request thread an entry of 500 KB took 0.5 ms (median) and up to 6 ms on an idle disk. */
export class CacheThread {
  readonly #options: CacheThreadOptions;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor(options: CacheThreadOptions) {
    this.#options = options;
  }

  /** Runs tasks in order. Rejects if the file cannot be used. */
  ask<Kind extends CacheTask['kind']>(task: CacheTask & { readonly kind: Kind }): Promise<CacheResults[Kind]> {
    if (this.#isClosed) return Promise.reject(new Error('The cache is closed.'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#asked.set(id, { resolve, reject });
    const request: CacheTaskRequest = { id, nowMs: this.#options.nowMs(), task };
    const worker = this.#started();
    // Keeps the process alive only while a task is pending.
    worker.ref();
    worker.postMessage(request);
    // The worker responds to each kind with the result of `CacheFile`.
    return promise as Promise<CacheResults[Kind]>;
  }

  /** Finishes earlier tasks within a bounded time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage('close');
    await within(CLOSE_WITHIN_MS, exited).catch(() => {});
    await worker.terminate();
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(WORKER, { workerData: this.#options.data });
    worker.on('message', (answer: CacheAnswer) => this.#answered(answer));
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#lost(worker, new Error('The cache thread has exited.')));
    this.#worker = worker;
    return worker;
  }

  #answered(answer: CacheAnswer): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (this.#asked.size === 0) this.#worker?.unref();
    this.#options.onAnswer(answer);
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
