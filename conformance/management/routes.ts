import { managementRoutes } from '../../src/main/create-management.ts';
import type { ManagementRoute } from '../../src/transports/management/route.ts';

/** A placeholder for the handlers' dependencies; only the table is read. */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });

/** The route table of the management API. */
export const ROUTES: readonly ManagementRoute[] = managementRoutes(
  nothing as Parameters<typeof managementRoutes>[0],
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
