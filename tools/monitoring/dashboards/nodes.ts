import { increase, of, quantile, rate, shared } from '../promql.ts';
import type { DashboardSource } from './dashboard.ts';
import { stat, table, timeseries } from './panels.ts';

const DAY_SECONDS = 86_400;
const BY_INSTANCE = '{{instance}}';
const UP = 'up{job=~"$job", instance=~"$instance"}';
const CPU = of('process_cpu_seconds_total');
const MEMORY = of('process_resident_memory_bytes');
const LAG = of('nodejs_eventloop_lag_p99_seconds');
const DESCRIPTORS = of('process_open_fds');
const COMMIT = of('switchyard_database_commit_duration_seconds_bucket');

const now = [
  stat({
    title: 'Gateways',
    description: 'Gateways whose metrics Prometheus can read.',
    unit: 'short',
    queries: [{ expr: `count(${UP} == 1)` }],
    alerts: ['SwitchyardNodeDown'],
    width: 3,
  }),
  stat({
    title: 'Processes on the database',
    description: 'Gateway processes that share the database. Each worker is one.',
    unit: 'short',
    queries: [{ expr: shared(of('switchyard_nodes')) }],
    width: 3,
  }),
  stat({
    title: 'Versions',
    description: 'Different versions of the gateway that run. More than one is normal only during an upgrade.',
    unit: 'short',
    limits: { orange: 2, red: 3 },
    queries: [{ expr: `count(count by (version, commit) (${of('switchyard_build_info')}))` }],
    alerts: ['SwitchyardMixedVersions'],
    width: 3,
  }),
  stat({
    title: 'Database',
    description: '1 if every gateway can write its database, else 0.',
    unit: 'short',
    limits: { orange: 1, red: 1 },
    queries: [{ expr: `min(${of('switchyard_database_up')})` }],
    alerts: ['SwitchyardDatabaseDown'],
    width: 3,
  }),
  stat({
    title: 'Redis',
    description: '1 if every gateway can use Redis, else 0. No data without Redis.',
    unit: 'short',
    limits: { orange: 1, red: 1 },
    queries: [{ expr: `min(${of('switchyard_redis_up')})` }],
    alerts: ['SwitchyardRedisDown'],
    width: 3,
  }),
  stat({
    title: 'Free disk space',
    description: 'The smallest share of free space on the file systems of the gateways.',
    unit: 'percentunit',
    limits: { orange: 0.2, red: 0.1 },
    queries: [{ expr: `min(${of('switchyard_disk_free_bytes')} / ${of('switchyard_disk_size_bytes')})` }],
    alerts: ['SwitchyardDiskFilling'],
    width: 3,
  }),
  stat({
    title: 'Dropped in an hour',
    description:
      'Items that were dropped from queues in the last hour: lines of the request log, captures, spans, log lines.',
    unit: 'short',
    decimals: 0,
    limits: { orange: 1, red: 100 },
    queries: [{ expr: `${increase(of('switchyard_queue_dropped_total'), '1h')} or vector(0)` }],
    alerts: ['SwitchyardQueueDrops'],
    width: 3,
  }),
  stat({
    title: 'Certificate',
    description: 'The time until the certificate of the public address expires. No data without an https address.',
    unit: 's',
    decimals: 0,
    limits: { orange: 14 * DAY_SECONDS, red: 3 * DAY_SECONDS },
    queries: [{ expr: `min(${of('switchyard_certificate_expiry_timestamp_seconds')}) - time()` }],
    alerts: ['SwitchyardCertificateExpires'],
    width: 3,
  }),
  table({
    title: 'Gateways',
    description: 'Each gateway as it is now.',
    alerts: ['SwitchyardNodeRestarts', 'SwitchyardNoGateway'],
    keys: { instance: 'Gateway' },
    columns: [
      {
        title: 'Up',
        unit: 'none',
        expr: `max by (instance) (${UP})`,
        meanings: { 0: { text: 'down', color: 'red' }, 1: { text: 'up', color: 'green' } },
      },
      {
        title: 'Running for',
        unit: 's',
        decimals: 0,
        expr: `time() - max by (instance) (${of('process_start_time_seconds')})`,
      },
      { title: 'Requests', unit: 'reqps', decimals: 2, expr: rate(of('switchyard_requests_total'), 'instance') },
      { title: 'CPU cores', unit: 'none', decimals: 2, expr: rate(CPU, 'instance') },
      { title: 'Memory', unit: 'bytes', decimals: 0, expr: `sum by (instance) (${MEMORY})` },
      {
        title: 'Of its memory',
        unit: 'percentunit',
        decimals: 0,
        expr: `sum by (instance) (${MEMORY}) / max by (instance) (${of('switchyard_memory_available_bytes')})`,
      },
      { title: 'Event loop, 99 %', unit: 's', decimals: 3, expr: `max by (instance) (${LAG})` },
    ],
  }),
];

const processes = [
  timeseries({
    title: 'CPU',
    description: 'Cores that each gateway uses. Above 1 per worker, threads besides the event loop work, too.',
    unit: 'short',
    queries: [{ expr: rate(CPU, 'instance'), legend: BY_INSTANCE }],
  }),
  timeseries({
    title: 'Memory',
    description: 'Resident memory of each gateway. docs/sizing.md says what to expect.',
    unit: 'bytes',
    queries: [{ expr: `sum by (instance) (${MEMORY})`, legend: BY_INSTANCE }],
    alerts: ['SwitchyardMemoryHigh'],
  }),
  timeseries({
    title: 'Event loop delay, 99 %',
    description: 'How long the event loop was blocked at most, for 99 % of its turns. Every request waits that long.',
    unit: 's',
    queries: [{ expr: `max by (instance) (${LAG})`, legend: BY_INSTANCE }],
    alerts: ['SwitchyardEventLoopBlocked'],
  }),
  timeseries({
    title: 'Open files',
    description: 'Open files and connections. At the limit, new connections fail.',
    unit: 'short',
    queries: [
      { expr: `max by (instance) (${DESCRIPTORS})`, legend: '{{instance}}' },
      { expr: `min(${of('process_max_fds')})`, legend: 'limit' },
    ],
    alerts: ['SwitchyardDescriptorsShort'],
  }),
  timeseries({
    title: 'Bounded memory',
    description:
      'Bytes that requests hold of each bounded memory, as a share of its bound. At 1, requests are refused.',
    unit: 'percentunit',
    queries: [
      {
        expr: `max by (part) (${of('switchyard_memory_held_bytes')} / (${of('switchyard_memory_limit_bytes')} > 0))`,
        legend: '{{part}}',
      },
    ],
    alerts: ['SwitchyardMemoryRefusals'],
  }),
  timeseries({
    title: 'Connections to upstreams',
    description: 'Pooled connections to upstreams over HTTP/1.1.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: `sum by (state) (${of('switchyard_upstream_connections')})`, legend: '{{state}}' }],
  }),
];

const queues = [
  timeseries({
    title: 'Queues',
    description: 'The items in each queue as a share of what it holds. A full queue drops items.',
    unit: 'percentunit',
    queries: [
      {
        expr: `max by (queue) (${of('switchyard_queue_length')} / (${of('switchyard_queue_capacity')} > 0))`,
        legend: '{{queue}}',
      },
    ],
    alerts: ['SwitchyardQueueDrops'],
  }),
  timeseries({
    title: 'Dropped and failed',
    description: 'Items per second that were dropped from queues, and failed attempts to write a batch.',
    unit: 'ops',
    queries: [
      { expr: rate(of('switchyard_queue_dropped_total'), 'queue'), legend: '{{queue}}: dropped' },
      { expr: rate(of('switchyard_queue_failed_writes_total'), 'queue'), legend: '{{queue}}: failed writes' },
    ],
    alerts: ['SwitchyardQueueDrops'],
  }),
  timeseries({
    title: 'Configuration lag',
    description: 'How long each gateway has been behind a configuration that another one has in force.',
    unit: 's',
    queries: [{ expr: `max by (instance) (${of('switchyard_configuration_lag_seconds')})`, legend: BY_INSTANCE }],
    alerts: ['SwitchyardConfigurationLag'],
  }),
];

const stores = [
  timeseries({
    title: 'Commits, 95 %',
    description: 'The time to write a batch of charges durably. Clients wait for it at the end of each response.',
    unit: 's',
    queries: [{ expr: quantile(0.95, COMMIT, 'instance'), legend: BY_INSTANCE }],
    alerts: ['SwitchyardChargesLate'],
  }),
  timeseries({
    title: 'Waiting for the database',
    description: 'Statements that wait for a connection or a thread of the database.',
    unit: 'short',
    queries: [{ expr: `sum by (pool) (${of('switchyard_database_pending_requests')})`, legend: '{{pool}}' }],
    alerts: ['SwitchyardDatabaseQueue'],
  }),
  timeseries({
    title: 'Connections to PostgreSQL',
    description: 'Connections in use by pool, and the most that each may have on one gateway.',
    unit: 'short',
    queries: [
      {
        expr: `sum by (instance, pool) (${of('switchyard_database_connections', 'state="used"')})`,
        legend: '{{instance}}: {{pool}}',
      },
    ],
    alerts: ['SwitchyardDatabaseQueue'],
  }),
  timeseries({
    title: 'Redis, 95 %',
    description: 'The time until Redis answers a command, by what it is used for.',
    unit: 's',
    queries: [
      { expr: quantile(0.95, of('switchyard_redis_command_duration_seconds_bucket'), 'use'), legend: '{{use}}' },
    ],
    alerts: ['SwitchyardRedisDown'],
  }),
  timeseries({
    title: 'Redis errors',
    description: 'Commands per second that failed or were not answered in time, by what Redis is used for.',
    unit: 'ops',
    queries: [{ expr: rate(of('switchyard_redis_errors_total'), 'use'), legend: '{{use}}' }],
    alerts: ['SwitchyardRedisDown'],
  }),
  timeseries({
    title: 'Free disk space',
    description: 'Free space on the file systems of the gateways.',
    unit: 'bytes',
    queries: [
      { expr: `min by (instance, folder) (${of('switchyard_disk_free_bytes')})`, legend: '{{instance}}: {{folder}}' },
    ],
    alerts: ['SwitchyardDiskFilling', 'SwitchyardDiskFull'],
  }),
];

const telemetry = [
  timeseries({
    title: 'Telemetry',
    description: 'Spans, log records and metric points per second for the OTLP collector, by what became of them.',
    unit: 'ops',
    queries: [
      { expr: rate(of('switchyard_telemetry_items_total'), 'signal', 'outcome'), legend: '{{signal}}: {{outcome}}' },
    ],
    alerts: ['SwitchyardTelemetryLost'],
  }),
  timeseries({
    title: 'Export lag of requests',
    description:
      'The age of the oldest finished request that an export has not written to its target (docs/analytics.md).',
    unit: 's',
    queries: [{ expr: shared(of('switchyard_export_lag_seconds'), 'export'), legend: '{{export}}' }],
    alerts: ['SwitchyardExportLag'],
  }),
  timeseries({
    title: 'Pending alert deliveries',
    description: 'Notifications of the gateway’s own alerts (docs/alerts.md) that wait for an attempt.',
    unit: 'short',
    queries: [{ expr: shared(of('switchyard_alert_deliveries_pending')), legend: 'pending' }],
    alerts: ['SwitchyardAlertsUndelivered'],
  }),
  timeseries({
    title: 'Overflowing metrics',
    description: 'Label sets per hour that were counted as `__overflow__`, because a metric had its maximum of series.',
    unit: 'short',
    queries: [
      {
        expr: `${increase(of('switchyard_metric_overflows_total'), '1h', 'metric')} or vector(0)`,
        legend: '{{metric}}',
      },
    ],
    alerts: ['SwitchyardMetricOverflow'],
  }),
];

export const nodes: DashboardSource = {
  name: 'nodes',
  title: 'Runtime and nodes',
  description:
    'The gateways themselves: processes, queues, databases, disks, and whether all have the same configuration.',
  rows: [
    { title: 'Now', panels: now },
    { title: 'Processes', panels: processes },
    { title: 'Queues and configuration', panels: queues },
    { title: 'Stores', panels: stores },
    { title: 'Telemetry and exports', panels: telemetry },
  ],
};
