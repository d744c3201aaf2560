import { type Alert, by } from './alert.ts';

/** Recognises gateways by what they reported within the last day, since the name of the job is the operator's choice. */
const WAS_A_GATEWAY = by('count', 'last_over_time(switchyard_build_info[1d])', 'instance');

export const NODE_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardNodeDown',
    page: 'nodes',
    severity: 'critical',
    for: '1m',
    expr: `up == 0 and on (namespace, job, instance) ${WAS_A_GATEWAY}`,
    summary: 'Prometheus cannot read the metrics of {{ $labels.instance }}.',
    description: 'The gateway does not run, is not reachable, or refuses the token for metrics.',
  },
  {
    name: 'SwitchyardNoGateway',
    page: 'nodes',
    severity: 'critical',
    for: '5m',
    expr: 'absent(switchyard_build_info)',
    summary: 'Prometheus reads the metrics of no gateway.',
    description: 'No gateway runs, or Prometheus does not find any.',
  },
  {
    name: 'SwitchyardNodeRestarts',
    page: 'nodes',
    severity: 'warning',
    expr: `${by('max', 'changes(process_start_time_seconds[30m]) and on (namespace, job, instance) switchyard_build_info', 'instance')} > 3`,
    summary: '{{ $labels.instance }} restarts again and again.',
    description: 'It started {{ $value }} times within 30 minutes.',
  },
  {
    name: 'SwitchyardMemoryHigh',
    page: 'nodes',
    severity: 'warning',
    for: '10m',
    expr: `${by('sum', 'process_resident_memory_bytes', 'instance')} / ${by('max', 'switchyard_memory_available_bytes', 'instance')} > 0.9`,
    summary: '{{ $labels.instance }} needs almost all of its memory.',
    description:
      'It uses {{ $value | humanizePercentage }} of the memory of its container or machine. At 100 % the kernel ends it.',
  },
  {
    name: 'SwitchyardMemoryRefusals',
    page: 'nodes',
    severity: 'warning',
    for: '5m',
    expr: `${by('sum', 'rate(switchyard_memory_refusals_total[5m])', 'instance', 'part')} > 0`,
    summary: '{{ $labels.instance }} refuses requests, because a bounded memory is used up ({{ $labels.part }}).',
    description: '{{ $value | humanize }} requests per second are refused.',
  },
  {
    name: 'SwitchyardEventLoopBlocked',
    page: 'nodes',
    severity: 'warning',
    for: '10m',
    expr: `${by('max', 'nodejs_eventloop_lag_p99_seconds and on (namespace, job, instance) switchyard_build_info', 'instance')} > 0.25`,
    summary: 'The event loop of {{ $labels.instance }} is blocked.',
    description:
      '1 % of its turns take longer than {{ $value | humanizeDuration }}. Every request and stream waits that long.',
  },
  {
    name: 'SwitchyardDescriptorsShort',
    page: 'nodes',
    severity: 'warning',
    for: '5m',
    expr: `${by('max', 'process_open_fds / process_max_fds and on (namespace, job, instance) switchyard_build_info', 'instance')} > 0.8`,
    summary: '{{ $labels.instance }} runs out of file descriptors.',
    description:
      '{{ $value | humanizePercentage }} of the allowed files and connections are open. At 100 % connections fail.',
  },
  {
    name: 'SwitchyardQueueDrops',
    page: 'nodes',
    severity: 'warning',
    expr: `${by('sum', 'increase(switchyard_queue_dropped_total[10m])', 'instance', 'queue')} > 0`,
    summary: '{{ $labels.instance }} dropped items of the queue {{ $labels.queue }}.',
    description:
      '{{ $value | humanize }} items of the last ten minutes are lost, because the queue was full or could not be written.',
  },
  {
    name: 'SwitchyardConfigurationLag',
    page: 'nodes',
    severity: 'warning',
    for: '2m',
    expr: `${by('max', 'switchyard_configuration_lag_seconds', 'instance')} > 30 or ${by('max', 'switchyard_configuration_age_seconds', 'instance')} > 120`,
    summary: '{{ $labels.instance }} serves with an old configuration.',
    description:
      'For {{ $value | humanizeDuration }} it has not taken over what another gateway or an operator changed.',
  },
  {
    name: 'SwitchyardMixedVersions',
    page: 'nodes',
    severity: 'warning',
    for: '1h',
    expr: `count by (namespace, job) (${by('count', 'switchyard_build_info', 'version', 'commit')}) > 1`,
    summary: 'Gateways of {{ $labels.job }} run different versions.',
    description: '{{ $value }} versions run for more than an hour, so an upgrade did not finish.',
  },
  {
    name: 'SwitchyardCertificateExpires',
    page: 'nodes',
    severity: 'warning',
    for: '1h',
    expr: `${by('min', 'switchyard_certificate_expiry_timestamp_seconds', 'host')} - time() < 14 * 86400`,
    summary: 'The certificate of {{ $labels.host }} expires soon.',
    description: 'It is valid for {{ $value | humanizeDuration }}. Clients then refuse to connect.',
  },
];
