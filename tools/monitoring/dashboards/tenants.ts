import { increase, of, rate, share } from '../promql.ts';
import type { DashboardSource } from './dashboard.ts';
import { stat, table, timeseries } from './panels.ts';

const CHOSEN = 'account=~"$account"';
const REQUESTS = of('switchyard_account_requests_total', CHOSEN);
const FAILED = of('switchyard_account_requests_total', CHOSEN, 'outcome="failed"');
const TOKENS = of('switchyard_account_tokens_total', CHOSEN);
const CHARGED = of('switchyard_account_charged_usd_total', CHOSEN);

const now = [
  stat({
    title: 'Accounts with requests',
    description: 'Accounts that sent requests in the last hour.',
    unit: 'short',
    queries: [{ expr: `count(${increase(REQUESTS, '1h', 'account')} > 0) or vector(0)` }],
    width: 6,
  }),
  stat({
    title: 'Requests',
    description: 'Finished requests of these accounts per second.',
    unit: 'reqps',
    queries: [{ expr: rate(REQUESTS) }],
    width: 6,
  }),
  stat({
    title: 'Failed',
    description: 'The share of requests that ended with an error, including errors of the clients.',
    unit: 'percentunit',
    queries: [{ expr: share(rate(FAILED), rate(REQUESTS)) }],
    width: 6,
  }),
  stat({
    title: 'Charged in an hour',
    description: 'The amount charged to these accounts in the last hour.',
    unit: 'currencyUSD',
    decimals: 2,
    queries: [{ expr: increase(CHARGED, '1h') }],
    width: 6,
  }),
  table({
    title: 'Accounts',
    description: 'The 50 accounts with the most requests in the last hour.',
    keys: { account: 'Account' },
    columns: [
      { title: 'Requests', unit: 'short', decimals: 0, expr: `topk(50, ${increase(REQUESTS, '1h', 'account')})` },
      {
        title: 'Failed',
        unit: 'percentunit',
        decimals: 1,
        expr: share(increase(FAILED, '1h', 'account'), increase(REQUESTS, '1h', 'account')),
      },
      { title: 'Tokens', unit: 'short', decimals: 0, expr: increase(TOKENS, '1h', 'account') },
      { title: 'Charged', unit: 'currencyUSD', decimals: 2, expr: increase(CHARGED, '1h', 'account') },
    ],
  }),
];

const overTime = [
  timeseries({
    title: 'Requests by account',
    description: 'The ten accounts with the most requests.',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: `topk(10, ${rate(REQUESTS, 'account')})`, legend: '{{account}}' }],
  }),
  timeseries({
    title: 'Failed requests by account',
    description: 'Failed requests per second of the ten accounts with the most.',
    unit: 'reqps',
    queries: [{ expr: `topk(10, ${rate(FAILED, 'account')})`, legend: '{{account}}' }],
  }),
  timeseries({
    title: 'Tokens by account',
    description: 'Tokens per second of the ten accounts with the most, cached responses included.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: `topk(10, ${rate(TOKENS, 'account')})`, legend: '{{account}}' }],
  }),
  timeseries({
    title: 'Charged by account',
    description: 'The amount charged per hour, at the rate of the moment, to the ten accounts with the most.',
    unit: 'currencyUSD',
    isStacked: true,
    queries: [{ expr: `topk(10, 3600 * ${rate(CHARGED, 'account')})`, legend: '{{account}}' }],
  }),
];

const refusals = [
  timeseries({
    title: 'Refused by a limit',
    description: 'Requests per second of all accounts that a limit refused, by limit (docs/limits.md).',
    unit: 'reqps',
    queries: [{ expr: rate(of('switchyard_rate_limit_refusals_total'), 'limit'), legend: '{{limit}}' }],
  }),
  timeseries({
    title: 'Refused for lack of money',
    description: 'Requests per second of all accounts that were refused, by what limits them (docs/billing.md).',
    unit: 'reqps',
    queries: [{ expr: rate(of('switchyard_money_refusals_total'), 'limit'), legend: '{{limit}}' }],
    alerts: ['SwitchyardLeaseStarvation'],
  }),
];

export const tenants: DashboardSource = {
  name: 'tenants',
  title: 'Tenants',
  description:
    'Requests, tokens and charges by account. The gateway reports them only with `telemetry.account_metrics: true` (docs/metrics.md).',
  variables: [{ name: 'account', label: 'Account', metric: 'switchyard_account_requests_total' }],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Over time', panels: overTime },
    { title: 'Refusals of all accounts', panels: refusals },
  ],
};
