/** Returns a time in RFC 3339 and UTC, such as `2026-01-31T12:00:00Z`, with milliseconds only if they are not zero. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

export function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
