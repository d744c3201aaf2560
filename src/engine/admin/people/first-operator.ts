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
 * Makes the one-time link with which the first operator signs in, if no operator can sign in and no such link is open. Resolves to `null`
 * otherwise: a restart does not show another link, and `switchyard users invite --operator` replaces a lost one.
 *
 * @param accountId the account that the operator owns from the beginning; `null` for none
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
    // Anyone who can read the gateway's terminal is trusted to state an address.
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
