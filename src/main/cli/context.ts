import type { Command } from 'commander';
import type { LocalActor } from '../../domain/access/actor.ts';
import { type AuditedStore, auditedStore, localOrigin } from '../../engine/admin/audit/audit-trail.ts';
import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { Upstream } from '../../engine/ports/upstream.ts';
import type { CacheSettings } from '../../engine/settings/settings.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { Forgotten, ResealedCounts } from '../../stores/shared/secret/change-secret.ts';
import type { UpgradeMode, UpgradePlan } from '../../stores/shared/upgrade-plan.ts';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import type { Listening } from '../listen.ts';
import type { MovedStore, MoveStoreOptions } from '../move-store.ts';
import { CommandError } from './command-error.ts';
import { masterSecret } from './master-secret.ts';
import type { Environment, Settings } from './settings.ts';
import { systemUser } from './system-user.ts';

export interface OpenStoreOptions {
  readonly databasePath: string;
  /** The PostgreSQL database, which replaces the file. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number | undefined;
  /** The master secret. */
  readonly secret: string;
  /** Whether to lock the file against a second gateway, as `serve` does. PostgreSQL can be shared. */
  readonly exclusive: boolean;
  /** Whether a database of an earlier version is upgraded. */
  readonly upgrade: UpgradeMode;
  /** Where `serve` will listen, and where `/healthz` and `/readyz` respond during an upgrade. */
  readonly listening?: Listening;
}

export interface OpenCacheOptions {
  readonly settings: CacheSettings;
  readonly dataDirectory: string;
  /** The Redis server, which replaces the disk. */
  readonly redisUrl: string | null;
  /** The master secret. */
  readonly secret: string;
}

export interface OpenMediaOptions {
  /** `null` if there is no file. */
  readonly configuration: Configuration | null;
  readonly dataDirectory: string;
  /** The master secret. */
  readonly secret: string;
}

export interface ServeCommand {
  readonly host: string;
  readonly port: number;
  readonly settings: Settings;
  /** Validated, but not yet applied. */
  readonly configuration: Configuration;
  /** The settings that were changed through the API. */
  readonly storedSettings: SettingSections;
  /** The memory for all processes of the gateway, in bytes. */
  readonly availableBytes: number;
  readonly environment: Environment;
  /** An open store, which `serve` closes. */
  readonly store: Store;
  /** The master secret. */
  readonly secret: string;
}

/** Serves with several processes, each of which runs a `ServeCommand`. */
export interface ServeGroupCommand {
  readonly workers: number;
  readonly settings: Settings;
  /** Options for opening the file if there is no PostgreSQL. */
  readonly store: Pick<OpenStoreOptions, 'secret' | 'upgrade'>;
}

/** Both resolve to `null` if there is nothing to do (src/main/change-secret.ts). */
export interface ChangeSecret {
  rotate(settings: Settings, from: string, to: string): Promise<ResealedCounts | null>;
  forget(settings: Settings, to: string): Promise<Forgotten | null>;
}

/** The upgrade of the database as a step of its own (src/main/upgrade-database.ts). */
export interface UpgradeSteps {
  /** Changes nothing. */
  plan(settings: Settings): Promise<UpgradePlan>;
  run(settings: Settings): Promise<UpgradePlan>;
}

export interface TextOutput {
  write(text: string): unknown;
}

/** The end of a command that runs until it is interrupted. */
export interface CommandEnding {
  /** Fires when the command has to end: by a signal, or because nobody reads its output any more. */
  readonly signal: AbortSignal;
  /** The exit code after that. */
  readonly exitCode: number;
}

/** The environment of the commands. */
export interface CommandLineDependencies {
  /** Runs the gateway until it has stopped; resolves to the exit code. */
  readonly serve: (command: ServeCommand) => Promise<number>;
  /** Does the same with several processes. */
  readonly serveGroup: (command: ServeGroupCommand) => Promise<number>;
  readonly openStore: (options: OpenStoreOptions) => Promise<Store>;
  /** Opens the part of the cache that a running gateway shares with other processes. */
  readonly openCache: (options: OpenCacheOptions) => Promise<CacheStore>;
  /** Opens the media store. */
  readonly openMedia: (options: OpenMediaOptions) => MediaStore;
  /** Changes the master secret of the database. */
  readonly changeSecret: ChangeSecret;
  /** Upgrades the database. */
  readonly upgrade: UpgradeSteps;
  /** Copies the SQLite database into PostgreSQL. */
  readonly moveStore: (options: MoveStoreOptions) => Promise<MovedStore>;
  /** Returns an upstream client for a command that runs without a gateway. */
  readonly upstream: () => Upstream;
  /** Loads the providers lazily: with all their models this takes half of the run time of a command that does not need them. */
  readonly providers: () => Promise<ReadonlyMap<string, ProviderManifest>>;
  /** Listens for the end of a command that may run for long. Called once. */
  readonly ending: () => CommandEnding;
  /** Whether `stdout` is a terminal. */
  readonly isTerminal: boolean;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
}

/** The arguments of a function that adds a command or a group of commands. */
export interface CommandSetup {
  readonly program: Command;
  readonly dependencies: CommandLineDependencies;
  /** Read from the environment and the global options once a command runs. Throws `CommandError`. */
  readonly settings: Settings;
  /** Sets the exit code of a command that completed but found a problem. */
  setExitCode(code: number): void;
}

/** Loads the file that `SWITCHYARD_CONFIG` or `--config` names; resolves to `null` if none is named. */
export async function configurationFrom(
  dependencies: CommandLineDependencies,
  path: string | null,
): Promise<Configuration | null> {
  return path === null ? null : configurationIn(dependencies, path);
}

/** Loads and validates the file at `path`. */
export async function configurationIn(
  { environment, providers }: CommandLineDependencies,
  path: string,
): Promise<Configuration> {
  const { loadConfiguration } = await import('../configuration/load-configuration.ts');
  return loadConfiguration(path, { environment, providers: await providers() });
}

/**
 * Reads one section of that file. A file that is invalid here, for instance because a variable is not set, must not block a command that
 * needs little of it: then `otherwise` applies, and `notice` is printed.
 */
export async function sectionOrDefault<Section extends 'tasks' | 'cache'>(
  { dependencies, settings }: CommandSetup,
  {
    section,
    otherwise,
    notice,
  }: {
    readonly section: Section;
    readonly otherwise: Configuration[Section];
    readonly notice: string;
  },
): Promise<Configuration[Section]> {
  try {
    return (await configurationFrom(dependencies, settings.configurationPath))?.[section] ?? otherwise;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    dependencies.stderr.write(`notice: the configuration cannot be read here, ${notice}\n`);
    return otherwise;
  }
}

/** Opens the store that the settings name, with the master secret of the environment or the data folder. */
export async function openStore(
  dependencies: CommandLineDependencies,
  settings: Settings,
  own: Pick<OpenStoreOptions, 'exclusive' | 'listening'>,
): Promise<Store> {
  const secret = await masterSecret(settings);
  return dependencies.openStore({
    databasePath: settings.databasePath,
    databaseUrl: settings.databaseUrl,
    databaseConnections: settings.databaseConnections,
    upgrade: settings.databaseUpgrade,
    secret,
    ...own,
  });
}

/** Runs `use` on the store and always closes it. The audit log records changes under this user's name, or the given actor's. */
export async function withStore<Result>(
  { dependencies, settings }: Pick<CommandSetup, 'dependencies' | 'settings'>,
  use: (store: AuditedStore) => Promise<Result>,
  actor: LocalActor = { kind: 'command_line', name: systemUser() },
): Promise<Result> {
  const store = await openStore(dependencies, settings, { exclusive: false });
  try {
    return await use(auditedStore(store, { origin: localOrigin(actor), clock: dependencies.clock }));
  } finally {
    await store.close();
  }
}

/** Does the same as `withStore` for the many commands that only need the directory. */
export async function withDirectory<Result>(
  setup: CommandSetup,
  use: (directory: DirectoryStore) => Promise<Result>,
): Promise<Result> {
  return withStore(setup, ({ directory }) => use(directory));
}

export function requiredConfigurationPath(argument: string | undefined, settings: Settings): string {
  const path = argument ?? settings.configurationPath;
  if (path === null) throw new CommandError('name a configuration file or set SWITCHYARD_CONFIG', 2);
  return path;
}
