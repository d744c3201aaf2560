import { LARGEST_PAGE } from '../page.ts';
import { type Doer, entryOf, nameOf, type PeoplePorts } from './links.ts';
import { invitationWords } from './person-view.ts';

/**
 * Revokes the links made by somebody who lost the right to make them, since that person could return by one of them.
 *
 * @param accountId revokes only the links of this account; `null` for all
 */
export async function revokeLinksOf(
  { people, clock }: Pick<PeoplePorts, 'people' | 'clock'>,
  by: Pick<Doer, 'origin'>,
  userId: string,
  accountId: string | null,
): Promise<void> {
  const maker = nameOf({ actor: { kind: 'person', id: userId, name: userId }, address: null, requestId: null });
  const atMs = clock.nowMs();
  const only = { limit: LARGEST_PAGE, openAtMs: atMs, ...(accountId === null ? {} : { accountId }) };
  let after: string | null = null;
  do {
    const page = await people.invitations({ ...only, after });
    for (const invitation of page.filter(({ createdBy }) => createdBy === maker)) {
      const words = { action: 'invitation.revoke', accountId: invitation.accountId, objectId: invitation.id };
      const entry = entryOf(by, atMs, { ...words, before: invitationWords(invitation), after: null });
      await people.revokeInvitation(invitation.id, atMs, (was) => (was ? [entry] : []));
    }
    after = page.length === LARGEST_PAGE ? (page.at(-1)?.id ?? null) : null;
  } while (after !== null);
}
