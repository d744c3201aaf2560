import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import { subjectFrom } from '../../../domain/alerts/alert-state.ts';
import type { AlertEventBody } from '../../alerts/alert-event.ts';
import type { ReadingPorts } from '../../alerts/alert-ports.ts';
import type { AlertDeliverer } from '../../alerts/deliverer.ts';
import { type MeasuredAlert, measureRaised } from '../../alerts/measure-raised.ts';
import type { AlertDelivery, AlertStore, DeliveryPage, EventPage, StoredEvent } from '../../ports/alert-store.ts';
import { AdminError } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';
import type { AlertCall } from './alert-rules.ts';

/* Events and their deliveries. */

/** Returns the event as it was sent. */
export function alertEventView({ body, accountId }: StoredEvent) {
  // Only `alert-event.ts` writes bodies.
  return { ...(JSON.parse(body) as AlertEventBody), account: accountId };
}

export function alertDeliveryView(delivery: AlertDelivery) {
  return {
    object: 'alert_delivery' as const,
    id: delivery.id,
    account: delivery.accountId,
    event: delivery.eventId,
    event_type: delivery.eventType,
    webhook: delivery.targetId,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: timeOrNull(delivery.nextAttemptAtMs),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    last_attempt_at: timeOrNull(delivery.lastAttemptAtMs),
    last_duration_ms: delivery.lastDurationMs,
    created_at: isoTime(delivery.createdAtMs),
  };
}

/** Returns events, newest first. Throws `AdminError`. */
export async function listAlertEvents(
  alerts: AlertStore,
  request: PageRequest & Omit<EventPage, 'after' | 'limit'>,
): Promise<Page<StoredEvent>> {
  const { limit, after, filter } = newest(request);
  return pageOf(await alerts.events({ ...filter, after, limit: limit + 1 }), limit, sequenceOf);
}

/** Throws `AdminError`. */
export async function showAlertEvent(alerts: AlertStore, place: AlertPlace): Promise<StoredEvent> {
  const found = await alerts.event(place);
  if (found !== null) return found;
  throw new AdminError('not_found', 'alert_event', `there is no event "${place.id.slice(0, 100)}"`);
}

/** Returns deliveries, newest first. Throws `AdminError`. */
export async function listAlertDeliveries(
  alerts: AlertStore,
  request: PageRequest & Omit<DeliveryPage, 'after' | 'limit'>,
): Promise<Page<AlertDelivery>> {
  const { limit, after, filter } = newest(request);
  return pageOf(await alerts.deliveries({ ...filter, after, limit: limit + 1 }), limit, sequenceOf);
}

/** Throws `AdminError`. */
export async function showAlertDelivery(alerts: AlertStore, place: AlertPlace): Promise<AlertDelivery> {
  return (await alerts.delivery(place)) ?? missing(place.id);
}

/** Sends the same event once more. Throws `AdminError`. */
export async function redeliverAlert(call: AlertCall, place: AlertPlace): Promise<AlertDelivery> {
  const { alerts, clock, origin } = call;
  const before = await showAlertDelivery(alerts, place);
  const delivery = await alerts.redeliver(place, clock.nowMs(), (made) => {
    if (made === null) return [];
    const change = { action: 'alert_delivery.redeliver', accountId: place.accountId, objectId: place.id };
    return [
      { ...origin, atMs: clock.nowMs(), ...change, before: { state: before.state }, after: { state: made.state } },
    ];
  });
  if (delivery !== null) return delivery;
  throw new AdminError('conflict', 'alert_delivery', `its target "${before.targetId}" is disabled: enable it first`);
}

/** Sends a test at once; the delivery has its result. Throws `AdminError`. */
export async function testAlertTarget(
  alerts: AlertStore,
  deliverer: Pick<AlertDeliverer, 'test'>,
  place: AlertPlace,
): Promise<AlertDelivery> {
  const begun = await deliverer.test(place);
  if (begun === null)
    throw new AdminError('not_found', 'alert_webhook', `there is no target "${place.id.slice(0, 100)}"`);
  return await showAlertDelivery(alerts, { accountId: place.accountId, id: begun.id });
}

function newest<Request extends PageRequest>(request: Request) {
  const { limit: _limit, after: _after, ...filter } = request;
  const [sequence] = placeAfter(request, 1) ?? [];
  return { limit: limitOf(request), after: sequence === undefined ? null : Number(sequence), filter };
}

function sequenceOf({ sequence }: { readonly sequence: number }): readonly string[] {
  return [String(sequence)];
}

function missing(id: string): never {
  throw new AdminError('not_found', 'alert_delivery', `there is no delivery "${id.slice(0, 100)}"`);
}

interface ActiveAlertPorts extends ReadingPorts {
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
