import type { RouteHandler, Routes } from './route.ts';

/** Finds handlers by path, for requests that do not come through the server's own router. */
export class PathTable {
  private readonly exact: ReadonlyMap<string, RouteHandler>;
  private readonly patterns: readonly { readonly matches: RegExp; readonly handler: RouteHandler }[];

  constructor(routes: Routes) {
    const entries = Object.entries(routes);
    this.exact = new Map(entries);
    this.patterns = entries
      .filter(([path]) => /[*:]/.test(path))
      // A named segment is more specific than a wildcard of any length.
      .sort(([left], [right]) => Number(left.includes('*')) - Number(right.includes('*')))
      .map(([path, handler]) => ({ matches: patternOf(path), handler }));
  }

  handlerOf(path: string): RouteHandler | undefined {
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
