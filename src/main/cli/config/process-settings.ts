import { DEFAULT_CONNECTIONS } from '../../../stores/postgres/connection-shares.ts';
import { workerCount } from '../../group/worker-count.ts';
import { availableMemory, size } from '../../memory.ts';
import { variableSource } from '../../shown-environment.ts';
import { exists } from '../doctor/check-files.ts';
import { masterSecretPath } from '../master-secret.ts';
import type { Environment, Settings, SettingsOptions } from '../settings.ts';

/** A setting of the process. Of a secret, the value says only that it is set. */
export interface ProcessSetting {
  /** `null` for none. */
  readonly value: string | number | null;
  /** `default`, `option --port`, `environment PORT`, `environment DATABASE_URL_FILE (path)`, or another place in words. */
  readonly source: string;
}

interface Started {
  readonly settings: Settings;
  /** The options of the command line, which the settings come from. */
  readonly options: SettingsOptions;
  readonly environment: Environment;
}

const SET = '(set)';

/** Resolves to the settings that are read from the environment, by the names of their variables. Throws `CommandError` if one is invalid. */
export async function processSettings(started: Started): Promise<Readonly<Record<string, ProcessSetting>>> {
  const { settings, options, environment } = started;
  const of = (name: string, value: ProcessSetting['value'], option?: keyof SettingsOptions): ProcessSetting => {
    if (option !== undefined && options[option] !== undefined) return { value, source: `option --${option}` };
    if (environment[name]) return { value, source: `environment ${variableSource(environment, name)}` };
    return { value, source: 'default' };
  };
  const secret = (name: string) => of(name, environment[name] ? SET : null);
  return {
    PORT: of('PORT', settings.port, 'port'),
    HOST: of('HOST', settings.host, 'host'),
    SWITCHYARD_DATA: of('SWITCHYARD_DATA', settings.dataDirectory, 'data'),
    SWITCHYARD_CONFIG: of('SWITCHYARD_CONFIG', settings.configurationPath, 'config'),
    SWITCHYARD_SECRET: await masterSecretSetting(started, secret('SWITCHYARD_SECRET')),
    DATABASE_URL: secret('DATABASE_URL'),
    DATABASE_CONNECTIONS: of('DATABASE_CONNECTIONS', settings.databaseConnections ?? DEFAULT_CONNECTIONS),
    DATABASE_UPGRADE: of('DATABASE_UPGRADE', settings.databaseUpgrade),
    REDIS_URL: secret('REDIS_URL'),
    SWITCHYARD_WORKERS: of('SWITCHYARD_WORKERS', workerCount(environment)),
    SWITCHYARD_MEMORY: of('SWITCHYARD_MEMORY', size(availableMemory(environment))),
    LOG_LEVEL: of('LOG_LEVEL', environment.LOG_LEVEL || 'info'),
    LOG_FORMAT: of('LOG_FORMAT', environment.LOG_FORMAT || null),
    ACCESS_LOG: of('ACCESS_LOG', environment.ACCESS_LOG || null),
  };
}

/** Without the variable, the secret is a file of the data folder. */
async function masterSecretSetting({ settings }: Started, named: ProcessSetting): Promise<ProcessSetting> {
  const path = masterSecretPath(settings.dataDirectory);
  return named.value === null && (await exists(path)) ? { value: SET, source: `file ${path}` } : named;
}
