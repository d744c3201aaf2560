import {
  accentStyle,
  BRANDING_FILES,
  BRANDING_FOLDER,
  type Branding,
  type LiveBranding,
} from '../../engine/admin/settings/live-branding.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { Asset, Bundle } from '../shared/bundle.ts';
import { type Packed, packed, packedAnswer } from '../shared/packed.ts';
import type { BundleSource } from './bundle-source.ts';
import { ASSETS, dashboardPage, PROBLEM_HEADERS, pageHeaders, problemPage } from './page.ts';

/** The parts of a request that the dashboard reads. */
export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

export interface DashboardOptions {
  readonly source: BundleSource;
  readonly branding: Pick<LiveBranding, 'current'>;
  /** The origin of links to files, if it is not the gateway. */
  readonly mediaOrigin: string | null;
  /** Whether pages show what is wrong with a build. */
  readonly showsProblems: boolean;
}

/** The paths that the dashboard answers besides `/`, in the notation of Bun's router. One-time links lead to `/welcome`. */
export const DASHBOARD_PATHS = ['/app', '/app/*', '/welcome'] as const;

const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};
/** The headers of uploaded content: a logo that a browser opens by itself can do nothing. */
const BRANDING_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
};
/** Kept briefly where the version of the address is not the current one, which happens while nodes learn of a change. */
const PASSING = { 'cache-control': 'no-store' };

/** A gateway has a few addresses, and pages are a few folders deep. */
const MOST_PAGES = 16;
/** The least time between two reads for addresses of unknown versions, which anyone can invent. */
const LEAST_REREAD_MS = 200;

/** The single-page application at `/` and `/app/…`, and its files at `/app/assets/…`. */
export class Dashboard {
  private readonly headers: Readonly<Record<string, string>>;
  private bundle: Bundle | null = null;
  /** The assets of the previous bundle: pages loaded before a change still request them. */
  private oldAssets: ReadonlyMap<string, Asset> = new Map();
  private readonly pages = new Map<string, Packed>();
  private branding: Branding | null = null;
  private readonly brandingFiles = new Map<string, Packed>();
  private problem: { readonly text: string; readonly page: Packed } | null = null;

  constructor(private readonly options: DashboardOptions) {
    this.headers = pageHeaders(options.mediaOrigin);
  }

  /** @param basePath the path under which a reverse proxy serves the gateway, such as `/ai`; empty if unknown */
  async answer(request: PageRequest, basePath: string): Promise<Response> {
    const { path } = requestTarget(request.url);
    if (path.startsWith(`/${ASSETS}`)) return this.asset(request, path.slice(ASSETS.length + 1));
    if (path.startsWith(`/${BRANDING_FOLDER}`)) {
      return this.brandingFile(request, path.slice(BRANDING_FOLDER.length + 1));
    }
    const bundle = await this.current();
    if ('problem' in bundle) {
      return packedAnswer(request, this.problemPage(bundle.problem), PROBLEM_HEADERS, 503);
    }
    const branding = await this.currentBranding();
    const base = baseOf(path, basePath);
    const page = this.page(base, bundle, branding);
    if (page !== null) return packedAnswer(request, page, this.headers);
    // No page links to this address, so compressing the page for it would not pay off.
    const text = request.method === 'HEAD' ? null : dashboardPage(base, bundle.first, branding);
    return new Response(text, { headers: this.headers });
  }

  /** @param name `<version>/<file>` */
  private async brandingFile(request: PageRequest, name: string): Promise<Response> {
    const [version, file] = name.split('/');
    let branding = await this.currentBranding();
    // Another process has answered the page and knows a change that this one does not know yet.
    if (branding.version !== version) branding = await this.currentBranding(LEAST_REREAD_MS);
    const { logo, accentColor } = branding;
    const age = branding.version === version ? ASSET_HEADERS : PASSING;
    if (file === BRANDING_FILES.logo && logo !== null) {
      const headers = { ...BRANDING_HEADERS, ...age, 'content-type': logo.mediaType };
      return packedAnswer(
        request,
        this.brandingContent(file, () => logo.bytes),
        headers,
      );
    }
    if (file === BRANDING_FILES.accent && accentColor !== null) {
      const headers = { ...BRANDING_HEADERS, ...age, 'content-type': 'text/css; charset=utf-8' };
      return packedAnswer(
        request,
        this.brandingContent(file, () => accentStyle(accentColor)),
        headers,
      );
    }
    return missing(request);
  }

  private brandingContent(file: string, make: () => string | Uint8Array): Packed {
    const known = this.brandingFiles.get(file) ?? packed(make());
    this.brandingFiles.set(file, known);
    return known;
  }

  private async currentBranding(maxAgeMs?: number): Promise<Branding> {
    const branding = await this.options.branding.current(maxAgeMs);
    if (branding.version !== this.branding?.version) {
      this.pages.clear();
      this.brandingFiles.clear();
    }
    this.branding = branding;
    return branding;
  }

  private async asset(request: PageRequest, name: string): Promise<Response> {
    if (this.bundle === null) await this.current();
    const asset = this.bundle?.assets.get(name) ?? this.oldAssets.get(name);
    if (asset === undefined) return missing(request);
    return packedAnswer(request, asset.content, { ...ASSET_HEADERS, 'content-type': asset.contentType });
  }

  private async current() {
    const bundle = await this.options.source.current();
    if (!('problem' in bundle) && bundle !== this.bundle) {
      this.oldAssets = this.bundle?.assets ?? new Map();
      this.bundle = bundle;
      this.pages.clear();
    }
    return bundle;
  }

  /** Returns `null` if the limit of cached pages is reached. */
  private page(base: string, bundle: Bundle, branding: Branding): Packed | null {
    const known = this.pages.get(base);
    if (known !== undefined) return known;
    if (this.pages.size >= MOST_PAGES) return null;
    const page = packed(dashboardPage(base, bundle.first, branding));
    this.pages.set(base, page);
    return page;
  }

  private problemPage(problem: string): Packed {
    if (this.problem?.text !== problem) {
      const page = packed(problemPage(this.options.showsProblems ? problem : null));
      this.problem = { text: problem, page };
    }
    return this.problem.page;
  }
}

/**
 * Returns the gateway's address for the page. Without a known prefix it is relative, as many folders up as the path is deep: that works
 * under any prefix that a proxy strips, and browsers keep it when the address changes.
 */
function baseOf(path: string, basePath: string): string {
  if (basePath !== '') return `${basePath}/`;
  return '../'.repeat(path.split('/').length - 2) || './';
}

function missing({ method }: PageRequest): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(method === 'HEAD' ? null : 'File not found.\n', { status: 404, headers });
}
