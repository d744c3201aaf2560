import type { Credential } from '../../../domain/access/api-key.ts';
import { type GrantedScope, scopeBeyond } from '../../../domain/access/scopes.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../schema/iso-time.ts';

/** What a management token may do, and until when. */
export type TokenInUse = Pick<Credential, 'scopes' | 'expiresAtMs'>;

/**
 * Nobody gets more by a token than it has itself: with it no token is made, changed or rotated (which shows its secret) that may do
 * more, or may do it longer. Revoking takes away, so it is not asked. Throws `AdminError`.
 *
 * @param by the token that asks; `null` for a person, the command line and the like
 */
export function refuseBeyond(by: TokenInUse | null, token: TokenInUse & Pick<Credential, 'kind'>): void {
  if (by === null || token.kind !== 'management') return;
  const beyond = scopeBeyond(by.scopes ?? [], token.scopes ?? []);
  if (beyond !== null) {
    throw new AdminError('forbidden', 'scopes', `the token in use does not have "${beyond}", so it cannot give it on`);
  }
  if (by.expiresAtMs === null || (token.expiresAtMs !== null && token.expiresAtMs <= by.expiresAtMs)) return;
  const end = isoTime(by.expiresAtMs);
  throw new AdminError('forbidden', 'expires_at', `must be at the latest when the token in use expires, at ${end}`);
}

/**
 * The same for what a person would get by it, or an account with all its tokens: powers that `worth` names, without an end. So a token
 * that may only look after members makes no owner, with whose session it could do everything. Throws `AdminError`.
 *
 * @param field what asks for it
 */
export function refusePowers(by: TokenInUse | null | undefined, worth: GrantedScope, field: string): void {
  if (by == null) return;
  if (scopeBeyond(by.scopes ?? [], [worth]) !== null) {
    throw new AdminError(
      'forbidden',
      field,
      `would give more than the token in use has: this needs the scope "${worth}"`,
    );
  }
  if (by.expiresAtMs === null) return;
  throw new AdminError(
    'forbidden',
    field,
    'would last longer than the token in use, which expires: use one that does not',
  );
}
