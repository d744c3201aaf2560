import type { Account } from '../../../domain/access/account.ts';
import {
  ACCOUNT_ROWS,
  type AccountErasure,
  type AccountRowCounts,
  type AccountRowKind,
} from '../../ports/account-erasure-store.ts';
import type { AuditEntry, AuditFields } from '../../ports/audit-log.ts';
import type { CacheStore } from '../../ports/cache-store.ts';
import { CAPTURE_BATCH } from '../../ports/capture-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import type { Store } from '../../ports/store.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import { type Doer, entryOf } from '../people/links.ts';
import { hideInAudit, namesInAudit, newPseudonym } from './audit-erasure.ts';
import { hiddenFields, textPattern } from './erase-user.ts';

export interface AccountErasurePorts
  extends Pick<
    Store,
    'accountErasures' | 'audit' | 'directory' | 'captures' | 'tasks' | 'batches' | 'holds' | 'heldCharges'
  > {
  readonly cache: Pick<CacheStore, 'clear'>;
  readonly mediaStore: Pick<MediaStore, 'removeOf'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The removed and hidden data of an erasure, or of its dry run. After an interruption it covers the remaining data. */
interface ErasedAccount {
  readonly accountId: string;
  /** `null` for a dry run. */
  readonly pseudonym: string | null;
  readonly removed: AccountRowCounts & {
    readonly captures: number;
    readonly channels: number;
    /** `null` for a dry run, which does not count them. */
    readonly cacheEntries: number | null;
  };
  readonly hidden: { readonly keyNames: number; readonly auditEntries: number };
}

/**
 * Erases an archived account: its content, requests and names are removed or replaced by a pseudonym. Its id, its ledger with all amounts,
 * and its sums stay, so that the books can be verified. An interrupted erasure is continued by calling this again. Throws `AdminError` for
 * an account in use, or with unfinished work.
 */
export async function eraseAccount(
  ports: AccountErasurePorts,
  by: Pick<Doer, 'origin'>,
  accountId: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<ErasedAccount> {
  const { accountErasures: erasures } = ports;
  const account = await existingAccount(ports.directory, accountId);
  const open = await erasures.find(accountId);
  if (open === null) await refuseInUse(ports, account);
  const wanted = open ?? (await newErasure(ports, account));
  if (dryRun) return countedErasure(ports, { ...wanted, auditedUntil: 0, rewritten: 0 });
  const erasure = await erasures.begin(wanted);
  const { channels, keyNames } = await hideInDirectory(ports, erasure);
  const rows = await removeRows(ports, erasure);
  const captures = await removeCaptures(ports, accountId);
  await ports.mediaStore.removeOf(accountId);
  const cacheEntries = await ports.cache.clear(accountId);
  const auditEntries = await hideAccount(ports, erasure, false);
  const removed = { ...rows, captures, channels, cacheEntries };
  const { pseudonym } = erasure;
  await erasures.end(accountId, (isEnded) => {
    const after = { pseudonym, removed: removedFields(removed) };
    const change = { action: 'account.erase', accountId, objectId: accountId, before: null, after };
    return isEnded ? [entryOf(by, ports.clock.nowMs(), change)] : [];
  });
  return { accountId, pseudonym, removed, hidden: { keyNames, auditEntries } };
}

/** Throws for unfinished work, which would be written, or charged, after the account was erased. */
async function refuseInUse(
  { tasks, batches, holds, heldCharges }: AccountErasurePorts,
  account: Account,
): Promise<void> {
  const { id: accountId } = account;
  const refuse = (problem: string) => {
    throw new AdminError('conflict', 'account', problem);
  };
  if (account.archivedAtMs === null) refuse(`"${accountId}" is in use: archive it first`);
  const running = await tasks.countOpen(accountId);
  if (running > 0) refuse(`"${accountId}" has ${running} unfinished tasks: wait until they finish, or end them`);
  const open = await batches.countOpen(accountId);
  if (open > 0) refuse(`"${accountId}" has ${open} unfinished batches: cancel them, and wait until they end`);
  const held = await holds.list({ accountId, state: 'open' }, 1);
  if (held.length > 0) refuse(`"${accountId}" has reserved money: settle or release its reservations first`);
  const undecided = await heldCharges.list({ accountId, state: 'open' }, 1);
  if (undecided.length > 0) refuse(`"${accountId}" has held charges: settle or dismiss them first`);
}

async function newErasure({ audit }: AccountErasurePorts, { id: accountId, name }: Account) {
  const names = [...new Set([name, ...(await namesInAudit(audit, accountId))])];
  return { accountId, names, pseudonym: newPseudonym() };
}

/** Counts the same without a change. */
async function countedErasure(ports: AccountErasurePorts, erasure: AccountErasure): Promise<ErasedAccount> {
  const { accountId } = erasure;
  const { credentials, channels } = await ownRows(ports, accountId);
  const rows = await ports.accountErasures.count(accountId);
  const removed = { ...rows, channels: channels.length, cacheEntries: null };
  const auditEntries = await hideAccount(ports, erasure, true);
  return { accountId, pseudonym: null, removed, hidden: { keyNames: credentials.length, auditEntries } };
}

const scopeOf = (accountId: string) =>
  ({ serving: false, accounts: [accountId], credentialsOf: [accountId], channelsOf: [accountId] }) as const;

async function ownRows({ directory }: AccountErasurePorts, accountId: string) {
  const { credentials, channels } = await directory.read(scopeOf(accountId));
  return {
    credentials: credentials.filter((one) => one.accountId === accountId),
    channels: channels.filter(({ owner }) => owner === accountId),
  };
}

/** Hides names without an audit log entry, which would contain them. Keys stay, revoked, since the ledger refers to their ids. */
async function hideInDirectory(
  { directory, clock }: AccountErasurePorts,
  { accountId, pseudonym }: AccountErasure,
): Promise<{ readonly channels: number; readonly keyNames: number }> {
  return directory.write(scopeOf(accountId), (writer) => {
    const rows = writer.read();
    const nowMs = clock.nowMs();
    const channels = rows.channels.filter(({ owner }) => owner === accountId);
    for (const { id } of channels) writer.deleteChannel(id);
    const credentials = rows.credentials.filter((one) => one.accountId === accountId && one.name !== pseudonym);
    for (const one of credentials)
      writer.putCredential({ ...one, name: pseudonym, createdBy: null, revokedAtMs: one.revokedAtMs ?? nowMs });
    for (const account of rows.accounts.filter(({ id }) => id === accountId))
      writer.putAccount({
        ...account,
        ...{
          name: pseudonym,
          billingDetails: null,
          capture: 'none',
          captureDays: null,
          archivedAtMs: account.archivedAtMs ?? nowMs,
        },
      });
    return { channels: channels.length, keyNames: credentials.length };
  });
}

async function removeRows(
  { accountErasures }: AccountErasurePorts,
  erasure: AccountErasure,
): Promise<AccountRowCounts> {
  const counts: [AccountRowKind, number][] = [];
  for (const kind of ACCOUNT_ROWS) {
    let count = 0;
    for (let from: number | null = 0; from !== null; ) {
      const part = await accountErasures.remove(kind, erasure, from);
      count += part.removed;
      from = part.next;
    }
    counts.push([kind, count]);
  }
  return Object.fromEntries(counts) as AccountRowCounts; // Each kind occurs once.
}

async function removeCaptures({ captures }: AccountErasurePorts, accountId: string): Promise<number> {
  let count = 0;
  for (;;) {
    const removed = await captures.removeOf(accountId, CAPTURE_BATCH);
    count += removed;
    if (removed < CAPTURE_BATCH) return count;
  }
}

/** Hides the account in the audit log; only counts in a dry run. */
function hideAccount(
  { audit, accountErasures }: AccountErasurePorts,
  erasure: AccountErasure,
  dryRun: boolean,
): Promise<number> {
  const advance = (until: number, count: number) => accountErasures.advance(erasure.accountId, until, count);
  return hideInAudit(audit, erasure, accountHider(erasure), dryRun ? null : advance);
}

function removedFields({ cacheEntries, ...counts }: ErasedAccount['removed']) {
  return {
    memberships: counts.memberships,
    invitations: counts.invitations,
    alert_deliveries: counts.alertDeliveries,
    alert_events: counts.alertEvents,
    alert_states: counts.alertStates,
    alert_targets: counts.alertTargets,
    alert_rules: counts.alertRules,
    captures: counts.captures,
    responses: counts.responses,
    objects: counts.objects,
    tasks: counts.tasks,
    batches: counts.batches,
    batch_lines: counts.batchLines,
    files: counts.files,
    file_chunks: counts.fileChunks,
    holds: counts.holds,
    cache_reports: counts.cacheReports,
    cache_entries: cacheEntries,
    usage_tags: counts.usageTags,
    request_lines: counts.requestLines,
    channels: counts.channels,
  };
}

/** Returns the erasure in the form of the API. */
export function accountErasureView({ accountId, pseudonym, removed, hidden }: ErasedAccount) {
  return {
    object: 'account_erasure' as const,
    id: accountId,
    dry_run: pseudonym === null,
    pseudonym,
    removed: removedFields(removed),
    hidden: {
      key_names: hidden.keyNames,
      ledger_notes: removed.ledgerNotes,
      audit_entries: hidden.auditEntries,
    },
  };
}

interface HiddenAccount {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly pseudonym: string;
}

/** Members whose texts are keywords, numbers or times, never free text. */
const TELLING_NOTHING = new Set([
  'role',
  'billing',
  'capture',
  'strategy',
  'kind',
  'per',
  'provider',
  'type',
  'status',
]);
const AMOUNT_OR_TIME = /^-?\d+(\.\d+)?$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * Returns a function that replaces an account in an audit log entry by a pseudonym. It returns `null` for an entry that does not mention
 * the account.
 *
 * In the account's own entries all chosen texts are hidden: names of keys, notes, addresses of channels, tags. Ids, amounts, times and
 * settings stay. People and tokens of other accounts are unchanged. In all other entries a name of several words is hidden.
 */
export function accountHider(account: HiddenAccount): (entry: AuditEntry) => AuditEntry | null {
  const { accountId, names, pseudonym } = account;
  const patterns = names.filter((name) => /\s/u.test(name.trim())).map(textPattern);
  const hide = (text: string) => patterns.reduce((rest, pattern) => rest.replace(pattern, pseudonym), text);
  return (entry) => {
    const isOwn = entry.accountId === accountId;
    const { actor } = entry;
    const isOwnToken = actor.kind === 'token' && actor.id?.startsWith(`${accountId}/`) === true;
    const hidden = (of: AuditFields | null) => (isOwn ? hiddenTexts(of, account) : hiddenFields(of, hide));
    const rewritten: AuditEntry = {
      ...entry,
      actor: isOwnToken ? { ...actor, name: pseudonym } : actor,
      address: (isOwn || isOwnToken) && entry.address !== null ? pseudonym : entry.address,
      before: hidden(entry.before),
      after: hidden(entry.after),
    };
    return JSON.stringify(rewritten) === JSON.stringify(entry) ? null : rewritten;
  };
}

function hiddenTexts(fields: AuditFields | null, account: HiddenAccount): AuditFields | null {
  if (fields === null) return null;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, hiddenText(name, value, account)]));
}

function hiddenText(name: string, value: unknown, account: HiddenAccount): unknown {
  if (typeof value === 'string') {
    const stays = TELLING_NOTHING.has(name) || AMOUNT_OR_TIME.test(value) || isId(name) || value === account.accountId;
    return stays ? value : account.pseudonym;
  }
  if (Array.isArray(value)) return value.map((item) => hiddenText(name, item, account));
  if (typeof value !== 'object' || value === null) return value;
  return hiddenTexts(value as AuditFields, account);
}

function isId(name: string): boolean {
  return name === 'id' || name.endsWith('_id');
}
