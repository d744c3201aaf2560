import { type Branding, brandingView } from '../../engine/admin/settings/live-branding.ts';
import type { FirstAssets } from '../shared/bundle.ts';

/** Relative to the gateway's address, without a leading slash: the page resolves its addresses against `<base>`. */
export const ASSETS = 'app/assets/';

/**
 * Renders the dashboard's only page; its script shows the view for the address. The branding is part of the page, so that the first paint
 * has it.
 *
 * @param base ends with a slash
 */
export function dashboardPage(
  base: string,
  { theme, style, script, imports, icon }: FirstAssets,
  branding: Branding,
): string {
  const preloads = imports.map((name) => `<link rel="modulepreload" href="${ASSETS}${name}">\n`);
  const brand = brandingView(branding);
  const name = Bun.escapeHTML(brand.name);
  const [iconType, iconUrl] =
    branding.logo === null || brand.logo_url === null
      ? ['image/svg+xml', ASSETS + icon]
      : [branding.logo.mediaType, brand.logo_url];
  const accent = brand.style_url === null ? '' : `<link rel="stylesheet" href="${brand.style_url}" data-branding>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${Bun.escapeHTML(base)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<meta name="branding" content="${Bun.escapeHTML(JSON.stringify(brand))}">
<link rel="icon" type="${iconType}" href="${iconUrl}">
<script src="${ASSETS}${theme}"></script>
<link rel="stylesheet" href="${ASSETS}${style}">
${accent}${preloads.join('')}<script type="module" src="${ASSETS}${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript><p>The dashboard needs JavaScript. The <a href="docs">API reference</a> and the <a href="docs/guides">guides</a> describe what works without it.</p></noscript>
</body>
</html>
`;
}

/** Renders the page that is shown while there is no bundle. The log says what is wrong; `detail` says it here, for dashboard developers. */
export function problemPage(detail: string | null): string {
  const shown = detail === null ? '' : `<pre>${Bun.escapeHTML(detail)}</pre>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Switchyard</title></head>
<body><h1>The dashboard could not be built</h1>
<p>The gateway itself is running. See its log for the cause, and reload this page in a few seconds to try again.</p>${shown}</body></html>
`;
}

/**
 * Returns headers that restrict a page to content from the gateway itself.
 *
 * @param mediaOrigin the origin of generated files, if they are stored elsewhere (in an object store)
 */
export function pageHeaders(mediaOrigin: string | null): Readonly<Record<string, string>> {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${media}`,
    `media-src 'self' blob:${media}`,
    "font-src 'self'",
    `connect-src 'self'${media}`,
    "worker-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    ...PLAIN_HEADERS,
    // The page names scripts by their content hash, so browsers must revalidate it; the ETag makes that cheap.
    'cache-control': 'no-cache',
    'content-security-policy': policy.join('; '),
  };
}

const PLAIN_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The playground records audio for transcriptions.
  'permissions-policy':
    'camera=(), geolocation=(), payment=(), usb=(), microphone=(self), publickey-credentials-get=(self), publickey-credentials-create=(self)',
} as const;

export const PROBLEM_HEADERS = {
  ...PLAIN_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'retry-after': '5',
} as const;
