import type { Histogram } from '../../domain/metrics/histogram.ts';

/* Measurements that parts of the gateway make of themselves, for operators. They are cheap to read. */

/** A bounded queue of this process. */
export interface QueueFigures {
  /** The items that wait, including those being written. */
  readonly waiting: number;
  /** `null` if the bound is not a number of items. */
  readonly capacity: number | null;
  /** How long the oldest item has waited, in milliseconds; `null` if that is not known. */
  readonly lateMs: number | null;
  /** The items lost since the start: the queue was full, or they could not be written in time. */
  readonly dropped: number;
  /** The failed attempts to write a batch since the start. */
  readonly failedWrites: number;
}

/** A bounded use of memory, or of disk space. */
export interface MemoryFigures {
  readonly heldBytes: number;
  readonly limitBytes: number;
  /** The requests for more since the start that were refused. */
  readonly refusals: number;
}

/** Connections to a database, or threads that answer for it. */
export interface PoolFigures {
  readonly pool: string;
  /** The calls that wait for a connection, or for the thread. */
  readonly waiting: number;
  /** `null` for a thread. */
  readonly connections: { readonly used: number; readonly idle: number; readonly max: number } | null;
}

/** A connection to Redis for one purpose. */
export interface RedisFigures {
  readonly use: 'limits' | 'conversation_state' | 'cache';
  readonly isAway: boolean;
  /** The durations of answered commands in seconds. */
  readonly durations: Histogram;
  readonly errors: number;
  readonly waiting: number;
  readonly capacity: number;
  /** The values that wait to be written in batches; missing if commands are sent at once. */
  readonly writing?: QueueFigures;
}

/** The money that this process has leased, in nano-USD, and the outcomes of its requests for leases since the start. */
export interface LeaseFigures {
  readonly free: bigint;
  readonly reserved: bigint;
  readonly charging: bigint;
  readonly returning: bigint;
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
  readonly losses: number;
}
