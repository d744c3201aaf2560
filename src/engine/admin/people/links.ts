import type { Invitation } from '../../../domain/access/invitation.ts';
import type { ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import { hashSecret, randomBase62 } from '../../access/secrets.ts';
import type { AuditOrigin, NewAuditEntry } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { type Mailer, MailLimitError, type MailSender, type ReservedMail } from '../../ports/mailer.ts';
import type { PeopleStore } from '../../ports/people-store.ts';
import type { SignInSettings } from '../../settings/settings.ts';
import { TooManyError } from '../admin-error.ts';
import { creatorOf } from '../audit/creator.ts';
import type { TokenInUse } from '../keys/change-keys.ts';
import { LARGEST_PAGE } from '../page.ts';
import { quotaExceeded } from '../quotas/limited-directory.ts';
import type { MailBranding } from '../settings/mail-text.ts';
import { invitationFields } from './person-view.ts';

export interface PeoplePorts {
  readonly people: PeopleStore;
  readonly directory: DirectoryStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: Pick<SignInSettings, 'registration' | 'invitationMs'>;
  /** `null` if no mail is configured. */
  readonly mailer: Mailer | null;
  /** Resolves to the name and the support address in emails. */
  readonly branding: () => Promise<MailBranding>;
}

/** Who makes a change, and from where. */
export interface Doer {
  readonly origin: AuditOrigin;
  /** Whether the requester may do everything in all accounts. */
  readonly isOperator: boolean;
  /** The quotas of accounts that have none of their own; `null` or absent if quotas do not apply to the requester. */
  readonly quotas?: ObjectQuotas | null;
  /** The requesting token, if it is one: it may not give people more rights than it has. */
  readonly token?: TokenInUse | null;
  /** The gateway's address for the person who gets a link, including the path under which a proxy serves it. */
  readonly publicOrigin: string;
}

/** A link that was made. */
export interface MadeLink {
  readonly invitation: Invitation;
  /** The link, which is shown only once since the store has only the token's hash; `null` if it was sent by mail alone. */
  readonly link: string | null;
  /** Whether the link was sent by mail; `null` if it was not to be sent. */
  readonly mailed: boolean | null;
}

/** 238 random bits. */
const TOKEN_CHARACTERS = 40;

export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBase62(TOKEN_CHARACTERS);
  return { token, hash: hashSecret(token) };
}

/** Returns the link for a token. The token is in the fragment, which browsers send to no server, so that it appears in no log. */
export function linkOf(publicOrigin: string, token: string): string {
  return `${publicOrigin}/welcome#${token}`;
}

export function newInvitation(
  nowMs: number,
  details: Omit<Invitation, 'id' | 'createdAtMs' | 'usedAtMs' | 'usedBy' | 'revokedAtMs'>,
): Invitation {
  const fresh = { createdAtMs: nowMs, usedAtMs: null, usedBy: null, revokedAtMs: null };
  return { ...details, ...fresh, id: `inv_${randomBase62(16)}` };
}

export function entryOf(
  { origin }: Pick<Doer, 'origin'>,
  atMs: number,
  entry: Pick<NewAuditEntry, 'action' | 'accountId' | 'objectId' | 'before' | 'after'>,
): NewAuditEntry {
  return { ...origin, atMs, ...entry };
}

/** Stores a new link with its entry in the audit log. */
export async function storeLink(
  { people }: Pick<PeoplePorts, 'people'>,
  by: Doer,
  invitation: Invitation,
  tokenHash: string,
  quotas: ObjectQuotas | null = null,
): Promise<void> {
  const entries = (isAdded: boolean) => (isAdded ? [linkEntry(by, invitation)] : []);
  const isAdded = await people.addInvitation(invitation, tokenHash, entries, quotas?.openInvitations ?? null);
  if (!isAdded && quotas !== null) throw quotaExceeded(quotas, 'openInvitations');
}

export function linkEntry(by: Pick<Doer, 'origin'>, invitation: Invitation): NewAuditEntry {
  return entryOf(by, invitation.createdAtMs, {
    action: invitation.purpose === 'reset' ? 'user.reset_link' : 'invitation.create',
    accountId: invitation.accountId,
    objectId: invitation.purpose === 'reset' ? (invitation.userId ?? invitation.id) : invitation.id,
    before: null,
    after: invitationFields(invitation),
  });
}

const REMEDIES = {
  recipient: 'has received as many emails as allowed within an hour',
  account: 'cannot be emailed: the account has sent as many emails as allowed within an hour',
  gateway: 'cannot be emailed: the gateway has sent as many emails as allowed within an hour',
} as const;

/**
 * Reserves one mail of the sending limits before anything else is done; resolves to `null` without a mail server. Throws `AdminError` if a
 * limit is reached.
 */
export async function reserve(mailer: Mailer | null, to: string, sender: MailSender): Promise<ReservedMail | null> {
  if (mailer === null) return null;
  try {
    return await mailer.reserve(to, sender);
  } catch (error) {
    if (!(error instanceof MailLimitError)) throw error;
    const minutes = Math.ceil(error.retryAfterMs / 60_000);
    const problem = `${REMEDIES[error.limit]}: try again in ${minutes} min`;
    throw new TooManyError('email', problem, error.retryAfterMs);
  }
}

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
  const maker = creatorOf({ actor: { kind: 'person', id: userId, name: userId } });
  const atMs = clock.nowMs();
  const only = { limit: LARGEST_PAGE, openAtMs: atMs, ...(accountId === null ? {} : { accountId }) };
  let after: string | null = null;
  do {
    const page = await people.invitations({ ...only, after });
    for (const invitation of page.filter(({ createdBy }) => createdBy === maker)) {
      const change = { action: 'invitation.revoke', accountId: invitation.accountId, objectId: invitation.id };
      const entry = entryOf(by, atMs, { ...change, before: invitationFields(invitation), after: null });
      await people.revokeInvitation(invitation.id, atMs, (was) => (was ? [entry] : []));
    }
    after = page.length === LARGEST_PAGE ? (page.at(-1)?.id ?? null) : null;
  } while (after !== null);
}
