import { createHash } from 'node:crypto';
import { COLOURS, documentHead, PAGE_HEADERS, SITE_STYLE, siteHeader } from './site.ts';

/**
 * What Scalar shows. It asks no other host for anything, and takes no keys: there is no console for requests. It would else have its
 * maker's fonts, a chat about the document, and links to its maker's products.
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
  // A tag of the document is called Models.
  modelsSectionLabel: 'Schemas',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
} as const;

/** The bar takes Scalar's colours, which has a switch between light and dark; of Scalar's own some have too little contrast (WCAG 2, 1.4.3). */
const STYLE = `${COLOURS}
${SITE_STYLE}
:root{--scalar-custom-header-height:48px}
body.light-mode,body.dark-mode{--text:var(--scalar-color-1);--soft:var(--scalar-color-2);--page:var(--scalar-background-1);--line:var(--scalar-border-color)}
:root .light-mode{--scalar-color-2:#595959;--scalar-color-3:#666;--scalar-color-green:#05603f;--scalar-color-red:#c00005;--scalar-color-yellow:#7a5c00;--scalar-color-blue:#005f9e;--scalar-color-orange:#a83a00}
:root .dark-mode{--scalar-color-2:#b3b3b3;--scalar-color-3:#9a9a9a;--scalar-color-red:#ff8a8d}
.site{position:sticky;top:0;z-index:10}`;

/**
 * Where the gateway is, only the browser knows for certain: a proxy may have it below a path. Scalar itself takes a relative address of
 * the document (`/`) for one of the whole host.
 */
const START = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(CONFIGURATION)},
  servers: [{ url: new URL('.', location.href).href.slice(0, -1), description: 'This gateway' }],
});`;

/**
 * Scalar writes styles into the page and into elements, so those cannot be named by a hash. Scripts come from the gateway alone, and
 * so does what they fetch.
 */
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

/** `script` is the address of Scalar's, relative to `/docs`. */
export function referencePage(script: string): string {
  return `${documentHead('API reference · Switchyard', STYLE)}
<body>${siteHeader('./', 'reference')}
<noscript><p>This page needs JavaScript. The document that it shows is <a href="openapi.json">openapi.json</a>.</p></noscript>
<div id="reference"></div>
<script src="${script}"></script>
<script>${START}</script>
</body></html>
`;
}
