import { APIError } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import type { PeopleStore } from '../engine/ports/people-store.ts';
import { requestNotes } from './notes.ts';
import { refuseUsedCode } from './totp-steps.ts';

/**
 * Runs before each endpoint of the library. Our own gate and the library read the session separately: if they find different people, the
 * request is refused before it changes anything, so the audit log never names somebody else.
 */
export function beforeEndpoint(people: Pick<PeopleStore, 'useTotpStep'>) {
  return createAuthMiddleware(async (context) => {
    const session = await getSessionFromCtx(context, { disableRefresh: true });
    const notes = requestNotes.getStore();
    if (notes !== undefined && notes.personId !== (session?.user.id ?? null)) {
      throw new APIError('UNAUTHORIZED', {
        code: 'SESSION_CHANGED',
        message: 'The session has changed. Sign in again',
      });
    }
    await refuseUsedCode(context, people);
  });
}
