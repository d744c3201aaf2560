import { Worker } from 'node:worker_threads';
import { within } from '../shared/within.ts';

const CLOSE_WITHIN_MS = 2_000;

/** An error's class and code would be lost between threads. */
export interface ThreadError {
  readonly code: string | null;
  readonly message: string;
}

export type ThreadAnswer = { readonly id: number } & ({ readonly result: unknown } | { readonly error: ThreadError });

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface AskingThreadOptions<Answer> {
  readonly worker: URL;
  readonly data: unknown;
  /** Appears in errors. */
  readonly name: 'reader' | 'cache' | 'checkpoints';
  readonly onAnswer?: (answer: Answer) => void;
}

/** A thread that answers requests in order. Started on the first one, and again after it was lost. */
export class AskingThread<Answer extends ThreadAnswer> {
  readonly #options: AskingThreadOptions<Answer>;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor(options: AskingThreadOptions<Answer>) {
    this.#options = options;
  }

  /** The requests that are not answered yet. */
  get waiting(): number {
    return this.#asked.size;
  }

  /** Rejects if the work fails or the thread is lost. */
  protected request(fields: object): Promise<unknown> {
    if (this.#isClosed) {
      return Promise.reject(new Error(`The ${this.#options.name === 'cache' ? 'cache' : 'store'} is closed.`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#asked.set(id, { resolve, reject });
    const worker = this.#started();
    // Keeps the process alive only while a request is pending.
    worker.ref();
    worker.postMessage({ ...fields, id });
    return promise;
  }

  /** Finishes earlier requests within a bounded time. */
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
    const { worker: url, data, name } = this.#options;
    const worker = new Worker(url, { workerData: data });
    worker.on('message', (answer: Answer) => this.#answered(answer));
    worker.on('error', (error) => this.#lost(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#lost(worker, new Error(`The ${name} thread has exited.`)));
    this.#worker = worker;
    return worker;
  }

  #answered(answer: Answer): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (this.#asked.size === 0) this.#worker?.unref();
    this.#options.onAnswer?.(answer);
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
