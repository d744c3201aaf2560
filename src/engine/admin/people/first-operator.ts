import {
  type Doer,
  linkEntry,
  linkOf,
  type MadeLink,
  nameOf,
  newInvitation,
  newToken,
  type PeoplePorts,
} from './links.ts';

type Ports = Pick<PeoplePorts, 'people' | 'clock' | 'settings'>;

/**
 * The one-time link with which the first operator comes in, while there is no operator who can sign in and no such link is open. `null`
 * otherwise: a restart shows none again, and `switchyard users invite --operator` makes one in the place of one that was lost.
 *
 * @param accountId what the operator owns from the first moment on; `null` for no account
 */
export async function ensureFirstOperator(
  { people, clock, settings }: Ports,
  by: Doer,
  accountId: string | null,
): Promise<MadeLink | null> {
  const nowMs = clock.nowMs();
  const { token, hash } = newToken();
  const invitation = newInvitation(nowMs, {
    purpose: 'first_operator',
    email: null,
    // Who can read the gateway's terminal may say who they are.
    provesEmail: true,
    accountId,
    role: accountId === null ? null : 'owner',
    operator: true,
    userId: null,
    createdBy: nameOf(by.origin),
    expiresAtMs: nowMs + settings.invitationMs,
  });
  const added = await people.addFirstInvitation(invitation, hash, (was) => (was ? [linkEntry(by, invitation)] : []));
  return added ? { invitation, link: linkOf(by.publicOrigin, token), mailed: null } : null;
}
