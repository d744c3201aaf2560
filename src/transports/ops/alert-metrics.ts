import type { AlertMetrics } from '../../engine/alerts/alert-ports.ts';
import type { AlertEventType, AlertFigures, AlertStore, AlertTarget } from '../../engine/ports/alert-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { LabelsOf, NameOf } from './catalogue/catalogue.ts';
import { CounterFamily, HistogramFamily, ReadFamily, sharedRead } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** Counts the alerts that this process has evaluated and sent. */
export class AlertCounters implements AlertMetrics {
  private readonly events: CounterFamily<'switchyard_alert_events_total'>;
  private readonly attempts: CounterFamily<'switchyard_alert_attempts_total'>;
  private readonly evaluations: HistogramFamily<'switchyard_alert_evaluation_duration_seconds'>;

  constructor(registry: MetricRegistry) {
    this.events = new CounterFamily(registry, 'switchyard_alert_events_total');
    this.attempts = new CounterFamily(registry, 'switchyard_alert_attempts_total');
    this.evaluations = new HistogramFamily(registry, 'switchyard_alert_evaluation_duration_seconds');
  }

  told(type: AlertEventType): void {
    this.events.labels({ type }).add(1);
  }

  attempted(kind: AlertTarget['kind'], outcome: 'delivered' | 'retried' | 'failed'): void {
    this.attempts.labels({ kind, outcome }).add(1);
  }

  evaluated(_rules: number, durationMs: number): void {
    this.evaluations.labels({}).observe(durationMs / 1_000);
  }
}

type AlertGauge = {
  [Name in NameOf<'gauge'>]: Name extends `switchyard_alert${string}` ? Name : never;
}[NameOf<'gauge'>];

/** Registers gauges for the alerts of all processes, read from the store at each scrape; none if the database is unreachable. */
export function openAlertMetrics(registry: MetricRegistry, alerts: Pick<AlertStore, 'figures'>, clock: Clock): void {
  const figures = sharedRead(() => alerts.figures());
  const open = <Name extends AlertGauge>(name: Name, value: (figures: AlertFigures) => number) => {
    const labels = {} as LabelsOf<Name>; // These gauges have no labels.
    new ReadFamily(registry, name, async () => [{ labels, value: value(await figures()) }]);
  };
  open('switchyard_alerts_raised', ({ raised }) => raised);
  open('switchyard_alert_deliveries_pending', ({ pendingDeliveries }) => pendingDeliveries);
  open('switchyard_alert_deliveries_oldest_seconds', ({ oldestPendingAtMs }) =>
    oldestPendingAtMs === null ? 0 : Math.max(0, (clock.nowMs() - oldestPendingAtMs) / 1_000),
  );
  open('switchyard_alert_targets_disabled', ({ disabledTargets }) => disabledTargets);
}
