/** `2026-01-31T12:00:00Z`: to the second, in UTC. */
export function isoTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
