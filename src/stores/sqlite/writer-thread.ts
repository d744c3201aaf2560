import { Worker } from 'node:worker_threads';
import { Numbered } from '../../domain/concurrency/numbered.ts';
import { workerScript } from '../../domain/worker-script.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Charge } from '../../engine/ports/ledger.ts';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { fromRemoteError, type RemoteError } from '../shared/remote-error.ts';
import { within } from '../shared/within.ts';
import { packCharges } from './charge-booking.ts';
import { isDamage } from './connection.ts';
import { type PackedOutcomes, unpackOutcomes } from './packed.ts';
import type { WriterCall, WriterOptions, WriterParts } from './writer.ts';
import type { WriterLink } from './writer-link.ts';

const WORKER = workerScript('writer', import.meta.url);
const CLOSE_WITHIN_MS = 5_000;

/** A bare number if there is no result. */
export type WriterAnswer =
  | number
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: RemoteError };

export interface WriterThreadOptions extends WriterOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The thread has ended. Calls wait until `onRestarted`. */
  readonly onDown: (error: Error) => void;
  readonly onRestarted: () => void;
  /** A call has been answered. */
  readonly onWritten?: () => void;
  /** The thread has ended for the second time, or the file is damaged: nothing more can be written. */
  readonly onFatal: (error: unknown) => void;
  /** For tests. */
  readonly onStarted?: (worker: Worker) => void;
}

/** The writer of a process: a `WriterThread`, or a test's replacement without a thread. */
export interface OwnWriter extends WriterLink {
  /** Starts it now, rather than on the first call. */
  start(): void;
  /** Finishes earlier calls within a bounded time. */
  close(): Promise<void>;
}

interface Asked {
  request: string | WriterCall;
  readonly isRepeatable: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The only writer thread of the process. A transaction takes from 0.05 ms to the disk's worst case, which would block all requests on the
 * main event loop. If the thread dies it is restarted once, and idempotent calls (above all charges, by their keys) are repeated. Other
 * calls in flight fail.
 */
export class WriterThread implements OwnWriter {
  readonly #options: WriterThreadOptions;
  readonly #asked = new Numbered<Asked>();
  #worker: Worker | null = null;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #hasDied = false;
  #lost: Error | null = null;

  constructor(options: WriterThreadOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#asked.size;
  }

  start(): void {
    this.#started();
  }

  async charge(batch: readonly Charge[]): Promise<readonly ChargeOutcome[]> {
    const packed = packCharges(batch);
    const outcomes = await this.#ask((id) => `${id} ${packed}`, true);
    return unpackOutcomes(outcomes as PackedOutcomes, batch.length); // The worker's response to charges.
  }

  call(part: keyof WriterParts, method: string, args: readonly unknown[], isRepeatable = false): Promise<unknown> {
    const nowMs = this.#options.clock.nowMs();
    return this.#ask((id) => ({ id, part, method, args, nowMs }), isRepeatable);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.ref();
    worker.postMessage('close');
    await within(CLOSE_WITHIN_MS, exited).catch(() => {});
    await worker.terminate();
  }

  #ask(requestOf: (id: number) => Asked['request'], isRepeatable: boolean): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('The store is closed.'));
    if (this.#lost !== null) return Promise.reject(this.#lost);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const worker = this.#started();
    // Keeps the process alive only while a call is pending.
    if (this.#asked.size === 0) worker.ref();
    const asked: Asked = { request: '', isRepeatable, resolve, reject };
    asked.request = requestOf(this.#asked.add(asked));
    worker.postMessage(asked.request);
    return promise;
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const { path, secret } = this.#options;
    const worker = new Worker(WORKER, { workerData: { path, secret } satisfies WriterOptions });
    // Deferred, since a listener may wait for the next event without returning (as `expect` in a test does). All events are deferred, so
    // that results sent before the end are delivered before it.
    const later = (hear: () => void) => void setImmediate(hear);
    const ended = (error: Error) => later(() => this.#died(worker, error));
    worker.on('message', (answer: WriterAnswer) => later(() => this.#answered(answer)));
    worker.on('error', (error) => ended(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => ended(new Error('The writer thread has exited.')));
    if (this.#asked.size === 0) worker.unref();
    this.#worker = worker;
    this.#options.onStarted?.(worker);
    return worker;
  }

  #answered(answer: WriterAnswer): void {
    const id = typeof answer === 'number' ? answer : answer.id;
    const asked = this.#asked.take(id);
    if (this.#asked.size === 0) this.#worker?.unref();
    if (typeof answer === 'number') asked?.resolve(undefined);
    else if ('error' in answer) this.#failed(asked, fromRemoteError(answer.error));
    else asked?.resolve(answer.result);
    this.#options.onWritten?.();
  }

  #failed(asked: Asked | undefined, error: Error): void {
    asked?.reject(error);
    if (isDamage(error)) this.#options.onFatal(error);
  }

  #died(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    void worker.terminate();
    const isLast = this.#hasDied || this.#isClosed;
    this.#hasDied = true;
    for (const [id, { isRepeatable, reject }] of this.#asked.all()) {
      if (isRepeatable && !isLast) continue;
      this.#asked.take(id);
      reject(error);
    }
    if (this.#isClosed) return;
    this.#options.onDown(error);
    if (isLast) {
      this.#lost = error;
      this.#options.onFatal(error);
    } else this.#restart();
  }

  #restart(): void {
    const worker = this.#started();
    worker.once('message', () => this.#options.onRestarted());
    for (const [, { request }] of this.#asked.all()) worker.postMessage(request);
  }
}
