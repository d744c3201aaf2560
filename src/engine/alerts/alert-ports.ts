import type { AlertEventType, AlertStore, AlertTarget } from '../ports/alert-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';
import type { HealthStore } from '../ports/health-store.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { UpstreamSpendingStore } from '../ports/upstream-spending-store.ts';
import type { UsageStore } from '../ports/usage-store.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';

export interface AlertMetrics {
  told(type: AlertEventType): void;
  attempted(kind: AlertTarget['kind'], outcome: 'delivered' | 'retried' | 'failed'): void;
  evaluated(rules: number, durationMs: number): void;
}

interface CommonPorts {
  readonly alerts: AlertStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: AlertMetrics;
  readonly newId: (prefix: string) => string;
}

/** Where the values that rules compare come from. */
export interface ReadingPorts {
  readonly directory: Pick<DirectoryStore, 'read' | 'accounts'>;
  readonly ledger: Pick<Ledger, 'balances' | 'spending' | 'budgetSpending'>;
  readonly usage: Pick<UsageStore, 'sum'>;
  readonly health: Pick<HealthStore, 'read'>;
  readonly upstreamSpending: Pick<UpstreamSpendingStore, 'read'>;
  readonly logger: Logger;
}

export interface EvaluatorPorts extends CommonPorts, ReadingPorts {
  /** The name of this process among those that share the store. */
  readonly holder: string;
}

export interface DelivererPorts extends CommonPorts {
  readonly sender: WebhookSender;
  /** `null` if no mail server is configured. */
  readonly mailer: Mailer | null;
  /** Resolves to the name of the service, for the subjects of emails. */
  readonly serviceName: () => Promise<string>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}
