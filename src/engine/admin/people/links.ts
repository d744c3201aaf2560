import type { Invitation } from '../../../domain/access/invitation.ts';
import type { ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import { hashSecret, randomBase62 } from '../../access/secrets.ts';
import type { AuditOrigin, NewAuditEntry } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { Mailer } from '../../ports/mailer.ts';
import type { PeopleStore } from '../../ports/people-store.ts';
import type { SignInSettings } from '../../settings/sign-in-settings.ts';
import type { TokenInUse } from '../keys/token-in-use.ts';
import { quotaExceeded } from '../quotas/quota.ts';
import { invitationWords } from './person-view.ts';

export interface PeoplePorts {
  readonly people: PeopleStore;
  readonly directory: DirectoryStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: Pick<SignInSettings, 'registration' | 'invitationMs'>;
  /** `null` if no mail is configured. */
  readonly mailer: Mailer | null;
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

/** Returns a name such as `user:…`, `token:acme/ops` or `command_line`. */
export function nameOf({ actor }: AuditOrigin): string {
  return actor.id === null ? actor.kind : `${actor.kind === 'person' ? 'user' : actor.kind}:${actor.id}`;
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
    after: invitationWords(invitation),
  });
}
