import type { MessageAt } from '../../domain/logs/events.ts';
import type { OnlyLogFields } from '../../domain/logs/fields.ts';

/**
 * Writes structured log lines. Fields never contain prompts, responses, keys or other secrets. Every field and every message is listed in
 * `src/domain/logs`: add a line there for a new one.
 */
export interface Logger {
  debug<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'debug'>): void;
  info<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'info'>): void;
  warn<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'warn'>): void;
  error<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'error'>): void;
}
