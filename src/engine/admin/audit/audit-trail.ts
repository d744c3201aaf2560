import type { Account } from '../../../domain/access/account.ts';
import type { Actor, LocalActor } from '../../../domain/access/actor.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { Guard } from '../../../domain/guards/guard.ts';
import type { AuditActor, AuditFields, AuditLog, AuditOrigin } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryRows, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import type { Store } from '../../ports/store.ts';
import { differences } from '../differences.ts';
import { creatorOf } from './creator.ts';
import {
  accountState,
  channelState,
  credentialState,
  etagOf,
  guardState,
  modelState,
  refuseStale,
} from './object-states.ts';

/** A change of an object outside of the directory. */
interface NotedChange {
  /** The kind of object and the action, such as `task.fail`. */
  readonly action: string;
  readonly accountId: string | null;
  readonly objectId: string;
  /** Without secrets; absent if there is nothing to record. */
  readonly before?: AuditFields;
  readonly after?: AuditFields;
}

/** Records one caller's changes outside of the directory, which records its own. */
export interface AuditTrail {
  /** Records a change that has been made. Durable when it resolves. */
  note(change: NotedChange): Promise<void>;
}

interface TrailOptions {
  readonly origin: AuditOrigin;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export function auditTrail(audit: Pick<AuditLog, 'append'>, { origin, clock }: TrailOptions): AuditTrail {
  return {
    note: ({ before = null, after = null, ...change }) =>
      audit.append([{ ...origin, atMs: clock.nowMs(), ...change, before, after }]),
  };
}

/** A store for one caller, which enters each change into the audit log under the caller's name. */
export interface AuditedStore extends Store {
  readonly trail: AuditTrail;
}

export function auditedStore(store: Store, options: TrailOptions): AuditedStore {
  return {
    ...store,
    directory: auditedDirectory(store.directory, options),
    trail: auditTrail(store.audit, options),
  };
}

export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === 'person') return { kind: 'person', id: actor.userId, name: actor.email };
  if (actor.kind === 'token') return { kind: 'token', id: `${actor.accountId}/${actor.tokenId}`, name: actor.name };
  return { kind: actor.kind, id: null, name: actor.name };
}

/** Returns the origin of actions without a request. */
export function localOrigin(actor: LocalActor): AuditOrigin {
  return { actor: auditActor(actor), address: null, requestId: null };
}

interface DirectoryAudit {
  readonly origin: AuditOrigin;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The ETag of the changed object as the caller read it; `*` for any; absent to skip the check. */
  readonly ifMatch?: string | undefined;
}

/** One object before and after a change. */
interface Change {
  readonly kind: 'account' | 'key' | 'token' | 'model' | 'channel' | 'guard';
  readonly id: string;
  readonly accountId: string | null;
  readonly before: AuditFields | null;
  readonly after: AuditFields | null;
  /** Set if the fields do not show the change, such as a new secret with the same name. */
  readonly verb?: string | undefined;
}

/**
 * Returns the directory for one caller: every change through it is entered into the audit log, in the same transaction and without secrets.
 * With `ifMatch`, changing an object that has changed in the meantime throws an `AdminError` with the code `stale`.
 */
export function auditedDirectory(store: DirectoryStore, audit: DirectoryAudit): DirectoryStore {
  return {
    read: (scope) => store.read(scope),
    write: (scope, change) =>
      store.write(scope, (writer) => {
        const audited = new AuditedWriter(writer, audit);
        const result = change(audited);
        audited.end();
        return result;
      }),
    principal: (secretHash) => store.principal(secretHash),
    accounts: (page) => store.accounts(page),
    names: (ids) => store.names(ids),
    countKeys: (accountIds, most) => store.countKeys(accountIds, most),
    credentials: (page) => store.credentials(page),
    hasUsableKey: (nowMs) => store.hasUsableKey(nowMs),
    state: () => store.state(),
    accountsChangedSince: (version, most) => store.accountsChangedSince(version, most),
    servingChangedSince: (version, most) => store.servingChangedSince(version, most),
  };
}

class AuditedWriter implements DirectoryWriter {
  private before: DirectoryRows | null = null;
  private readonly synced = { put: [] as string[], deleted: [] as string[] };

  constructor(
    private readonly writer: DirectoryWriter,
    private readonly audit: DirectoryAudit,
  ) {}

  read(): DirectoryRows {
    return this.writer.read();
  }

  putAccount(account: Account): void {
    const { id } = account;
    const before = this.rows().accounts.find((one) => one.id === id);
    const states = { before: before ? accountState(before) : null, after: accountState(account) };
    const archiving = account.archivedAtMs === null ? 'restore' : 'archive';
    const verb = before && (before.archivedAtMs === null) !== (account.archivedAtMs === null) ? archiving : undefined;
    this.note({ kind: 'account', id, accountId: id, ...states, verb });
    this.writer.putAccount(account);
  }

  putCredential(credential: Credential): void {
    const { id, accountId } = credential;
    const kind = credential.kind === 'management' ? 'token' : 'key';
    const before = this.rows().credentials.find(
      (one) => one.id === id && one.accountId === accountId && one.kind === credential.kind,
    );
    const states = { before: before ? credentialState(before) : null, after: credentialState(credential) };
    this.note({ kind, id, accountId, ...states, verb: before && credentialVerb(before, credential) });
    const createdBy = before === undefined ? creatorOf(this.audit.origin) : before.createdBy;
    this.writer.putCredential({ ...credential, createdBy });
  }

  putModel(model: DeclaredModel): void {
    const before = this.rows().models.find(({ id }) => id === model.id);
    const states = { before: before ? modelState(before) : null, after: modelState(model) };
    this.note({ kind: 'model', id: model.id, accountId: null, ...states });
    this.writer.putModel(model);
  }

  deleteModel(id: string): void {
    const before = this.rows().models.find((one) => one.id === id);
    if (before) this.note({ kind: 'model', id, accountId: null, before: modelState(before), after: null });
    this.writer.deleteModel(id);
  }

  putGuard(guard: Guard): void {
    const before = this.rows().guards?.find((one) => one.id === guard.id);
    const states = { before: before ? guardState(before) : null, after: guardState(guard) };
    const verb = before && differences({ ...before.webhook }, { ...guard.webhook }).length > 0 ? 'change' : undefined;
    this.note({ kind: 'guard', id: guard.id, accountId: null, ...states, verb });
    this.writer.putGuard(guard);
  }

  deleteGuard(id: string): void {
    const before = this.rows().guards?.find((one) => one.id === id);
    if (before) this.note({ kind: 'guard', id, accountId: null, before: guardState(before), after: null });
    this.writer.deleteGuard(id);
  }

  putChannel(channel: Channel): void {
    const { id, owner } = channel;
    const before = this.rows().channels.find((one) => one.id === id);
    const states = { before: before ? channelState(before) : null, after: channelState(channel) };
    // Two keys may end in the same characters.
    const isRekeyed = before !== undefined && (before.apiKey !== channel.apiKey || hasOtherKeys(before, channel));
    const verb = before && (channelVerb(before, channel) ?? (isRekeyed ? 'change' : undefined));
    this.note({ kind: 'channel', id, accountId: owner, ...states, verb });
    this.writer.putChannel(channel);
  }

  deleteChannel(id: string): void {
    const before = this.rows().channels.find((one) => one.id === id);
    if (before) this.note({ kind: 'channel', id, accountId: before.owner, before: channelState(before), after: null });
    this.writer.deleteChannel(id);
  }

  putSyncedModel(model: Parameters<DirectoryWriter['putSyncedModel']>[0]): void {
    this.synced.put.push(`${model.provider}/${model.id}`);
    this.writer.putSyncedModel(model);
  }

  deleteSyncedModel(provider: string, id: string): void {
    this.synced.deleted.push(`${provider}/${id}`);
    this.writer.deleteSyncedModel(provider, id);
  }

  appendAudit(entry: Parameters<DirectoryWriter['appendAudit']>[0]): void {
    this.writer.appendAudit(entry);
  }

  /** Adds one entry for a whole price list, which has thousands of lines. */
  end(): void {
    const { put, deleted } = this.synced;
    if (put.length + deleted.length === 0) return;
    const named = (ids: readonly string[]) => (ids.length > MOST_NAMED ? [...ids.slice(0, MOST_NAMED), '…'] : ids);
    const after = { updated: put.length, removed: deleted.length, models: named([...put, ...deleted]) };
    this.append({ action: 'catalog.sync', accountId: null, objectId: 'catalog', before: null, after });
  }

  /** Returns the rows before the first change: the rows of a scope are read once. */
  private rows(): DirectoryRows {
    this.before ??= this.writer.read();
    return this.before;
  }

  private note({ kind, id, accountId, before, after, verb }: Change): void {
    if (before !== null) {
      const named = `the ${kind === 'token' ? 'management token' : kind} "${id}"`;
      refuseStale(this.audit.ifMatch, () => etagOf(before), named);
    }
    const what = { accountId, objectId: id };
    if (before === null || after === null) {
      this.append({ action: `${kind}.${after === null ? 'delete' : 'create'}`, ...what, before, after });
      return;
    }
    const changed = differences(before, after);
    if (changed.length === 0 && verb === undefined) return;
    const parts = { before: pick(before, changed), after: pick(after, changed) };
    this.append({ action: `${kind}.${verb ?? 'change'}`, ...what, ...parts });
  }

  private append(entry: Omit<Parameters<DirectoryWriter['appendAudit']>[0], 'atMs' | keyof AuditOrigin>): void {
    const { origin, clock } = this.audit;
    this.writer.appendAudit({ ...origin, atMs: clock.nowMs(), ...entry });
  }
}

const MOST_NAMED = 100;

function credentialVerb(before: Credential, after: Credential): string | undefined {
  if (before.revokedAtMs === null && after.revokedAtMs !== null) return 'revoke';
  return before.secretHash === after.secretHash ? undefined : 'rotate';
}

function hasOtherKeys({ apiKeys: before = [] }: Channel, { apiKeys: after = [] }: Channel): boolean {
  return before.length !== after.length || before.some(({ key }, at) => key !== after[at]?.key);
}

function channelVerb(before: Channel, after: Channel): string | undefined {
  if (before.enabled !== after.enabled) return after.enabled ? 'enable' : 'disable';
  if (before.block === null && after.block !== null) return 'block';
  return before.resetAtMs === after.resetAtMs ? undefined : 'reset';
}

function pick(fields: AuditFields, names: readonly string[]): AuditFields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
