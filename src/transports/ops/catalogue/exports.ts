import type { MetricSection } from './definition.ts';

/** The metrics of exports of the request log. */
export const EXPORTS = {
  title: 'Exports of the request log',
  about: 'See [analytics.md](analytics.md). The gauges cover all processes on the database.',
  families: {
    switchyard_export_lines_total: {
      type: 'counter',
      labels: ['export'],
      help: 'Lines of the request log that this process has exported.',
    },
    switchyard_export_skipped_lines_total: {
      type: 'counter',
      labels: ['export'],
      help: 'Lines that were left out, since a value cannot be exported.',
    },
    switchyard_export_failures_total: {
      type: 'counter',
      labels: ['export'],
      help: 'Failed attempts to export a batch; each is retried.',
    },
    switchyard_export_lag_lines: { type: 'gauge', labels: ['export'], help: 'Lines that are not exported yet.' },
    switchyard_export_lag_seconds: {
      type: 'gauge',
      labels: ['export'],
      help: 'Time since the arrival of the oldest request that is not exported yet; 0 if there is none.',
    },
    switchyard_export_interval_seconds: {
      type: 'gauge',
      labels: ['export'],
      help: 'How long lines may wait for others before they are sent (`interval_seconds`).',
    },
  },
} as const satisfies MetricSection;
