import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import type { AlertDelivery, AlertStore } from '../../ports/alert-store.ts';
import type { NameSource } from '../names.ts';
import { namedPage } from '../names.ts';
import type { Page } from '../page.ts';
import { alertDeliveryView } from './alert-records.ts';

/** Identifies a rule or a target: ids are unique per owner only. */
export function targetKey({ accountId, id }: AlertPlace): string {
  return JSON.stringify([accountId, id]);
}

/** Resolves to a page of deliveries as JSON, with the names of their accounts and targets. */
export async function namedDeliveries(
  { alerts, directory }: { readonly alerts: Pick<AlertStore, 'target'>; readonly directory: NameSource },
  page: Page<AlertDelivery>,
) {
  const places = new Map(
    page.items.map(({ accountId, targetId: id }) => [targetKey({ accountId, id }), { accountId, id }]),
  );
  const found = await Promise.all([...places.values()].map((place) => alerts.target(place)));
  const names = new Map(found.flatMap((one) => (one === null ? [] : [[targetKey(one), one.name] as const])));
  const view = (delivery: AlertDelivery) => {
    const { accountId, targetId: id } = delivery;
    return { ...alertDeliveryView(delivery), webhook_name: names.get(targetKey({ accountId, id })) ?? null };
  };
  return namedPage(directory, page, view);
}
