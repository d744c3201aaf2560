import { type Alert, by, grown } from './alert.ts';

export const TELEMETRY_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardTelemetryLost',
    page: 'telemetry',
    severity: 'warning',
    for: '15m',
    expr: `${by('sum', 'rate(switchyard_telemetry_items_total{outcome!="exported"}[5m])', 'signal')} > 0`,
    summary: 'The OTLP collector does not get all {{ $labels.signal }} of {{ $labels.job }}.',
    description: '{{ $value | humanize }} items per second are dropped or cannot be exported.',
  },
  {
    name: 'SwitchyardExportLag',
    page: 'telemetry',
    severity: 'warning',
    for: '10m',
    expr: `${by('max', 'switchyard_export_lag_seconds - switchyard_export_interval_seconds', 'export')} > 900`,
    summary: 'The export of requests {{ $labels.export }} is late.',
    description:
      'The oldest request has waited for {{ $value | humanizeDuration }} longer than the interval of the export.',
  },
  {
    name: 'SwitchyardAlertsUndelivered',
    page: 'telemetry',
    severity: 'warning',
    expr: `${by('max', 'switchyard_alert_deliveries_oldest_seconds')} > 3600`,
    summary: 'Alerts to accounts and operators are not delivered.',
    description: 'The oldest notification of the gateway’s own alerts has waited for {{ $value | humanizeDuration }}.',
  },
  {
    name: 'SwitchyardMetricOverflow',
    page: 'telemetry',
    severity: 'warning',
    expr: grown('switchyard_metric_overflows_total', '1h', 'metric'),
    summary: 'The metric {{ $labels.metric }} has reached its maximum of series.',
    description: 'Further label values are counted as `__overflow__`.',
  },
];
