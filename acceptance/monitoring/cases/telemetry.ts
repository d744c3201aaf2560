import { type AlertCase, JOB, of } from '../alert-case.ts';

const items = (outcome: string) => of('switchyard_telemetry_items_total', { signal: 'traces', outcome });
const lag = of('switchyard_export_lag_seconds', { export: 's3' });
const interval = of('switchyard_export_interval_seconds', { export: 's3' });
const waiting = of('switchyard_alert_deliveries_oldest_seconds');
const overflows = of('switchyard_metric_overflows_total', { metric: 'switchyard_requests_total' });

export const TELEMETRY_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardTelemetryLost',
    when: 'spans are dropped for a quarter of an hour',
    series: { [items('exported')]: '0+50x40', [items('dropped')]: '0+5x40' },
    at: '30m',
    fires: [{ ...JOB, signal: 'traces' }],
  },
  {
    alert: 'SwitchyardTelemetryLost',
    when: 'the collector restarts',
    series: { [items('exported')]: '0+50x40', [items('failed')]: '0x10 20x30' },
    at: '30m',
    fires: [],
  },
  {
    alert: 'SwitchyardExportLag',
    when: 'nothing was exported for half an hour',
    series: { [lag]: '0+60x60', [interval]: '300x60' },
    at: '40m',
    fires: [{ ...JOB, export: 's3' }],
  },
  {
    alert: 'SwitchyardExportLag',
    when: 'files are written once an hour',
    series: { [lag]: '3600x60', [interval]: '3600x60' },
    at: '40m',
    fires: [],
  },
  {
    alert: 'SwitchyardAlertsUndelivered',
    when: 'a webhook does not respond for two hours',
    series: { [waiting]: '0+60x130' },
    at: '120m',
    fires: [JOB],
  },
  {
    alert: 'SwitchyardAlertsUndelivered',
    when: 'a delivery is retried',
    series: { [waiting]: '600x130' },
    at: '120m',
    fires: [],
  },
  {
    alert: 'SwitchyardMetricOverflow',
    when: 'there are too many models',
    series: { [overflows]: '_x5 3x5' },
    at: '8m',
    fires: [{ ...JOB, metric: 'switchyard_requests_total' }],
  },
  { alert: 'SwitchyardMetricOverflow', when: 'all fit', series: { [overflows]: '0x10' }, at: '8m', fires: [] },
];
