import type { Account } from '../../../domain/access/account.ts';
import type { Invitation } from '../../../domain/access/invitation.ts';
import { MailError, type ReservedMail } from '../../ports/mailer.ts';
import type { InvitationPage } from '../../ports/people-store.ts';
import { existingAccount, refuseArchived } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import { creatorOf } from '../audit/creator.ts';
import { refusePowers } from '../keys/change-keys.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { readQuotas } from '../quotas/limited-directory.ts';
import { checkInput } from '../schema/check-input.ts';
import { emailSchema, newInvitationSchema } from '../schema/people.ts';
import { signedText } from '../settings/mail-text.ts';
import {
  type Doer,
  entryOf,
  linkEntry,
  linkOf,
  type MadeLink,
  newInvitation,
  newToken,
  type PeoplePorts,
  reserve,
  storeLink,
} from './links.ts';
import { worthOf } from './members.ts';
import { invitationFields } from './person-view.ts';

/**
 * Invites somebody to an account, or as an operator. With a mail server and an address, the link is sent by mail, and only operators also
 * see it, so that an owner cannot accept in somebody else's name. Throws `AdminError`.
 *
 * @param input in the form of `newInvitationSchema`
 */
export async function invite(ports: PeoplePorts, by: Doer, input: unknown): Promise<MadeLink> {
  const { people, clock, mailer, settings, directory } = ports;
  const wanted = checkInput(newInvitationSchema, [], input);
  const [accountId, operator, email] = [wanted.account ?? null, wanted.operator ?? false, wanted.email ?? null];
  if (operator && !by.isOperator) throw new AdminError('forbidden', 'operator', 'only admins can invite admins');
  if (operator) refusePowers(by.token, '*', 'operator');
  if (accountId === null && !operator) {
    throw new AdminError('invalid_value', 'account', 'must name the account to join');
  }
  const role = accountId === null ? null : (wanted.role ?? 'member');
  if (role !== null) refusePowers(by.token, worthOf(role), 'role');
  const account = accountId === null ? null : await existingAccount(directory, accountId);
  if (account !== null) {
    refuseArchived(account);
    await refuseMember(ports, account.id, email);
  }
  const sender = by.isOperator || accountId === null ? 'operators' : { accountId };
  const reserved = email === null ? null : await reserve(mailer, email, sender);
  const nowMs = clock.nowMs();
  const { token, hash } = newToken();
  const isMailedAlone = reserved !== null && !by.isOperator;
  const invitation = newInvitation(nowMs, {
    purpose: 'join',
    email,
    provesEmail: email !== null && (by.isOperator || isMailedAlone),
    accountId,
    role,
    operator,
    userId: null,
    createdBy: creatorOf(by.origin),
    expiresAtMs: nowMs + settings.invitationMs,
  });
  const quotas = await readQuotas(directory, by.quotas ?? null, accountId);
  await storeLink({ people }, by, invitation, hash, quotas);
  const link = linkOf(by.publicOrigin, token);
  const mailed = await mail(ports, reserved, (name) =>
    invitationMail(name, { invitation, account, link, origin: by.publicOrigin }),
  );
  if (isMailedAlone && mailed === false) {
    await people.revokeInvitation(invitation.id, clock.nowMs());
    throw new AdminError('conflict', 'email', 'the mail server rejected the email: try again, or ask an admin');
  }
  return { invitation, link: isMailedAlone ? null : link, mailed };
}

async function refuseMember({ people }: PeoplePorts, accountId: string, email: string | null): Promise<void> {
  const user = email === null ? null : await people.userByEmail(email);
  if (user?.memberships.some((one) => one.accountId === accountId) !== true) return;
  throw new AdminError('already_exists', 'email', 'is already a member of this account');
}

interface WrittenMail {
  readonly subject: string;
  readonly text: string;
}

interface InvitationFacts {
  readonly invitation: Invitation;
  readonly account: Pick<Account, 'id' | 'name'> | null;
  readonly link: string;
  readonly origin: string;
}

function invitationMail(
  name: string,
  { invitation: { expiresAtMs }, account, link, origin }: InvitationFacts,
): WrittenMail {
  const what = account === null ? 'as an admin of' : `to the account "${nameInMail(account)}" of`;
  return {
    subject: `You’ve been invited to ${name}`,
    text: `You’ve been invited ${what} ${name}, the AI gateway at ${origin}.\n\nOpen this link to accept:\n\n${link}\n\nIt works once and expires at ${dateOf(expiresAtMs)}. If you didn’t expect this email, you can ignore it.\n`,
  };
}

/** Owners choose the name, and could write to strangers by it: a name that reads like more than one, or like a link, is not sent. */
const PLAIN_NAME = /^(?!.*\.\p{L}{2})[\p{L}\p{M}\p{N} .,&'’()+-]{1,60}$/u;

function nameInMail({ id, name }: Pick<Account, 'id' | 'name'>): string {
  return PLAIN_NAME.test(name) ? name : id;
}

function dateOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Resolves to whether the mail was sent, or `null` if none was to be sent.
 *
 * @param write gets the name of the service
 */
async function mail(
  { branding }: Pick<PeoplePorts, 'branding'>,
  reserved: ReservedMail | null,
  write: (name: string) => WrittenMail,
): Promise<boolean | null> {
  if (reserved === null) return null;
  const brand = await branding();
  const { subject, text } = write(brand.name);
  try {
    await reserved.send({ subject, text: signedText(text, brand) });
    return true;
  } catch (error) {
    if (error instanceof MailError) return false;
    throw error;
  }
}

interface InvitationPageRequest extends PageRequest {
  readonly accountId?: string | undefined;
  /** Whether to list only invitations that can still be accepted. */
  readonly open?: boolean | undefined;
}

/** Resolves to a page of the invitations, newest first, without links for passwords. Throws `AdminError` for an invalid page. */
export async function listInvitations(
  { people, clock }: Pick<PeoplePorts, 'people' | 'clock'>,
  request: InvitationPageRequest,
): Promise<Page<Invitation>> {
  const limit = limitOf(request);
  const [after] = placeAfter(request, 1) ?? [];
  const page: InvitationPage = {
    limit: limit + 1,
    after: after ?? null,
    purposes: ['join', 'first_operator', 'registration'],
    ...(request.accountId === undefined ? {} : { accountId: request.accountId }),
    ...(request.open === true ? { openAtMs: clock.nowMs() } : {}),
  };
  return pageOf(await people.invitations(page), limit, ({ id }) => [id]);
}

/** Resolves to an invitation; with `accountId`, only to one of that account. Throws `AdminError`. */
export async function existingInvitation(
  { people }: Pick<PeoplePorts, 'people'>,
  id: string,
  accountId: string | null,
): Promise<Invitation> {
  const invitation = await people.invitation(id);
  if (
    invitation === null ||
    invitation.purpose === 'reset' ||
    (accountId !== null && invitation.accountId !== accountId)
  )
    throw new AdminError('not_found', 'invitation', `there is no invitation "${id.slice(0, 100)}"`);
  return invitation;
}

/** Revokes an invitation, so that nobody can accept it. Throws `AdminError` if it is already used, revoked or expired. */
export async function revokeInvitation(
  ports: Pick<PeoplePorts, 'people' | 'clock'>,
  by: Pick<Doer, 'origin'>,
  id: string,
  accountId: string | null,
): Promise<Invitation> {
  const { people, clock } = ports;
  const invitation = await existingInvitation(ports, id, accountId);
  const nowMs = clock.nowMs();
  const revoked = await people.revokeInvitation(id, nowMs, (was) =>
    was
      ? [
          entryOf(by, nowMs, {
            action: 'invitation.revoke',
            accountId: invitation.accountId,
            objectId: id,
            before: invitationFields(invitation),
            after: null,
          }),
        ]
      : [],
  );
  if (!revoked) throw new AdminError('conflict', 'invitation', `"${id}" is no longer pending`);
  return { ...invitation, revokedAtMs: nowMs };
}

/** How long a link for a new password works. */
const RESET_MS = 86_400_000;

/** Makes a one-time link with which a person sets a new password. Earlier links stop working. Throws `AdminError`. */
export async function resetLink(ports: PeoplePorts, by: Doer, userId: string): Promise<MadeLink> {
  const { people, mailer } = ports;
  // Anyone who has the link can act as the user in all accounts.
  refusePowers(by.token, '*', 'user');
  const user = await people.user(userId);
  if (user === null) throw new AdminError('not_found', 'user', `there is no user "${userId.slice(0, 100)}"`);
  if (user.disabledAtMs !== null)
    throw new AdminError('conflict', 'user', `"${user.email}" is disabled: enable it first`);
  const reserved = await reserve(mailer, user.email, 'operators');
  await people.revokeInvitations('reset', user.id, ports.clock.nowMs());
  const { invitation, link } = await storeReset(ports, by, user);
  return { invitation, link, mailed: await mailReset(ports, reserved, { invitation, link }, by) };
}

async function storeReset(ports: PeoplePorts, by: Doer, user: { readonly id: string; readonly email: string }) {
  const nowMs = ports.clock.nowMs();
  const { token, hash } = newToken();
  const invitation = newInvitation(nowMs, {
    purpose: 'reset',
    email: user.email,
    provesEmail: true,
    accountId: null,
    role: null,
    operator: false,
    userId: user.id,
    createdBy: creatorOf(by.origin),
    expiresAtMs: nowMs + RESET_MS,
  });
  await storeLink(ports, by, invitation, hash);
  return { invitation, link: linkOf(by.publicOrigin, token) };
}

type Reset = Awaited<ReturnType<typeof storeReset>>;

function mailReset(ports: PeoplePorts, reserved: ReservedMail | null, { invitation, link }: Reset, by: Doer) {
  return mail(ports, reserved, (name) => resetMail(name, invitation, link, by.publicOrigin));
}

function resetMail(name: string, { expiresAtMs }: Invitation, link: string, origin: string): WrittenMail {
  return {
    subject: `Reset your ${name} password`,
    text: `Someone asked to reset the password of your account at ${origin}.\n\nOpen this link to choose a new one:\n\n${link}\n\nIt works once and expires at ${dateOf(expiresAtMs)}. If it wasn’t you, you can ignore this email: your password stays the same.\n`,
  };
}

/**
 * Resolves to a function that sends a link for a new password to the address if it belongs to a user. The caller should not wait for it, so
 * that neither the answer nor its timing reveals whether it does. Throws `AdminError` for an invalid address, if no mail is configured, or
 * if the limit of mails to this address is reached, whether or not it belongs to a user.
 */
export async function askForReset(ports: PeoplePorts, by: Doer, input: unknown): Promise<() => Promise<void>> {
  const { people, mailer } = ports;
  const { email } = checkInput(emailSchema, [], input);
  if (mailer === null) {
    throw new AdminError('conflict', 'email', 'this gateway does not send email: ask an admin for a link');
  }
  const reserved = await reserve(mailer, email, 'anyone');
  return async () => {
    const user = await people.userByEmail(email);
    if (user === null || user.disabledAtMs !== null) return await reserved?.cancel();
    await mailReset(ports, reserved, await storeReset(ports, by, user), by);
  };
}

/**
 * Resolves to a function that sends a link with which the owner of the address creates a user and an account; if there already is a user,
 * the mail says so. The caller should not wait for it, as with `askForReset`. Throws `AdminError` for an invalid address, or if
 * registration is closed.
 */
export async function register(ports: PeoplePorts, by: Doer, input: unknown): Promise<() => Promise<void>> {
  const { mailer, settings } = ports;
  const { email } = checkInput(emailSchema, [], input);
  if (settings.registration !== 'open' || mailer === null) {
    throw new AdminError('forbidden', 'email', 'registration is closed: ask an admin for an invitation');
  }
  const reserved = await reserve(mailer, email, 'anyone');
  return () => sendRegistration(ports, by, email, reserved);
}

async function sendRegistration(
  ports: PeoplePorts,
  by: Doer,
  email: string,
  reserved: ReservedMail | null,
): Promise<void> {
  const { people, clock } = ports;
  if ((await people.userByEmail(email)) !== null) {
    const text = `Someone tried to sign up at ${by.publicOrigin} with this email address, which already has an account there.\n\nIf it was you, sign in or reset your password. If not, you can ignore this email.\n`;
    await mail(ports, reserved, (name) => ({ subject: `You already have a ${name} account`, text }));
    return;
  }
  const nowMs = clock.nowMs();
  const { token, hash } = newToken();
  const invitation = newInvitation(nowMs, {
    purpose: 'registration',
    email,
    provesEmail: true,
    accountId: null,
    role: null,
    operator: false,
    userId: null,
    createdBy: creatorOf(by.origin),
    expiresAtMs: nowMs + RESET_MS,
  });
  await storeLink(ports, by, invitation, hash);
  const link = linkOf(by.publicOrigin, token);
  const text = `Open this link to create your account at ${by.publicOrigin}:\n\n${link}\n\nIt works once and expires at ${dateOf(invitation.expiresAtMs)}. If it wasn’t you, you can ignore this email.\n`;
  await mail(ports, reserved, (name) => ({ subject: `Create your ${name} account`, text }));
}

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
    createdBy: creatorOf(by.origin),
    expiresAtMs: nowMs + settings.invitationMs,
  });
  const added = await people.addFirstInvitation(invitation, hash, (was) => (was ? [linkEntry(by, invitation)] : []));
  return added ? { invitation, link: linkOf(by.publicOrigin, token), mailed: null } : null;
}
