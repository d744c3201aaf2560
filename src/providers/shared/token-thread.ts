import { Worker } from 'node:worker_threads';
import { workerScript } from '../../domain/worker-script.ts';

const WORKER = workerScript('token-thread', import.meta.url);

/**
 * A megabyte takes at most 0.2 s, and the tokenizer's table, which the first count builds, 0.1 s; a worker without a reply for
 * this long counts as hung.
 */
const HUNG_MS = 30_000;
/** The most waiting counts of one owner; further callers that can do without the count get `null` at once. */
const MAX_WAITING_OF_ONE = 32;

interface Job {
  /** Built only when the job's turn has come, because there may be many long texts. */
  readonly texts: () => readonly string[];
  readonly resolve: (tokens: number | null) => void;
  isOver: boolean;
}

/**
 * Counts tokens in a worker thread, because a long prompt takes as long as a hundred requests. It runs one count at a time, and
 * owners take turns, so that no owner waits for all counts of another.
 */
export class TokenThread {
  private worker: Worker | null = null;
  /** Jobs by owner; the next in turn first. */
  private readonly waiting = new Map<string, Job[]>();
  private running: Job | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The counts that wait or run, of all owners. Nothing is lost: those for which there is no room are estimated. */
  get queue() {
    let waiting = this.running === null ? 0 : 1;
    for (const { length } of this.waiting.values()) waiting += length;
    return { waiting, capacity: null, lateMs: null, dropped: 0, failedWrites: 0 };
  }

  /**
   * Returns the total tokens of all texts; `null` if the thread has failed. With `withinMs`, also `null` if there is no answer in
   * that time, or if too many counts of this owner are waiting.
   */
  count(owner: string, texts: () => readonly string[], withinMs: number | null = null): Promise<number | null> {
    const queue = this.waiting.get(owner) ?? [];
    if (withinMs !== null && queue.length >= MAX_WAITING_OF_ONE) return Promise.resolve(null);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const job: Job = { texts, resolve, isOver: false };
    queue.push(job);
    this.waiting.set(owner, queue);
    if (withinMs !== null) {
      const late = setTimeout(() => this.end(job, null), withinMs);
      void promise.then(() => clearTimeout(late));
    }
    if (this.running === null) this.next();
    return promise;
  }

  /** Resolves when the thread runs and has read the tokenizer's file, which takes file descriptors. */
  async start(): Promise<void> {
    await this.count('', () => ['']);
  }

  private next(): void {
    clearTimeout(this.timer);
    this.running = this.take();
    if (this.running === null) return;
    this.timer = setTimeout(() => this.stop(), HUNG_MS);
    try {
      this.started().postMessage(this.running.texts());
    } catch {
      this.answered(null);
    }
  }

  /** Returns the first job of the first owner, and moves that owner to the end. */
  private take(): Job | null {
    for (const [owner, queue] of this.waiting) {
      this.waiting.delete(owner);
      const job = queue.find(({ isOver }) => !isOver);
      if (job === undefined) continue;
      const left = queue.slice(queue.indexOf(job) + 1);
      if (left.length > 0) this.waiting.set(owner, left);
      return job;
    }
    return null;
  }

  private started(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(WORKER);
    worker.unref();
    worker.on('message', (tokens: number) => this.answered(tokens));
    worker.on('error', () => this.lost(worker));
    worker.on('exit', () => this.lost(worker));
    this.worker = worker;
    return worker;
  }

  private answered(tokens: number | null): void {
    if (this.running !== null) this.end(this.running, tokens);
    this.next();
  }

  private lost(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = null;
    if (this.running !== null) this.answered(null);
  }

  private stop(): void {
    const { worker } = this;
    void worker?.terminate();
    if (worker !== null) this.lost(worker);
  }

  private end(job: Job, tokens: number | null): void {
    job.isOver = true;
    job.resolve(tokens);
  }
}

/** The process has only one. */
export const tokenThread = new TokenThread();
