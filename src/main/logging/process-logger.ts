import { logsFrom, logsSchema } from '../../engine/admin/schema/logs-section.ts';
import type { Environment } from '../cli/settings.ts';
import { logVariables } from '../configuration/environment-settings.ts';
import { NUMBER_VARIABLE } from '../group/membership.ts';
import { workerCount } from '../group/worker-count.ts';
import { LineLogger } from './logger.ts';

interface Place {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Returns the logger of this process, which works before the configuration is read. Lines of one of several processes name it. Throws
 * `CommandError` if a variable is wrong.
 */
export function processLogger(environment: Environment, { isTerminal }: Place): LineLogger {
  const settings = logsFrom(logsSchema.parse(logVariables(environment).sections.logs ?? {}));
  const style = isTerminal && !environment.NO_COLOR ? 'coloured' : 'plain';
  const usualFormat = isTerminal ? 'pretty' : 'json';
  return new LineLogger({ settings, usualFormat, style, base: processFields(environment) });
}

/** Several processes write to one output, so their lines say which of them wrote. */
function processFields(environment: Environment) {
  const worker = environment[NUMBER_VARIABLE];
  if (worker !== undefined) return { worker: Number(worker), pid: process.pid };
  return isGroup(environment) ? { pid: process.pid } : {};
}

/** A wrong number of workers is reported by the command that starts them. */
function isGroup(environment: Environment): boolean {
  try {
    return workerCount(environment) > 1;
  } catch {
    return false;
  }
}
