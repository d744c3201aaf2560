import { z } from 'zod';
import { type ComponentLevels, parseLevels } from '../../../domain/logs/component-levels.ts';
import { integer, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_LOG_LEVEL, DEFAULT_LOGS, LOG_FORMATS, type LogSettings } from '../../settings/logs.ts';

export const logsSchema = z.strictObject(
  {
    level: z
      .string({ error: 'must be a level such as "info", or levels such as "info,routing=debug"' })
      .transform((value, context): ComponentLevels => {
        const levels = parseLevels(value);
        if (typeof levels !== 'string') return levels;
        context.addIssue({ code: 'custom', message: levels });
        return z.NEVER;
      })
      .nullish(),
    format: oneOf(LOG_FORMATS).nullish(),
    sample_successes: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    slow_ms: integer('must be a number of milliseconds from 1 to 86400000', 1, 86_400_000).nullish(),
    access_log: text('must be "-" or the path of a file', /^[^\p{Cc}]{1,1000}$/u).nullish(),
  },
  MAP,
);

export function logsFrom(section: z.output<typeof logsSchema>): LogSettings {
  return {
    levels: section.level ?? DEFAULT_LOGS.levels,
    format: section.format ?? DEFAULT_LOGS.format,
    sampleSuccesses: section.sample_successes ?? DEFAULT_LOGS.sampleSuccesses,
    slowMs: section.slow_ms ?? DEFAULT_LOGS.slowMs,
    accessLog: section.access_log ?? DEFAULT_LOGS.accessLog,
  };
}

/** Returns the defaults in the form of a configuration file. */
export function logsFields() {
  const { format, sampleSuccesses, slowMs, accessLog } = DEFAULT_LOGS;
  return {
    level: DEFAULT_LOG_LEVEL,
    format,
    sample_successes: sampleSuccesses,
    slow_ms: slowMs,
    access_log: accessLog,
  };
}
