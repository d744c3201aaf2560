import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import type { AlertDeliverer } from '../../../engine/alerts/deliverer.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { WebhookSender } from '../../../engine/ports/webhook-sender.ts';
import { type ManagementCall, paramOf } from '../route.ts';

export interface AlertRoutesOptions {
  readonly store: Pick<Store, 'alerts' | 'people' | 'directory' | 'ledger' | 'usage' | 'health' | 'upstreamSpending'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly sender: Pick<WebhookSender, 'problemOf' | 'check'>;
  readonly deliverer: Pick<AlertDeliverer, 'look' | 'test'>;
  readonly hasMailer: boolean;
  /** Called after a rule was created or changed. */
  readonly evaluateSoon: () => void;
  readonly newId: (prefix: string) => string;
}

export const ALERTS_TAG = 'Alerts';
export const READ_ALERTS = { who: 'account', role: 'viewer', scope: 'alerts:read', orAll: true } as const;
export const WRITE_ALERTS = { who: 'account', role: 'owner', scope: 'alerts:write', orAll: true } as const;

/** Returns the place of the object that the path names. An operator who names no account means the operators' own. */
export function placeOf(call: ManagementCall): AlertPlace {
  return { accountId: call.accountId, id: paramOf(call, 'id') };
}

export function callOf({ origin, ifMatch }: ManagementCall, { store, clock, newId }: AlertRoutesOptions) {
  return { alerts: store.alerts, clock, newId, origin, ifMatch, quotas: null };
}
