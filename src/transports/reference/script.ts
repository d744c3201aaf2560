import { Worker } from 'node:worker_threads';
import { workerScript } from '../../domain/worker-script.ts';
import type { Packed } from '../shared/packed.ts';
import type { PackedScript } from './script.worker.ts';

const WORKER = workerScript('script', import.meta.url);

/** Scalar's script for browsers. It is prepared on first request, which takes half a second, and then kept: 2.7 MB. */
export class ReferenceScript {
  private ready: Promise<Packed> | null = null;

  constructor(private readonly worker: URL = WORKER) {}

  /** Rejects if the worker fails; the next call tries again. */
  get(): Promise<Packed> {
    this.ready ??= this.make().catch((error: unknown) => {
      this.ready = null;
      throw error;
    });
    return this.ready;
  }

  private make(): Promise<Packed> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(this.worker);
      worker.unref();
      worker.on('message', ({ script }: PackedScript) => {
        resolve(script);
        void worker.terminate();
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the worker that compresses the script of the API reference exited')));
    });
  }
}
