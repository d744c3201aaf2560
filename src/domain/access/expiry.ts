import type { Credential } from './api-key.ts';

export type ParsedTime =
  | { readonly ok: true; readonly timeMs: number }
  /** `problem` completes a sentence that begins with the field's name: `must be …`. */
  | { readonly ok: false; readonly problem: string };

export const TIME_RULE = 'must be a date or a time with its zone, such as "2026-09-01" or "2026-09-01T12:00:00Z"';

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Parses an ISO 8601 date, which means its first moment in UTC, or a time with a zone, to milliseconds since 1970. */
export function parseTime(text: string): ParsedTime {
  const parts = TIME.exec(text);
  const timeMs = Date.parse(text);
  if (parts === null || Number.isNaN(timeMs)) return { ok: false, problem: TIME_RULE };
  const [, year, month, day] = parts;
  // JavaScript reads 30 February as 2 March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1) return { ok: false, problem: 'must be a valid date' };
  return { ok: true, timeMs };
}

export function isExpired({ expiresAtMs }: Pick<Credential, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}
