import { Worker } from 'node:worker_threads';
import { workerScript } from '../../domain/worker-script.ts';
import type { ParquetAnswer, ParquetRequest, ParquetResult, ParquetTask } from './parquet.worker.ts';

const WORKER = workerScript('parquet', import.meta.url);

/**
 * A thread that encodes Parquet files, which takes about 25 µs for each line and would delay requests. It starts with the first task. If it
 * dies, everything that was asked of it rejects, and the next task starts another one, without the files of before.
 */
export class ParquetThread {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, PromiseWithResolvers<ParquetResult>>();
  private lastId = 0;

  /** @param writtenBy the name and version of the program, for the files */
  constructor(private readonly writtenBy: string) {}

  /** Resolves to the size of the complete groups of all open files in bytes, and to the whole file for `finish`. */
  async run(task: ParquetTask): Promise<{ readonly size: number; readonly bytes?: Uint8Array<ArrayBuffer> }> {
    const id = ++this.lastId;
    const answer = Promise.withResolvers<ParquetResult>();
    this.waiting.set(id, answer);
    this.started().postMessage({ id, task } satisfies ParquetRequest);
    const result = await answer.promise;
    if ('error' in result) throw new Error(`lines could not be encoded: ${result.error}`);
    return result;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.lost(worker);
    await worker?.terminate();
  }

  private started(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(WORKER, { workerData: this.writtenBy });
    worker.unref();
    worker.on('message', ({ id, result }: ParquetAnswer) => {
      this.waiting.get(id)?.resolve(result);
      this.waiting.delete(id);
    });
    worker.on('error', () => this.lost(worker));
    worker.on('exit', () => this.lost(worker));
    this.worker = worker;
    return worker;
  }

  private lost(worker: Worker | null): void {
    if (worker === null || this.worker !== worker) return;
    this.worker = null;
    for (const answer of this.waiting.values()) answer.reject(new Error('the thread that encodes lines has ended'));
    this.waiting.clear();
  }
}
