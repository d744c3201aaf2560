import type { Credential } from '../../../domain/access/api-key.ts';
import { type GrantedScope, scopeBeyond } from '../../../domain/access/scopes.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../schema/iso-time.ts';

/** The scopes and expiry of a management token. */
export type TokenInUse = Pick<Credential, 'scopes' | 'expiresAtMs'>;

/**
 * Throws `AdminError` if a token would get more than the token in use has: no token may be made, changed or rotated (which shows its
 * secret) with more scopes or a later expiry. Revoking is not checked, because it only takes away.
 *
 * @param by the token in use; `null` for a person, the command line and the like
 */
export function refuseBeyond(by: TokenInUse | null, token: TokenInUse & Pick<Credential, 'kind'>): void {
  if (by === null || token.kind !== 'management') return;
  const beyond = scopeBeyond(by.scopes ?? [], token.scopes ?? []);
  if (beyond !== null) {
    throw new AdminError('forbidden', 'scopes', `the token in use does not have "${beyond}", so it cannot grant it`);
  }
  if (by.expiresAtMs === null || (token.expiresAtMs !== null && token.expiresAtMs <= by.expiresAtMs)) return;
  const end = isoTime(by.expiresAtMs);
  throw new AdminError('forbidden', 'expires_at', `must not be later than the expiry of the token in use, ${end}`);
}

/**
 * Does the same for what a person, or an account with all its tokens, would get: the scope `worth`, without an expiry. So a token that may
 * only manage members cannot make an owner, whose session could do everything. Throws `AdminError`.
 *
 * @param field the input that needs it
 */
export function refusePowers(by: TokenInUse | null | undefined, worth: GrantedScope, field: string): void {
  if (by == null) return;
  if (scopeBeyond(by.scopes ?? [], [worth]) !== null) {
    throw new AdminError(
      'forbidden',
      field,
      `would grant more than the token in use has: this needs the scope "${worth}"`,
    );
  }
  if (by.expiresAtMs === null) return;
  throw new AdminError('forbidden', field, 'would outlast the token in use, which expires: use a token that does not');
}
