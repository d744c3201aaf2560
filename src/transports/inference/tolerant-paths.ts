import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { PathTable } from './path-table.ts';
import { OriginalConnections, ReaddressedRequest } from './readdressed-request.ts';
import type { ClientRequest, Connections, Routes } from './route.ts';

/** A path as the routes have it, and what else it said. */
export interface CanonicalPath {
  readonly path: string;
  /** The model of Azure's `/openai/deployments/{model}/…`. */
  readonly model: string | null;
}

/** What clients put before an endpoint's own segments, by their base URL and their own idea of it; the innermost decides the root. */
const PREFIXES: ReadonlyMap<string, '/v1' | '/v1beta'> = new Map([
  ['v1', '/v1'],
  ['v1beta', '/v1beta'],
  ['v1alpha', '/v1beta'],
  ['openai', '/v1'],
  ['anthropic', '/v1'],
]);
const MOST_PREFIXES = 4;
/** No route's path comes near. */
const LONGEST_PATH = 4_096;

/**
 * The paths that one may have meant, the likeliest first: without doubled and trailing slashes, with one version in front of
 * the endpoint, whatever versions and vendors' names stand there.
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
  const model = isDeployment ? decoded(segments[from + 1] ?? '') : null;
  const tail = segments.slice(isDeployment ? from + 2 : from).join('/');
  if (tail === '') return [];
  const other = root === '/v1' ? '/v1beta' : '/v1';
  return [root, other].map((version) => ({ path: `${version}/${tail}`, model }));
}

/** The routes for requests whose paths are none of theirs as they stand. Only those pay for it. */
export class TolerantPaths {
  private readonly table: PathTable;

  constructor(routes: Routes) {
    this.table = new PathTable(routes);
  }

  /** `null` where the path is that of no route, or is right as it stands. */
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
  return new ReaddressedRequest(request, { url, ...(model === null ? {} : { modelInPath: model }) });
}

/** A malformed escape is kept unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
