import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { Guard } from '../../../domain/guards/guard.ts';
import { type BudgetHolder, keptRaise } from '../../../domain/money/budget-in-force.ts';
import { hashSecret, previewOf } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryRows, DirectoryScope, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { channelToStore } from '../channels/change-channels.ts';
import { sameValue } from '../differences.ts';
import type { Configuration, ConfiguredAccount, ConfiguredCredential } from './configuration.ts';

/** The results of applying, by name: `channel openai-main`, `key acme/ci` … */
export interface AppliedConfiguration {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
  /** Accounts that the file no longer names. An account is never removed, because its history refers to it. */
  readonly kept: readonly string[];
  /** Statements of the file that were not applied, one sentence each. */
  readonly notices: readonly string[];
}

/** The minimum number of earlier objects at which removing most of them is taken for a mistake. */
const MANY = 10;

export interface ApplyOptions {
  /** Whether the configuration may remove most of what an earlier one made. */
  readonly allowRemovals?: boolean;
}

/**
 * Applies the configuration to the directory, in one transaction. Applying the same one again writes nothing. Objects of an earlier
 * configuration that this one no longer names are removed (channels, models) or revoked (keys). Objects that operators made stay, unless
 * the configuration names the same id, which then becomes its own. Throws `AdminError` for one that would remove more than half of many
 * objects, unless that is allowed, since a truncated file or that of another gateway looks like this.
 */
export async function applyConfiguration(
  store: DirectoryStore,
  clock: Clock,
  configuration: Configuration,
  { allowRemovals = false }: ApplyOptions = {},
): Promise<AppliedConfiguration> {
  const nowMs = clock.nowMs();
  const scope = scopeOf(configuration);
  const preview = new Plan(await store.read(scope), configuration, nowMs);
  if (!allowRemovals) preview.refuseManyRemovals();
  if (preview.writes.length === 0) return preview.result;
  return store.write(scope, (writer) => {
    const plan = new Plan(writer.read(), configuration, nowMs);
    if (!allowRemovals) plan.refuseManyRemovals();
    for (const operation of plan.writes) operation(writer);
    return plan.result;
  });
}

/** Returns the scope of all objects that an earlier configuration made or that this one names, of any origin. */
function scopeOf({ accounts, channels }: Configuration): DirectoryScope {
  const ids = accounts.map(({ id }) => id);
  return {
    accounts: [...ids, ...channels.flatMap(({ owner }) => owner ?? [])],
    credentialsOf: ids,
    secretHashes: accounts.flatMap(({ credentials }) => credentials.map(({ secret }) => hashSecret(secret))),
    configured: true,
  };
}

type Write = (writer: DirectoryWriter) => void;

class Plan {
  readonly writes: Write[] = [];
  readonly result = {
    created: [] as string[],
    updated: [] as string[],
    unchanged: [] as string[],
    removed: [] as string[],
    kept: [] as string[],
    notices: [] as string[],
  };

  /** The number of objects of earlier configurations, and how many this one removes. */
  private readonly channels = { had: 0, removed: 0 };
  private readonly models = { had: 0, removed: 0 };
  private readonly keys = { had: 0, removed: 0 };
  private readonly guards = { had: 0, removed: 0 };

  constructor(
    private readonly rows: DirectoryRows,
    private readonly configuration: Configuration,
    private readonly nowMs: number,
  ) {
    this.planGuards();
    this.planAccounts();
    this.planCredentials();
    this.planModels();
    this.planChannels();
  }

  /** Throws `AdminError` if more than half of the objects of the last configuration, or of one kind, would be removed. */
  refuseManyRemovals(): void {
    const kinds = { channels: this.channels, models: this.models, keys: this.keys, guards: this.guards };
    const all = { had: 0, removed: 0 };
    for (const [kind, counted] of Object.entries(kinds)) {
      refuseIfMany(kind, counted);
      all.had += counted.had;
      all.removed += counted.removed;
    }
    refuseIfMany('objects', all);
  }

  private planAccounts(): void {
    const existing = new Map(this.rows.accounts.map((account) => [account.id, account]));
    for (const configured of this.configuration.accounts) {
      const before = existing.get(configured.id);
      const account = accountFrom(configured, before, this.nowMs);
      if (account.archivedAtMs !== null) {
        this.result.notices.push(`account ${account.id} stays archived until an admin restores it`);
      }
      this.put(`account ${account.id}`, before, account, (writer) => writer.putAccount(account));
    }
    const named = new Set(this.configuration.accounts.map((account) => account.id));
    for (const account of this.rows.accounts) {
      if (account.origin === 'config' && !named.has(account.id)) this.result.kept.push(`account ${account.id}`);
    }
  }

  private planCredentials(): void {
    const existing = new Map(this.rows.credentials.map((row) => [credentialKey(row), row]));
    const byHash = new Map([
      ...this.rows.credentials.flatMap((row) =>
        row.previousSecret ? [[row.previousSecret.secretHash, row] as const] : [],
      ),
      ...this.rows.credentials.map((row) => [row.secretHash, row] as const),
    ]);
    const named = new Set<string>();
    for (const account of this.configuration.accounts) {
      for (const configured of account.credentials) {
        const credential = credentialFrom(account.id, configured, this.nowMs);
        named.add(credentialKey(credential));
        requireOwnSecret(credential, byHash.get(credential.secretHash));
        this.planCredential(existing.get(credentialKey(credential)), credential);
      }
    }
    for (const row of this.rows.credentials) {
      if (row.origin !== 'config' || row.revokedAtMs !== null) continue;
      this.keys.had++;
      if (named.has(credentialKey(row))) continue;
      this.keys.removed++;
      this.result.removed.push(credentialLabel(row));
      this.writes.push((writer) => writer.putCredential({ ...row, revokedAtMs: this.nowMs }));
    }
  }

  private planCredential(before: Credential | undefined, configured: Credential): void {
    const label = credentialLabel(configured);
    if (before?.origin === 'operator' && before.revokedAtMs !== null && before.secretHash === configured.secretHash) {
      // An operator's revocation outlives the file: a leaked key must not come back with the next start.
      this.result.unchanged.push(label);
      this.result.notices.push(`${label} stays revoked: give it a new secret or remove it from the file`);
      return;
    }
    const { createdAtMs = configured.createdAtMs, createdBy = null } = before ?? {};
    const credential = { ...configured, createdAtMs, createdBy, ...raiseOf(before, configured) };
    this.put(label, before, credential, (writer) => writer.putCredential(credential));
  }

  private planGuards(): void {
    const { guards: rows = [] } = this.rows;
    const { guards: wanted = [] } = this.configuration;
    const existing = new Map(rows.map((guard) => [guard.id, guard]));
    for (const configured of wanted) {
      const before = existing.get(configured.id);
      const guard: Guard = { ...configured, createdAtMs: before?.createdAtMs ?? this.nowMs, origin: 'config' };
      this.put(`guard ${guard.id}`, before, guard, (writer) => writer.putGuard(guard));
    }
    this.removeGone('guard', rows, wanted, (writer, id) => writer.deleteGuard(id));
  }

  private planModels(): void {
    const existing = new Map(this.rows.models.map((model) => [model.id, model]));
    for (const configured of this.configuration.models) {
      const before = existing.get(configured.id);
      const model: DeclaredModel = { ...configured, createdAtMs: before?.createdAtMs ?? this.nowMs, origin: 'config' };
      this.put(`model ${model.id}`, before, model, (writer) => writer.putModel(model));
    }
    this.removeGone('model', this.rows.models, this.configuration.models, (writer, id) => writer.deleteModel(id));
  }

  private planChannels(): void {
    const existing = new Map(this.rows.channels.map((channel) => [channel.id, channel]));
    for (const configured of this.configuration.channels) {
      const before = existing.get(configured.id);
      const channel = channelToStore(before, configured, 'config');
      this.put(`channel ${channel.id}`, before, channel, (writer) => writer.putChannel(channel));
    }
    this.removeGone('channel', this.rows.channels, this.configuration.channels, (writer, id) =>
      writer.deleteChannel(id),
    );
  }

  private put<Row>(label: string, before: Row | undefined, after: Row, write: Write): void {
    if (sameValue(before, after)) {
      this.result.unchanged.push(label);
      return;
    }
    (before === undefined ? this.result.created : this.result.updated).push(label);
    this.writes.push(write);
  }

  private removeGone(
    what: 'model' | 'channel' | 'guard',
    rows: readonly (DeclaredModel | Channel | Guard)[],
    configured: readonly { readonly id: string }[],
    remove: (writer: DirectoryWriter, id: string) => void,
  ): void {
    const counted = { model: this.models, channel: this.channels, guard: this.guards }[what];
    const named = new Set(configured.map((object) => object.id));
    for (const row of rows) {
      if (row.origin !== 'config') continue;
      counted.had++;
      if (named.has(row.id)) continue;
      counted.removed++;
      this.result.removed.push(`${what} ${row.id}`);
      this.writes.push((writer) => remove(writer, row.id));
    }
  }
}

function refuseIfMany(what: string, { had, removed }: { readonly had: number; readonly removed: number }): void {
  if (had < MANY || removed * 2 <= had) return;
  throw new AdminError(
    'invalid_value',
    'configuration',
    `would remove ${removed} of ${had} ${what} of the last one, so it was not applied: nothing has changed. ` +
      'If this is intended, run "switchyard apply --allow-removals" with this file',
  );
}

/** Keeps an operator's archiving and raised budget, which the file cannot state. */
function accountFrom(configured: ConfiguredAccount, before: Account | undefined, nowMs: number): Account {
  const { credentials: _credentials, openingBalanceNanoUsd: _balance, ...account } = configured;
  const { createdAtMs = nowMs, archivedAtMs = null } = before ?? {};
  return { ...account, createdAtMs, archivedAtMs, origin: 'config', ...raiseOf(before, configured) };
}

/** Returns the raise of a budget that stays when the configuration is applied. */
function raiseOf(before: BudgetHolder | undefined, { budget }: BudgetHolder): Pick<BudgetHolder, 'budgetRaise'> {
  return before === undefined ? {} : keptRaise(before, budget);
}

function credentialFrom(accountId: string, configured: ConfiguredCredential, createdAtMs: number): Credential {
  const { secret, ...credential } = configured;
  return {
    ...credential,
    accountId,
    secretHash: hashSecret(secret),
    preview: previewOf(secret),
    previousSecret: null,
    createdAtMs,
    createdBy: null,
    revokedAtMs: null,
    origin: 'config',
  };
}

/** Throws if the secret belongs to another key: otherwise a revoked key could come back under another name. */
function requireOwnSecret(credential: Credential, holder: Credential | undefined): void {
  if (holder === undefined || credentialKey(holder) === credentialKey(credential)) return;
  throw new AdminError(
    'already_exists',
    'secret',
    `the secret of ${credentialLabel(credential)} belongs to ${credentialLabel(holder)}; ` +
      'keep that id or choose a new secret',
  );
}

function credentialKey(credential: Credential): string {
  return JSON.stringify([credential.accountId, credential.kind, credential.id]);
}

function credentialLabel(credential: Credential): string {
  const what = credential.kind === 'inference' ? 'key' : 'management token';
  return `${what} ${credential.accountId}/${credential.id}`;
}
