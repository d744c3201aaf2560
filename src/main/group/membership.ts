import type { Logger } from '../../engine/ports/logger.ts';
import { connectToPeer, type Far, type Peer } from '../../stores/shared/link/peer.ts';
import type { OfferedPurses } from '../../stores/sqlite/far-books.ts';
import type { Environment } from '../cli/settings.ts';

/** Set for workers by their owner: where it listens. */
export const SOCKET_VARIABLE = 'SWITCHYARD_GROUP';
/** Which of the group's workers this is, from 1. */
export const NUMBER_VARIABLE = 'SWITCHYARD_WORKER';
/** Set for the one worker whose lines for the person at the terminal are shown. */
export const SPEAKS_VARIABLE = 'SWITCHYARD_SPEAKS';

/** The name under which a group's owner offers itself. */
export const GROUP = 'group';
/** The name under which a worker offers itself. */
export const WORKER = 'worker';

/** In the data folder: where the group's owner listens. */
export const GROUP_FILE = 'switchyard.group';

/** What a worker says to its owner. */
export interface OfferedGroup {
  /** It has come: the calls on this connection are its. */
  hello(number: number, processId: number): void;
  /** It serves. */
  ready(): void;
  /** The texts of the metrics of all workers that answer, with their numbers. */
  metrics(): Promise<readonly WorkerMetrics[]>;
  /** Resolves when the caches of all workers that answer know what others have removed. */
  lookAtCaches(): Promise<void>;
  /** Starts all workers again, one after the other; resolves to what went wrong, or `null`. */
  reload(): Promise<string | null>;
}

export interface WorkerMetrics {
  readonly worker: number;
  readonly text: string;
}

/** What the owner asks of a worker. */
export interface OfferedWorker extends OfferedPurses {
  metrics(): Promise<string>;
  /** At what other processes have removed from the cache. */
  lookAtCache(): void;
}

/** Of a process that serves together with others. */
export interface Membership {
  readonly peer: Peer;
  readonly group: Far<OfferedGroup>;
  readonly number: number;
  readonly speaks: boolean;
  /** What this process itself answers to its owner, as far as it can yet. */
  readonly offered: OfferedWorker;
}

/** Joins the group whose owner has started this process; `null` where none has. The process ends with its owner. */
export async function joinGroup(environment: Environment, logger: Logger): Promise<Membership | null> {
  const path = environment[SOCKET_VARIABLE];
  if (!path) return null;
  const offered: OfferedWorker = { metrics: async () => '', lookAtCache: () => {}, recall: async () => false };
  const peer = await connectToPeer(path, { [WORKER]: offered }, logger);
  void peer.ended.then(() => {
    // Without the owner nothing can be charged, and it may be gone without a word.
    process.stderr.write('switchyard: the process that this worker belongs to has ended\n');
    process.exit(1);
  });
  const group = peer.far<OfferedGroup>(GROUP);
  const number = Number(environment[NUMBER_VARIABLE] ?? 1);
  await group.hello(number, process.pid);
  return { peer, group, number, speaks: environment[SPEAKS_VARIABLE] === '1', offered };
}
