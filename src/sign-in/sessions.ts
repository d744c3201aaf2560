import { hashSecret } from '../engine/access/secrets.ts';
import { sessionCookieName, signedValueOf } from './cookies.ts';
import { libraryKey, type SignedIn, type SignInOptions } from './shape.ts';

/**
 * Resolves to the person who sends a request with these headers; `null` without a valid session. Every request of a page needs this, so it
 * reads the library's cookie and tables in one statement; the library itself takes some 2 ms of CPU time. Nothing is cached: signing out or
 * disabling a user, on any node, takes effect with the next request.
 */
export async function personOf(
  options: Pick<SignInOptions, 'people' | 'settings' | 'clock' | 'key'>,
  headers: Headers,
  publicOrigin: string,
): Promise<SignedIn | null> {
  const token = signedValueOf(headers, sessionCookieName(publicOrigin), libraryKey(options));
  if (token === null) return null;
  const found = await options.people.sessionByToken(hashSecret(token), options.clock.nowMs());
  if (found === null || found.user.disabledAtMs !== null) return null;
  const { user, session } = found;
  const { requireTwoFactor } = options.settings;
  const isRequired = requireTwoFactor === 'all' || (requireTwoFactor === 'operators' && user.operator);
  const needsSecondFactor = !session.secondFactor && (isRequired || user.twoFactorEnabled);
  const { id: sessionId, secondFactor, secondFactorAtMs } = session;
  return { user, sessionId, secondFactor, secondFactorAtMs, needsSecondFactor };
}
