import type { Alert, RunbookPage } from './alert.ts';
import { CHANNEL_ALERTS } from './channels.ts';
import { MONEY_ALERTS } from './money.ts';
import { NODE_ALERTS } from './nodes.ts';
import { OBJECTIVE_ALERTS } from './objective.ts';
import { REQUEST_ALERTS } from './requests.ts';
import { STORE_ALERTS } from './stores.ts';
import { CACHE_ALERTS, TASK_ALERTS } from './tasks.ts';
import { TELEMETRY_ALERTS } from './telemetry.ts';

/** All alerts, grouped by the page of their runbook. */
export const ALERTS: readonly Alert[] = [
  ...OBJECTIVE_ALERTS,
  ...REQUEST_ALERTS,
  ...CHANNEL_ALERTS,
  ...MONEY_ALERTS,
  ...TASK_ALERTS,
  ...CACHE_ALERTS,
  ...STORE_ALERTS,
  ...NODE_ALERTS,
  ...TELEMETRY_ALERTS,
];

const BY_NAME = new Map(ALERTS.map((alert) => [alert.name, alert]));

/** Throws if there is no such alert. */
export function alertNamed(name: string): Alert {
  const alert = BY_NAME.get(name);
  if (alert === undefined) throw new Error(`there is no alert ${name}`);
  return alert;
}

/** Returns the alerts by page, in the order of the list. */
export function pagesOf(alerts: readonly Alert[]): readonly (readonly [RunbookPage, readonly Alert[]])[] {
  return [...Map.groupBy(alerts, ({ page }) => page)];
}
