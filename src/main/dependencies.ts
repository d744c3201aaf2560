import type { Clock, Every, Sleep } from '../engine/ports/clock.ts';
import type { Store } from '../engine/ports/store.ts';
import type { CallerLimitDefaults } from '../engine/settings/settings.ts';
import type { Patience } from '../stores/redis/connection.ts';
import type { UpgradeMode, UpgradePolicy } from '../stores/shared/upgrade-plan.ts';
import { writerOver } from '../stores/sqlite/remote-writer.ts';
import { type MakeWriter, openSqliteOwner, openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import type {
  CommandEnding,
  CommandLineDependencies,
  OpenStoreOptions,
  ServeCommand,
  ServeGroupCommand,
  TextOutput,
} from './cli/context.ts';
import { type Environment, proxiesFrom } from './cli/settings.ts';
import { printsSecrets } from './first-start.ts';
import { joinGroup, type Membership } from './group/membership.ts';
import type { Listening } from './listen.ts';
import type { LineLogger } from './logging/logger.ts';
import { openCacheStore, openMediaStore } from './open-stores.ts';
import { withSecretFiles, workerEnvironment } from './secret-files.ts';
import type { StopRequest } from './stop-request.ts';

/** Everything outside of the program that a command uses. A process passes its own; a test passes what it controls. */
export interface Surroundings {
  /** The arguments, without interpreter and script. */
  readonly argv: readonly string[];
  /** Without the contents of secret files. */
  readonly environment: Environment;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly logger: LineLogger;
  /** Whether `stdout` is a terminal. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
  /** Waits before a retry of an upstream. */
  readonly sleep: Sleep;
  /** Schedules the work on tasks. */
  readonly every: Every;
  /** The default is to wait for Redis no longer than a request can tolerate. */
  readonly redisPatience?: Patience;
  /** The default is to refuse requests that cost something while the disk takes longer than a second. */
  readonly chargesLateAfterMs?: number;
  /** Makes the writer of an SQLite file; a thread by default. */
  readonly makeWriter?: MakeWriter;
  /** The default limits of management requests per minute if the configuration sets none; the product's own if omitted. */
  readonly callerLimits?: CallerLimitDefaults;
  /** Resolves when the gateway is asked to stop. Called once, before the gateway listens. */
  readonly stopRequest: () => Promise<StopRequest>;
  /** Calls the listener whenever the configuration is to be reloaded. Called once, before the gateway listens. */
  readonly onReloadRequest: (listener: () => unknown) => void;
  /** Listens for the end of a command that may run for long. Called once. */
  readonly ending: () => CommandEnding;
  /** Makes `stopRequest` resolve to a request without a drain. */
  readonly requestStop: () => void;
}

/** Connects the command line to the rest of the program. Modules that only some commands need are loaded by those commands. */
export function createDependencies(surroundings: Surroundings): CommandLineDependencies {
  const { stdout, stderr, logger, clock, redisPatience } = surroundings;
  const environment = withSecretFiles(surroundings.environment);
  const program = new Program(surroundings, environment);
  return {
    serve: (command) => program.serve(command),
    serveGroup: (command) => program.serveGroup(command),
    openStore: (options) => program.openStore(options),
    openMedia: (options) => openMediaStore({ ...options, clock, logger }),
    openCache: ({ settings, dataDirectory: dataFolder, redisUrl, secret: masterSecret }) =>
      openCacheStore({ clock, settings, dataFolder, redisUrl, redisPatience, masterSecret, logger, isGateway: false }),
    changeSecret: {
      rotate: async (settings, from, to) => {
        const { rotateSecret } = await import('./change-secret.ts');
        return rotateSecret({ ...settings, clock, logger }, from, to);
      },
      forget: async (settings, to) => {
        const { forgetSecret } = await import('./change-secret.ts');
        return forgetSecret({ ...settings, clock, logger }, to);
      },
    },
    upgrade: {
      plan: async (settings) => (await import('./upgrade-database.ts')).planUpgrade({ ...settings, logger }),
      run: async (settings) => (await import('./upgrade-database.ts')).upgradeDatabase({ ...settings, logger }),
    },
    moveStore: async (options) => {
      const { moveStore } = await import('./move-store.ts');
      return moveStore(options, logger);
    },
    upstream: () => new HttpUpstream({ proxies: proxiesFrom(environment) }),
    providers: async () => (await import('../providers/index.ts')).providers,
    ending: surroundings.ending,
    isTerminal: stdout === process.stdout && process.stdout.isTTY === true,
    environment,
    clock,
    stdout,
    stderr,
  };
}

class Program {
  #membership: Membership | null = null;
  #isServing = false;
  #isDamaged = false;
  /** Ends the thread that responds during an upgrade of the database. */
  #stopNotReady: (() => Promise<void>) | null = null;

  constructor(
    private readonly surroundings: Surroundings,
    /** The environment with the contents of secret files. */
    private readonly environment: Environment,
  ) {}

  async openStore({ exclusive, listening, upgrade, ...own }: OpenStoreOptions): Promise<Store> {
    const { logger } = this.surroundings;
    if (exclusive) this.#membership = await joinGroup(this.environment, logger);
    const policy = this.#upgradePolicy(upgrade, listening, this.#membership !== null);
    return this.#openStore({ ...own, exclusive, upgrade: policy }).catch(async (error) => {
      await this.#freeAddress();
      throw error;
    });
  }

  async #openStore(options: Omit<OpenStoreOptions, 'listening' | 'upgrade'> & { readonly upgrade: UpgradePolicy }) {
    const { databasePath, databaseUrl, databaseConnections, exclusive, ...own } = options;
    const { logger, clock, chargesLateAfterMs, makeWriter } = this.surroundings;
    const common = { ...own, clock, logger };
    if (databaseUrl !== null) {
      const { openPostgresStore } = await import('../stores/postgres/postgres-store.ts');
      return openPostgresStore({ ...common, url: databaseUrl, maxConnections: databaseConnections });
    }
    const file = { ...common, path: databasePath, chargesLateAfterMs, onFatal: this.#stopWhenDamaged };
    return this.#membership === null
      ? openSqliteStore({ ...file, exclusive, makeWriter })
      : openSqliteStore({ ...file, link: writerOver(this.#membership.peer, this.#membership.offered) });
  }

  async serve({ settings, ...command }: ServeCommand): Promise<number> {
    this.#isServing = true;
    const { clock, sleep, every, logger, redisPatience, callerLimits, stopRequest, onReloadRequest } =
      this.surroundings;
    const { serve } = await import('./serve.ts');
    const { redisUrl, dataDirectory } = settings;
    const serving = serve({
      ...command,
      clock,
      sleep,
      every,
      logger,
      stopRequest,
      onReloadRequest,
      proxies: proxiesFrom(command.environment),
      redisUrl,
      redisPatience,
      callerLimits,
      dataDirectory,
      membership: this.#membership,
      printsSecrets: printsSecrets(this.surroundings.isTerminal, this.environment),
      freeAddress: () => this.#freeAddress(),
      print: this.#membership?.speaks === false ? () => {} : this.#print,
    });
    const exitCode = await serving.finally(() => this.#freeAddress());
    return this.#isDamaged ? 1 : exitCode;
  }

  async serveGroup({ workers, settings, store }: ServeGroupCommand): Promise<number> {
    this.#isServing = true;
    const { environment, logger, clock, stopRequest, onReloadRequest } = this.surroundings;
    const { host, databaseUrl, databasePath: path, dataDirectory } = settings;
    const { portForGroup } = await import('./listen.ts');
    const port = portForGroup(settings);
    const { serveGroup } = await import('./group/owner.ts');
    const onFatal = this.#stopWhenDamaged;
    const upgrade = this.#upgradePolicy(store.upgrade, { host, port }, false);
    const file = { ...store, path, clock, logger, onFatal, upgrade };
    const writer = databaseUrl === null ? await openSqliteOwner(file).finally(() => this.#freeAddress()) : null;
    const argv = [...this.surroundings.argv, '--host', host, '--port', String(port)];
    const group = {
      workers,
      argv,
      environment: workerEnvironment(environment, this.environment),
      dataDirectory,
      writer,
      logger,
      print: this.#print,
      stopRequest,
      onReloadRequest,
    };
    const exitCode = await serveGroup(group);
    return this.#isDamaged ? 1 : exitCode;
  }

  /** During an upgrade that begins before the gateway listens, its port responds that it is not ready. */
  #upgradePolicy(mode: UpgradeMode, listening: Listening | undefined, inGroup: boolean): UpgradePolicy {
    // Port 0 selects a free port only when the gateway listens, so no client can ask before that.
    if (listening === undefined || listening.port === 0) return { mode };
    const beforeUpgrade = async () => {
      const { answerNotReady } = await import('./not-ready.ts');
      this.#stopNotReady = await answerNotReady({ ...listening, inGroup, reason: 'The database is being upgraded.' });
    };
    return { mode, beforeUpgrade };
  }

  async #freeAddress(): Promise<void> {
    const stop = this.#stopNotReady;
    this.#stopNotReady = null;
    await stop?.();
  }

  readonly #print = (line: string): void => void this.surroundings.stdout.write(`${line}\n`);

  readonly #stopWhenDamaged = (error: unknown): void => {
    if (!this.#isServing) return;
    this.#isDamaged = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.surroundings.stderr.write(`switchyard: the database is damaged: ${reason}\n`);
    this.surroundings.requestStop();
  };
}
