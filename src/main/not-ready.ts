import { Worker } from 'node:worker_threads';
import { workerScript } from '../domain/worker-script.ts';
import { StoreOpenError } from '../stores/shared/store-open-error.ts';
import { type Listening, listenError } from './listen.ts';

const WORKER = workerScript('not-ready', import.meta.url);

export interface NotReadyOptions extends Listening {
  /** Whether other processes of this gateway listen on the same port. */
  readonly inGroup: boolean;
  /** Why the gateway is not ready, for `/readyz`. */
  readonly reason: string;
}

/**
 * Listens where the gateway will: `/healthz` answers 200, everything else 503 with the reason. Resolves, once it listens, to a function
 * that closes it. Rejects with a `StoreOpenError` if the address cannot be used, since the store is being opened meanwhile.
 */
export async function answerNotReady(options: NotReadyOptions): Promise<() => Promise<void>> {
  const worker = new Worker(WORKER, { workerData: options });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const [message] = await Promise.race([
    new Promise<[unknown]>((resolve, reject) => {
      worker.once('message', (first: unknown) => resolve([first]));
      worker.once('error', reject);
    }),
    exited.then((): [unknown] => [{ message: 'the thread has exited' }]),
  ]);
  if (message !== 'listening') throw new StoreOpenError(listenError(options, message).message);
  return async () => {
    const closed = new Promise<void>((resolve) => worker.once('message', () => resolve()));
    worker.postMessage('close');
    await Promise.race([closed, exited]);
    await worker.terminate();
  };
}
