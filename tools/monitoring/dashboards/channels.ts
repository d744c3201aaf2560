import { increase, of, quantile, rate, share } from '../promql.ts';
import { CHANNEL, type DashboardSource } from './dashboard.ts';
import { type Meaning, stat, states, table, timeseries } from './panels.ts';

const OF_CHANNEL = 'channel=~"$channel"';
const ATTEMPTS = of('switchyard_attempts_total', OF_CHANNEL);
const FAILED = of('switchyard_attempts_total', OF_CHANNEL, 'outcome="failed"');
const JUDGED = of('switchyard_attempts_total', OF_CHANNEL, 'outcome!="abandoned"');
const UP = of('switchyard_channel_up', OF_CHANNEL);
const BREAKER = of('switchyard_channel_breaker_state', OF_CHANNEL);
const IN_FLIGHT = of('switchyard_channel_in_flight', OF_CHANNEL);
const FIRST_BYTE = of('switchyard_attempt_first_byte_seconds_bucket', OF_CHANNEL);

const USABLE: Readonly<Record<string, Meaning>> = {
  0: { text: 'blocked', color: 'red' },
  1: { text: 'usable', color: 'green' },
};
const BREAKER_STATES: Readonly<Record<string, Meaning>> = {
  0: { text: 'closed', color: 'green' },
  1: { text: 'half-open', color: 'orange' },
  2: { text: 'open', color: 'red' },
};

const now = [
  stat({
    title: 'Blocked channels',
    description:
      'Channels whose provider refuses their credentials. They are not tried again until someone fixes the key.',
    unit: 'short',
    limits: { orange: 1, red: 1 },
    queries: [{ expr: `count(min by (channel) (${UP}) == 0) or vector(0)` }],
    alerts: ['SwitchyardChannelBlocked'],
  }),
  stat({
    title: 'Open breakers',
    description: 'Models of channels that get no requests, because recent attempts failed.',
    unit: 'short',
    limits: { orange: 1, red: 3 },
    queries: [{ expr: `count(max by (channel, model) (${BREAKER}) == 2) or vector(0)` }],
    alerts: ['SwitchyardBreakerOpen'],
  }),
  stat({
    title: 'Attempts',
    description: 'Attempts at channels per second. A request can take several.',
    unit: 'reqps',
    queries: [{ expr: rate(ATTEMPTS) }],
  }),
  stat({
    title: 'Failed attempts',
    description: 'The share of attempts that failed, whether or not another channel then answered.',
    unit: 'percentunit',
    limits: { orange: 0.02, red: 0.1 },
    queries: [{ expr: share(rate(FAILED), rate(JUDGED)) }],
    alerts: ['SwitchyardAttemptsFail'],
  }),
  stat({
    title: 'In flight',
    description: 'Attempts in flight, including streams.',
    unit: 'short',
    queries: [{ expr: `sum(${IN_FLIGHT})` }],
  }),
  stat({
    title: 'First byte, 95 %',
    description: 'From sending the request to an upstream to the first byte of content.',
    unit: 's',
    limits: { orange: 5, red: 15 },
    queries: [{ expr: quantile(0.95, FIRST_BYTE) }],
  }),
  table({
    title: 'Channels',
    description: 'Each channel as it is now. The worst state of all gateways and models is shown.',
    keys: { channel: 'Channel' },
    columns: [
      { title: 'Usable', unit: 'none', expr: `min by (channel) (${UP})`, meanings: USABLE },
      { title: 'Breaker', unit: 'none', expr: `max by (channel) (${BREAKER})`, meanings: BREAKER_STATES },
      { title: 'In flight', unit: 'short', expr: `sum by (channel) (${IN_FLIGHT})` },
      { title: 'Attempts', unit: 'reqps', decimals: 2, expr: rate(ATTEMPTS, 'channel') },
      {
        title: 'Failed',
        unit: 'percentunit',
        decimals: 1,
        expr: share(rate(FAILED, 'channel'), rate(JUDGED, 'channel')),
      },
      { title: 'First byte, 95 %', unit: 's', decimals: 2, expr: quantile(0.95, FIRST_BYTE, 'channel') },
    ],
  }),
];

const attempts = [
  timeseries({
    title: 'Attempts by channel',
    description: 'Finished attempts per second.',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: rate(ATTEMPTS, 'channel'), legend: '{{channel}}' }],
  }),
  timeseries({
    title: 'Failed attempts by channel',
    description:
      'The share of attempts that failed. Attempts that the gateway ended, for example because the client left, are not counted.',
    unit: 'percentunit',
    queries: [{ expr: share(rate(FAILED, 'channel'), rate(JUDGED, 'channel')), legend: '{{channel}}' }],
    alerts: ['SwitchyardAttemptsFail'],
  }),
  timeseries({
    title: 'Failures by kind',
    description:
      'Failed attempts per second by kind, as in the request log: `http_503`, `upstream_auth`, `connect_timeout` …',
    unit: 'reqps',
    queries: [
      {
        expr: rate(of('switchyard_attempt_failures_total', OF_CHANNEL), 'channel', 'kind'),
        legend: '{{channel}}: {{kind}}',
      },
    ],
    alerts: ['SwitchyardAttemptsFail', 'SwitchyardUpstreamBalanceEmpty', 'SwitchyardUpstreamCertificateRefused'],
  }),
  timeseries({
    title: 'Attempts by outcome',
    description: '`answered`, `failed`, or `abandoned` by the gateway, for example because the client disconnected.',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: rate(ATTEMPTS, 'outcome'), legend: '{{outcome}}' }],
  }),
  timeseries({
    title: 'First byte by channel, 95 %',
    description:
      'From sending the request to an upstream to the first byte of content. Attempts without content are not counted.',
    unit: 's',
    queries: [{ expr: quantile(0.95, FIRST_BYTE, 'channel'), legend: '{{channel}}' }],
  }),
  timeseries({
    title: 'Duration of attempts by provider, 95 %',
    description:
      'The duration of attempts at each provider, as OpenTelemetry’s conventions define it (`gen_ai.client.operation.duration`).',
    unit: 's',
    hasExemplars: true,
    queries: [
      {
        expr: quantile(0.95, of('gen_ai_client_operation_duration_seconds_bucket'), 'gen_ai_provider_name'),
        legend: '{{gen_ai_provider_name}}',
      },
    ],
  }),
  timeseries({
    title: 'In flight by channel',
    description: 'Attempts in flight, including streams.',
    unit: 'short',
    queries: [{ expr: `sum by (channel) (${IN_FLIGHT})`, legend: '{{channel}}' }],
  }),
];

const health = [
  states({
    title: 'Circuit breakers',
    description: 'The state of each channel’s breaker for each upstream model, on the gateway where it is worst.',
    unit: 'none',
    meanings: BREAKER_STATES,
    queries: [{ expr: `max by (channel, model) (${BREAKER})`, legend: '{{channel}}: {{model}}' }],
    alerts: ['SwitchyardBreakerOpen'],
  }),
  timeseries({
    title: 'Usable channels by model',
    description:
      'Shared channels that serve each public model and are neither blocked nor in cooldown. At 0, requests for it fail.',
    unit: 'short',
    decimals: 0,
    queries: [{ expr: `max by (model) (${of('switchyard_model_channels_usable')})`, legend: '{{model}}' }],
    alerts: ['SwitchyardNoChannelForModel'],
  }),
  timeseries({
    title: 'Openings of breakers',
    description: 'How often circuit breakers opened per hour, by channel.',
    unit: 'short',
    queries: [
      {
        expr: increase(of('switchyard_channel_breaker_transitions_total', OF_CHANNEL, 'state="open"'), '1h', 'channel'),
        legend: '{{channel}}',
      },
    ],
    alerts: ['SwitchyardBreakerOpen'],
  }),
  states({
    title: 'Credentials',
    description: 'Whether the provider of each channel accepts its credentials.',
    unit: 'none',
    meanings: USABLE,
    queries: [{ expr: `min by (channel) (${UP})`, legend: '{{channel}}' }],
    alerts: ['SwitchyardChannelBlocked'],
  }),
];

export const channels: DashboardSource = {
  name: 'channels',
  title: 'Channels',
  description: 'How the upstreams do: attempts, failures and their kinds, latency, circuit breakers and credentials.',
  variables: [CHANNEL],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Attempts', panels: attempts },
    { title: 'Health', panels: health },
  ],
};
