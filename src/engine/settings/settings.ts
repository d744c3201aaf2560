import type { CachePolicy } from '../../domain/cache/cache-policy.ts';
import { DEFAULT_CERTAINTY } from '../../domain/cache/certainty.ts';

/** An operator's settings for the cache (docs/cache.md). */
export interface CacheSettings {
  /** The most bytes in the memory of one process. */
  readonly memoryBytes: number;
  /** The most bytes on the disk of one node, if there is no Redis; 0 for none. */
  readonly diskBytes: number;
  /** The most bytes of all nodes together in Redis, if there is one; 0 for none. */
  readonly redisBytes: number;
  /** Larger answers are not kept. */
  readonly maxEntryBytes: number;
  /** Whether entries on the disk or in Redis are encrypted with the master secret. */
  readonly encrypt: boolean;
  /** Whether accounts get each other's answers. Those of PRIVATE channels are never shared. */
  readonly isShared: boolean;
  /** The price of a hit, in per cent of what the same answer would cost from a channel; 0 for free hits. */
  readonly hitPricePercent: number;
  /** The policy if neither the account nor the model sets one. */
  readonly policy: CachePolicy;
  readonly semantic: {
    /** `local` for the packaged model, `none` to disable the search for equivalent questions, else the id of an embedding model. */
    readonly embeddings: string;
    /** The most bytes of vectors in one process. */
    readonly indexBytes: number;
  };
  readonly feedback: {
    /** The number of keys whose reports invalidate an entry. */
    readonly keys: number;
    /** How long nothing is stored for a request after its answer was invalidated. */
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
