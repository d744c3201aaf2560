/** Formats a time as `2026-01-31T12:00:00Z`: to the second, in UTC. */
export function isoTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** Formats a duration in one unit, at least one second: `12 s`, `3 min`, `5 h`, `2 d`. */
export function roundDuration(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
