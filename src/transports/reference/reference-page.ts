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
 * Scalar writes styles into the page and into elements, so those cannot be named by a hash. Scripts come from the gateway alone, and
 * so does what they fetch.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
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
<script id="api-reference" type="application/json" data-configuration="${Bun.escapeHTML(JSON.stringify(CONFIGURATION))}"></script>
<script src="${script}"></script>
</body></html>
`;
}
