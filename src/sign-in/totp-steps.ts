import { createOTP } from '@better-auth/utils/otp';
import { APIError } from 'better-auth';
import { type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import type { PeopleStore } from '../engine/ports/people-store.ts';
import { requestNotes } from './notes.ts';

const STEP_MS = 30_000;

/**
 * Rejects a code that was used before: an authenticator's code is valid for a minute and a half, and the library accepts it repeatedly, so
 * somebody who sees it could use it, too. Each time step can be used once, and no earlier one afterwards (RFC 6238, 5.2).
 */
export async function refuseUsedCode(context: Context, people: Pick<PeopleStore, 'useTotpStep'>): Promise<void> {
  if (!(context.path ?? '').startsWith('/two-factor/verify-')) return;
  const userId = await personOf(context);
  const notes = requestNotes.getStore();
  if (userId !== null && notes) notes.userId = userId;
  const code: unknown = context.body?.code;
  if (context.path !== '/two-factor/verify-totp' || userId === null || typeof code !== 'string') return;
  const row = await context.context.adapter.findOne<{ readonly secret: string }>({
    model: 'twoFactor',
    where: [{ field: 'userId', value: userId }],
  });
  if (row === null) return;
  const secret = await symmetricDecrypt({ key: context.context.secretConfig, data: row.secret });
  const step = await stepOf(secret, code);
  if (step === null || (await people.useTotpStep(userId, step))) return;
  throw new APIError('UNAUTHORIZED', {
    code: 'INVALID_CODE',
    message: 'This code was already used. Wait for the next one',
  });
}

export type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** Resolves to the user who has signed in or is signing in. */
async function personOf(context: Context): Promise<string | null> {
  const session = await getSessionFromCtx(context, { disableRefresh: true });
  if (session) return session.user.id;
  const { name } = context.context.createAuthCookie('two_factor');
  const challenge = await context.getSignedCookie(name, context.context.secret);
  if (!challenge) return null;
  return (await context.context.internalAdapter.findVerificationValue(challenge))?.value ?? null;
}

/** Resolves to the time step of a code: the current one, the previous or the next; `null` if it is wrong. */
async function stepOf(secret: string, code: string): Promise<number | null> {
  const now = Math.floor(Date.now() / STEP_MS);
  const otp = createOTP(secret);
  for (const step of [now, now - 1, now + 1]) if ((await otp.hotp(step)) === code) return step;
  return null;
}
