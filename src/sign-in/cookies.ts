import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the names of all our cookies begin with; behind TLS `__Secure-` stands before it. */
export const COOKIE_PREFIX = 'switchyard';

/** Of the cookie that holds a session's token, for clients that reach the gateway by this address. */
export function sessionCookieName(publicOrigin: string): string {
  return libraryCookieName(publicOrigin, 'session_token');
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

/** The library's cookies of one step of signing in, such as the challenge of a second factor; each lives for minutes. */
const STEP_COOKIES = ['two_factor', 'state', 'better-auth-passkey'];

/** Returns the name of a cookie of the library, for clients that reach the gateway by this address. */
export function libraryCookieName(publicOrigin: string, name: string): string {
  return `${securePrefix(publicOrigin)}${COOKIE_PREFIX}.${name}`;
}

/**
 * Returns the value of a cookie that the library has signed: percent-encoded, the value, a point, and its HMAC-SHA256 in base64. `null`
 * for every other spelling, also for those that the library's own parser takes for the same: in quotes, or with bits in the last
 * character of the signature that decode to nothing.
 */
export function signedValueOf(headers: Headers, name: string, key: string): string | null {
  const cookie = decoded(cookieOf(headers, name));
  const end = cookie.lastIndexOf('.');
  if (end < 1) return null;
  const value = cookie.slice(0, end);
  const signature = Buffer.from(cookie.slice(end + 1));
  const right = Buffer.from(signatureOf(value, key));
  return signature.length === right.length && timingSafeEqual(signature, right) ? value : null;
}

/**
 * Returns the `Cookie` header for the library, made of what our own parser has accepted: the session where it is in force, and the steps
 * of signing in. The library never sees what a client has written.
 */
export function libraryCookies(headers: Headers, publicOrigin: string, key: string, hasSession: boolean): string {
  const names = [...(hasSession ? ['session_token'] : []), ...STEP_COOKIES];
  return names
    .map((one) => libraryCookieName(publicOrigin, one))
    .flatMap((name) => {
      const value = signedValueOf(headers, name, key);
      return value === null ? [] : [`${name}=${encodeURIComponent(`${value}.${signatureOf(value, key)}`)}`];
    })
    .join('; ');
}

function signatureOf(value: string, key: string): string {
  return createHmac('sha256', key).update(value).digest('base64');
}

function decoded(value: string | null): string {
  try {
    return decodeURIComponent(value ?? '');
  } catch {
    return '';
  }
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
