/** What the names of all our cookies begin with; behind TLS `__Secure-` stands before it. */
export const COOKIE_PREFIX = 'switchyard';

/** Of the cookie that holds a session's token, for clients that reach the gateway by this address. */
export function sessionCookieName(publicOrigin: string): string {
  return `${securePrefix(publicOrigin)}${COOKIE_PREFIX}.session_token`;
}

/** What browsers let nobody set but pages behind TLS. */
export function securePrefix(publicOrigin: string): string {
  return isSecureOrigin(publicOrigin) ? '__Secure-' : '';
}

export function cookieOf(headers: Headers, name: string): string | null {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

export function isSecureOrigin(publicOrigin: string): boolean {
  return publicOrigin.startsWith('https://');
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request with a session cookie comes from a page of this gateway. A browser says so itself (`Sec-Fetch-Site`, or `Origin`, which
 * scripts cannot change); a request that changes something and says neither is not believed. Requests with a token need no such proof: no
 * browser sends one by itself.
 */
export function isSameOrigin(
  { method, headers }: { readonly method: string; readonly headers: Headers },
  publicOrigin: string,
): boolean {
  if (SAFE_METHODS.has(method)) return true;
  const origin = headers.get('origin');
  if (origin !== null) return origin === new URL(publicOrigin).origin;
  return headers.get('sec-fetch-site') === 'same-origin';
}
