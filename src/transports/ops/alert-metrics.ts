import { Gauge, type Registry } from 'prom-client';
import type { AlertMetrics } from '../../engine/alerts/alert-ports.ts';
import type { AlertEventType, AlertFigures, AlertStore, AlertTarget } from '../../engine/ports/alert-store.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { CounterFamily, HistogramFamily } from './fast-metrics.ts';

/** Bucket bounds in seconds. */
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60];

/** Counts the alerts that this process has evaluated and sent. */
export class AlertCounters implements AlertMetrics {
  private readonly events: CounterFamily;
  private readonly attempts: CounterFamily;
  private readonly evaluations: HistogramFamily;

  constructor(registry: Registry) {
    this.events = new CounterFamily(
      registry,
      'switchyard_alert_events_total',
      'Alerts that this process raised, repeated and resolved.',
    );
    this.attempts = new CounterFamily(
      registry,
      'switchyard_alert_attempts_total',
      'Delivery attempts of alerts, by target kind and outcome: delivered, retried or failed.',
    );
    this.evaluations = new HistogramFamily(
      registry,
      'switchyard_alert_evaluation_duration_seconds',
      'Duration of an evaluation of all alert rules by this process.',
      DURATIONS,
    );
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

/** Registers gauges for the alerts of all processes, read from the store at each scrape. */
export function openAlertMetrics(registry: Registry, alerts: Pick<AlertStore, 'figures'>, clock: Clock): void {
  const open = (name: string, help: string, value: (figures: AlertFigures) => number) => {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        try {
          gauge.set(value(await alerts.figures()));
        } catch {
          // An unreachable database must not make the other metrics unavailable.
          gauge.reset();
        }
      },
    });
  };
  open('switchyard_alerts_raised', 'Active alerts.', ({ raised }) => raised);
  open(
    'switchyard_alert_deliveries_pending',
    'Alert deliveries that are waiting for an attempt.',
    ({ pendingDeliveries }) => pendingDeliveries,
  );
  open(
    'switchyard_alert_deliveries_oldest_seconds',
    'Age of the oldest waiting alert delivery.',
    ({ oldestPendingAtMs }) =>
      oldestPendingAtMs === null ? 0 : Math.max(0, (clock.nowMs() - oldestPendingAtMs) / 1_000),
  );
  open(
    'switchyard_alert_targets_disabled',
    'Alert targets that were disabled after failed deliveries.',
    ({ disabledTargets }) => disabledTargets,
  );
}
