import type { Origin } from '../../domain/catalog/model.ts';

const MANAGED_BY = { config: 'file', environment: 'environment', operator: 'api' } as const satisfies Record<
  Origin,
  string
>;

export type ManagedBy = (typeof MANAGED_BY)[Origin];

/** Returns where an object is changed: in the configuration file, by an environment variable, or by the API and the command line. */
export function managedBy(origin: Origin): ManagedBy {
  return MANAGED_BY[origin];
}
