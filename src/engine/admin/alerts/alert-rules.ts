import { LARGEST_QUOTAS, type ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import type { AlertPlace, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertStore, Changed } from '../../ports/alert-store.ts';
import type { AuditFields, AuditOrigin, NewAuditEntry } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import { etagOf, refuseStale } from '../audit/object-states.ts';
import { differences } from '../differences.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { refuseBeyond } from '../quotas/limited-directory.ts';
import {
  alertRuleFields,
  alertRuleSchema,
  conditionsOf,
  ruleFrom,
  ruleProblems,
  type WrittenRule,
} from '../schema/alert.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { isoTime, managedBy } from '../view-fields.ts';

/** Returns a function that makes the audit log entries for a change of a rule or a target, without secrets. */
export function auditOf<Thing>(
  kind: 'alert_rule' | 'alert_target',
  { origin, clock }: { readonly origin: AuditOrigin; readonly clock: Pick<Clock, 'nowMs'> },
  accountId: string | null,
  id: string,
  fieldsOf: (thing: Thing) => AuditFields,
  verb?: string,
): (changed: Changed<Thing>) => readonly NewAuditEntry[] {
  return ({ before, after }) => {
    const [old, made] = [before && fieldsOf(before), after && fieldsOf(after)];
    const entry = { ...origin, atMs: clock.nowMs(), accountId, objectId: id };
    if (old === null && made === null) return [];
    if (old === null || made === null) {
      return [{ ...entry, action: `${kind}.${made === null ? 'delete' : 'create'}`, before: old, after: made }];
    }
    const changed = differences(old, made);
    if (changed.length === 0 && verb === undefined) return [];
    const pick = (all: AuditFields) => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
    return [{ ...entry, action: `${kind}.${verb ?? 'change'}`, before: pick(old), after: pick(made) }];
  };
}

/** The context of a change of alerts: the caller, and the state that the caller has seen. */
export interface AlertCall {
  readonly alerts: AlertStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly origin: AuditOrigin;
  /** The value of `If-Match`. */
  readonly ifMatch?: string | undefined;
  readonly newId: (prefix: string) => string;
  /** The quotas of the account; `null` for a caller without quotas. */
  readonly quotas: ObjectQuotas | null;
}

export function alertRuleView(rule: AlertRule) {
  return {
    object: 'alert_rule' as const,
    account: rule.accountId,
    type: rule.condition.kind,
    ...alertRuleFields(rule),
    managed_by: managedBy(rule.origin),
    created_at: isoTime(rule.createdAtMs),
    updated_at: isoTime(rule.updatedAtMs),
  };
}

export function alertRuleEtag(rule: AlertRule): string {
  return etagOf(alertRuleFields(rule));
}

/** @param accountId `null` for the operators' rules; absent for all */
export async function listAlertRules(
  alerts: AlertStore,
  { accountId, ...request }: PageRequest & { readonly accountId?: string | null | undefined },
): Promise<Page<AlertRule>> {
  const limit = limitOf(request);
  const page = { after: pageStart(request), limit: limit + 1, ...(accountId === undefined ? {} : { accountId }) };
  return pageOf(await alerts.rules(page), limit, placeTexts);
}

export function pageStart(request: PageRequest): AlertPlace | null {
  const [owner, id = ''] = placeAfter(request, 2) ?? [];
  return owner === undefined ? null : { accountId: owner || null, id };
}

export function placeTexts({ accountId, id }: AlertPlace): readonly string[] {
  return [accountId ?? '', id];
}

/** Throws `AdminError`. */
export async function showAlertRule(alerts: AlertStore, place: AlertPlace): Promise<AlertRule> {
  return (await alerts.rule(place)) ?? missing(place.id);
}

/** Throws `AdminError`. */
export async function createAlertRule(call: AlertCall, accountId: string | null, input: unknown): Promise<AlertRule> {
  const written = readRule(accountId, input);
  const nowMs = call.clock.nowMs();
  const rule = ruleFrom(accountId, written, { id: written.id ?? call.newId('rule_'), origin: 'operator', nowMs });
  await refuseUnknownTargets(call.alerts, rule);
  const { after } = await call.alerts.changeRule(
    rule,
    (before, others) => {
      if (before !== null) throw new AdminError('already_exists', 'id', `the alert rule "${rule.id}" already exists`);
      refuseBeyond(call.quotas ?? LARGEST_QUOTAS, 'alertRules', others + 1);
      return rule;
    },
    auditOf('alert_rule', call, accountId, rule.id, alertRuleFields),
  );
  return after ?? rule;
}

/** Changes the given members; another condition replaces the existing one. Throws `AdminError`. */
export async function changeAlertRule(call: AlertCall, place: AlertPlace, input: unknown): Promise<AlertRule> {
  const decide = (before: AlertRule): AlertRule => {
    const fields = alertRuleFields(before);
    const given = typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
    const kept = conditionsOf(given).length === 0 ? fields : { ...fields, [before.condition.kind]: undefined };
    const written = readRule(place.accountId, withChange(kept, input, { id: 'create a new rule instead' }));
    const { id, origin, createdAtMs } = before;
    return { ...ruleFrom(place.accountId, written, { id, origin, nowMs: call.clock.nowMs() }), createdAtMs };
  };
  const known = decide(await showAlertRule(call.alerts, place));
  await refuseUnknownTargets(call.alerts, known);
  const { after } = await call.alerts.changeRule(
    place,
    (before) => {
      if (before === null) return missing(place.id);
      refuseDeclared('alert_rule', before);
      refuseStale(call.ifMatch, () => alertRuleEtag(before), `the alert rule "${place.id}"`);
      return decide(before);
    },
    auditOf('alert_rule', call, place.accountId, place.id, alertRuleFields),
  );
  return after ?? missing(place.id);
}

/** Throws `AdminError`. */
export async function deleteAlertRule(call: AlertCall, place: AlertPlace): Promise<void> {
  await call.alerts.changeRule(
    place,
    (before) => {
      if (before === null) return missing(place.id);
      refuseDeclared('alert_rule', before);
      refuseStale(call.ifMatch, () => alertRuleEtag(before), `the alert rule "${place.id}"`);
      return null;
    },
    auditOf('alert_rule', call, place.accountId, place.id, alertRuleFields),
  );
}

async function refuseUnknownTargets(alerts: AlertStore, { accountId, targets }: AlertRule): Promise<void> {
  for (const id of targets ?? []) {
    if ((await alerts.target({ accountId, id })) === null) {
      throw new AdminError('invalid_value', 'targets', `there is no target "${id}"`);
    }
  }
}

function readRule(accountId: string | null, input: unknown): WrittenRule {
  const written = checkInput(alertRuleSchema, ['alerts', 'rules'], input, (value) => ruleProblems(value, accountId));
  return written;
}

function missing(id: string): never {
  throw new AdminError('not_found', 'alert_rule', `there is no alert rule "${id.slice(0, 100)}"`);
}
