import { LARGEST_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { canonicalEmail } from '../../../domain/access/user.ts';
import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import { newWebhookSecret } from '../../alerts/sign-webhook.ts';
import type { AlertStore, AlertTarget } from '../../ports/alert-store.ts';
import type { PeopleStore } from '../../ports/people-store.ts';
import type { WebhookSender } from '../../ports/webhook-sender.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import { etagOf, refuseStale } from '../audit/object-states.ts';
import { limitOf, type Page, type PageRequest, pageOf } from '../page.ts';
import { refuseBeyond } from '../quotas/limited-directory.ts';
import { newAlertTargetSchema, targetFrom, targetProblems, type WrittenTarget } from '../schema/alert.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { checkStoredAddress } from '../stored-address.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';
import { type AlertCall, auditOf, pageStart, placeTexts } from './alert-rules.ts';

export interface TargetCall extends AlertCall {
  readonly sender: Pick<WebhookSender, 'problemOf' | 'check'>;
  readonly hasMailer: boolean;
  readonly people: Pick<PeopleStore, 'userByEmail'>;
  /** Whether the caller is an operator. Others may send mail only to people of the account. */
  readonly isOperator: boolean;
}

/** How long webhooks are also signed with the previous secret. */
export const SECRET_GRACE_MS = 86_400_000;

/** Returns the changeable members of a target, with previews of its secrets: the path of a URL may be a credential. */
export function alertTargetFields(target: AlertTarget) {
  const { id, name, enabled, kind, address, disabled } = target;
  return {
    id,
    name,
    enabled,
    type: kind,
    url_preview: kind === 'webhook' ? urlPreview(address) : null,
    mail: kind === 'mail' ? address : null,
    disabled_at: timeOrNull(disabled?.atMs ?? null),
  };
}

export function alertTargetView(target: AlertTarget, nowMs: number) {
  const { previousSecret } = target;
  const isGraced = previousSecret !== null && previousSecret.untilMs > nowMs;
  return {
    object: 'alert_webhook' as const,
    account: target.accountId,
    ...alertTargetFields(target),
    disabled_reason: target.disabled?.reason ?? null,
    failing_since: timeOrNull(target.failingSinceMs),
    previous_secret_until: isGraced ? isoTime(previousSecret.untilMs) : null,
    managed_by: managedBy(target.origin),
    created_at: isoTime(target.createdAtMs),
    updated_at: isoTime(target.updatedAtMs),
  };
}

export function alertTargetEtag(target: AlertTarget): string {
  return etagOf({ ...alertTargetFields(target), address: target.address, secret: target.secret });
}

/** @param accountId `null` for the operators' targets; absent for all */
export async function listAlertTargets(
  alerts: AlertStore,
  { accountId, ...request }: PageRequest & { readonly accountId?: string | null | undefined },
): Promise<Page<AlertTarget>> {
  const limit = limitOf(request);
  const page = { after: pageStart(request), limit: limit + 1, ...(accountId === undefined ? {} : { accountId }) };
  return pageOf(await alerts.targets(page), limit, placeTexts);
}

/** Throws `AdminError`. */
export async function showAlertTarget(alerts: AlertStore, place: AlertPlace): Promise<AlertTarget> {
  return (await alerts.target(place)) ?? missing(place.id);
}

export interface StoredTarget {
  readonly target: AlertTarget;
  /** Why deliveries to it will fail at present; `null` if nothing is known against its address. */
  readonly warning: string | null;
}

/** Makes a target. Only the result has the secret of a webhook. Throws `AdminError`. */
export async function createAlertTarget(
  call: TargetCall,
  accountId: string | null,
  input: unknown,
): Promise<StoredTarget> {
  const written = readTarget(input);
  const warning = await checkAddress(call, accountId, written);
  const id = written.id ?? call.newId('hook_');
  const secret = written.url == null ? null : newWebhookSecret();
  const target = targetFrom(accountId, { ...written, secret }, { id, origin: 'operator', nowMs: call.clock.nowMs() });
  await call.alerts.changeTarget(
    target,
    (before, others) => {
      if (before !== null) throw new AdminError('already_exists', 'id', `the target "${id}" already exists`);
      refuseBeyond(call.quotas ?? LARGEST_QUOTAS, 'alertWebhooks', others + 1);
      return target;
    },
    auditOf('alert_target', call, accountId, id, alertTargetFields),
  );
  return { target, warning };
}

/** Changes a target. A disabled target is used again after it is changed or enabled. Throws `AdminError`. */
export async function changeAlertTarget(call: TargetCall, place: AlertPlace, input: unknown): Promise<StoredTarget> {
  const decide = (before: AlertTarget): AlertTarget => {
    const { id, name, enabled, kind, address, secret } = before;
    const fields = { id, name, enabled, ...(kind === 'mail' ? { mail: address } : { url: address }) };
    const fixed = { id: 'create a new one instead', [kind === 'mail' ? 'url' : 'mail']: 'create a new target instead' };
    const written = readTarget(withChange(fields, input, fixed));
    const nowMs = call.clock.nowMs();
    const made = targetFrom(place.accountId, { ...written, secret }, { id, origin: before.origin, nowMs });
    return { ...made, previousSecret: before.previousSecret, createdAtMs: before.createdAtMs };
  };
  const known = await showAlertTarget(call.alerts, place);
  const { kind, address } = decide(known);
  const isSame = address === known.address;
  const written = kind === 'mail' ? { mail: address } : { url: address };
  const warning = isSame ? null : await checkAddress(call, place.accountId, written);
  return { target: await change(call, place, decide, 'change'), warning };
}

/** Replaces the secret; webhooks are also signed with the previous one for a day. Throws `AdminError`. */
export async function rotateTargetSecret(call: AlertCall, place: AlertPlace): Promise<AlertTarget> {
  const secret = newWebhookSecret();
  return await change(
    call,
    place,
    (before) => {
      if (before.secret === null) throw new AdminError('conflict', 'alert_webhook', 'email targets have no secret');
      const nowMs = call.clock.nowMs();
      const previousSecret = { secret: before.secret, untilMs: nowMs + SECRET_GRACE_MS };
      return { ...before, secret, previousSecret, updatedAtMs: nowMs };
    },
    'rotate',
  );
}

/** Throws `AdminError`. */
export async function deleteAlertTarget(call: AlertCall, place: AlertPlace): Promise<void> {
  await change(call, place, () => null, 'delete');
}

async function change(
  call: AlertCall,
  place: AlertPlace,
  decide: (before: AlertTarget) => AlertTarget | null,
  verb: 'change' | 'rotate' | 'delete',
): Promise<AlertTarget> {
  const { before, after } = await call.alerts.changeTarget(
    place,
    (known) => {
      if (known === null) return missing(place.id);
      refuseDeclared('alert_webhook', known);
      refuseStale(call.ifMatch, () => alertTargetEtag(known), `the target "${place.id}"`);
      return decide(known);
    },
    // Two addresses may look alike in the audited fields.
    auditOf('alert_target', call, place.accountId, place.id, alertTargetFields, verb),
  );
  return after ?? before ?? missing(place.id);
}

function readTarget(input: unknown): WrittenTarget {
  return checkInput(newAlertTargetSchema, ['alerts', 'webhooks'], input, targetProblems);
}

const REMEDY = 'To allow it, add its range to alerts.allowed_ranges in the configuration file';

/** Resolves to a warning, or `null`. Throws `AdminError` for an address that gets no deliveries. */
async function checkAddress(
  call: TargetCall,
  accountId: string | null,
  { url, mail }: Pick<WrittenTarget, 'url' | 'mail'>,
): Promise<string | null> {
  if (url != null) return await checkUrl(call, url);
  if (mail != null) await refuseMail(call, accountId, mail);
  return null;
}

async function checkUrl({ sender, isOperator }: TargetCall, url: string): Promise<string | null> {
  const problem = sender.problemOf(url);
  if (problem === 'https_required') {
    throw new AdminError('invalid_value', 'url', 'use an https:// URL');
  }
  if (problem !== null) throw new AdminError('invalid_value', 'url', 'is not a valid URL');
  const warning = await checkStoredAddress(sender, {
    ...{ url, field: 'url', isOperator },
    ...{ remedy: REMEDY, mustResolve: false },
  });
  return warning === null ? null : `${warning} Alerts cannot be delivered until it does.`;
}

async function refuseMail(
  { hasMailer, people, isOperator }: TargetCall,
  accountId: string | null,
  mail: string,
): Promise<void> {
  if (!hasMailer) throw new AdminError('conflict', 'mail', 'this gateway has no mail server: use a webhook');
  if (isOperator || accountId === null) return;
  const user = await people.userByEmail(canonicalEmail(mail));
  // An unverified address may be a stranger's, who would get mail from anyone that names it.
  if (user?.emailVerified && user.memberships.some((one) => one.accountId === accountId)) return;
  throw new AdminError('invalid_value', 'mail', 'must be the verified email address of a member of the account');
}

/** Returns the host, and the last characters of the path and query. */
export function urlPreview(text: string): string {
  const url = URL.parse(text);
  if (url === null) return '';
  const rest = `${url.pathname}${url.search}`;
  return rest.length <= 1 ? url.origin : `${url.origin}/…${rest.length > 12 ? rest.slice(-4) : ''}`;
}

function missing(id: string): never {
  throw new AdminError('not_found', 'alert_webhook', `there is no target "${id.slice(0, 100)}"`);
}
