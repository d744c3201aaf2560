import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertStore, AlertTarget } from '../../ports/alert-store.ts';
import type { AuditOrigin } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConfiguredAlerts } from '../configuration/configuration.ts';
import { sameValue } from '../differences.ts';
import { LARGEST_PAGE } from '../page.ts';
import { alertRuleFields } from '../schema/alert.ts';
import { auditOf } from './alert-rules.ts';
import { alertTargetFields, SECRET_GRACE_MS } from './alert-targets.ts';

export interface AppliedAlerts {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
}

interface ApplyPorts {
  readonly alerts: AlertStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly origin: AuditOrigin;
}

/**
 * Applies a file to the operators' rules and webhooks. Objects of an earlier file that this one does not name are removed; objects that
 * operators made stay, unless the file names the same id.
 */
export async function applyAlerts(ports: ApplyPorts, { targets, rules }: ConfiguredAlerts): Promise<AppliedAlerts> {
  const { alerts } = ports;
  const applied = { created: [] as string[], updated: [] as string[], removed: [] as string[] };
  const all = { accountId: null, after: null, limit: LARGEST_PAGE };
  const note = (label: string, before: unknown) => (before === null ? applied.created : applied.updated).push(label);
  for (const target of targets) {
    const known = await alerts.target(target);
    if (known !== null && sameValue(known, targetAfter(known, target, known.updatedAtMs))) continue;
    note(`alert webhook ${target.id}`, known);
    const decide = (before: AlertTarget | null) => targetAfter(before, target, ports.clock.nowMs());
    const audit = auditOf('alert_target', ports, null, target.id, alertTargetFields, 'change');
    await alerts.changeTarget(target, decide, audit);
  }
  for (const rule of rules) {
    const known = await alerts.rule(rule);
    if (known !== null && sameValue(known, ruleAfter(known, rule, known.updatedAtMs))) continue;
    note(`alert rule ${rule.id}`, known);
    const decide = (before: AlertRule | null) => ruleAfter(before, rule, ports.clock.nowMs());
    await alerts.changeRule(rule, decide, auditOf('alert_rule', ports, null, rule.id, alertRuleFields));
  }
  const named = (list: readonly { readonly id: string }[]) => new Set(list.map(({ id }) => id));
  for (const rule of await alerts.rules(all)) {
    if (rule.origin !== 'config' || named(rules).has(rule.id)) continue;
    applied.removed.push(`alert rule ${rule.id}`);
    await alerts.changeRule(rule, () => null, auditOf('alert_rule', ports, null, rule.id, alertRuleFields));
  }
  for (const target of await alerts.targets(all)) {
    if (target.origin !== 'config' || named(targets).has(target.id)) continue;
    applied.removed.push(`alert webhook ${target.id}`);
    await alerts.changeTarget(target, () => null, auditOf('alert_target', ports, null, target.id, alertTargetFields));
  }
  return applied;
}

/** Returns the new target. A new secret in the file is a rotation; a disabled target is tried again when its address changes. */
function targetAfter(before: AlertTarget | null, target: AlertTarget, nowMs: number): AlertTarget {
  if (before === null) return { ...target, createdAtMs: nowMs, updatedAtMs: nowMs };
  const isRotated = before.secret !== null && target.secret !== null && before.secret !== target.secret;
  const previous =
    before.secret !== null && isRotated ? { secret: before.secret, untilMs: nowMs + SECRET_GRACE_MS } : null;
  const { failingSinceMs, disabled } = before.address === target.address ? before : target;
  return {
    ...target,
    ...{ failingSinceMs, disabled },
    previousSecret: previous ?? before.previousSecret,
    createdAtMs: before.createdAtMs,
    updatedAtMs: nowMs,
  };
}

function ruleAfter(before: AlertRule | null, rule: AlertRule, nowMs: number): AlertRule {
  return { ...rule, createdAtMs: before?.createdAtMs ?? nowMs, updatedAtMs: nowMs };
}
