import { join } from 'node:path';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';
import { BuiltBundle, type BundleSource, ShippedBundle } from '../transports/dashboard/bundle-source.ts';
import { DASHBOARD_PATHS, Dashboard } from '../transports/dashboard/dashboard.ts';
import { methodNotAllowed } from '../transports/inference/failure-response.ts';
import { acceptsHtml } from '../transports/inference/front-page.ts';
import { type PublicOriginOptions, publicBasePath } from '../transports/inference/public-origin.ts';
import type { RouteHandler, Routes } from '../transports/inference/route.ts';
import { REFERENCE_PATHS, Reference } from '../transports/reference/reference.ts';
import { ReferenceScript } from '../transports/reference/script.ts';
import { BUILD } from './build.ts';
import { GUIDES } from './guides.ts';
import { mediaOrigin } from './open-stores.ts';
import { newRequestId } from './system.ts';

interface OpenRoutesOptions {
  readonly dashboard: DashboardSettings;
  readonly branding: Pick<LiveBranding, 'current'>;
}

/** Returns what needs no key: pages, their files, and the routes of the OpenAPI document. */
export function createOpenRoutes(options: OpenRoutesOptions, address: PublicOriginOptions, routes: Routes): Routes {
  const documents = Object.entries(routes).filter(([path]) => path.startsWith('/openapi.'));
  return {
    ...Object.fromEntries(documents),
    ...createReference(options),
    ...createDashboard(options, address, routes),
  };
}

/** Serves `/docs` and everything under it. */
function createReference({ branding }: Pick<OpenRoutesOptions, 'branding'>): Routes {
  const reference = new Reference(GUIDES, new ReferenceScript(), branding);
  const handler: RouteHandler = async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const answer = await reference.answer(request);
    answer.headers.set('x-request-id', newRequestId());
    return answer;
  };
  return Object.fromEntries(REFERENCE_PATHS.map((path) => [path, handler]));
}

export interface DashboardSettings {
  /** The folder in which bundles are kept for the next start. */
  readonly bundleFolder: string;
  /** Whether each page is built from the current sources (`SWITCHYARD_DASHBOARD_WATCH`). */
  readonly watch: boolean;
  readonly mediaOrigin: string | null;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface DashboardSettingsOptions {
  readonly clock: Clock;
  readonly configuration: Configuration;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function dashboardSettings({
  clock,
  configuration,
  dataDirectory,
  environment,
  logger,
}: DashboardSettingsOptions): DashboardSettings {
  return {
    bundleFolder: environment.SWITCHYARD_DASHBOARD_BUNDLES ?? join(dataDirectory, 'dashboard'),
    watch: environment.SWITCHYARD_DASHBOARD_WATCH === '1',
    mediaOrigin: mediaOrigin(configuration),
    logger,
    clock,
  };
}

/** Serves the dashboard's pages and files, and `/`, where clients other than browsers get the route in `routes`. */
function createDashboard(
  { dashboard: settings, branding }: OpenRoutesOptions,
  address: PublicOriginOptions,
  routes: Routes,
): Routes {
  const { mediaOrigin, watch } = settings;
  const forClients = routes['/'];
  const dashboard = new Dashboard({ source: bundleSource(settings), branding, mediaOrigin, showsProblems: watch });
  const page: RouteHandler = async (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const answer = await dashboard.answer(request, publicBasePath(request, connections, address));
    answer.headers.set('x-request-id', newRequestId());
    return answer;
  };
  const front: RouteHandler = async (request, connections) => {
    if (forClients !== undefined && !acceptsHtml(request)) return forClients(request, connections);
    const answer = await page(request, connections);
    answer.headers.append('vary', 'accept');
    return answer;
  };
  const pages = Object.fromEntries(DASHBOARD_PATHS.map((path) => [path, page]));
  return { '/': front, ...pages };
}

/** In a build (tools/build) it is beside the scripts. */
const SHIPPED_BUNDLE = 'dashboard.bundle';
const ROOT = join(import.meta.dir, '..', '..');

function bundleSource({ bundleFolder: folder, watch, logger, clock }: DashboardSettings): BundleSource {
  if (BUILD !== null) return new ShippedBundle(Bun.file(join(import.meta.dir, SHIPPED_BUNDLE)));
  return new BuiltBundle({ root: ROOT, folder, watch, logger, nowMs: () => clock.monotonicMs() });
}
