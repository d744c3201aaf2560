import { LOG_COMPONENTS, type LogComponent } from './events.ts';
import type { LogLevel } from './levels.ts';

/** The values of `LOG_LEVEL`, from the most to the least verbose; `trace` is the same as `debug`, `fatal` as `silent`. */
export const THRESHOLDS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type Threshold = (typeof THRESHOLDS)[number];

const SEVERITIES: Readonly<Record<LogLevel | Threshold, number>> = {
  trace: 10,
  debug: 10,
  info: 20,
  warn: 30,
  error: 40,
  fatal: 50,
  silent: 50,
};

/** The least severity of the lines of each component that are written. */
export type ComponentLevels = Readonly<Record<LogComponent, number>>;

export function severityOf(level: LogLevel): number {
  return SEVERITIES[level];
}

/**
 * Reads levels such as `info` or `warn,routing=debug,sqlite=error`: one for all components, at most one for each of them, in any order.
 * Returns the problem in words if there is one.
 */
export function parseLevels(text: string): ComponentLevels | string {
  let general: Threshold = 'info';
  const own = new Map<LogComponent, Threshold>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const [name, value] = part.includes('=') ? part.split('=', 2).map((one) => one.trim()) : [null, part];
    const threshold = THRESHOLDS.find((one) => one === value);
    if (threshold === undefined) return `must be one of ${THRESHOLDS.join(', ')}${forOne(name)}`;
    const component = LOG_COMPONENTS.find((one) => one === name);
    if (name === null) general = threshold;
    else if (component === undefined) {
      return `has no component ${JSON.stringify(name)}. The components are ${LOG_COMPONENTS.join(', ')}`;
    } else own.set(component, threshold);
  }
  const levels = LOG_COMPONENTS.map((component) => [component, SEVERITIES[own.get(component) ?? general]]);
  // The entries have all components.
  return Object.fromEntries(levels) as ComponentLevels;
}

function forOne(component: string | null | undefined): string {
  return component == null ? ', or a list such as "info,routing=debug"' : ` for ${JSON.stringify(component)}`;
}
