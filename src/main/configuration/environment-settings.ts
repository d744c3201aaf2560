import { logsSchema } from '../../engine/admin/schema/logs-section.ts';
import { CommandError } from '../cli/command-error.ts';
import type { Environment } from '../cli/settings.ts';
import { type EnvironmentSettings, telemetryVariables } from './telemetry-variables.ts';

/** The variables that state settings of the section `logs`. */
const LOG_VARIABLES = { LOG_LEVEL: 'level', LOG_FORMAT: 'format', ACCESS_LOG: 'access_log' } as const;

/** Returns the settings that the environment states. Throws `CommandError` for a wrong value; the message names the variable. */
export function environmentSettings(environment: Environment): EnvironmentSettings {
  const [telemetry, logs] = [telemetryVariables(environment), logVariables(environment)];
  return {
    sections: { ...telemetry.sections, ...logs.sections },
    variables: { ...telemetry.variables, ...logs.variables },
  };
}

/** Returns the settings of logs that the environment states. */
export function logVariables(environment: Environment): EnvironmentSettings {
  const stated = Object.entries(LOG_VARIABLES).flatMap(([variable, field]) => {
    const value = environment[variable]?.trim();
    return value ? [{ variable, field, value }] : [];
  });
  if (stated.length === 0) return { sections: {}, variables: {} };
  for (const { variable, field, value } of stated) {
    const parsed = logsSchema.safeParse({ [field]: value });
    if (parsed.success) continue;
    const problem = parsed.error.issues[0]?.message ?? 'is not valid';
    throw new CommandError(`${variable}: ${problem} (got ${JSON.stringify(value)})`, 2);
  }
  return {
    sections: { logs: Object.fromEntries(stated.map(({ field, value }) => [field, value])) },
    variables: Object.fromEntries(stated.map(({ variable, field }) => [`logs.${field}`, [variable]])),
  };
}
