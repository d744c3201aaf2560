import { managementRoutes } from '../../src/main/create-management.ts';
import type { ManagementRoute } from '../../src/transports/management/route.ts';
import { invitationRoutes } from '../../src/transports/management/routes/invitations.ts';
import { ownRoutes } from '../../src/transports/management/routes/own.ts';
import { peopleRoutes } from '../../src/transports/management/routes/people.ts';

/** A placeholder for the handlers' dependencies; only the table is read. */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });

type Options<Routes extends (options: never) => unknown> = Parameters<Routes>[0];

const people = [
  ...ownRoutes(nothing as Options<typeof ownRoutes>),
  ...peopleRoutes(nothing as Options<typeof peopleRoutes>),
  ...invitationRoutes(nothing as Options<typeof invitationRoutes>),
];

/** Options of the route table: `people` has routes, everything else is a placeholder. */
const options: unknown = new Proxy({}, { get: (_target, name) => (name === 'people' ? { routes: people } : nothing) });

/** The route table of the management API. */
export const ROUTES: readonly ManagementRoute[] = managementRoutes(
  options as Options<typeof managementRoutes>,
).toSorted((a, b) => a.operationId.localeCompare(b.operationId));

export function routeOf(operationId: string): ManagementRoute {
  const found = ROUTES.find((route) => route.operationId === operationId);
  if (found === undefined) throw new Error(`There is no operation "${operationId}".`);
  return found;
}

/** A path with its parameters filled in. */
export function pathOf({ path }: ManagementRoute, params: Readonly<Record<string, string>> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? 'nobody'));
  return `/v1/management${filled}`;
}
