import type { PublicOriginOptions } from '../transports/inference/public-origin.ts';
import type { Routes } from '../transports/inference/route.ts';
import { createDashboard, type DashboardSettings } from './create-dashboard.ts';
import { createReference } from './create-reference.ts';

interface OpenRoutesOptions {
  readonly dashboard: DashboardSettings;
}

/** Returns what needs no key: pages, their files, and the routes of the OpenAPI document. */
export function createOpenRoutes(options: OpenRoutesOptions, address: PublicOriginOptions, routes: Routes): Routes {
  const documents = Object.entries(routes).filter(([path]) => path.startsWith('/openapi.'));
  return {
    ...Object.fromEntries(documents),
    ...createReference(),
    ...createDashboard(options, address, routes),
  };
}
