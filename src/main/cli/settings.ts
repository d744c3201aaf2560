import { join } from 'node:path';
import { LEAST_CONNECTIONS, MOST_CONNECTIONS } from '../../stores/postgres/connection-shares.ts';
import { UPGRADE_MODES, type UpgradeMode } from '../../stores/shared/upgrade-plan.ts';
import { Proxies, UnusableProxy } from '../../upstream/proxies.ts';
import { CommandError } from './command-error.ts';

/** The settings from the environment and the command line on where and how to run. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly databasePath: string;
  readonly configurationPath: string | null;
  readonly secret: string | null;
  readonly databaseUrl: string | null;
  /** The maximum number of this process's connections to PostgreSQL; `undefined` for the default. */
  readonly databaseConnections: number | undefined;
  /** Whether an opened database of an earlier version is upgraded. */
  readonly databaseUpgrade: UpgradeMode;
  readonly redisUrl: string | null;
}

export interface SettingsOptions {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly data?: string | undefined;
  readonly config?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = '8787';

/** Reads the settings: an option wins over its environment variable, and an empty variable counts as unset. Throws `CommandError`. */
export function settingsFrom(options: SettingsOptions, environment: Environment): Settings {
  const variable = (name: string) => environment[name] || undefined;
  const dataDirectory = options.data ?? variable('SWITCHYARD_DATA') ?? './data';
  return {
    host: options.host ?? variable('HOST') ?? '127.0.0.1',
    port: portFrom(options.port ?? variable('PORT') ?? DEFAULT_PORT, options.port === undefined ? 'PORT' : '--port'),
    dataDirectory,
    databasePath: join(dataDirectory, 'switchyard.sqlite'),
    configurationPath: options.config ?? variable('SWITCHYARD_CONFIG') ?? null,
    secret: variable('SWITCHYARD_SECRET') ?? null,
    databaseUrl: variable('DATABASE_URL') ?? null,
    databaseConnections: connectionsFrom(variable('DATABASE_CONNECTIONS')),
    databaseUpgrade: upgradeModeFrom(variable('DATABASE_UPGRADE')),
    redisUrl: variable('REDIS_URL') ?? null,
  };
}

function connectionsFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= LEAST_CONNECTIONS && count <= MOST_CONNECTIONS) return count;
  const range = `must be a number from ${LEAST_CONNECTIONS} to ${MOST_CONNECTIONS}`;
  throw new CommandError(`DATABASE_CONNECTIONS: ${range} (got ${JSON.stringify(text)})`, 2);
}

function upgradeModeFrom(text = 'auto'): UpgradeMode {
  const mode = UPGRADE_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new CommandError(`DATABASE_UPGRADE: must be ${UPGRADE_MODES.join(' or ')} (got ${JSON.stringify(text)})`, 2);
}

function portFrom(text: string, where: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CommandError(`${where}: must be a port from 0 to 65535 (got ${JSON.stringify(text)})`, 2);
}

/** Returns the proxies for upstream requests. Throws `CommandError`. */
export function proxiesFrom(environment: Environment): Proxies {
  try {
    return new Proxies(environment);
  } catch (error) {
    throw error instanceof UnusableProxy ? new CommandError(error.message, 2) : error;
  }
}
