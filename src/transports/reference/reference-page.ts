import { createHash } from 'node:crypto';
import { COLOURS, documentHead, PAGE_HEADERS, SITE_STYLE, siteHeader } from './site.ts';

/**
 * Scalar's configuration. It contacts no other host and takes no keys: the console for requests is disabled, and so are its maker's fonts,
 * chat and product links.
 */
const CONFIGURATION = {
  url: 'openapi.json',
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  persistAuth: false,
  // The document has a tag called Models.
  modelsSectionLabel: 'Schemas',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
} as const;

/**
 * The bar uses Scalar's colours, whose light and dark mode can be switched; some of Scalar's own colours have too little contrast (WCAG 2,
 * 1.4.3).
 */
const STYLE = `${COLOURS}
${SITE_STYLE}
:root{--scalar-custom-header-height:48px}
body.light-mode,body.dark-mode{--text:var(--scalar-color-1);--soft:var(--scalar-color-2);--page:var(--scalar-background-1);--line:var(--scalar-border-color)}
:root .light-mode{--scalar-color-2:#595959;--scalar-color-3:#666;--scalar-color-green:#05603f;--scalar-color-red:#c00005;--scalar-color-yellow:#7a5c00;--scalar-color-blue:#005f9e;--scalar-color-orange:#a83a00}
:root .dark-mode{--scalar-color-2:#b3b3b3;--scalar-color-3:#9a9a9a;--scalar-color-red:#ff8a8d}
.site{position:sticky;top:0;z-index:10}`;

/**
 * Computes the gateway's address in the browser, since a proxy may serve it under a path. Scalar itself resolves a relative server address
 * (`/`) against the host.
 */
const START = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(CONFIGURATION)},
  servers: [{ url: new URL('.', location.href).href.slice(0, -1), description: 'This gateway' }],
});`;

/** Scalar adds style elements and attributes, which cannot be named by a hash. Scripts and their requests are limited to the gateway. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const REFERENCE_HEADERS = { ...PAGE_HEADERS, 'content-security-policy': POLICY };

/** @param script the address of Scalar's script, relative to `/docs` */
export function referencePage(name: string, script: string): string {
  return `${documentHead(`API reference · ${name}`, STYLE)}
<body>${siteHeader({ name, root: './' }, 'reference')}
<noscript><p>This page needs JavaScript. It renders <a href="openapi.json">openapi.json</a>.</p></noscript>
<div id="reference"></div>
<script src="${script}"></script>
<script>${START}</script>
</body></html>
`;
}
