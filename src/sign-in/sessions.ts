import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../engine/access/secrets.ts';
import { cookieOf, sessionCookieName } from './cookies.ts';
import { libraryKey, type SignedIn, type SignInOptions } from './shape.ts';

/**
 * Who sends a request with these headers; `null` without a session that is in force. Every request of a page asks, so this reads the
 * library's cookie and tables in one statement, where the library itself takes some 2 ms of the processor. Nothing is remembered: who has
 * been signed out or disabled, on any node, is nobody from the next request on.
 */
export async function personOf(
  options: Pick<SignInOptions, 'people' | 'settings' | 'clock' | 'key'>,
  headers: Headers,
  publicOrigin: string,
): Promise<SignedIn | null> {
  const token = sessionTokenOf(headers, publicOrigin, libraryKey(options));
  if (token === null) return null;
  const found = await options.people.sessionByToken(hashSecret(token), options.clock.nowMs());
  if (found === null || found.user.disabledAtMs !== null) return null;
  const { user, session } = found;
  const { requireTwoFactor } = options.settings;
  const isRequired = requireTwoFactor === 'all' || (requireTwoFactor === 'operators' && user.operator);
  const needsSecondFactor = !session.secondFactor && (isRequired || user.twoFactorEnabled);
  return { user, sessionId: session.id, secondFactor: session.secondFactor, needsSecondFactor };
}

/** Of a cookie as the library signs it: the token, a point, and its HMAC-SHA256 in base64, all of it percent-encoded. */
function sessionTokenOf(headers: Headers, publicOrigin: string, key: string): string | null {
  const cookie = decoded(cookieOf(headers, sessionCookieName(publicOrigin)));
  const end = cookie.lastIndexOf('.');
  if (end < 1) return null;
  const token = cookie.slice(0, end);
  const signature = Buffer.from(cookie.slice(end + 1));
  const right = Buffer.from(createHmac('sha256', key).update(token).digest('base64'));
  return signature.length === right.length && timingSafeEqual(signature, right) ? token : null;
}

function decoded(value: string | null): string {
  try {
    return decodeURIComponent(value ?? '');
  } catch {
    return '';
  }
}
