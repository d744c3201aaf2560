import { requestTarget } from '../../formats/shared/request-target.ts';
import type { ClientRequest, Connections, RouteHandler, Routes } from './route.ts';

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
  private readonly exact: ReadonlyMap<string, RouteHandler>;
  private readonly patterns: readonly { readonly matches: RegExp; readonly handler: RouteHandler }[];

  constructor(routes: Routes) {
    const entries = Object.entries(routes);
    this.exact = new Map(entries);
    this.patterns = entries
      .filter(([path]) => /[*:]/.test(path))
      // A named segment is nearer than a rest of any length.
      .sort(([left], [right]) => Number(left.includes('*')) - Number(right.includes('*')))
      .map(([path, handler]) => ({ matches: patternOf(path), handler }));
  }

  /** `null` where the path is that of no route, or is right as it stands. */
  answer(request: ClientRequest, connections: Connections): Response | Promise<Response> | null {
    const { path } = requestTarget(request.url);
    for (const meant of canonicalPaths(path)) {
      const handler = this.handlerOf(meant.path);
      if (handler === undefined) continue;
      if (meant.path === path) return null;
      return handler(new ReaddressedRequest(request, meant), new OriginalConnections(connections, request));
    }
    return null;
  }

  private handlerOf(path: string): RouteHandler | undefined {
    return this.exact.get(path) ?? this.patterns.find(({ matches }) => matches.test(path))?.handler;
  }
}

function patternOf(route: string): RegExp {
  const pattern = route
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*$/, '.+');
  return new RegExp(`^${pattern}$`);
}

/** The request at another address; everything else is the original's. */
class ReaddressedRequest implements ClientRequest {
  readonly url: string;
  readonly modelInPath?: string;

  constructor(
    private readonly original: ClientRequest,
    { path, model }: CanonicalPath,
  ) {
    const [place = ''] = original.url.split('#', 1);
    const question = place.indexOf('?');
    this.url = question < 0 ? path : path + place.slice(question);
    if (model !== null) this.modelInPath = model;
  }

  get method() {
    return this.original.method;
  }
  get headers() {
    return this.original.headers;
  }
  get body() {
    return this.original.body;
  }
  get signal() {
    return this.original.signal;
  }
  bytes() {
    return this.original.bytes();
  }
}

/** The server knows a connection only by the request that it has made itself. */
class OriginalConnections implements Connections {
  constructor(
    private readonly connections: Connections,
    private readonly original: ClientRequest,
  ) {}

  timeout(_: ClientRequest, seconds: number): void {
    this.connections.timeout(this.original, seconds);
  }

  upgrade(_: ClientRequest, options: Parameters<Connections['upgrade']>[1]): boolean {
    return this.connections.upgrade(this.original, options);
  }

  requestIP(): { readonly address: string } | null {
    return this.connections.requestIP(this.original);
  }
}

/** A malformed escape is kept unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
