import type { LiveBranding } from '../../engine/admin/settings/live-branding.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { type Packed, packed, packedAnswer } from '../shared/packed.ts';
import { GUIDE_HEADERS, type Guide, guidePage, missingPage } from './guide-page.ts';
import { REFERENCE_HEADERS, referencePage } from './reference-page.ts';
import type { ReferenceScript } from './script.ts';

export type { Guide } from './guide-page.ts';

/** The parts of a request that are read. */
export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

/** The script is at `/docs/scalar-<hash>.js`. */
const SCRIPT_BEGINS = 'scalar-';
const SCRIPT_ENDS = '.js';

/** The maximum number of folders above a page, including `docs`. */
const DEEPEST_PAGE = 4;

const WITH_SLASH = /^\/(?:docs\/)?(?:guides\/)?([\w-]+)\/+$/;

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/** The paths that it answers, in the notation of Bun's router. */
export const REFERENCE_PATHS = ['/docs', '/docs/*'] as const;

/** Serves the API reference at `/docs`, and the guides under `/docs/guides`, without authentication. */
export class Reference {
  /** The pages with the name of the service in them. */
  private readonly pages = new Map<string, Packed>();
  private name = '';

  constructor(
    private readonly guides: readonly Guide[],
    private readonly script: Pick<ReferenceScript, 'get'>,
    private readonly branding: Pick<LiveBranding, 'current'>,
  ) {}

  async answer(request: PageRequest): Promise<Response> {
    const { path } = requestTarget(request.url);
    await this.renew();
    if (path === '/docs') return packedAnswer(request, await this.referencePage(), REFERENCE_HEADERS);
    // The links of a page are relative to its address without a trailing slash.
    const last = WITH_SLASH.exec(path)?.[1];
    if (last !== undefined) return new Response(null, { status: 308, headers: { location: `../${last}` } });
    const [first = '', name, ...more] = path.slice('/docs/'.length).split('/');
    if (name === undefined && first.startsWith(SCRIPT_BEGINS)) return this.scriptAnswer(request, path);
    const guide = first === 'guides' && more.length === 0 ? this.guide(name) : undefined;
    if (guide !== undefined) return packedAnswer(request, guide, GUIDE_HEADERS);
    return this.missing(request, path);
  }

  /** Drops the pages if the service has another name now. */
  private async renew(): Promise<void> {
    const { name } = await this.branding.current();
    if (name !== this.name) this.pages.clear();
    this.name = name;
  }

  private async referencePage(): Promise<Packed> {
    const { hash } = await this.script.get();
    return this.page('reference', () => referencePage(this.name, `docs/${SCRIPT_BEGINS}${hash}${SCRIPT_ENDS}`));
  }

  private async scriptAnswer(request: PageRequest, path: string): Promise<Response> {
    const script = await this.script.get();
    const isThis = path === `/docs/${SCRIPT_BEGINS}${script.hash}${SCRIPT_ENDS}`;
    return isThis ? packedAnswer(request, script, SCRIPT_HEADERS) : this.missing(request, path);
  }

  /** Returns a guide's page, or the list of all without a name; `undefined` if there is no such guide. */
  private guide(name: string | undefined): Packed | undefined {
    if (name === undefined) return this.page('guides', () => guidePage(this.name, this.guides, null));
    const guide = this.guides.find((one) => one.name === name);
    return guide === undefined
      ? undefined
      : this.page(`guides/${name}`, () => guidePage(this.name, this.guides, guide));
  }

  private page(name: string, make: () => string): Packed {
    const known = this.pages.get(name) ?? packed(make());
    this.pages.set(name, known);
    return known;
  }

  /** Answers 404 with a page that is made once per depth of the address. Deeper addresses, which nothing links to, get one sentence. */
  private missing(request: PageRequest, path: string): Response {
    const depth = path.split('/').length - 2;
    const headers = { ...GUIDE_HEADERS, 'cache-control': 'no-store' };
    if (depth > DEEPEST_PAGE) {
      const text = request.method === 'HEAD' ? null : 'Page not found.\n';
      return new Response(text, { status: 404, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
    }
    return packedAnswer(
      request,
      this.page(`missing/${depth}`, () => missingPage({ name: this.name, root: '../'.repeat(depth) })),
      headers,
      404,
    );
  }
}
