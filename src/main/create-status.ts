import { hostname } from 'node:os';
import type { DiskFigures } from '../engine/admin/status/problems.ts';
import type { ProcessFigures } from '../engine/admin/status/process-figures.ts';
import { GatewayStatus } from '../engine/admin/status/read-status.ts';
import { StoreFigureReader } from '../engine/admin/status/store-figures.ts';
import type { CallsInProgress } from '../engine/call/calls-in-progress.ts';
import type { Directory } from '../engine/directory/directory.ts';
import type { StoreWatch } from '../engine/health/store-watch.ts';
import type { ChannelFigureSource, HealthSource } from '../engine/ports/health-store.ts';
import type { NodeFacts } from '../engine/ports/node-registry.ts';
import { freeAt, judgeDisk } from './cli/doctor/check-disk.ts';
import type { GatewayOptions, WatchedDisk } from './gateway-options.ts';

export interface StatusParts {
  readonly node: NodeFacts;
  readonly notReady: () => string | null;
  readonly requestsInFlight: () => number;
  readonly progress: Pick<CallsInProgress, 'lastMinute'>;
  readonly storeWatch: Pick<StoreWatch, 'notReady' | 'latencyMs'>;
  readonly memory: ChannelFigureSource & Pick<HealthSource, 'privateInFlight'>;
  readonly directory: () => Directory;
}

export interface CreatedStatus {
  /** The figures of this process. */
  readonly figures: () => ProcessFigures;
  readonly status: Pick<GatewayStatus, 'read'>;
}

/** Wires `GET /status.json`. */
export function createStatus(options: GatewayOptions, parts: StatusParts): CreatedStatus {
  const { clock, store, cache, mediaStore, loadedConfiguration, disks, figuresOfAll } = options;
  const { id: nodeId, version, startedAtMs } = parts.node;
  const figures = () => figuresOf(options, parts);
  const status = new GatewayStatus({
    identity: { version, nodeId, startedAtMs, runtime: `Bun ${Bun.version}`, hostName: hostname() },
    clock,
    processes: () => figuresOfAll(figures),
    store: new StoreFigureReader(store, clock, options.sleep),
    cache: () => cache.store.statistics().beyond,
    media: () => mediaStore.figures(),
    disks: () => Promise.all(disks.map(diskFigures)),
    configuration: () => loadedConfiguration,
  });
  return { figures, status };
}

function figuresOf({ clock, store, cache, redisState }: GatewayOptions, parts: StatusParts): ProcessFigures {
  const { storeWatch, memory } = parts;
  const { charges, requestLog } = store.queues;
  const directory = parts.directory();
  return {
    notReady: parts.notReady(),
    inFlight: parts.requestsInFlight(),
    ...parts.progress.lastMinute(),
    queues: { charges, requestLog },
    databaseProblem: storeWatch.notReady,
    databaseLatencyMs: storeWatch.latencyMs,
    redis: redisState(),
    memoryBytes: process.memoryUsage.rss(),
    channels: [...memory.figures()],
    privateInFlight: memory.privateInFlight(),
    models: directory.visibleModels(null).length,
    closedModels: directory.closedModels(clock.monotonicMs()),
    cache: cache.store.statistics().memory,
  };
}

async function diskFigures({ name, path }: WatchedDisk): Promise<DiskFigures> {
  const free = await freeAt(path);
  const { level, message } = judgeDisk(free);
  // A file system that reports nothing has no limit that could be shown.
  return { name, freeBytes: Math.min(free.bytes, Number.MAX_SAFE_INTEGER), problem: level === 'ok' ? null : message };
}
