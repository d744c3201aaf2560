/** Styles shared by all documentation pages. Links are relative, so that a proxy may serve the gateway under a path. */

export const COLOURS = `:root{color-scheme:light dark;--text:#1b2430;--soft:#566173;--page:#fff;--panel:#f5f7fa;--line:#dfe4ea;--accent:#0b57b7}
@media (prefers-color-scheme:dark){:root{--text:#e4e8ee;--soft:#a3aebd;--page:#12161c;--panel:#1b2129;--line:#303945;--accent:#7cb4ff}}`;

export const SITE_STYLE = `*{box-sizing:border-box}body{margin:0;font:16px/1.6 system-ui,sans-serif;color:var(--text);background:var(--page)}
.site{display:flex;gap:1.5rem;align-items:center;height:48px;padding:0 1.25rem;border-bottom:1px solid var(--line);background:var(--page);font:15px/1 system-ui,sans-serif}
.site a{color:var(--soft);text-decoration:none}.site a:hover{text-decoration:underline}.site a[aria-current]{color:var(--text);font-weight:600}
.site .home{color:var(--text);font-weight:700}`;

/** The facts of a page about the gateway that serves it. */
export interface Site {
  /** The name of the service. */
  readonly name: string;
  /** Leads from the page to the gateway: `./`, `../` … */
  readonly root: string;
}

/** Renders the bar at the top of each page. */
export function siteHeader({ name: service, root }: Site, current: 'guides' | 'reference'): string {
  const link = (name: typeof current, path: string, text: string) =>
    `<a href="${root}${path}"${name === current ? ' aria-current="true"' : ''}>${text}</a>`;
  return `<nav class="site" aria-label="Documentation"><a class="home" href="${root}">${Bun.escapeHTML(service)}</a>${link('guides', 'docs/guides', 'Guides')}${link('reference', 'docs', 'API reference')}</nav>`;
}

export function documentHead(title: string, style: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)}</title><link rel="icon" href="data:,"><style>${style}</style></head>`;
}

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // A page names scripts by their content hash, so browsers must revalidate it; the ETag makes that cheap.
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const;
