import type { Routes } from './routes.ts';

/** Routes take about 12 KB each. */
const MOST_ROUTES = 4_000;

/**
 * The least recently used cache of routes over PRIVATE channels. The routes of all accounts would be too many to keep: each account may
 * have thousands of models, and uses few of them.
 */
export class RecentRoutes {
  private readonly routes = new Map<string, Routes>();

  constructor(private readonly most = MOST_ROUTES) {}

  get size(): number {
    return this.routes.size;
  }

  get(key: string, make: () => Routes): Routes {
    let found = this.routes.get(key);
    if (found === undefined) found = make();
    else this.routes.delete(key);
    this.routes.set(key, found);
    if (this.routes.size > this.most) {
      const [oldest = key] = this.routes.keys();
      this.routes.delete(oldest);
    }
    return found;
  }
}
