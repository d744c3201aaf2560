import type { CachePage } from '../../engine/ports/cache-store.ts';
import type { Removal } from '../shared/cache/pending-removals.ts';
import type { WriteBatch } from '../shared/cache/write-queue.ts';
import type { ThreadError } from './asking-thread.ts';
import type { CacheFile, CacheFileStatistics, QuestionsPage } from './cache-file.ts';
import type { OpenCacheOptions } from './cache-open.ts';

/* The requests to the cache's writer thread and their responses. The thread opens the file on demand, and again after each failure. */

export type CacheWorkerData = Omit<OpenCacheOptions, 'codec'> & {
  readonly masterSecret: string;
  readonly encrypts: boolean;
};

export type CacheTask =
  /** `damage` is the problem that the file's reader found. */
  | { readonly kind: 'open'; readonly damage: string | null }
  | { readonly kind: 'write'; readonly batch: WriteBatch }
  | { readonly kind: 'remove'; readonly removal: Removal }
  | { readonly kind: 'drop'; readonly keys: readonly string[] }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'list'; readonly page: CachePage }
  | { readonly kind: 'questions'; readonly page: QuestionsPage };

export interface CacheResults {
  readonly open: null;
  readonly write: ReturnType<CacheFile['write']>;
  readonly remove: number;
  readonly drop: undefined;
  readonly sweep: ReturnType<CacheFile['sweep']>;
  readonly list: ReturnType<CacheFile['list']>;
  readonly questions: ReturnType<CacheFile['questions']>;
}

export interface CacheTaskRequest {
  readonly id: number;
  readonly nowMs: number;
  readonly task: CacheTask;
}

export type CacheAnswer = {
  readonly id: number;
  /** Messages for the log. */
  readonly notes: readonly string[];
  /** Identifies the file; a different number means that it was replaced. */
  readonly generation: number;
} & ({ readonly statistics: CacheFileStatistics; readonly result: unknown } | { readonly error: ThreadError });
