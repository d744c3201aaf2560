import type { CachePolicy } from '../../domain/cache/cache-policy.ts';
import { DEFAULT_CERTAINTY } from '../../domain/cache/certainty.ts';

/** What an operator may set about the cache (docs/cache.md). */
export interface CacheSettings {
  /** What one process keeps in memory. */
  readonly memoryBytes: number;
  /** What one node keeps on its disk, where there is no Redis; 0 for nothing. */
  readonly diskBytes: number;
  /** What all nodes together keep in Redis, where there is one; 0 for nothing. */
  readonly redisBytes: number;
  /** A larger answer is not kept. */
  readonly maxEntryBytes: number;
  /** Whether what lies on the disk or in Redis is encrypted with the master secret. */
  readonly encrypt: boolean;
  /** Whether accounts are served each other's answers. Those of PRIVATE channels never are. */
  readonly isShared: boolean;
  /** What a hit costs, in per cent of what the same answer would cost from a channel; 0 for nothing. */
  readonly hitPricePercent: number;
  /** Where neither the account nor the model says otherwise. */
  readonly policy: CachePolicy;
  readonly semantic: {
    /** `local`: the packaged model; `none`: no search for equivalent questions; else the id of an embedding model. */
    readonly embeddings: string;
    /** What the vectors of one process may occupy. */
    readonly indexBytes: number;
  };
  readonly feedback: {
    /** Reports of so many different keys invalidate an entry. */
    readonly keys: number;
    /** So long nothing is kept for the request whose answer was invalidated. */
    readonly blockMs: number;
  };
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

export const DEFAULT_CACHE: CacheSettings = {
  memoryBytes: 64 * MIB,
  diskBytes: 1024 * MIB,
  redisBytes: 1024 * MIB,
  maxEntryBytes: MIB,
  encrypt: true,
  isShared: false,
  hitPricePercent: 0,
  policy: {
    strategy: 'deterministic',
    ttlMs: 24 * HOUR_MS,
    maxTemperature: 0,
    coalesce: false,
    certainty: DEFAULT_CERTAINTY,
    semanticTools: false,
    semanticMedia: false,
  },
  semantic: { embeddings: 'local', indexBytes: 128 * MIB },
  feedback: { keys: 2, blockMs: HOUR_MS },
};
