import type { Account } from '../../../domain/access/account.ts';
import { canonicalEmail, type UserWithMemberships } from '../../../domain/access/user.ts';
import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import { recipientKey } from '../../mail/limited-mailer.ts';
import type { AuditActor, AuditEntry, AuditFields } from '../../ports/audit-log.ts';
import type { Erasure, ErasureBegun, NewErasure, PersonalRows } from '../../ports/erasure-store.ts';
import type { Store } from '../../ports/store.ts';
import { AdminError } from '../admin-error.ts';
import { type Doer, entryOf, type PeoplePorts } from '../people/links.ts';
import { existingUser } from '../people/users.ts';
import { hideInAudit, namesInAudit, newPseudonym } from './audit-erasure.ts';

export interface ErasurePorts
  extends Pick<Store, 'erasures' | 'audit' | 'alerts'>,
    Pick<PeoplePorts, 'people' | 'directory' | 'clock'> {}

/** The removed and rewritten data of an erasure, or of its dry run. */
interface UserErasure {
  readonly userId: string;
  /** `null` for a dry run. */
  readonly pseudonym: string | null;
  readonly removed: PersonalRows & { readonly mailTargets: number };
  readonly rewritten: { readonly auditEntries: number; readonly accountNames: number };
}

const TARGETS_OF_A_PAGE = 100;

/**
 * Erases a person: the user is removed with all personal data, so that the address is free, and a pseudonym replaces it in the audit log.
 * An interrupted erasure is continued by calling this again with the same id or address. Throws `AdminError`, also for the last operator
 * and for the last owner of an account in use.
 *
 * @param named the user's id, or the address
 */
export async function eraseUser(
  ports: ErasurePorts,
  by: Pick<Doer, 'origin'>,
  named: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<UserErasure> {
  const { erasures } = ports;
  const open = await erasures.find(named.includes('@') ? canonicalEmail(named) : named);
  const user = await ports.people.user(open?.userId ?? (await existingUser(ports, named)).id);
  const wanted = user === null ? null : await newErasure(ports, user);
  const begun = wanted === null ? null : begunOf(await (dryRun ? erasures.check(wanted) : erasures.begin(wanted)));
  const erasure = begun ?? open;
  if (erasure === null) throw new AdminError('not_found', 'user', `there is no user "${named.slice(0, 100)}"`);
  const accountNames = await hideInAccountNames(ports, user, erasure, dryRun);
  const mailTargets = await removeMailTargets(ports, erasure, dryRun);
  let auditEntries = await hidePerson(ports, erasure, dryRun);
  const removed = await (dryRun ? ports.erasures.count(erasure, keysOf(erasure)) : removeUser(ports, by, erasure));
  if (!dryRun) {
    // Covers entries made in the meantime, including the one about the erasure itself if people erase themselves.
    const rest = (await erasures.find(erasure.userId)) ?? erasure;
    auditEntries = await hidePerson(ports, rest, false);
    await erasures.end(erasure.userId);
  }
  return {
    userId: erasure.userId,
    pseudonym: dryRun ? null : erasure.pseudonym,
    removed: { ...removed, mailTargets },
    rewritten: { auditEntries, accountNames },
  };
}

async function newErasure({ audit, directory, clock }: ErasurePorts, user: UserWithMemberships): Promise<NewErasure> {
  const names = await namesInAudit(audit, user.id);
  const ids = user.memberships.map(({ accountId }) => accountId);
  const { accounts } = await directory.read({ accounts: ids, serving: false });
  const archivedAccounts = accounts.filter(({ archivedAtMs }) => archivedAtMs !== null).map(({ id }) => id);
  return { userId: user.id, names, pseudonym: newPseudonym(), archivedAccounts, atMs: clock.nowMs() };
}

/** Returns the erasure that has begun, or `null` if the user no longer exists. */
function begunOf(begun: ErasureBegun): Erasure | null {
  switch (begun.outcome) {
    case 'begun':
      return begun.erasure;
    case 'not_found':
      return null;
    case 'last_operator':
      throw new AdminError('conflict', 'user', 'is the last admin who can sign in: make another user an admin first');
    case 'last_owner':
      throw new AdminError(
        'conflict',
        'user',
        `is the last owner of the account "${begun.accountId}": make somebody else an owner, or archive the account first`,
      );
  }
}

/** Hides the name in accounts that the person has registered. Resolves to their number. */
async function hideInAccountNames(
  { directory }: ErasurePorts,
  user: UserWithMemberships | null,
  { email, names, pseudonym }: Erasure,
  dryRun: boolean,
): Promise<number> {
  const owned = (user?.memberships ?? []).filter(({ role }) => role === 'owner').map(({ accountId }) => accountId);
  if (owned.length === 0) return 0;
  const { accounts } = await directory.read({ accounts: owned, serving: false });
  // The configuration file would restore what it declares.
  const words = [email, ...names];
  const theirs = accounts.filter(
    (account) => account.origin === 'operator' && withoutName(account, words, pseudonym) !== account,
  );
  if (dryRun || theirs.length === 0) return theirs.length;
  // Without an audit log entry, which would contain the name.
  await directory.write({ accounts: theirs.map(({ id }) => id), serving: false }, (writer) => {
    for (const account of theirs) writer.putAccount(withoutName(account, words, pseudonym));
  });
  return theirs.length;
}

/** Returns the account without the person's name and address, or the same object if it has neither. */
function withoutName(account: Account, words: readonly string[], pseudonym: string): Account {
  const { name, billingDetails: details } = account;
  const isNamed = words.includes(name);
  const isBilled = details !== null && [details.name, details.email].some((one) => one !== null && words.includes(one));
  if (!isNamed && !isBilled) return account;
  return {
    ...account,
    name: isNamed ? pseudonym : name,
    // The postal address and the tax id are those of the same person.
    billingDetails: isBilled ? null : details,
  };
}

/** Removes the address from the alert targets. Resolves to the number of targets. */
async function removeMailTargets({ alerts }: ErasurePorts, { email }: Erasure, dryRun: boolean): Promise<number> {
  let [found, after] = [0, null as AlertPlace | null];
  do {
    const page = await alerts.targets({ after, limit: TARGETS_OF_A_PAGE });
    const theirs = page.filter(
      ({ kind, address, origin }) => kind === 'mail' && origin === 'operator' && canonicalEmail(address) === email,
    );
    for (const place of dryRun ? [] : theirs) await alerts.changeTarget(place, () => null);
    found += theirs.length;
    after = page.length === TARGETS_OF_A_PAGE ? (page.at(-1) ?? null) : null;
  } while (after !== null);
  return found;
}

/** Hides the person in the audit log; only counts in a dry run. */
function hidePerson({ audit, erasures }: ErasurePorts, erasure: Erasure, dryRun: boolean): Promise<number> {
  const advance = (until: number, count: number) => erasures.advance(erasure.userId, until, count);
  return hideInAudit(audit, erasure, personHider(erasure), dryRun ? null : advance);
}

const NOTHING: PersonalRows = {
  ...{ passwords: 0, issuers: 0, passkeys: 0, twoFactors: 0, sessions: 0, verifications: 0, attempts: 0 },
  ...{ memberships: 0, invitations: 0, alertEvents: 0 },
};

async function removeUser(
  { erasures, clock }: ErasurePorts,
  by: Pick<Doer, 'origin'>,
  erasure: Erasure,
): Promise<PersonalRows> {
  const removed = await erasures.remove(erasure, keysOf(erasure), (rows) => {
    if (rows === null) return [];
    const change = { action: 'user.erase', accountId: null, objectId: erasure.pseudonym, before: null };
    return [entryOf(by, clock.nowMs(), { ...change, after: { removed: removedFields(rows) } })];
  });
  return removed ?? NOTHING;
}

/**
 * Returns the keys of attempts counted under the address. Sign-in attempts are counted under a keyed hash, which expires after 15 minutes.
 */
function keysOf({ email }: Erasure): readonly string[] {
  return [recipientKey(email)];
}

function removedFields(rows: PersonalRows) {
  return {
    passwords: rows.passwords,
    issuers: rows.issuers,
    passkeys: rows.passkeys,
    two_factors: rows.twoFactors,
    sessions: rows.sessions,
    verifications: rows.verifications,
    attempts: rows.attempts,
    memberships: rows.memberships,
    invitations: rows.invitations,
    alert_events: rows.alertEvents,
  };
}

/** Returns the erasure in the form of the API. */
export function userErasureView({ userId, pseudonym, removed, rewritten }: UserErasure) {
  return {
    object: 'user_erasure' as const,
    id: userId,
    dry_run: pseudonym === null,
    pseudonym,
    removed: { ...removedFields(removed), mail_targets: removed.mailTargets },
    rewritten: { audit_entries: rewritten.auditEntries, account_names: rewritten.accountNames },
  };
}

type Person = Pick<Erasure, 'userId' | 'email' | 'names' | 'pseudonym'>;

/**
 * Returns a function that replaces a person in an audit log entry by a pseudonym. It returns `null` for an entry that does not mention the
 * person.
 *
 * The id, the address and names of several words are hidden everywhere. A name of one word may be a common word ("User", "Mark"), so it is
 * hidden only in entries that mention the person by id or by address. Neither is hidden within a longer word or address.
 */
export function personHider(person: Person): (entry: AuditEntry) => AuditEntry | null {
  const { userId, email, pseudonym } = person;
  const names = person.names.filter((name) => name.trim() !== '').toSorted((a, b) => b.length - a.length);
  const marks = [textPattern(userId), addressPattern(email)];
  const longNames = names.filter((name) => /\s/u.test(name.trim())).map(textPattern);
  const allNames = names.map(textPattern);
  const hidden = (text: string, patterns: readonly RegExp[]) =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, pseudonym), text);
  return (entry) => {
    const isTheirs = entry.actor.kind === 'person' && entry.actor.id === userId;
    const texts = JSON.stringify([entry.actor.name, entry.objectId, entry.before, entry.after]);
    const isAbout = isTheirs || hidden(texts, marks) !== texts;
    const patterns = [...marks, ...(isAbout ? allNames : longNames)];
    const hide = (text: string) => hidden(text, patterns);
    const rewritten: AuditEntry = {
      ...entry,
      actor: isTheirs ? hiddenActor(entry.actor, pseudonym) : { ...entry.actor, name: hide(entry.actor.name) },
      address: isTheirs && entry.address !== null ? pseudonym : entry.address,
      objectId: hide(entry.objectId),
      before: hiddenFields(entry.before, hide),
      after: hiddenFields(entry.after, hide),
    };
    return JSON.stringify(rewritten) === JSON.stringify(entry) ? null : rewritten;
  };
}

function hiddenActor(actor: AuditActor, pseudonym: string): AuditActor {
  return { ...actor, id: pseudonym, name: pseudonym };
}

export function hiddenFields(fields: AuditFields | null, hide: (text: string) => string): AuditFields | null {
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, hiddenValue(value, hide)]));
}

function hiddenValue(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => hiddenValue(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return hiddenFields(value as AuditFields, hide);
}

export function textPattern(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text.trim())}(?![\\p{L}\\p{N}_])`, 'gu');
}

/** Returns a pattern for the address alone: `ann@example.com` is neither a part of `joann@example.com` nor of `ann@example.com.au`. */
function addressPattern(email: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${escaped(email)}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'giu');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => (sign === '-' ? '\\x2d' : `\\${sign}`));
}
