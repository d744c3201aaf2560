import { increase, of, quantile, rate, share, shared } from '../promql.ts';
import type { DashboardSource } from './dashboard.ts';
import { stat, timeseries } from './panels.ts';

const FINISHED = 'switchyard_tasks_total';
const POLLS = 'switchyard_task_polls_total';
/** Every gateway reports the open tasks of all gateways on the database. */
const OPEN = shared(of('switchyard_tasks_open'), 'kind', 'provider', 'stage');
const OLDEST = of('switchyard_tasks_oldest_seconds');

const now = [
  stat({
    title: 'Open tasks',
    description: 'Tasks that have not finished, of all gateways on the database.',
    unit: 'short',
    queries: [{ expr: `sum(${OPEN}) or vector(0)` }],
    alerts: ['SwitchyardTaskBacklog'],
  }),
  stat({
    title: 'Oldest open task',
    description: 'The age of the oldest task that has not finished.',
    unit: 's',
    limits: { orange: 1_800, red: 7_200 },
    queries: [{ expr: `${shared(OLDEST)} or vector(0)` }],
    alerts: ['SwitchyardTaskBacklog'],
  }),
  stat({
    title: 'Finished in an hour',
    description: 'Tasks that finished in the last hour.',
    unit: 'short',
    decimals: 0,
    queries: [{ expr: increase(of(FINISHED), '1h') }],
  }),
  stat({
    title: 'Failed in an hour',
    description: 'The share of the tasks of the last hour that failed.',
    unit: 'percentunit',
    limits: { orange: 0.05, red: 0.2 },
    queries: [{ expr: share(increase(of(FINISHED, 'outcome="failed"'), '1h'), increase(of(FINISHED), '1h')) }],
  }),
  stat({
    title: 'Failed polls',
    description: 'The share of polls of upstream jobs that were not answered.',
    unit: 'percentunit',
    limits: { orange: 0.1, red: 0.5 },
    queries: [{ expr: share(rate(of(POLLS, 'outcome!="answered"')), rate(of(POLLS))) }],
    alerts: ['SwitchyardPollsFail'],
  }),
  stat({
    title: 'Media stored',
    description: 'The size of the files in the media store.',
    unit: 'bytes',
    queries: [{ expr: shared(of('switchyard_media_stored_bytes')) }],
    alerts: ['SwitchyardMediaRefused'],
  }),
];

const work = [
  timeseries({
    title: 'Open tasks by stage',
    description:
      '`created`: not sent yet. `submitting`: being sent. `submitted`: the upstream works on it. `closing`: finished, its charge is being written.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: `sum by (stage) (${OPEN})`, legend: '{{stage}}' }],
    alerts: ['SwitchyardTaskBacklog'],
  }),
  timeseries({
    title: 'Oldest open task by stage',
    description: 'A task in the stage `closing` for more than a few seconds means that the database is not writable.',
    unit: 's',
    queries: [{ expr: shared(OLDEST, 'stage'), legend: '{{stage}}' }],
    alerts: ['SwitchyardTasksNotSettled'],
  }),
  timeseries({
    title: 'Finished tasks',
    description: 'Tasks that finished per second, by kind and outcome.',
    unit: 'ops',
    queries: [{ expr: rate(of(FINISHED), 'kind', 'outcome'), legend: '{{kind}}: {{outcome}}' }],
  }),
  timeseries({
    title: 'Failed tasks by code',
    description: 'Tasks that failed per second, by provider and error code (docs/errors.md).',
    unit: 'ops',
    queries: [{ expr: rate(of(FINISHED, 'outcome="failed"'), 'provider', 'code'), legend: '{{provider}}: {{code}}' }],
  }),
  timeseries({
    title: 'Duration by kind, 95 %',
    description: 'From the creation of a task to its end.',
    unit: 's',
    queries: [{ expr: quantile(0.95, of('switchyard_task_duration_seconds_bucket'), 'kind'), legend: '{{kind}}' }],
  }),
  timeseries({
    title: 'Polls by outcome',
    description:
      'Questions to upstreams about the state of their jobs per second: `answered`, or the kind of the error.',
    unit: 'ops',
    queries: [{ expr: rate(of(POLLS), 'provider', 'outcome'), legend: '{{provider}}: {{outcome}}' }],
    alerts: ['SwitchyardPollsFail'],
  }),
];

const media = [
  timeseries({
    title: 'Media store',
    description: 'The size of the stored files. Files are deleted when they expire (docs/media-store.md).',
    unit: 'bytes',
    queries: [{ expr: shared(of('switchyard_media_stored_bytes')), legend: 'stored' }],
  }),
  timeseries({
    title: 'Refused files',
    description: 'Files per second that could not be stored or read, by reason.',
    unit: 'ops',
    queries: [{ expr: rate(of('switchyard_media_refused_total'), 'reason'), legend: '{{reason}}' }],
    alerts: ['SwitchyardMediaRefused'],
  }),
];

export const tasks: DashboardSource = {
  name: 'tasks',
  title: 'Tasks',
  description:
    'Asynchronous tasks (videos, music, 3D models, slow images): the backlog, durations, polls and the media store.',
  rows: [
    { title: 'Now', panels: now },
    { title: 'Tasks', panels: work },
    { title: 'Media', panels: media },
  ],
};
