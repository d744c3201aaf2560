import type { Subprocess } from 'bun';
import type { Peer } from '../../stores/shared/link/peer.ts';
import { NUMBER_VARIABLE, SOCKET_VARIABLE, SPEAKS_VARIABLE } from './membership.ts';

/** Even an unusually large gateway has read its directory by then. */
const READY_WITHIN_MS = 120_000;

export interface WorkerStart {
  readonly number: number;
  /** Whether its lines for the terminal are shown. */
  readonly speaks: boolean;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly socketPath: string;
}

/** A worker process from its owner's point of view. */
export class WorkerProcess {
  readonly number: number;
  readonly startedAtMs = performance.now();
  /** Set once the worker has registered. */
  peer: Peer | null = null;
  /** Whether its end is expected. */
  isStopping = false;
  hasServed = false;
  readonly #child: Subprocess;
  readonly #ready = Promise.withResolvers<true>();

  constructor({ number, speaks, argv, environment, socketPath }: WorkerStart) {
    this.number = number;
    const script = Bun.main.startsWith('/$bunfs/') || Bun.main.startsWith('B:/') ? [] : [...process.execArgv, Bun.main];
    const own = {
      [SOCKET_VARIABLE]: socketPath,
      [NUMBER_VARIABLE]: String(number),
      [SPEAKS_VARIABLE]: speaks ? '1' : '',
    };
    this.#child = Bun.spawn([process.execPath, ...script, ...argv], {
      env: { ...environment, ...own },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }

  get processId(): number {
    return this.#child.pid;
  }

  /** Resolves to its exit code. */
  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** The signal that has ended it, or `null`. */
  get signal(): string | null {
    return this.#child.signalCode === null ? null : String(this.#child.signalCode);
  }

  setReady(): void {
    this.hasServed = true;
    this.#ready.resolve(true);
  }

  /** Resolves to whether it serves; otherwise it has ended or is killed. */
  async isReady(): Promise<boolean> {
    const ready = await Promise.race([this.#ready.promise, this.exited, Bun.sleep(READY_WITHIN_MS)]);
    if (ready === true) return true;
    this.isStopping = true;
    this.#child.kill('SIGKILL');
    return false;
  }

  /**
   * Lets it finish the requests in flight, after a drain if the signal is SIGTERM; resolves when it has ended. A second call only waits,
   * because a second signal would end the worker at once.
   */
  async stop(signal: 'SIGTERM' | 'SIGINT'): Promise<number> {
    if (!this.isStopping) this.#child.kill(signal);
    this.isStopping = true;
    return await this.exited;
  }
}
