import { subjectFrom } from '../../../domain/alerts/alert-subject.ts';
import type { ReadingPorts } from '../../alerts/alert-ports.ts';
import { type MeasuredAlert, measureRaised } from '../../alerts/measure-raised.ts';
import type { AlertStore } from '../../ports/alert-store.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime } from '../schema/iso-time.ts';

export interface ActiveAlertPorts extends ReadingPorts {
  readonly alerts: Pick<AlertStore, 'raised'>;
}

/**
 * Returns the raised alerts with their current values. Throws `AdminError` for an invalid page.
 *
 * @param accountId `null` for the operators' rules; absent for all
 */
export async function listActiveAlerts(
  ports: ActiveAlertPorts,
  nowMs: number,
  { accountId, ...request }: PageRequest & { readonly accountId?: string | null | undefined },
): Promise<Page<MeasuredAlert>> {
  const limit = limitOf(request);
  const [owner, id = '', subject = ''] = placeAfter(request, 3) ?? [];
  const after = owner === undefined ? null : { rule: { accountId: owner || null, id }, subject };
  const rows = await ports.alerts.raised({
    after,
    limit: limit + 1,
    ...(accountId === undefined ? {} : { accountId }),
  });
  const page = pageOf(rows, limit, ({ state }) => [state.rule.accountId ?? '', state.rule.id, state.subject]);
  return { ...page, items: await measureRaised(ports, page.items, nowMs) };
}

export function activeAlertView({ rule, state, measured }: MeasuredAlert) {
  const { kind, id, accountId } = subjectFrom(state.subject);
  return {
    object: 'active_alert' as const,
    account: rule.accountId,
    rule: { id: rule.id, name: rule.name, type: rule.condition.kind },
    subject: { type: kind, id, account_id: accountId },
    since: isoTime(state.sinceMs),
    told_at: isoTime(state.toldAtMs),
    value: measured?.value ?? null,
    threshold: measured?.threshold ?? null,
    unit: measured?.unit ?? null,
    message: measured?.detail ?? null,
  };
}
