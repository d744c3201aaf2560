import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Clock, Every, Sleep } from '../../src/engine/ports/clock.ts';
import { runCommandLine } from '../../src/main/cli/command-line.ts';
import { createDependencies } from '../../src/main/dependencies.ts';
import { createLogger } from '../../src/main/logging/logger.ts';
import { StopRequest } from '../../src/main/stop-request.ts';
import { every, sleep, systemClock } from '../../src/main/system.ts';
import { copyEmptyDatabase } from '../../src/stores/sqlite/testing/empty-database.ts';
import { writerInProcess } from '../../src/stores/sqlite/testing/writer-link.ts';
import { Serving } from './serving.ts';
import { until } from './until.ts';

export const PROJECT = path.join(import.meta.dir, '..', '..');

/** Returns the environment of a machine without any provider configured: no keys, no Ollama, no settings of ours. */
export function bareEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const foreign =
    /_API_KEY(_FILE)?$|_TOKEN$|^(SWITCHYARD_|OTEL_|BUN_CONFIG_|BUN_JSC_|MIMALLOC_|npm_|PORT$|HOST$|DATABASE_URL|REDIS_URL|LOG_(LEVEL|FORMAT)$|ACCESS_LOG$)/;
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !foreign.test(name));
  // Nothing listens on port 1.
  return { ...(Object.fromEntries(kept) as Record<string, string>), OLLAMA_HOST: '127.0.0.1:1', ...extra };
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the output is a terminal, which it is by default. */
  readonly isTerminal?: boolean;
  /** The gateway's clock; the system's by default. */
  readonly clock?: Clock;
  /** How the gateway waits before a retry of an upstream, and how long for an embedding; in real time by default. */
  readonly sleep?: Sleep;
  /** How the gateway schedules periodic work on tasks; in real time by default. */
  readonly every?: Every;
  /**
   * The factor by which the gateway waits longer for Redis. The default is a hundred, since a Redis on a busy machine is slow, not
   * unavailable.
   */
  readonly redisPatience?: () => number;
  /** How long the gateway waits for its disk before it considers it too slow; without limit by default. */
  readonly chargesLateAfterMs?: number;
}

/**
 * A folder with a data folder, and the gateways and commands that use it. They run in the test's own process, with their own environment
 * and output; tests that need a separate process are in `acceptance/`.
 */
export class Workspace {
  readonly #running = new Set<Serving>();

  protected constructor(readonly folder: string) {}

  static async create(): Promise<Workspace> {
    return new Workspace(await temporaryFolder());
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  get data(): string {
    return this.path('data');
  }

  get database(): string {
    return this.path('data', 'switchyard.sqlite');
  }

  /** Writes a file, and creates its parent folders. */
  async write(name: string, content: string | object): Promise<string> {
    const file = this.path(name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : stringify(content));
    return file;
  }

  /** Runs a command until it has ended. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const command = new CommandInProcess(args, this.#environment(options), options);
    const exitCode = await command.exited;
    return { exitCode, stdout: command.stdout, stderr: command.stderr };
  }

  /** Starts a command that runs until its `stop` interrupts it. */
  begun(args: readonly string[], options: RunOptions = {}): Serving {
    const command = new CommandInProcess(args, this.#environment(options), options);
    this.#running.add(command);
    return command;
  }

  /**
   * Starts `serve` on a free port, and waits until it prints its address. The first one gets an empty database with all tables, because
   * creating them takes a fifth of the CPU time of a start; acceptance tests start without a data folder.
   */
  async serve(options: RunOptions = {}): Promise<Serving> {
    const usesSqlite = options.env?.DATABASE_URL === undefined;
    if (usesSqlite && !existsSync(this.data)) await copyEmptyDatabase(this.database);
    return this.started(new CommandInProcess(['serve'], { PORT: '0', ...this.#environment(options) }, options));
  }

  #environment({ env = {} }: RunOptions): Readonly<Record<string, string>> {
    return bareEnvironment({ SWITCHYARD_DATA: this.data, ...env });
  }

  protected async started<Started extends Serving>(serving: Started): Promise<Started> {
    this.#running.add(serving);
    await until('the gateway starts', () => serving.channels !== '' || serving.exitCode !== null);
    if (serving.exitCode !== null) throw new Error(`the gateway did not start:\n${serving.stdout}${serving.stderr}`);
    return serving;
  }

  /** Resolves to the files of the data folder that contain the text unencrypted. */
  async dataFilesWith(text: string): Promise<string[]> {
    const entries = await readdir(this.data, { recursive: true, withFileTypes: true });
    const names = entries.flatMap((entry) =>
      entry.isDirectory() ? [] : [path.relative(this.data, path.join(entry.parentPath, entry.name))],
    );
    const hits = await Promise.all(
      names.map(async (name) => (await readFile(path.join(this.data, name))).includes(text)),
    );
    return names.filter((_name, index) => hits[index]);
  }

  /** Stops everything that still runs, and deletes the folder. */
  async remove(): Promise<void> {
    await Promise.all([...this.#running].map((serving) => serving.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'switchyard-workspace-'));
}

/** Tests send requests faster than any person or script; tests of these limits configure them. */
const MANY_REQUESTS = { managementRequestsPerMinute: 1_000_000, anonymousRequestsPerMinute: 1_000_000 };

/** A command of the command line, including `serve`, in this process. */
class CommandInProcess extends Serving {
  readonly exited: Promise<number>;
  readonly #ending = new AbortController();
  readonly #stop = Promise.withResolvers<StopRequest>();
  #stopRequest: StopRequest | null = null;
  #reload: () => unknown = () => {};

  constructor(argv: readonly string[], environment: Readonly<Record<string, string>>, options: RunOptions) {
    super();
    const stdout = {
      write: (text: string) => {
        this.stdout += text;
      },
    };
    const stderr = {
      write: (text: string) => {
        this.stderr += text;
      },
    };
    const surroundings = {
      ...{ argv, environment, stdout, stderr, isTerminal: options.isTerminal ?? true },
      ...{ clock: options.clock ?? systemClock, sleep: options.sleep ?? sleep, every: options.every ?? every },
      redisPatience: options.redisPatience ?? (() => 100),
      callerLimits: MANY_REQUESTS,
      makeWriter: writerInProcess,
      chargesLateAfterMs: options.chargesLateAfterMs ?? Number.POSITIVE_INFINITY,
      logger: createLogger(environment.LOG_LEVEL ?? 'info', stdout),
      stopRequest: () => this.#stop.promise,
      onReloadRequest: (listener: () => unknown) => {
        this.#reload = listener;
      },
      ending: () => ({ signal: this.#ending.signal, exitCode: 130 }),
      requestStop: () => this.#ask(false),
    };
    this.exited = runCommandLine(argv, createDependencies(surroundings)).then((code) => {
      this.exitCode = code;
      return code;
    });
  }

  reloadConfiguration(): void {
    this.#reload();
  }

  drain(): void {
    this.#ask(true);
  }

  stop(): Promise<number> {
    this.#ask(false);
    return this.exited;
  }

  #ask(drains: boolean): void {
    this.#ending.abort();
    this.#stopRequest?.endDrain();
    this.#stopRequest ??= new StopRequest(0, drains);
    this.#stop.resolve(this.#stopRequest);
  }
}
