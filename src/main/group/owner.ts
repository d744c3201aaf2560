import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessFigures } from '../../engine/admin/status/process-figures.ts';
import type { RunningCall, WantedRunning } from '../../engine/call/calls-in-progress.ts';
import type { LeasePlace } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { Store } from '../../engine/ports/store.ts';
import { OfferedStates, STATES } from '../../stores/group/conversation-state.ts';
import { COUNTERS, OfferedCounters } from '../../stores/group/counters.ts';
import { MemoryConversationState } from '../../stores/in-process/conversation-state.ts';
import { MemoryRateCounters } from '../../stores/in-process/rate-counters.ts';
import { type Far, listenForPeers, type Offered, type Peer } from '../../stores/shared/link/peer.ts';
import { within } from '../../stores/shared/within.ts';
import { offeredWriter, WRITER } from '../../stores/sqlite/remote-writer.ts';
import type { SharedWriter } from '../../stores/sqlite/shared-writer.ts';
import type { ProcessMetrics } from '../../transports/ops/summed-metrics.ts';
import type { Environment } from '../cli/settings.ts';
import { StopRequest } from '../stop-request.ts';
import { systemClock } from '../system.ts';
import { GroupMetrics } from './group-metrics.ts';
import { GROUP, GROUP_FILE, type OfferedGroup, type OfferedWorker, WORKER } from './membership.ts';
import { makeSocketFolder } from './socket-folder.ts';
import { WorkerProcess } from './worker-process.ts';

/** A worker that lived this long has not failed at its start. */
const LIVED_MS = 10_000;
const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const ANSWER_WITHIN_MS = 2_000;
const STOPPING = 'The gateway is stopping.';

export interface GroupOptions {
  readonly workers: number;
  /** The arguments with which each worker is started. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly dataDirectory: string;
  /** The state that workers share without a database server; `null` with PostgreSQL. */
  readonly writer: { readonly store: Store; readonly writer: SharedWriter } | null;
  readonly logger: Logger;
  readonly print: (line: string) => void;
  /** Resolves when the group is asked to stop. */
  readonly stopRequest: () => Promise<StopRequest>;
  /** Calls the listener whenever the configuration is to be reloaded. */
  readonly onReloadRequest: (listener: () => unknown) => void;
}

/** Serves with several processes until the group is asked to stop; resolves to the exit code. */
export async function serveGroup(options: GroupOptions): Promise<number> {
  const folder = makeSocketFolder(options.dataDirectory);
  const group = new Group(options, join(folder, 'owner'));
  const stop = options.stopRequest();
  let request = new StopRequest(1, false);
  options.onReloadRequest(() => group.reload());
  const listener = listenForPeers(group.socketPath, group.offer, options.logger);
  const groupFile = join(options.dataDirectory, GROUP_FILE);
  try {
    writeFileSync(groupFile, group.socketPath, { mode: 0o600 });
    const failed = await Promise.race([group.start(), stop.then(() => null)]);
    if (failed !== null) return failed;
    request = await Promise.race([stop, group.hasFailed]);
    return request.exitCode;
  } finally {
    await group.stop(request);
    listener.stop(true);
    rmSync(groupFile, { force: true });
    rmSync(folder, { recursive: true, force: true });
    await options.writer?.store.close();
  }
}

/** The workers of one gateway, and the state that they share in this process's memory. */
class Group {
  readonly socketPath: string;
  /** Resolves when workers cannot be kept running. */
  readonly hasFailed: Promise<StopRequest>;
  readonly #options: GroupOptions;
  readonly #setFailed: (request: StopRequest) => void;
  readonly #counters = new MemoryRateCounters(systemClock);
  readonly #states = new OfferedStates(new MemoryConversationState(), () => systemClock.monotonicMs());
  /** The running workers, including those that are stopping. */
  readonly #running = new Set<WorkerProcess>();
  readonly #groupMetrics = new GroupMetrics();
  #isStopping = false;
  #stopRequest: StopRequest | null = null;
  #reloading: Promise<string | null> | null = null;

  constructor(options: GroupOptions, socketPath: string) {
    this.#options = options;
    this.socketPath = socketPath;
    const { promise, resolve } = Promise.withResolvers<StopRequest>();
    this.hasFailed = promise;
    this.#setFailed = resolve;
  }

  /** Returns the methods for a peer: a worker, or the command that requests a reload. */
  readonly offer = (peerOf: () => Peer): Offered => {
    const counters = new OfferedCounters(this.#counters);
    const recall = (place: LeasePlace) => recallFrom(peerOf(), place);
    const writer = this.#options.writer?.writer.connect(recall);
    const ended = async () => {
      counters.ended();
      await writer?.ended();
    };
    queueMicrotask(
      () =>
        void peerOf()
          .ended.then(ended)
          .catch((error) => this.#leftBehind(error)),
    );
    return {
      [GROUP]: this.#offered(peerOf),
      [COUNTERS]: counters,
      [STATES]: this.#states,
      ...(writer && { [WRITER]: offeredWriter(writer) }),
    };
  };

  /**
   * Starts one worker first, which does the work of a first start and detects problems, and the others once it serves. Resolves to the
   * first worker's exit code if it does not serve, else to `null`.
   */
  async start(): Promise<number | null> {
    const first = this.#spawn(1, true);
    if (!(await first.isReady())) return (await first.exited) || 1;
    const others = Array.from({ length: this.#options.workers - 1 }, (_, index) => this.#keepServing(index + 2, 0));
    void Promise.all(others).then(() => {
      if (!this.#isStopping) this.#options.print(`Workers: ${this.#options.workers} processes`);
    });
    return null;
  }

  /** Stops all workers together. They time their drain themselves; a request that ends it early is passed on. */
  async stop(request: StopRequest): Promise<void> {
    this.#isStopping = true;
    this.#stopRequest = request;
    const workers = [...this.#running];
    const stopping = workers.map((worker) => worker.stop(request.drains ? 'SIGTERM' : 'SIGINT'));
    void request.drained.then(() => {
      for (const { peer } of workers) peer?.tell(WORKER, 'endDrain', []);
    });
    await Promise.all(stopping);
  }

  /** Handles a reload by signal, whose sender sees only the log. Never rejects. */
  async reload(): Promise<void> {
    const problem = await this.#reloadOnce().catch((error: unknown) => String(error));
    if (problem !== null) this.#options.logger.error({ reason: problem }, 'not all workers could be restarted');
  }

  #offered(peerOf: () => Peer): OfferedGroup {
    let worker: WorkerProcess | undefined;
    return {
      hello: (number, processId) => {
        worker = [...this.#running].find((one) => one.number === number && one.processId === processId);
        if (worker !== undefined) worker.peer = peerOf();
      },
      ready: () => worker?.setReady(),
      ending: (families) => {
        if (worker !== undefined) this.#groupMetrics.ending(worker, families);
      },
      metrics: () => this.#metrics(),
      figures: () => this.#figures(),
      running: (wanted) => this.#runningCalls(wanted),
      lookAtCaches: async () => {
        await this.#askAll((worker) => worker.lookAtCache());
      },
      drained: () => this.#stopRequest?.endDrain(),
      reload: () => this.#reloadOnce(),
    };
  }

  #spawn(number: number, speaks = false): WorkerProcess {
    const { argv, environment } = this.#options;
    const worker = new WorkerProcess({ number, speaks, argv, environment, socketPath: this.socketPath });
    this.#running.add(worker);
    void worker.exited.then(() => {
      this.#running.delete(worker);
      this.#groupMetrics.exited(worker);
      // A worker that fails to start is reported by the code that waits for it.
      if (worker.hasServed && !worker.isStopping && !this.#isStopping) void this.#replace(worker);
    });
    return worker;
  }

  async #replace(lost: WorkerProcess): Promise<void> {
    const { logger, writer } = this.#options;
    writer?.writer.workerCrashed();
    const fields = { worker: lost.number, workerPid: lost.processId, signal: lost.signal };
    logger.error({ ...fields, exitCode: await lost.exited }, 'a worker exited; starting another');
    await this.#keepServing(lost.number, performance.now() - lost.startedAtMs > LIVED_MS ? 0 : FIRST_WAIT_MS);
  }

  /** Starts a worker until one serves. Gives up after some time if no other worker serves either. */
  async #keepServing(number: number, firstWaitMs: number): Promise<void> {
    const { logger } = this.#options;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2))) {
      await Bun.sleep(waitMs);
      if (this.#isStopping || (await this.#spawn(number).isReady())) return;
      if (this.#isStopping) return;
      if (waitMs === LONGEST_WAIT_MS && ![...this.#running].some(({ hasServed }) => hasServed)) break;
      logger.error({ worker: number }, 'a worker failed to start; retrying');
    }
    logger.error({ worker: number }, 'no worker could be started: stopping the gateway');
    this.#setFailed(new StopRequest(1, false));
  }

  #reloadOnce(): Promise<string | null> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null;
    });
    return this.#reloading;
  }

  /** Replaces workers one by one: a new one serves before the old one ends. If one does not start, the old ones stay. */
  async #reload(): Promise<string | null> {
    const old = [...this.#running].filter(({ isStopping }) => !isStopping);
    for (const worker of old.sort((one, other) => one.number - other.number)) {
      if (this.#isStopping) return STOPPING;
      const next = this.#spawn(worker.number);
      if (!(await next.isReady())) {
        if (this.#isStopping) return STOPPING;
        return `Worker ${worker.number} failed to start; see its output. The workers not yet restarted keep running.`;
      }
      await replaced(worker);
      this.#options.logger.info({ worker: worker.number, workerPid: next.processId }, 'a worker was restarted');
    }
    return null;
  }

  async #metrics(): Promise<readonly ProcessMetrics[]> {
    const asked = [...this.#running].map(async (worker) => {
      const answering = worker.peer?.far<OfferedWorker>(WORKER).metrics();
      const families = await within(ANSWER_WITHIN_MS, answering ?? Promise.resolve(null)).catch(() => null);
      return { worker, families };
    });
    return this.#groupMetrics.all(await Promise.all(asked));
  }

  async #figures(): Promise<readonly ProcessFigures[]> {
    const answers = await this.#askAll((worker) => worker.figures());
    return answers.flatMap(({ answer }) => answer ?? []);
  }

  async #runningCalls(wanted: WantedRunning): Promise<readonly RunningCall[]> {
    const answers = await this.#askAll((worker) => worker.running(wanted));
    return answers.flatMap(({ answer }) => answer);
  }

  /** Resolves to the answers of the workers that answer in time. */
  async #askAll<Answer>(ask: (worker: Far<OfferedWorker>) => Promise<Answer>) {
    const asked = [...this.#running].map(async ({ number: worker, peer }) => {
      if (peer === null) return [];
      const answering = ask(peer.far<OfferedWorker>(WORKER)).then((answer) => [{ worker, answer }]);
      return await within(ANSWER_WITHIN_MS, answering).catch(() => []);
    });
    return (await Promise.all(asked)).flat();
  }

  #leftBehind(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#options.logger.error({ error: message }, 'the leases of a worker could not be released');
  }
}

/** Stops a worker whose place another has taken. In its drain, clients of its kept-alive connections move to the other workers. */
async function replaced(worker: WorkerProcess): Promise<void> {
  const told = worker.peer?.far<OfferedWorker>(WORKER).replaced();
  await within(ANSWER_WITHIN_MS, told ?? Promise.resolve()).catch(() => {});
  await worker.stop('SIGTERM');
}

/** Asks a worker to return a lease. One that does not answer keeps it until it does, or ends. */
async function recallFrom(peer: Peer, place: LeasePlace): Promise<boolean> {
  return within(ANSWER_WITHIN_MS, peer.far<OfferedWorker>(WORKER).recall(place)).catch(() => false);
}
