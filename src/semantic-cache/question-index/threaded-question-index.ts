import { setImmediate } from 'node:timers/promises';
import { describeError } from '../../domain/text/describe-error.ts';
import type { CacheStore, StoredQuestion } from '../../engine/ports/cache-store.ts';
import type { Sleep } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { NearQuestion, QuestionIndex } from '../../engine/ports/question-index.ts';
import { bytesOfQuestion } from './partitioned-questions.ts';
import { QuestionThread, type QuestionThreadSettings, USUAL_THREAD } from './question-thread.ts';

/** The limit of concurrent look-ups. */
const MOST_LOOK_UPS = 64;
/** The limit from a look-up's arrival to its answer. */
const WITHIN_MS = 1_000;
/** The limit of partitions that are loaded concurrently. */
const MOST_LOADS = 64;
/** How many numbers are sent to the worker at once: half a megabyte, which takes it a few milliseconds. */
const SLICE_NUMBERS = 131_072;
/** How often a look-up retries: while it waits for a partition, the partition may be evicted or the cache cleared. */
const MOST_TURNS = 3;

export interface QuestionIndexOptions {
  readonly store: Pick<CacheStore, 'questions' | 'listen'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** The memory limit for vectors (`CacheSettings.semantic.indexBytes`). */
  readonly indexBytes: number;
  /** Overrides for tests. */
  readonly thread?: Partial<Omit<QuestionThreadSettings, 'mostBytes'>>;
  readonly withinMs?: number;
  readonly sleep: Sleep;
}

/** A partition that is being loaded. */
interface Load {
  over: Promise<void>;
  /** Keys removed since the load began, which may have been read before. */
  readonly removed: Set<string>;
  /** The number of look-ups that have waited for it; late ones hold a little memory until the load ends. */
  waiting: number;
  /** Whether the load was cancelled because its questions are gone. */
  isDropped: boolean;
}

/**
 * Searches in a worker. A partition is loaded from the store when it is first looked up, and kept up to date by the store's events; others
 * are not in memory.
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
    const over = new AbortController();
    const late = this.options.sleep(this.options.withinMs ?? WITHIN_MS, over.signal).then(
      () => null,
      () => null,
    );
    try {
      return await Promise.race([this.search(partition, vector, of), late]);
    } catch (error) {
      this.options.logger.warn({ ...describeError(error) }, 'a search of the semantic cache failed');
      return null;
    } finally {
      over.abort();
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

  /** Loads a partition for which the worker waits. */
  private load(partition: string, dimensions: number): void {
    if (this.loads.size >= MOST_LOADS) {
      this.thread.tell({ kind: 'forget', partition });
      return;
    }
    const load: Load = { over: Promise.resolve(), removed: new Set(), waiting: 0, isDropped: false };
    this.loads.set(partition, load);
    const failed = (error: unknown) => {
      this.options.logger.warn({ ...describeError(error) }, 'the questions of the semantic cache could not be loaded');
      this.thread.tell({ kind: 'forget', partition });
    };
    load.over = this.fill(partition, dimensions, load)
      .catch(failed)
      .finally(() => {
        if (this.loads.get(partition) === load) this.loads.delete(partition);
      });
  }

  /** Sends slices one by one, each after the worker has taken the previous one, so that neither thread is blocked for long. */
  private async fill(partition: string, dimensions: number, load: Load): Promise<void> {
    const limit = Math.floor(this.options.indexBytes / bytesOfQuestion(dimensions));
    const found = await this.options.store.questions(partition, limit);
    const size = Math.max(1, Math.floor(SLICE_NUMBERS / dimensions));
    // Starts with the oldest, the order in which they would have been added one by one.
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
      // Lets other pending work run.
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

  /** Cancels all loads; waiting look-ups retry. */
  private dropLoads(): void {
    for (const load of this.loads.values()) load.isDropped = true;
    this.loads.clear();
  }
}
