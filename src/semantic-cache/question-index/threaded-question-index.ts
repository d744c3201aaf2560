import { setImmediate } from 'node:timers/promises';
import { describeError } from '../../domain/text/describe-error.ts';
import type { CacheStore, StoredQuestion } from '../../engine/ports/cache-store.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { NearQuestion, QuestionIndex } from '../../engine/ports/question-index.ts';
import { bytesOfQuestion } from './partitioned-questions.ts';
import { QuestionThread, type QuestionThreadSettings, USUAL_THREAD } from './question-thread.ts';

/** How many look-ups may wait at a time. */
const MOST_LOOK_UPS = 64;
/** From a look-up's arrival to its answer. */
const WITHIN_MS = 1_000;
/** How many partitions may be loaded at a time. */
const MOST_LOADS = 64;
/** How many numbers are sent to the thread at once: half a megabyte, which it works on for a few milliseconds. */
const SLICE_NUMBERS = 131_072;
/** How often a look-up asks: a partition may be removed from memory, or the cache cleared, while it waits for it to be loaded. */
const MOST_TURNS = 3;

export interface QuestionIndexOptions {
  readonly store: Pick<CacheStore, 'questions' | 'listen'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** What the vectors may occupy (`CacheSettings.semantic.indexBytes`). */
  readonly indexBytes: number;
  /** For tests. */
  readonly thread?: Partial<Omit<QuestionThreadSettings, 'mostBytes'>>;
  readonly withinMs?: number;
}

/** A partition that is being loaded. */
interface Load {
  over: Promise<void>;
  /** Since it began: these may have been read before. */
  readonly removed: Set<string>;
  /** How many look-ups have begun to wait for it; those that came too late still hold a little memory until it is over. */
  waiting: number;
  /** What it would load is gone. */
  isDropped: boolean;
}

/**
 * Searches in a thread of its own. A partition is loaded from the store when it is first asked for, and kept true by what the store
 * tells; what has not been asked for is not held.
 */
export class ThreadedQuestionIndex implements QuestionIndex {
  private readonly thread: QuestionThread;
  private readonly loads = new Map<string, Load>();
  private lookUps = 0;
  private isClosed = false;

  constructor(private readonly options: QuestionIndexOptions) {
    const settings = { ...USUAL_THREAD, ...options.thread, mostBytes: options.indexBytes };
    this.thread = new QuestionThread(settings, options.logger, () => this.dropLoads());
    options.store.listen({
      added: (question) => this.added(question),
      removed: (keys) => this.removed(keys),
      cleared: () => this.cleared(),
    });
  }

  async nearest(
    partition: string,
    vector: Float32Array,
    of: { readonly most: number; readonly least: number },
  ): Promise<readonly NearQuestion[] | null> {
    if (this.isClosed || this.lookUps >= MOST_LOOK_UPS) return null;
    this.lookUps++;
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), this.options.withinMs ?? WITHIN_MS);
    try {
      return await Promise.race([this.search(partition, vector, of), late.promise]);
    } catch (error) {
      this.options.logger.warn({ ...describeError(error) }, 'A search of the semantic cache failed.');
      return null;
    } finally {
      clearTimeout(timer);
      this.lookUps--;
    }
  }

  statistics() {
    return { questions: this.thread.count, bytes: this.thread.bytes };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.thread.close();
  }

  private async search(partition: string, vector: Float32Array, { most, least }: { most: number; least: number }) {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const load = this.loads.get(partition);
      if (load !== undefined) {
        if (load.waiting >= MOST_LOOK_UPS) return null;
        load.waiting++;
        await load.over;
      }
      const result = await this.thread.ask({ kind: 'nearest', partition, vector: vector.slice(), most, least });
      if (result === 'unknown') this.load(partition, vector.length);
      else if (result !== 'loading') return result === 'done' ? null : result;
    }
    return null;
  }

  /** The thread waits for the questions of this partition. */
  private load(partition: string, dimensions: number): void {
    if (this.loads.size >= MOST_LOADS) {
      this.thread.tell({ kind: 'forget', partition });
      return;
    }
    const load: Load = { over: Promise.resolve(), removed: new Set(), waiting: 0, isDropped: false };
    this.loads.set(partition, load);
    const failed = (error: unknown) => {
      this.options.logger.warn({ ...describeError(error) }, 'The questions of the semantic cache could not be loaded.');
      this.thread.tell({ kind: 'forget', partition });
    };
    load.over = this.fill(partition, dimensions, load)
      .catch(failed)
      .finally(() => {
        if (this.loads.get(partition) === load) this.loads.delete(partition);
      });
  }

  /** Slice by slice, each after the thread has taken the one before it, so that neither thread is busy with it for long. */
  private async fill(partition: string, dimensions: number, load: Load): Promise<void> {
    const limit = Math.floor(this.options.indexBytes / bytesOfQuestion(dimensions));
    const found = await this.options.store.questions(partition, limit);
    const size = Math.max(1, Math.floor(SLICE_NUMBERS / dimensions));
    // The oldest first, as they would have come one by one.
    for (let end = found.length; end > 0; end -= size) {
      if (load.isDropped) return;
      const slice = found.slice(Math.max(0, end - size), end).reverse();
      const isUsable = ({ key, vector }: StoredQuestion) => !load.removed.has(key) && vector.length === dimensions;
      const usable = slice.filter(isUsable);
      if (usable.length === 0) continue;
      const vectors = new Float32Array(usable.length * dimensions);
      for (const [index, { vector }] of usable.entries()) vectors.set(vector, index * dimensions);
      const keys = usable.map(({ key }) => key);
      const taken = await this.thread.ask({ kind: 'add', partition, keys, vectors });
      if (taken === null) {
        this.thread.tell({ kind: 'forget', partition });
        return;
      }
      // Whatever came meanwhile has its turn.
      await setImmediate();
    }
    if (!load.isDropped) this.thread.tell({ kind: 'whole', partition });
  }

  private added({ key, partition, vector }: StoredQuestion): void {
    this.loads.get(partition)?.removed.delete(key);
    this.thread.tell({ kind: 'add', partition, keys: [key], vectors: vector.slice() });
  }

  private removed(keys: readonly string[]): void {
    for (const { removed } of this.loads.values()) for (const key of keys) removed.add(key);
    this.thread.tell({ kind: 'remove', keys });
  }

  private cleared(): void {
    this.dropLoads();
    this.thread.tell({ kind: 'clear' });
  }

  /** Whoever waits for them asks again. */
  private dropLoads(): void {
    for (const load of this.loads.values()) load.isDropped = true;
    this.loads.clear();
  }
}
