import { type Alert, by } from './alert.ts';

const FREE = 'switchyard_disk_free_bytes';
/** Every process of a gateway reports the same disks. */
const FREE_SHARE = by('min', `${FREE} / switchyard_disk_size_bytes`, 'instance', 'folder');
const IN_A_DAY = by('min', `predict_linear(${FREE}[6h], 86400)`, 'instance', 'folder');

export const STORE_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardDatabaseDown',
    page: 'stores',
    severity: 'critical',
    for: '1m',
    expr: `${by('min', 'switchyard_database_up', 'instance', 'database')} == 0`,
    summary: '{{ $labels.instance }} cannot write its database.',
    description: 'Requests that would be charged are refused until {{ $labels.database }} responds again.',
  },
  {
    name: 'SwitchyardDatabaseQueue',
    page: 'stores',
    severity: 'warning',
    for: '5m',
    expr: `${by('max', 'min_over_time(switchyard_database_pending_requests[5m])', 'instance', 'pool')} > 20`,
    summary: 'Statements of {{ $labels.instance }} wait for the database.',
    description:
      'At least {{ $value }} statements have waited for a connection or thread of {{ $labels.pool }} for five minutes.',
  },
  {
    name: 'SwitchyardRedisDown',
    page: 'stores',
    severity: 'warning',
    for: '2m',
    expr: `${by('min', 'switchyard_redis_up', 'instance', 'use')} == 0`,
    summary: '{{ $labels.instance }} cannot use Redis for its {{ $labels.use }}.',
    description: 'Without Redis, limits hold per process, the cache is not shared, and conversation state is missing.',
  },
  {
    name: 'SwitchyardDiskFilling',
    page: 'stores',
    severity: 'warning',
    for: '30m',
    expr: `${FREE_SHARE} < 0.15 or (${FREE_SHARE} < 0.4 and ${IN_A_DAY} < 0)`,
    summary: 'The disk of {{ $labels.instance }} ({{ $labels.folder }}) fills up.',
    description:
      '{{ $value | humanizePercentage }} is free. At the speed of the last six hours it may be full within a day.',
  },
  {
    name: 'SwitchyardDiskFull',
    page: 'stores',
    severity: 'critical',
    for: '1m',
    expr: `${FREE_SHARE} < 0.03`,
    summary: 'The disk of {{ $labels.instance }} ({{ $labels.folder }}) is almost full.',
    description:
      '{{ $value | humanizePercentage }} is free. When it is full, nothing can be charged and requests are refused.',
  },
];
