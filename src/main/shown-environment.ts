import type { Environment } from './cli/settings.ts';
import { secretFileOf } from './secret-files.ts';

/** The variables of the process whose values may be shown. */
export const SHOWN_VARIABLES = [
  ...(['PORT', 'HOST', 'LOG_LEVEL', 'LOG_FORMAT', 'SWITCHYARD_DATA', 'SWITCHYARD_CONFIG'] as const),
  ...(['SWITCHYARD_WORKERS', 'SWITCHYARD_MEMORY'] as const),
] as const;
/** These contain, or may contain, passwords and keys. */
export const SECRET_VARIABLES = ['SWITCHYARD_SECRET', 'DATABASE_URL', 'REDIS_URL'] as const;

/** Returns the variables of the process that are set; of secrets only that they are. */
export function shownEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const shown = SHOWN_VARIABLES.map((name) => [name, environment[name] ?? '']);
  const secret = SECRET_VARIABLES.map((name) => [name, environment[name] ? '(set)' : '']);
  return Object.fromEntries([...shown, ...secret].filter(([, value]) => value !== ''));
}

/** Returns where a variable comes from: `NAME`, or `NAME_FILE (path)` for one that a file holds. */
export function variableSource(environment: Environment, name: string): string {
  const path = secretFileOf(environment, name);
  return path === null ? name : `${name}_FILE (${path})`;
}
