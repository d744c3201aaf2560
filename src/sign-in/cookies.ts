import { createHmac, timingSafeEqual } from 'node:crypto';
import { percentDecoded } from '../domain/text/percent-decoded.ts';

/** The prefix of all our cookies' names; with TLS `__Secure-` precedes it. */
export const COOKIE_PREFIX = 'switchyard';

/** Returns the name of the session cookie, for clients that reach the gateway at this address. */
export function sessionCookieName(publicOrigin: string): string {
  return libraryCookieName(publicOrigin, 'session_token');
}

/** Returns the prefix of cookies that browsers accept only from pages served with TLS. */
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

/** The library's cookies for one step of signing in, such as a second factor's challenge; each lives for minutes. */
const STEP_COOKIES = ['two_factor', 'state', 'better-auth-passkey'];

/** Returns the name of a cookie of the library, for clients that reach the gateway at this address. */
export function libraryCookieName(publicOrigin: string, name: string): string {
  return `${securePrefix(publicOrigin)}${COOKIE_PREFIX}.${name}`;
}

/**
 * Returns the value of a cookie that the library has signed: percent-encoded value, a dot, and its HMAC-SHA256 in base64. Returns `null`
 * for every other spelling, including those that the library's own parser accepts: in quotes, or with ignored bits in the last character of
 * the signature.
 */
export function signedValueOf(headers: Headers, name: string, key: string): string | null {
  const cookie = percentDecoded(cookieOf(headers, name) ?? '') ?? '';
  const end = cookie.lastIndexOf('.');
  if (end < 1) return null;
  const value = cookie.slice(0, end);
  const signature = Buffer.from(cookie.slice(end + 1));
  const right = Buffer.from(signatureOf(value, key));
  return signature.length === right.length && timingSafeEqual(signature, right) ? value : null;
}

/**
 * Returns the `Cookie` header for the library, rebuilt from what our own parser has accepted: a valid session, and the steps of signing in.
 * The library never sees the client's own header.
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

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether a request with a session cookie comes from a page of this gateway. A browser says so itself (`Sec-Fetch-Site`, or
 * `Origin`, which scripts cannot change); a request that changes something and has neither is refused. Requests with a token need no such
 * proof, since no browser sends one by itself.
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
