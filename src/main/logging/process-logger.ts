import type { Environment } from '../cli/settings.ts';
import { NUMBER_VARIABLE } from '../group/membership.ts';
import { workerCount } from '../group/worker-count.ts';
import { parseLevels } from './levels.ts';
import { DEFAULT_SAMPLING, LineLogger, LOG_FORMATS, type LogFormat, type LogSettings } from './logger.ts';

/** The settings of logs from the environment; a text says which variable is wrong. */
export function logSettingsOf(environment: Environment, { isTerminal }: Place): LogSettings | string {
  const levels = parseLevels(environment.LOG_LEVEL || 'info');
  if (typeof levels === 'string') return `LOG_LEVEL: ${levels} (got ${JSON.stringify(environment.LOG_LEVEL)})`;
  const asked = environment.LOG_FORMAT || (isTerminal ? 'pretty' : 'json');
  const format: LogFormat | undefined = LOG_FORMATS.find((one) => one === asked);
  if (format === undefined) return `LOG_FORMAT: must be ${LOG_FORMATS.join(' or ')} (got ${JSON.stringify(asked)})`;
  return { ...DEFAULT_SAMPLING, levels, format };
}

interface Place {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Returns the logger of this process, which works before the configuration is read; a text says which variable is wrong. Lines of one of
 * several processes name it.
 */
export function processLogger(environment: Environment, place: Place): LineLogger | string {
  const settings = logSettingsOf(environment, place);
  if (typeof settings === 'string') return settings;
  const style = place.isTerminal && !environment.NO_COLOR ? 'coloured' : 'plain';
  return new LineLogger({ ...settings, style, base: processFields(environment) });
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
