import { type AlertCase, JOB, OTHER_NODE, of } from '../alert-case.ts';

const CHANNEL = { channel: 'c' };
const attempts = (outcome: string) => of('switchyard_attempts_total', { ...CHANNEL, outcome });
const failures = (kind: string) => of('switchyard_attempt_failures_total', { ...CHANNEL, kind });
const breaker = (model: string) => of('switchyard_channel_breaker_state', { ...CHANNEL, model });

export const CHANNEL_CASES: readonly AlertCase[] = [
  {
    alert: 'SwitchyardChannelBlocked',
    when: 'one of two gateways was refused',
    series: {
      [of('switchyard_channel_up', CHANNEL)]: '1 0x10',
      [of('switchyard_channel_up', CHANNEL, OTHER_NODE)]: '1x10',
      [of('switchyard_channel_up', { channel: 'd' })]: '1x10',
    },
    at: '5m',
    fires: [{ ...JOB, ...CHANNEL }],
  },
  {
    alert: 'SwitchyardChannelBlocked',
    when: 'the key was fixed within a minute',
    series: { [of('switchyard_channel_up', CHANNEL)]: '1 0 1x10' },
    at: '5m',
    fires: [],
  },
  {
    alert: 'SwitchyardBreakerOpen',
    when: 'a breaker alternates between open and half-open',
    series: { [breaker('m')]: '0 2 1 2 1 2 1 2 1', [breaker('n')]: '0x10' },
    at: '8m',
    fires: [{ ...JOB, ...CHANNEL, model: 'm' }],
  },
  {
    alert: 'SwitchyardBreakerOpen',
    when: 'a breaker closes again',
    series: { [breaker('m')]: '0 2 1 0 2 1 0 2 1' },
    at: '8m',
    fires: [],
  },
  {
    alert: 'SwitchyardAttemptsFail',
    when: 'a fifth of the attempts fail',
    series: { [attempts('answered')]: '0+80x20', [attempts('failed')]: '0+20x20', [attempts('abandoned')]: '0+900x20' },
    at: '15m',
    fires: [{ ...JOB, ...CHANNEL }],
  },
  {
    alert: 'SwitchyardAttemptsFail',
    when: 'clients leave, and 5 % of the attempts fail',
    series: { [attempts('answered')]: '0+95x20', [attempts('failed')]: '0+5x20', [attempts('abandoned')]: '0+900x20' },
    at: '15m',
    fires: [],
  },
  {
    alert: 'SwitchyardUpstreamBalanceEmpty',
    when: 'the provider says for the first time that the budget is used up',
    series: { [failures('upstream_quota')]: '_x5 1x5' },
    at: '8m',
    fires: [{ ...JOB, ...CHANNEL }],
  },
  {
    alert: 'SwitchyardUpstreamBalanceEmpty',
    when: 'the provider says so again a day later',
    series: { [failures('upstream_quota')]: '1x1440 2x5' },
    at: '1443m',
    fires: [{ ...JOB, ...CHANNEL }],
  },
  {
    alert: 'SwitchyardUpstreamBalanceEmpty',
    when: 'attempts fail for other reasons, and the budget was refilled an hour ago',
    series: { [failures('http_503')]: '0+9x90', [failures('upstream_quota')]: '0 5x90' },
    at: '60m',
    fires: [],
  },
  {
    alert: 'SwitchyardUpstreamCertificateRefused',
    when: 'a TLS handshake fails',
    series: { [failures('tls_certificate_expired')]: '_x5 2x5' },
    at: '8m',
    fires: [{ ...JOB, ...CHANNEL }],
  },
  {
    alert: 'SwitchyardUpstreamCertificateRefused',
    when: 'connections are refused',
    series: { [failures('connect_refused')]: '0+2x10' },
    at: '8m',
    fires: [],
  },
];
