import { increase, of, quantile, rate, share } from '../promql.ts';
import type { DashboardSource } from './dashboard.ts';
import { stat, timeseries } from './panels.ts';

const REQUESTS = 'switchyard_requests_total';
const FAILED = of(REQUESTS, 'status=~"5.."');
const FIRST_BYTE = of('switchyard_request_first_byte_seconds_bucket');
const DURATION = of('switchyard_request_duration_seconds_bucket');

const summary = [
  stat({
    title: 'Requests',
    description: 'Finished requests of clients per second, including those answered from the cache.',
    unit: 'reqps',
    queries: [{ expr: rate(of(REQUESTS)) }],
    width: 3,
  }),
  stat({
    title: 'Failed',
    description: 'The share of requests that ended with a status of 500 or more. Normal is below 0.1 %.',
    unit: 'percentunit',
    limits: { orange: 0.001, red: 0.01 },
    queries: [{ expr: share(rate(FAILED), rate(of(REQUESTS))) }],
    width: 3,
    alerts: ['SwitchyardErrorBudgetBurnFast'],
  }),
  stat({
    title: 'First byte, 95 %',
    description:
      'The time from the arrival of a request to the first byte of its response, which 95 % of requests do not exceed.',
    unit: 's',
    limits: { orange: 5, red: 15 },
    alerts: ['SwitchyardSlowFirstByte'],
    queries: [{ expr: quantile(0.95, FIRST_BYTE) }],
    width: 3,
  }),
  stat({
    title: 'In flight',
    description: 'Requests and streams that are being answered.',
    unit: 'short',
    queries: [{ expr: `sum(${of('switchyard_requests_in_flight')})` }],
    width: 3,
  }),
  stat({
    title: 'Tokens',
    description: 'Tokens per second that upstreams reported, of all kinds.',
    unit: 'short',
    queries: [{ expr: rate(of('switchyard_tokens_total')) }],
    width: 3,
  }),
  stat({
    title: 'Charged in an hour',
    description: 'The amount charged for the requests of the last hour.',
    unit: 'currencyUSD',
    decimals: 2,
    queries: [{ expr: increase(of('switchyard_charged_usd_total'), '1h') }],
    width: 3,
  }),
  stat({
    title: 'Gateways',
    description: 'Gateways whose metrics Prometheus can read.',
    unit: 'short',
    queries: [{ expr: 'count(up{job=~"$job", instance=~"$instance"} == 1)' }],
    width: 3,
    alerts: ['SwitchyardNodeDown', 'SwitchyardNoGateway'],
  }),
  stat({
    title: 'Firing alerts',
    description: 'Alerts of deploy/prometheus that are firing, if Prometheus has these rules.',
    unit: 'short',
    limits: { orange: 1, red: 5 },
    queries: [{ expr: 'count(ALERTS{alertname=~"Switchyard.*", alertstate="firing"}) or vector(0)' }],
    width: 3,
  }),
];

const requests = [
  timeseries({
    title: 'Requests by status',
    description: 'Finished requests per second by HTTP status. 499 means that the client closed the connection.',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: rate(of(REQUESTS), 'status'), legend: '{{status}}' }],
  }),
  timeseries({
    title: 'Errors by code',
    description: 'Requests per second that ended with an error, by the code that the client saw (docs/errors.md).',
    unit: 'reqps',
    queries: [{ expr: rate(of(REQUESTS, 'code!=""'), 'code'), legend: '{{code}}' }],
    alerts: ['SwitchyardNoChannelForModel', 'SwitchyardAllChannelsFailed'],
  }),
  timeseries({
    title: 'Requests by model',
    description: 'The ten most requested models.',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: `topk(10, ${rate(of(REQUESTS, 'model=~"$model"'), 'model')})`, legend: '{{model}}' }],
  }),
  timeseries({
    title: 'Failed requests by model',
    description: 'The share of requests for each model that ended with a status of 500 or more.',
    unit: 'percentunit',
    queries: [
      {
        expr: share(
          rate(of(REQUESTS, 'model=~"$model"', 'model!=""', 'status=~"5.."'), 'model'),
          rate(of(REQUESTS, 'model=~"$model"', 'model!=""'), 'model'),
        ),
        legend: '{{model}}',
      },
    ],
    alerts: ['SwitchyardNoChannelForModel'],
  }),
];

const latency = [
  timeseries({
    title: 'First byte',
    description: 'The time from the arrival of a request to the first byte of its response, without cached responses.',
    unit: 's',
    hasExemplars: true,
    alerts: ['SwitchyardSlowFirstByte'],
    queries: [0.5, 0.95, 0.99].map((part) => ({ expr: quantile(part, FIRST_BYTE), legend: `${part * 100} %` })),
  }),
  timeseries({
    title: 'Whole response',
    description:
      'The time from the arrival of a request to the end of its response, without cached responses. Long answers take long.',
    unit: 's',
    hasExemplars: true,
    queries: [0.5, 0.95, 0.99].map((part) => ({ expr: quantile(part, DURATION), legend: `${part * 100} %` })),
  }),
  timeseries({
    title: 'First byte by format, 95 %',
    description: 'The same by the format of the client and whether it asked for a stream.',
    unit: 's',
    hasExemplars: true,
    queries: [{ expr: quantile(0.95, FIRST_BYTE, 'format', 'stream'), legend: '{{format}}, stream {{stream}}' }],
  }),
  timeseries({
    title: 'Time per output token by model, 95 %',
    description: 'The time per output token after the first, of streamed responses. It shows how fast text appears.',
    unit: 's',
    queries: [
      {
        expr: quantile(
          0.95,
          of('gen_ai_server_time_per_output_token_seconds_bucket', 'gen_ai_request_model=~"$model"'),
          'gen_ai_request_model',
        ),
        legend: '{{gen_ai_request_model}}',
      },
    ],
  }),
  timeseries({
    title: 'Refused by a limit',
    description: 'Requests per second that a limit refused, by limit (docs/limits.md).',
    unit: 'reqps',
    queries: [{ expr: rate(of('switchyard_rate_limit_refusals_total'), 'limit'), legend: '{{limit}}' }],
  }),
  timeseries({
    title: 'Open WebSockets',
    description: 'Open WebSockets of clients, by kind.',
    unit: 'short',
    queries: [{ expr: `sum by (kind) (${of('switchyard_websockets_open')})`, legend: '{{kind}}' }],
  }),
  timeseries({
    title: 'In flight',
    description: 'Requests and streams that are being answered, by gateway.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: `sum by (instance) (${of('switchyard_requests_in_flight')})`, legend: '{{instance}}' }],
  }),
];

const budget = [
  timeseries({
    title: 'Speed at which the error budget is spent',
    description:
      'The share of failed requests divided by the share that the objective of 99.9 % allows: at 1 the budget of 30 days lasts 30 days, at 14.4 it is spent in two days. Needs the recording rules of deploy/prometheus.',
    unit: 'short',
    queries: ['1h', '6h', '3d'].map((window) => ({
      expr: `max(switchyard:request_failures:ratio_rate${window}{job=~"$job"}) / 0.001`,
      legend: `over ${window}`,
    })),
    alerts: ['SwitchyardErrorBudgetBurnFast', 'SwitchyardErrorBudgetBurnSlow'],
  }),
  timeseries({
    title: 'Refused keys',
    description: 'Requests per second without a valid key: refused, or throttled after many from the same address.',
    unit: 'reqps',
    queries: [{ expr: rate(of('switchyard_refused_keys_total'), 'outcome'), legend: '{{outcome}}' }],
    alerts: ['SwitchyardKeysRefused'],
  }),
];

export const overview: DashboardSource = {
  name: 'overview',
  title: 'Overview',
  description: 'Whether clients are served: requests, failures, latency and the error budget.',
  variables: [{ name: 'model', label: 'Model', metric: REQUESTS }],
  rows: [
    { title: 'Now', panels: summary },
    { title: 'Requests', panels: requests },
    { title: 'Latency', panels: latency },
    { title: 'Objective and access', panels: budget },
  ],
};
