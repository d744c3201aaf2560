import { type ComponentLevels, parseLevels } from '../../domain/logs/component-levels.ts';

export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** How log lines are written (docs/logs.md). */
export interface LogSettings {
  readonly levels: ComponentLevels;
  /** `null` is `pretty` on a terminal, else `json`. */
  readonly format: LogFormat | null;
  /** One of this many successful requests has a line. Failures, retried and slow requests and those that the client left always have. */
  readonly sampleSuccesses: number;
  /** From this duration on, a request is slow. */
  readonly slowMs: number;
  /** The path of the access log, `-` for standard output; `null` for none. */
  readonly accessLog: string | null;
}

export const DEFAULT_LOG_LEVEL = 'info';

export const DEFAULT_LOGS: LogSettings = {
  levels: levelsOf(DEFAULT_LOG_LEVEL),
  format: null,
  sampleSuccesses: 1,
  slowMs: 30_000,
  accessLog: null,
};

function levelsOf(text: string): ComponentLevels {
  const levels = parseLevels(text);
  if (typeof levels === 'string') throw new Error(`The levels ${levels}.`);
  return levels;
}
