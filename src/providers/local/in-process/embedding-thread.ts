import { Worker } from 'node:worker_threads';
import { workerScript } from '../../../domain/worker-script.ts';
import { EmbeddingJob, type EmbeddingProblem, type Embeddings } from './embedding-job.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import type { EmbeddedTexts } from './embedding-thread.worker.ts';

const WORKER = workerScript('embedding-thread', import.meta.url);

export interface EmbeddingThreadSettings {
  readonly worker: URL;
  /** The model and its working memory hold 300 MB, which are freed after this time without a request. */
  readonly idleMs: number;
  /**
   * A piece takes at most about a second, and the model half a second to load; a worker without a reply for this long counts as
   * hung.
   */
  readonly hungMs: number;
  /** From a request's arrival to its last vector. */
  readonly withinMs: number;
}

const USUAL: EmbeddingThreadSettings = { worker: WORKER, idleMs: 300_000, hungMs: 60_000, withinMs: 110_000 };

/**
 * Embeds in a worker thread that starts with the first request and ends after a while without one. It works on one piece of one
 * request at a time; owners take turns, and so do the requests of one owner.
 */
export class EmbeddingThread {
  private worker: Worker | null = null;
  readonly queue = new EmbeddingQueue();
  private running: EmbeddingJob | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly settings: EmbeddingThreadSettings = USUAL) {}

  /** Resolves at once with a problem if too much is waiting, or when `signal` fires. */
  embed(owner: string, texts: readonly string[], signal: AbortSignal): Promise<Embeddings | EmbeddingProblem> {
    const job = new EmbeddingJob(texts);
    if (signal.aborted) return Promise.resolve({ kind: 'left' });
    const busy = this.queue.add(owner, job);
    if (busy !== null) return Promise.resolve(busy);
    const leave = () => this.drop(job, { kind: 'left' });
    signal.addEventListener('abort', leave, { once: true });
    const late = setTimeout(() => this.drop(job, { kind: 'late' }), this.settings.withinMs);
    void job.result.then(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', leave);
    });
    if (this.running === null) this.next();
    return job.result;
  }

  /** Whether the thread is running. */
  get isStarted(): boolean {
    return this.worker !== null;
  }

  private drop(job: EmbeddingJob, problem: EmbeddingProblem): void {
    job.end(problem);
    this.queue.remove(job);
  }

  private next(): void {
    clearTimeout(this.timer);
    this.running = this.queue.take();
    const { idleMs, hungMs } = this.settings;
    if (this.running === null) {
      this.timer = setTimeout(() => this.stop('it was idle'), idleMs);
      this.timer.unref();
      return;
    }
    this.timer = setTimeout(() => this.stop('a chunk took too long'), hungMs);
    try {
      this.started().postMessage(this.running.nextTexts());
    } catch (error) {
      this.stop(String(error));
    }
  }

  private started(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(this.settings.worker);
    worker.unref();
    worker.on('message', (answer: EmbeddedTexts) => this.answered(worker, answer));
    worker.on('error', (error) => this.lost(worker, String(error)));
    worker.on('exit', () => this.lost(worker, 'it ended'));
    this.worker = worker;
    return worker;
  }

  private answered(worker: Worker, answer: EmbeddedTexts): void {
    const { running } = this;
    if (this.worker !== worker || running === null) return;
    running.answered(answer);
    if (running.isOver) this.queue.remove(running);
    this.next();
  }

  /** Fails only the request whose piece the thread was working on; the next one gets a new thread. */
  private lost(worker: Worker | null, why: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    if (this.running === null) return;
    this.drop(this.running, { kind: 'failed', why });
    this.next();
  }

  private stop(why: string): void {
    const { worker } = this;
    this.lost(worker, why);
    void worker?.terminate();
  }
}

/** The process has only one. */
export const embeddingThread = new EmbeddingThread();
