import { type Alert, by } from './alert.ts';

const FIRST_BYTE = by('sum', 'rate(switchyard_request_first_byte_seconds_bucket[5m])', 'le');

export const REQUEST_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardNoChannelForModel',
    page: 'requests',
    severity: 'critical',
    for: '2m',
    expr: `${by('max', 'switchyard_model_channels_usable', 'model')} == 0`,
    summary: 'No channel can serve {{ $labels.model }}.',
    description:
      'Every channel with this model is blocked, or its circuit breaker is open. Requests for the model fail.',
  },
  {
    name: 'SwitchyardAllChannelsFailed',
    page: 'requests',
    severity: 'warning',
    for: '5m',
    expr: `${by('sum', 'rate(switchyard_requests_total{code="all_channels_failed"}[5m])', 'model')} > 0`,
    summary: 'Requests for {{ $labels.model }} fail, because no channel answers them.',
    description: '{{ $value | humanize }} requests per second end with `all_channels_failed`.',
  },
  {
    name: 'SwitchyardSlowFirstByte',
    page: 'requests',
    severity: 'warning',
    for: '15m',
    expr: `histogram_quantile(0.95, ${FIRST_BYTE}) > 15`,
    summary: 'Clients of {{ $labels.job }} wait long for the first byte.',
    description:
      '5 % of requests wait longer than {{ $value | humanizeDuration }} for the first byte of their response.',
  },
  {
    name: 'SwitchyardKeysRefused',
    page: 'requests',
    severity: 'warning',
    for: '5m',
    expr: `${by('sum', 'rate(switchyard_refused_keys_total[5m])')} > 10`,
    summary: 'Many requests of {{ $labels.job }} have no valid key.',
    description:
      '{{ $value | humanize }} requests per second are refused. Someone guesses keys, or a client still uses a revoked one.',
  },
];
