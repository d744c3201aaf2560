import type { Command } from 'commander';
import type { LocalActor } from '../../domain/access/actor.ts';
import { localOrigin } from '../../engine/admin/audit/audit-origin.ts';
import { type AuditedStore, auditedStore } from '../../engine/admin/audit/audit-trail.ts';
import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { Upstream } from '../../engine/ports/upstream.ts';
import type { CacheSettings } from '../../engine/settings/cache-settings.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { Forgotten, ResealedCounts } from '../../stores/shared/secret/change-secret.ts';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { CommandError } from './command-error.ts';
import { masterSecret } from './master-secret.ts';
import type { Environment, Settings } from './settings.ts';
import { systemUser } from './system-user.ts';

export interface OpenStoreOptions {
  readonly databasePath: string;
  /** PostgreSQL instead of the file. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number | undefined;
  /** The master secret. */
  readonly secret: string;
  /** For `serve` alone: no second gateway can use the file meanwhile. PostgreSQL is for several. */
  readonly exclusive: boolean;
}

export interface OpenCacheOptions {
  readonly settings: CacheSettings;
  readonly dataDirectory: string;
  /** Redis instead of the disk. */
  readonly redisUrl: string | null;
  /** The master secret. */
  readonly secret: string;
}

export interface OpenMediaOptions {
  /** `null` where there is no file. */
  readonly configuration: Configuration | null;
  readonly dataDirectory: string;
  /** The master secret. */
  readonly secret: string;
}

export interface ServeCommand {
  readonly host: string;
  readonly port: number;
  readonly settings: Settings;
  /** Already checked, not yet applied. */
  readonly configuration: Configuration;
  /** What of it was set over the API. */
  readonly storedSettings: SettingSections;
  /** The memory of all processes of the gateway. */
  readonly availableBytes: number;
  readonly environment: Environment;
  /** Open; it belongs to `serve`, which closes it. */
  readonly store: Store;
  /** The master secret. */
  readonly secret: string;
}

/** As `ServeCommand`, with several processes, each of which runs that command itself. */
export interface ServeGroupCommand {
  readonly workers: number;
  readonly settings: Settings;
  /** How the file is opened where there is no PostgreSQL. */
  readonly store: Pick<OpenStoreOptions, 'secret'>;
}

/** Each resolves to `null` where there is nothing to do (src/main/change-secret.ts). */
export interface ChangeSecret {
  rotate(settings: Settings, from: string, to: string): Promise<ResealedCounts | null>;
  forget(settings: Settings, to: string): Promise<Forgotten | null>;
}

export interface TextOutput {
  write(text: string): unknown;
}

/** What the commands need of the world around them. */
export interface CommandLineDependencies {
  /** Runs the gateway until it has stopped; resolves with the exit code. */
  readonly serve: (command: ServeCommand) => Promise<number>;
  /** The same, with several processes. */
  readonly serveGroup: (command: ServeGroupCommand) => Promise<number>;
  readonly openStore: (options: OpenStoreOptions) => Promise<Store>;
  /** The part of the cache that a running gateway shares with other processes. */
  readonly openCache: (options: OpenCacheOptions) => Promise<CacheStore>;
  /** The files that the gateway keeps. */
  readonly openMedia: (options: OpenMediaOptions) => MediaStore;
  /** Changes the master secret of the database. */
  readonly changeSecret: ChangeSecret;
  /** Asks upstreams for a command that runs without a gateway. */
  readonly upstream: () => Upstream;
  /** To load them, with all models that they ship, takes half of the time of a command that does without. */
  readonly providers: () => Promise<ReadonlyMap<string, ProviderManifest>>;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
}

/** What a function needs that adds a command, or a group of them. */
export interface CommandSetup {
  readonly program: Command;
  readonly dependencies: CommandLineDependencies;
  /** For a command that ran to its end, but found a problem. */
  setExitCode(code: number): void;
}

/** The file that `SWITCHYARD_CONFIG` or `--config` names, checked; `null` where none is named. */
export async function configurationFrom(
  dependencies: CommandLineDependencies,
  path: string | null,
): Promise<Configuration | null> {
  return path === null ? null : configurationIn(dependencies, path);
}

/** The file at `path`, checked. */
export async function configurationIn(
  { environment, providers }: CommandLineDependencies,
  path: string,
): Promise<Configuration> {
  const { loadConfiguration } = await import('../configuration/load-configuration.ts');
  return loadConfiguration(path, { environment, providers: await providers() });
}

/**
 * One section of that file. A file that cannot be read here, since a variable is not set, say, must not be in the way of a command that
 * needs little of it: then `otherwise` holds, and `notice` is told.
 */
export async function sectionOrDefault<Section extends 'tasks' | 'cache'>(
  dependencies: CommandLineDependencies,
  { configurationPath }: Settings,
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
    return (await configurationFrom(dependencies, configurationPath))?.[section] ?? otherwise;
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
  own: Pick<OpenStoreOptions, 'exclusive'>,
): Promise<Store> {
  const secret = await masterSecret(settings);
  return dependencies.openStore({
    databasePath: settings.databasePath,
    databaseUrl: settings.databaseUrl,
    databaseConnections: settings.databaseConnections,
    secret,
    ...own,
  });
}

/**
 * Runs `use` on the store and closes it after, whatever happens. What it changes is entered into the audit log as this user's, or the
 * given actor's.
 */
export async function withStore<Result>(
  dependencies: CommandLineDependencies,
  settings: Settings,
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

/** As `withStore`, for the many commands that need nothing but the directory. */
export async function withDirectory<Result>(
  dependencies: CommandLineDependencies,
  settings: Settings,
  use: (directory: DirectoryStore) => Promise<Result>,
): Promise<Result> {
  return withStore(dependencies, settings, ({ directory }) => use(directory));
}

export function requiredConfigurationPath(argument: string | undefined, settings: Settings): string {
  const path = argument ?? settings.configurationPath;
  if (path === null) throw new CommandError('name a configuration file, or set SWITCHYARD_CONFIG', 2);
  return path;
}
