import { type Guard, MOST_GUARDS, NO_GUARDS } from '../../../domain/guards/guard.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { GuardChecks } from '../../guards/guard-check.ts';
import type { Clock } from '../../ports/clock.ts';
import { CATALOG_ONLY, type DirectoryRows, type DirectoryStore, MOST_NAMING } from '../../ports/directory-store.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import type { ConfiguredGuard } from '../configuration/configuration.ts';
import { differences, refuseOther } from '../differences.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { guardFields, guardFrom, guardProblems, guardSchema } from '../schema/guard.ts';

/** The gateway's rules for the URLs of webhooks. */
export type WebhookRules = Pick<GuardChecks, 'problemOf'>;

export interface CreatedGuard {
  readonly guard: Guard;
  /** Whether it existed with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Makes a guard. Idempotent: the same call again changes nothing. Throws `AdminError` for other content, an invalid field, or too many guards.
 *
 * @param input in the form of a configuration's `guards`
 * @param checks `null` outside of a gateway, which checks its webhooks when it asks them
 */
export async function createGuard(
  store: DirectoryStore,
  clock: Pick<Clock, 'nowMs'>,
  input: unknown,
  checks: WebhookRules | null = null,
): Promise<CreatedGuard> {
  const wanted = checkedGuard(input);
  refuseWebhook(wanted, checks);
  return store.write(CATALOG_ONLY, (writer) => {
    const { guards = [] } = writer.read();
    const existing = guards.find(({ id }) => id === wanted.id);
    if (existing !== undefined) {
      refuseOther(`guard "${existing.id}"`, guardFields(existing), guardFields(wanted));
      return { guard: existing, alreadyThere: true };
    }
    if (guards.length >= MOST_GUARDS) {
      throw new AdminError(
        'conflict',
        'guards',
        `there are ${MOST_GUARDS} guards, the most of one gateway; delete one`,
      );
    }
    const guard: Guard = { ...wanted, createdAtMs: clock.nowMs(), origin: 'operator' };
    writer.putGuard(guard);
    return { guard, alreadyThere: false };
  });
}

export interface ChangedGuard {
  readonly guard: Guard;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'accounts, keys and models refer to the guard by it; create another guard' };

/**
 * Changes some fields of a guard; `null` resets one to its default, and a list replaces the existing one. Of a webhook, absent members stay, since its
 * address and its secret are never shown. Throws `AdminError` for an invalid field, an unknown guard, and one that the configuration file declares.
 *
 * @param change in the form of a configuration's `guards`
 * @param checks as for `createGuard`
 */
export async function changeGuard(
  store: DirectoryStore,
  id: string,
  change: unknown,
  checks: WebhookRules | null = null,
): Promise<ChangedGuard> {
  return store.write(CATALOG_ONLY, (writer) => {
    const before = found(writer.read(), id);
    refuseDeclared('guard', before);
    const wanted = checkedGuard(withWebhook(withChange(guardFields(before), change, FIXED), before));
    const changed = differences(guardFields(before), guardFields(wanted));
    if (changed.length === 0) return { guard: before, changed };
    if (wanted.webhook?.url !== before.webhook?.url) refuseWebhook(wanted, checks);
    const guard: Guard = { ...wanted, createdAtMs: before.createdAtMs, origin: 'operator' };
    writer.putGuard(guard);
    return { guard, changed };
  });
}

function refuseWebhook({ webhook }: ConfiguredGuard, checks: WebhookRules | null): void {
  const problem = webhook === undefined || checks === null ? null : checks.problemOf(webhook.url);
  if (problem === null) return;
  const remedy =
    problem === 'https_required'
      ? 'use an https:// URL, or set alerts.allow_http'
      : 'must be a URL without a user name';
  throw new AdminError('invalid_value', 'webhook.url', remedy);
}

function withWebhook(wanted: Readonly<Record<string, unknown>>, before: Guard): Readonly<Record<string, unknown>> {
  const { webhook } = guardFields(before);
  return webhook === null || !isRecord(wanted.webhook)
    ? wanted
    : { ...wanted, webhook: { ...webhook, ...wanted.webhook } };
}

/**
 * Deletes a guard. Throws `AdminError` if a model, an account or a key in force names it, if the configuration file declares it, or if it does not
 * exist.
 */
export async function deleteGuard(store: DirectoryStore, id: string): Promise<void> {
  await store.write({ channelsOf: [], naming: id }, (writer) => {
    const rows = writer.read();
    refuseDeclared('guard', found(rows, id));
    const named = holdersOf(rows, id);
    if (named.length > 0) {
      const list = named.slice(0, MOST_NAMING).join(', ') + (named.length > MOST_NAMING ? ' and others' : '');
      throw new AdminError('conflict', 'guard', `"${id}" is still named by ${list}; remove it there first`);
    }
    writer.deleteGuard(id);
  });
}

function holdersOf({ models, accounts, credentials }: DirectoryRows, id: string): readonly string[] {
  const names = ({ guards = NO_GUARDS }: { readonly guards?: readonly string[] }) => guards.includes(id);
  return [
    ...models.filter(names).map((model) => `the model "${model.id}"`),
    ...accounts.filter(names).map((account) => `the account "${account.id}"`),
    ...credentials.filter(names).map((key) => `the key "${key.accountId}/${key.id}"`),
  ];
}

/** Throws `AdminError` for a guard that does not exist. */
export function refuseUnknownGuards(
  { guards = [] }: Pick<DirectoryRows, 'guards'>,
  { guards: named = NO_GUARDS }: { readonly guards?: readonly string[] },
): void {
  const missing = named.find((id) => !guards.some((guard) => guard.id === id));
  if (missing !== undefined) throw new AdminError('invalid_value', 'guards', `there is no guard "${missing}"`);
}

function found({ guards = [] }: Pick<DirectoryRows, 'guards'>, id: string): Guard {
  return guards.find((guard) => guard.id === id) ?? guardNotFound(id);
}

export function guardNotFound(id: string): never {
  throw new AdminError('not_found', 'guard', `there is no guard "${id.slice(0, 100)}"`);
}

function checkedGuard(input: unknown): ConfiguredGuard {
  return guardFrom(checkInput(guardSchema, ['guards', 0], input, guardProblems));
}
