import type { Origin } from '../../domain/catalog/model.ts';

/** Returns a time in RFC 3339 and UTC, such as `2026-01-31T12:00:00Z`, with milliseconds only if they are not zero. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

export function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}

const MANAGED_BY = { config: 'file', environment: 'environment', operator: 'api' } as const satisfies Record<
  Origin,
  string
>;

type ManagedBy = (typeof MANAGED_BY)[Origin];

/** Returns where an object is changed: in the configuration file, by an environment variable, or by the API and the command line. */
export function managedBy(origin: Origin): ManagedBy {
  return MANAGED_BY[origin];
}
