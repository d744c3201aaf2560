import { Worker } from 'node:worker_threads';
import { describeError } from '../../domain/text/describe-error.ts';
import { workerScript } from '../../domain/worker-script.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type {
  QuestionAnswer,
  QuestionEnvelope,
  QuestionMessage,
  QuestionThreadData,
} from './question-thread.worker.ts';

const WORKER = workerScript('question-thread', import.meta.url);

/** The limit of pending messages; each look-up and each loading partition has one at most. */
const MOST_WAITING = 256;
/** The size of the two shared numbers. */
const NUMBERS_BYTES = 16;

export interface QuestionThreadSettings {
  readonly worker: URL;
  /** The memory limit for questions, in bytes. */
  readonly mostBytes: number;
  /** A worker that answers nothing for this long is considered hung. */
  readonly hungMs: number;
  /** The pause after a crash before the worker is restarted. */
  readonly restMs: number;
}

export const USUAL_THREAD = { worker: WORKER, hungMs: 30_000, restMs: 5_000 };

/** The worker that holds the questions. It starts with the first message. */
export class QuestionThread {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, (result: QuestionAnswer['result'] | null) => void>();
  private numbers: Float64Array = new Float64Array(2);
  private lastId = 0;
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;
  private hung: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly settings: QuestionThreadSettings,
    private readonly logger: Pick<Logger, 'warn'>,
    /** Called when the worker has died, and its questions are lost. */
    private readonly onLost: () => void,
  ) {}

  get count(): number {
    return this.numbers[0] ?? 0;
  }

  get bytes(): number {
    return this.numbers[1] ?? 0;
  }

  /**
   * Resolves to `null` if the worker is not running, is overloaded, or died. The vectors' whole buffer is transferred and detached here, as
   * with `tell`.
   */
  ask(message: QuestionMessage): Promise<QuestionAnswer['result'] | null> {
    const worker = this.started();
    if (worker === null || this.waiting.size >= MOST_WAITING) return Promise.resolve(null);
    const id = ++this.lastId;
    post(worker, { id, message });
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      if (this.waiting.size === 1) this.watch();
    });
  }

  /** Does nothing without a worker: there is no state to change. */
  tell(message: QuestionMessage): void {
    if (this.worker !== null) post(this.worker, { id: null, message });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.lost(worker, null);
    await worker?.terminate();
  }

  private started(): Worker | null {
    if (this.worker !== null) return this.worker;
    if (this.isClosed || performance.now() < this.restsUntilMs) return null;
    const numbers = new SharedArrayBuffer(NUMBERS_BYTES);
    const { mostBytes } = this.settings;
    try {
      const worker = new Worker(this.settings.worker, {
        workerData: { mostBytes, numbers } satisfies QuestionThreadData,
      });
      worker.unref();
      worker.on('message', (answer: QuestionAnswer) => this.answered(worker, answer));
      worker.on('error', (error) => this.lost(worker, describeError(error).error));
      worker.on('exit', () => this.lost(worker, 'it ended'));
      this.worker = worker;
      this.numbers = new Float64Array(numbers);
      return worker;
    } catch (error) {
      this.rest(describeError(error).error);
      return null;
    }
  }

  private answered(worker: Worker, { id, result }: QuestionAnswer): void {
    if (this.worker !== worker) return;
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(this.hung);
    if (this.waiting.size > 0) this.watch();
    resolve?.(result);
  }

  private watch(): void {
    const { worker, settings } = this;
    this.hung = setTimeout(() => {
      this.lost(worker, 'it did not respond');
      void worker?.terminate();
    }, settings.hungMs);
    this.hung.unref();
  }

  /** @param why `null` for an intended end */
  private lost(worker: Worker | null, why: string | null): void {
    if (worker === null || this.worker !== worker) return;
    this.worker = null;
    clearTimeout(this.hung);
    this.numbers = new Float64Array(2);
    if (why !== null) this.rest(why);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.onLost();
    for (const resolve of waiting) resolve(null);
  }

  private rest(why: string): void {
    this.restsUntilMs = performance.now() + this.settings.restMs;
    this.logger.warn({ reason: why }, 'the search thread of the semantic cache crashed and will be restarted');
  }
}

function post(worker: Worker, envelope: QuestionEnvelope): void {
  const { message } = envelope;
  if (message.kind === 'nearest') worker.postMessage(envelope, [message.vector.buffer]);
  else if (message.kind === 'add') worker.postMessage(envelope, [message.vectors.buffer]);
  else worker.postMessage(envelope);
}
