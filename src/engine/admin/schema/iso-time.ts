/** RFC 3339 in UTC, exact: `2026-01-31T12:00:00Z`, and with milliseconds only where there are some. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

export function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
