import type { Changed } from '../../ports/alert-store.ts';
import type { AuditOrigin, AuditWords, NewAuditEntry } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import { differences } from '../differences.ts';

/** Returns a function that makes the audit log entries for a change of a rule or a target, without secrets. */
export function auditOf<Thing>(
  kind: 'alert_rule' | 'alert_target',
  { origin, clock }: { readonly origin: AuditOrigin; readonly clock: Pick<Clock, 'nowMs'> },
  accountId: string | null,
  id: string,
  words: (thing: Thing) => AuditWords,
  verb?: string,
): (changed: Changed<Thing>) => readonly NewAuditEntry[] {
  return ({ before, after }) => {
    const [old, made] = [before && words(before), after && words(after)];
    const entry = { ...origin, atMs: clock.nowMs(), accountId, objectId: id };
    if (old === null && made === null) return [];
    if (old === null || made === null) {
      return [{ ...entry, action: `${kind}.${made === null ? 'delete' : 'create'}`, before: old, after: made }];
    }
    const changed = differences(old, made);
    if (changed.length === 0 && verb === undefined) return [];
    const pick = (all: AuditWords) => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
    return [{ ...entry, action: `${kind}.${verb ?? 'change'}`, before: pick(old), after: pick(made) }];
  };
}
