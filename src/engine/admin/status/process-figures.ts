import {
  type ChannelFigures,
  type KeyFigures,
  RUNNING_CHANNEL_STATES,
  RUNNING_KEY_STATES,
} from '../../ports/health-store.ts';
import type { StoreQueues } from '../../ports/store.ts';

/** The state of one process of the gateway, as plain data that can be sent to another one. */
export interface ProcessFigures {
  /** Why it takes no requests, or `null`. */
  readonly notReady: string | null;
  readonly inFlight: number;
  /** The calls that ended in the last minute, and how many of them failed through no fault of the client. */
  readonly finished: number;
  readonly failed: number;
  readonly queues: {
    readonly charges: Pick<StoreQueues['charges'], 'waiting' | 'lateMs'>;
    readonly requestLog: Pick<StoreQueues['requestLog'], 'waiting' | 'dropped'>;
  };
  /** Why nothing can be stored, or `null`. */
  readonly databaseProblem: string | null;
  /** The duration of the latest test write to the database; `null` if there was none yet. */
  readonly databaseLatencyMs: number | null;
  /** `null` if no Redis is configured. */
  readonly redis: 'reachable' | 'away' | null;
  readonly memoryBytes: number;
  /** The PLATFORM channels in use. */
  readonly channels: readonly ChannelFigures[];
  /** `null` if there are no PRIVATE channels. */
  readonly privateInFlight: number | null;
  /** The number of models that every account can see, and the ids of those that no shared channel can be asked for. */
  readonly models: number;
  readonly closedModels: readonly string[];
  readonly cache: { readonly entries: number; readonly bytes: number };
}

/** Returns the figures of all processes together: sums, and the worse of two states. */
export function mergedFigures(processes: readonly [ProcessFigures, ...ProcessFigures[]]): ProcessFigures {
  const [first, ...others] = processes;
  return others.reduce(merged, first);
}

function merged(one: ProcessFigures, other: ProcessFigures): ProcessFigures {
  const queue = one.queues;
  return {
    // The others still serve if one of them does not.
    notReady: one.notReady === null || other.notReady === null ? null : one.notReady,
    inFlight: one.inFlight + other.inFlight,
    finished: one.finished + other.finished,
    failed: one.failed + other.failed,
    queues: {
      charges: {
        waiting: queue.charges.waiting + other.queues.charges.waiting,
        lateMs: Math.max(queue.charges.lateMs, other.queues.charges.lateMs),
      },
      requestLog: {
        waiting: queue.requestLog.waiting + other.queues.requestLog.waiting,
        dropped: queue.requestLog.dropped + other.queues.requestLog.dropped,
      },
    },
    databaseProblem: one.databaseProblem ?? other.databaseProblem,
    databaseLatencyMs: larger(one.databaseLatencyMs, other.databaseLatencyMs),
    redis: one.redis === 'away' || other.redis === 'away' ? 'away' : one.redis,
    memoryBytes: one.memoryBytes + other.memoryBytes,
    channels: mergedChannels(one.channels, other.channels),
    privateInFlight: added(one.privateInFlight, other.privateInFlight),
    models: Math.max(one.models, other.models),
    closedModels: [...new Set([...one.closedModels, ...other.closedModels])],
    cache: { entries: one.cache.entries + other.cache.entries, bytes: one.cache.bytes + other.cache.bytes },
  };
}

function mergedChannels(ones: readonly ChannelFigures[], others: readonly ChannelFigures[]): readonly ChannelFigures[] {
  const byId = new Map(ones.map((channel) => [channel.channelId, channel]));
  for (const other of others) {
    const one = byId.get(other.channelId);
    byId.set(other.channelId, one === undefined ? other : mergedChannel(one, other));
  }
  return [...byId.values()];
}

function mergedChannel(one: ChannelFigures, other: ChannelFigures): ChannelFigures {
  const [worse, better] = isWorse(other, one) ? [other, one] : [one, other];
  const isSame = worse.state === better.state;
  return {
    ...worse,
    affectedModels: isSame ? [...new Set([...worse.affectedModels, ...better.affectedModels])] : worse.affectedModels,
    inFlight: one.inFlight + other.inFlight,
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    firstByteMs: larger(one.firstByteMs, other.firstByteMs),
    ...(one.keys && other.keys && { keys: mergedKeys(one.keys, other.keys) }),
  };
}

function mergedKeys(ones: readonly KeyFigures[], others: readonly KeyFigures[]): readonly KeyFigures[] {
  const byName = new Map(ones.map((key) => [key.name, key]));
  for (const other of others) {
    const one = byName.get(other.name);
    byName.set(other.name, one === undefined ? other : mergedKey(one, other));
  }
  return [...byName.values()];
}

/** All processes know the same sum of spending; the larger one is newer. */
function mergedKey(one: KeyFigures, other: KeyFigures): KeyFigures {
  const isWorseKey = RUNNING_KEY_STATES.indexOf(other.state) < RUNNING_KEY_STATES.indexOf(one.state);
  return {
    ...(isWorseKey ? other : one),
    inFlight: one.inFlight + other.inFlight,
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    spentNanoUsd: BigInt(one.spentNanoUsd) > BigInt(other.spentNanoUsd) ? one.spentNanoUsd : other.spentNanoUsd,
  };
}

/** Returns whether the first channel is in a worse state than the second. */
export function isWorse(one: ChannelFigures, other: ChannelFigures): boolean {
  return RUNNING_CHANNEL_STATES.indexOf(one.state) < RUNNING_CHANNEL_STATES.indexOf(other.state);
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function added(one: number | null, other: number | null): number | null {
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}
