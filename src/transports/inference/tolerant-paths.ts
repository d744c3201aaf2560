import { percentDecoded } from '../../domain/text/percent-decoded.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { PathTable } from './path-table.ts';
import { OriginalConnections, ReaddressedRequest } from './readdressed-request.ts';
import type { ClientRequest, Connections, Routes } from './route.ts';

/** A path as the routes spell it, and the model that the original path named. */
export interface CanonicalPath {
  readonly path: string;
  /** The model in Azure's `/openai/deployments/{model}/…`. */
  readonly model: string | null;
}

/** Segments that clients put before an endpoint's own, by their base URL and by themselves; the innermost decides the root. */
const PREFIXES: ReadonlyMap<string, '/v1' | '/v1beta'> = new Map([
  ['api', '/v1'],
  ['v1', '/v1'],
  ['v1beta', '/v1beta'],
  ['v1alpha', '/v1beta'],
  ['openai', '/v1'],
  ['anthropic', '/v1'],
]);
const MOST_PREFIXES = 4;
/** Far longer than any route's path. */
const LONGEST_PATH = 4_096;
const OPENROUTER = /^\/+api\//;

/**
 * Returns the paths that the client may have meant, the likeliest first: without doubled and trailing slashes, and with one version in
 * place of all the versions and vendor names before the endpoint.
 */
export function canonicalPaths(path: string): CanonicalPath[] {
  if (path.length > LONGEST_PATH) return [];
  const segments = path.split('/').filter((segment) => segment !== '');
  let root: '/v1' | '/v1beta' = '/v1';
  let from = 0;
  while (from < MOST_PREFIXES) {
    const known = PREFIXES.get(segments[from] ?? '');
    if (known === undefined) break;
    root = known;
    from += 1;
  }
  const isDeployment =
    segments[from - 1] === 'openai' && segments[from] === 'deployments' && segments.length > from + 2;
  const { [from + 1]: named = '' } = segments;
  const model = isDeployment ? (percentDecoded(named) ?? named) : null;
  const tail = segments.slice(isDeployment ? from + 2 : from).join('/');
  if (tail === '') return [];
  const other = root === '/v1' ? '/v1beta' : '/v1';
  const meant = [root, other].map((version) => ({ path: `${version}/${tail}`, model }));
  // OpenRouter's own endpoints are below `/api`.
  return segments[0] === 'api' ? [{ path: `/${segments.join('/')}`, model: null }, ...meant] : meant;
}

/** Returns whether a path is below OpenRouter's base URL (`https://openrouter.ai/api/v1`). */
export function isOpenRouterPath(path: string): boolean {
  return OPENROUTER.test(path);
}

/** Returns the likeliest path that an endpoint of OpenAI, Anthropic or Google would have; `null` for a path without an endpoint. */
export function endpointPath(path: string): string | null {
  return canonicalPaths(path).find((meant) => !isOpenRouterPath(meant.path))?.path ?? null;
}

/** Routes requests whose paths match no route literally. Other requests do not pay for it. */
export class TolerantPaths {
  private readonly table: PathTable;

  constructor(routes: Routes) {
    this.table = new PathTable(routes);
  }

  /** Returns `null` if no route matches the path, or if the path is correct as it stands. */
  answer(request: ClientRequest, connections: Connections): Response | Promise<Response> | null {
    const { path } = requestTarget(request.url);
    for (const meant of canonicalPaths(path)) {
      const handler = this.table.handlerOf(meant.path);
      if (handler === undefined) continue;
      if (meant.path === path) return null;
      return handler(readdressed(request, meant), new OriginalConnections(connections, request));
    }
    return null;
  }
}

function readdressed(request: ClientRequest, { path, model }: CanonicalPath): ClientRequest {
  const [place = ''] = request.url.split('#', 1);
  const question = place.indexOf('?');
  const url = question < 0 ? path : path + place.slice(question);
  return new ReaddressedRequest(request, {
    url,
    ...(model !== null && { modelInPath: model }),
    ...(isOpenRouterPath(requestTarget(request.url).path) && { isOpenRouters: true }),
  });
}
