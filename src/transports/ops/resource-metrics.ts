import type { MemoryFigures, PoolFigures, QueueFigures, RedisFigures } from '../../engine/ports/figures.ts';
import type { StoreFigures, StoreHealth } from '../../engine/ports/store.ts';
import { ReadFamily, ReadHistograms } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

interface Named<Figures> {
  readonly name: string;
  readonly figures: Figures;
}

type Source<Figures> = () => Iterable<Named<Figures>>;

/** The bounded queues and memories of this process. Each part adds its own; they are read at each scrape. */
export class ResourceMetrics {
  private readonly queues: Source<QueueFigures>[] = [];
  private readonly memories: Source<MemoryFigures>[] = [];

  constructor(registry: MetricRegistry) {
    const ofQueues = (value: (figures: QueueFigures) => number | null) => () =>
      readings(this.queues, value).map(({ name: queue, value: read }) => ({ labels: { queue }, value: read }));
    new ReadFamily(
      registry,
      'switchyard_queue_length',
      ofQueues(({ waiting }) => waiting),
    );
    new ReadFamily(
      registry,
      'switchyard_queue_capacity',
      ofQueues(({ capacity }) => capacity),
    );
    new ReadFamily(
      registry,
      'switchyard_queue_oldest_seconds',
      ofQueues(({ lateMs }) => (lateMs === null ? null : lateMs / 1_000)),
    );
    new ReadFamily(
      registry,
      'switchyard_queue_dropped_total',
      ofQueues(({ dropped }) => dropped),
    );
    new ReadFamily(
      registry,
      'switchyard_queue_failed_writes_total',
      ofQueues(({ failedWrites }) => failedWrites),
    );
    const ofMemories = (value: (figures: MemoryFigures) => number) => () =>
      readings(this.memories, value).map(({ name: part, value: read }) => ({ labels: { part }, value: read }));
    new ReadFamily(
      registry,
      'switchyard_memory_held_bytes',
      ofMemories(({ heldBytes }) => heldBytes),
    );
    new ReadFamily(
      registry,
      'switchyard_memory_limit_bytes',
      ofMemories(({ limitBytes }) => limitBytes),
    );
    new ReadFamily(
      registry,
      'switchyard_memory_refusals_total',
      ofMemories(({ refusals }) => refusals),
    );
  }

  /** @param read returns `null` while there is no such queue */
  addQueue(name: string, read: () => QueueFigures | null): void {
    this.queues.push(() => named(name, read()));
  }

  addMemory(name: string, read: () => MemoryFigures | null): void {
    this.memories.push(() => named(name, read()));
  }

  addRedis(registry: MetricRegistry, read: () => readonly RedisFigures[]): void {
    this.queues.push(() =>
      read().flatMap(({ use, waiting, capacity, writing = null }) => [
        { name: `redis_${use}`, figures: { waiting, capacity, lateMs: null, dropped: 0, failedWrites: 0 } },
        ...named(`redis_${use}_writes`, writing),
      ]),
    );
    new ReadFamily(registry, 'switchyard_redis_up', () =>
      read().map(({ use, isAway }) => ({ labels: { use }, value: isAway ? 0 : 1 })),
    );
    new ReadFamily(registry, 'switchyard_redis_errors_total', () =>
      read().map(({ use, errors }) => ({ labels: { use }, value: errors })),
    );
    new ReadHistograms(registry, 'switchyard_redis_command_duration_seconds', () =>
      read().map(({ use, durations }) => ({ labels: { use }, histogram: durations })),
    );
  }
}

function named<Figures>(name: string, figures: Figures | null): readonly Named<Figures>[] {
  return figures === null ? [] : [{ name, figures }];
}

function readings<Figures>(sources: readonly Source<Figures>[], value: (figures: Figures) => number | null) {
  return sources.flatMap((source) =>
    [...source()].flatMap(({ name, figures }) => {
      const read = value(figures);
      return read === null ? [] : [{ name, value: read }];
    }),
  );
}

/** Registers the state of the database and of the connections to it. */
export function storeMetrics(registry: MetricRegistry, figures: StoreFigures, health: StoreHealth): void {
  const labels = { database: figures.kind === 'sqlite' ? 'sqlite' : 'postgresql' };
  new ReadFamily(registry, 'switchyard_database_up', () => [{ labels, value: health.problem === null ? 1 : 0 }]);
  new ReadHistograms(registry, 'switchyard_database_commit_duration_seconds', () => [
    { labels, histogram: figures.commits },
  ]);
  new ReadFamily(registry, 'switchyard_database_pending_requests', () =>
    figures.pools.map(({ pool, waiting }) => ({ labels: { pool }, value: waiting })),
  );
  if (figures.kind === 'sqlite') return;
  new ReadFamily(registry, 'switchyard_database_connections', () =>
    figures.pools.flatMap(({ pool, connections }) => [
      { labels: { pool, state: 'used' }, value: connections?.used ?? 0 },
      { labels: { pool, state: 'idle' }, value: connections?.idle ?? 0 },
    ]),
  );
  new ReadFamily(registry, 'switchyard_database_connections_max', () =>
    figures.pools.flatMap(({ pool, connections }: PoolFigures) =>
      connections === null ? [] : [{ labels: { pool }, value: connections.max }],
    ),
  );
  new ReadFamily(registry, 'switchyard_uncovered_charges_usd_total', () => [
    { labels: {}, value: usdOf(figures.uncoveredNanoUsd) },
  ]);
}

/** Returns an amount in USD for a metric, which is exact up to nine million dollars. */
export function usdOf(nanoUsd: bigint): number {
  const whole: bigint = nanoUsd;
  return Number(whole) / 1e9;
}
