import type { MetricSection } from './definition.ts';

/** Tasks take longer than requests. */
const TASK_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200] as const;
const EVALUATION_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60] as const;

export const TASKS = {
  title: 'Tasks and the media store',
  about:
    'See [tasks.md](tasks.md) and [media-store.md](media-store.md). If several nodes share a media store, each reports the whole store as of its last scan.',
  families: {
    switchyard_tasks_total: {
      type: 'counter',
      labels: ['kind', 'provider', 'outcome', 'code'],
      help: 'Finished tasks: `completed` or `failed`, with the error’s code.',
    },
    switchyard_task_duration_seconds: {
      type: 'histogram',
      labels: ['kind', 'provider', 'outcome'],
      bounds: TASK_SECONDS,
      help: 'Time from a task’s creation to its end.',
    },
    switchyard_batch_lines_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Lines of batches that this process has run: `succeeded` or `errored`.',
    },
    switchyard_task_polls_total: {
      type: 'counter',
      labels: ['provider', 'channel', 'outcome'],
      help: 'Polls of upstream jobs: `answered`, or the kind of the error.',
    },
    switchyard_tasks_open: {
      type: 'gauge',
      labels: ['kind', 'provider', 'stage'],
      help: 'Open tasks of all processes on the database, by stage: `created`, `submitting`, `submitted`, `closing`.',
    },
    switchyard_tasks_oldest_seconds: {
      type: 'gauge',
      labels: ['kind', 'provider', 'stage'],
      help: 'Age of the oldest open task.',
    },
    switchyard_media_stored_bytes: {
      type: 'gauge',
      labels: [],
      help: 'Size of stored files, in whole blocks of 4 KiB, including files being written.',
    },
    switchyard_media_stored_files: { type: 'gauge', labels: [], help: 'Number of stored files.' },
    switchyard_media_refused_total: {
      type: 'counter',
      labels: ['reason'],
      help: 'Files that could not be stored or read: `media_store_full`, `media_account_full`, `media_store_away` (the store is unavailable or not writable), `media_store_split` (nodes use different stores), `media_store_off`.',
    },
  },
} as const satisfies MetricSection;

export const ALERTS = {
  title: 'Alerts and mail',
  about: 'See [alerts.md](alerts.md). The gauges cover all processes on the database.',
  families: {
    switchyard_alert_events_total: {
      type: 'counter',
      labels: ['type'],
      help: 'Alerts that this process raised, repeated and resolved.',
    },
    switchyard_alert_attempts_total: {
      type: 'counter',
      labels: ['kind', 'outcome'],
      help: 'Delivery attempts by kind of target (`webhook`, `mail`): `delivered`, `retried` or `failed`.',
    },
    switchyard_alert_evaluation_duration_seconds: {
      type: 'histogram',
      labels: [],
      bounds: EVALUATION_SECONDS,
      help: 'Duration of one evaluation of all rules by this process.',
    },
    switchyard_alerts_raised: { type: 'gauge', labels: [], help: 'Active alerts.' },
    switchyard_alert_deliveries_pending: {
      type: 'gauge',
      labels: [],
      help: 'Deliveries that are pending or will be retried.',
    },
    switchyard_alert_deliveries_oldest_seconds: {
      type: 'gauge',
      labels: [],
      help: 'Age of the oldest pending delivery.',
    },
    switchyard_alert_targets_disabled: {
      type: 'gauge',
      labels: [],
      help: 'Webhooks and mail addresses that were disabled after failures.',
    },
    switchyard_mails_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Mails: `sent`, `failed`, or `refused` by the limits on mail.',
    },
  },
} as const satisfies MetricSection;
