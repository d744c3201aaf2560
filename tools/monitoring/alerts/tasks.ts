import { type Alert, by } from './alert.ts';

const OLDEST = 'switchyard_tasks_oldest_seconds';
const POLLS = 'switchyard_task_polls_total';
const oldest = (stage: string) => by('max', `${OLDEST}{stage=~"${stage}"}`, 'kind', 'provider', 'stage');

export const TASK_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardTaskBacklog',
    page: 'tasks',
    severity: 'warning',
    for: '5m',
    expr: `${oldest('created|submitting')} > 300 or ${oldest('submitted')} > 7200`,
    summary: 'Tasks of the kind {{ $labels.kind }} wait in the stage {{ $labels.stage }}.',
    description: 'The oldest is {{ $value | humanizeDuration }} old (provider {{ $labels.provider }}).',
  },
  {
    name: 'SwitchyardTasksNotSettled',
    page: 'tasks',
    severity: 'critical',
    expr: `${by('max', `${OLDEST}{stage="closing"}`, 'kind')} > 300`,
    summary: 'Finished tasks of the kind {{ $labels.kind }} cannot be charged.',
    description: 'The oldest has waited for {{ $value | humanizeDuration }}, because the database is not writable.',
  },
  {
    name: 'SwitchyardPollsFail',
    page: 'tasks',
    severity: 'warning',
    for: '5m',
    expr: `${by('sum', `rate(${POLLS}{outcome!="answered"}[10m])`, 'provider')} / ${by('sum', `rate(${POLLS}[10m])`, 'provider')} > 0.5`,
    summary: 'Provider {{ $labels.provider }} does not report the state of its jobs.',
    description: '{{ $value | humanizePercentage }} of the polls fail. The tasks wait.',
  },
  {
    name: 'SwitchyardMediaRefused',
    page: 'tasks',
    severity: 'warning',
    expr: `${by('sum', 'increase(switchyard_media_refused_total{reason!="media_account_full"}[10m])', 'reason')} > 0`,
    summary: 'The media store of {{ $labels.job }} does not take files ({{ $labels.reason }}).',
    description: 'Responses contain bytes instead of links, or fail.',
  },
];

export const CACHE_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardUnsafeCachedResponse',
    page: 'cache',
    severity: 'warning',
    expr: `${by('sum', 'increase(switchyard_cache_reports_total{type="unsafe"}[10m])')} > 0`,
    summary: 'A client reported an unsafe cached response.',
    description: 'Other clients may get the same response, until it is invalidated.',
  },
];
