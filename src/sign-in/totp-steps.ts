import { createOTP } from '@better-auth/utils/otp';
import { APIError } from 'better-auth';
import { type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import type { PeopleStore } from '../engine/ports/people-store.ts';
import { requestNotes } from './notes.ts';

const STEP_MS = 30_000;

/**
 * A code of an authenticator holds for a minute and a half, and the library takes it as often as it comes: who reads one over a shoulder
 * could use it, too. So each step of time can be used once (RFC 6238, 5.2), and none before it any more.
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
    message: 'This code was used before: wait for the next one',
  });
}

export type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/** Who has signed in, or is about to. */
async function personOf(context: Context): Promise<string | null> {
  const session = await getSessionFromCtx(context, { disableRefresh: true });
  if (session) return session.user.id;
  const { name } = context.context.createAuthCookie('two_factor');
  const challenge = await context.getSignedCookie(name, context.context.secret);
  if (!challenge) return null;
  return (await context.context.internalAdapter.findVerificationValue(challenge))?.value ?? null;
}

/** Which step of time a code is of: this one, the one before or the next. */
async function stepOf(secret: string, code: string): Promise<number | null> {
  const now = Math.floor(Date.now() / STEP_MS);
  const otp = createOTP(secret);
  for (const step of [now, now - 1, now + 1]) if ((await otp.hotp(step)) === code) return step;
  return null;
}
