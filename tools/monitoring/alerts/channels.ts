import { type Alert, by, grown } from './alert.ts';

const FAILED = by('sum', 'rate(switchyard_attempts_total{outcome="failed"}[5m])', 'channel');
const JUDGED = by('sum', 'rate(switchyard_attempts_total{outcome!="abandoned"}[5m])', 'channel');

export const CHANNEL_ALERTS: readonly Alert[] = [
  {
    name: 'SwitchyardChannelBlocked',
    page: 'channels',
    severity: 'warning',
    for: '1m',
    expr: `${by('min', 'switchyard_channel_up', 'channel')} == 0`,
    summary: 'The provider refuses the credentials of channel {{ $labels.channel }}.',
    description: 'The channel is not tried again until someone fixes its key.',
  },
  {
    name: 'SwitchyardBreakerOpen',
    page: 'channels',
    severity: 'warning',
    expr: `${by('max', 'min_over_time(switchyard_channel_breaker_state[5m])', 'channel', 'model')} > 0`,
    summary: '{{ $labels.model }} of channel {{ $labels.channel }} has not recovered for five minutes.',
    description:
      'Its circuit breaker is open or tests the upstream, so requests go to other channels, if there are any.',
  },
  {
    name: 'SwitchyardAttemptsFail',
    page: 'channels',
    severity: 'warning',
    for: '5m',
    expr: `${FAILED} / ${JUDGED} > 0.1`,
    summary: 'More than 10 % of the attempts at channel {{ $labels.channel }} fail.',
    description:
      '{{ $value | humanizePercentage }} of the attempts fail, even if other channels then answer the clients.',
  },
  {
    name: 'SwitchyardUpstreamBalanceEmpty',
    page: 'channels',
    severity: 'warning',
    expr: grown('switchyard_attempt_failures_total{kind="upstream_quota"}', '15m', 'channel'),
    summary: 'The provider’s account of channel {{ $labels.channel }} has no credit left.',
    description: 'The provider refused attempts, because the balance of the key is used up or its budget is reached.',
  },
  {
    name: 'SwitchyardUpstreamCertificateRefused',
    page: 'channels',
    severity: 'warning',
    expr: grown('switchyard_attempt_failures_total{kind=~"tls.*"}', '15m', 'channel'),
    summary: 'The gateway does not accept the certificate of channel {{ $labels.channel }}.',
    description: 'Connections to the upstream fail at the TLS handshake.',
  },
];
