import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import type { ProcessFigures } from '../../engine/admin/status/process-figures.ts';
import type { RunningCall, WantedRunning } from '../../engine/call/calls-in-progress.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { connectToPeer, type Far, type Peer } from '../../stores/shared/link/peer.ts';
import { within } from '../../stores/shared/within.ts';
import type { OfferedPools } from '../../stores/sqlite/remote-writer.ts';
import type { ProcessMetrics } from '../../transports/ops/summed-metrics.ts';
import type { Environment } from '../cli/settings.ts';
import type { StopRequest } from '../stop-request.ts';

/** The path of the owner's socket; set for workers by their owner. */
export const SOCKET_VARIABLE = 'SWITCHYARD_GROUP';
/** The number of this worker in the group, from 1. */
export const NUMBER_VARIABLE = 'SWITCHYARD_WORKER';
/** Set for the one worker that prints to the terminal. */
export const SPEAKS_VARIABLE = 'SWITCHYARD_SPEAKS';

/** The name under which a group's owner offers its methods. */
export const GROUP = 'group';
/** The name under which a worker offers its methods. */
export const WORKER = 'worker';

const LAST_METRICS_MS = 2_000;

/** The file in the data folder that names the owner's socket. */
export const GROUP_FILE = 'switchyard.group';

/** The methods that a worker calls on its owner. */
export interface OfferedGroup {
  /** Registers the worker: this connection is its own. */
  hello(number: number, processId: number): void;
  /** Reports that the worker serves. */
  ready(): void;
  /** Reports the last metrics of the worker, which is about to exit. */
  ending(families: readonly FamilySnapshot[]): void;
  /** Resolves to the metrics of all workers that answer, with their numbers. */
  metrics(): Promise<readonly ProcessMetrics[]>;
  /** Resolves to the figures of all workers that answer. */
  figures(): Promise<readonly ProcessFigures[]>;
  /** Resolves to the running calls of all workers that answer. */
  running(wanted: WantedRunning): Promise<readonly RunningCall[]>;
  /** Resolves when the caches of all workers that answer have seen removals by others. */
  lookAtCaches(): Promise<void>;
  /** Reports that the drain of the gateway is over, so that the next signal ends it at once. */
  drained(): void;
  /** Restarts all workers, one after the other; resolves to the problem, or `null`. */
  reload(): Promise<string | null>;
}

/** The methods that the owner calls on a worker. */
export interface OfferedWorker extends OfferedPools {
  metrics(): Promise<readonly FamilySnapshot[]>;
  /** Resolves to `null` while the worker starts. */
  figures(): Promise<ProcessFigures | null>;
  running(wanted: WantedRunning): Promise<readonly RunningCall[]>;
  /** Looks for entries that other processes have removed from the cache. */
  lookAtCache(): void;
  /** Reports that another worker has taken the place of this one, which will be stopped. */
  replaced(): void;
  /** Ends the drain of a worker that stops. A signal would end one whose drain is over at once. */
  endDrain(): void;
}

/** The membership of a process that serves together with others. */
export interface Membership {
  readonly peer: Peer;
  readonly group: Far<OfferedGroup>;
  readonly number: number;
  readonly speaks: boolean;
  /** Whether another worker has taken the place of this one. The gateway as a whole then stays ready while this process stops. */
  isReplaced: boolean;
  /** Resolves when the owner ends the drain. */
  readonly drainEnd: Promise<void>;
  /** The methods that this process offers its owner; they are filled in during the start. */
  readonly offered: OfferedWorker;
}

/**
 * Joins the group whose owner has started this process; resolves to `null` if the process was started alone. The process ends with its
 * owner.
 */
export async function joinGroup(environment: Environment, logger: Logger): Promise<Membership | null> {
  const path = environment[SOCKET_VARIABLE];
  if (!path) return null;
  const { promise: drainEnd, resolve: endDrain } = Promise.withResolvers<void>();
  const offered: OfferedWorker = {
    metrics: async () => [],
    figures: async () => null,
    running: async () => [],
    lookAtCache: () => {},
    replaced: () => {
      membership.isReplaced = true;
    },
    endDrain,
    recall: async () => false,
  };
  const peer = await connectToPeer(path, { [WORKER]: offered }, logger);
  void peer.ended.then(() => {
    // Without the owner nothing can be charged, and it may have crashed.
    process.stderr.write('switchyard: the parent process of this worker has exited\n');
    process.exit(1);
  });
  const group = peer.far<OfferedGroup>(GROUP);
  const number = Number(environment[NUMBER_VARIABLE] ?? 1);
  const speaks = environment[SPEAKS_VARIABLE] === '1';
  const membership: Membership = { peer, group, number, speaks, isReplaced: false, drainEnd, offered };
  await group.hello(number, process.pid);
  return membership;
}

/** Gives the owner the last counts of this process. Never rejects; an owner that does not answer holds up the exit for a moment only. */
export async function shareLastMetrics(
  membership: Pick<Membership, 'group'>,
  metrics: () => Promise<readonly FamilySnapshot[]>,
): Promise<void> {
  const shared = async () => membership.group.ending(await metrics());
  await within(LAST_METRICS_MS, shared()).catch(() => {});
}

/** Ends the drain when the owner says so, and tells the owner when it is over. That of a replaced worker concerns nobody else. */
export function shareDrain(membership: Membership, request: StopRequest): void {
  void membership.drainEnd.then(() => request.endDrain());
  if (membership.isReplaced) return;
  // An owner that has exited needs no message.
  void request.drained.then(() => membership.group.drained()).catch(() => {});
}
