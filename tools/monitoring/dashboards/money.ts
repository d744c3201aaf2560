import { increase, of, rate, shared } from '../promql.ts';
import { CHANNEL, type DashboardSource, MODEL } from './dashboard.ts';
import { stat, timeseries } from './panels.ts';

const CHOSEN = ['model=~"$model"', 'channel=~"$channel"'];
const CHARGED = of('switchyard_charged_usd_total', ...CHOSEN);
const COST = of('switchyard_upstream_cost_usd_total', ...CHOSEN);
const SAVED = of('switchyard_cache_saved_usd_total', 'model=~"$model"');
const OF_CHARGES = 'queue="charges"';

const now = [
  stat({
    title: 'Charged in a day',
    description: 'The amount charged for requests in the last day. Statements come from the ledger (docs/billing.md).',
    unit: 'currencyUSD',
    decimals: 2,
    queries: [{ expr: increase(CHARGED, '1d') }],
  }),
  stat({
    title: 'Upstream cost in a day',
    description: 'What the upstreams charge for these requests, as far as their costs are configured.',
    unit: 'currencyUSD',
    decimals: 2,
    queries: [{ expr: increase(COST, '1d') }],
  }),
  stat({
    title: 'Saved by the cache in a day',
    description: 'What clients paid less because their responses came from the cache.',
    unit: 'currencyUSD',
    decimals: 2,
    queries: [{ expr: increase(SAVED, '1d') }],
  }),
  stat({
    title: 'Held charges in a day',
    description: 'Requests for which an upstream reported an implausibly high usage. The excess waits for an operator.',
    unit: 'short',
    decimals: 0,
    limits: { orange: 1, red: 10 },
    queries: [{ expr: `${increase(of('switchyard_held_charges_total'), '1d')} or vector(0)` }],
    alerts: ['SwitchyardChargesHeld'],
  }),
  stat({
    title: 'Oldest pending charge',
    description: 'How long the oldest charge has waited to become durable. Clients wait for it.',
    unit: 's',
    limits: { orange: 0.5, red: 2 },
    queries: [{ expr: `max(${of('switchyard_queue_oldest_seconds', OF_CHARGES)})` }],
    alerts: ['SwitchyardChargesLate'],
  }),
  stat({
    title: 'Problems of the ledger',
    description: 'Mismatches that the latest `switchyard ledger verify` on this database found. There must be none.',
    unit: 'short',
    limits: { orange: 1, red: 1 },
    queries: [{ expr: shared(of('switchyard_ledger_problems')) }],
    zero: 'never verified',
    alerts: ['SwitchyardLedgerMismatch'],
  }),
];

const amounts = [
  timeseries({
    title: 'Charged by model',
    description: 'The amount charged per hour, at the rate of the moment, for the ten dearest models.',
    unit: 'currencyUSD',
    isStacked: true,
    queries: [{ expr: `topk(10, 3600 * ${rate(CHARGED, 'model')})`, legend: '{{model}}' }],
  }),
  timeseries({
    title: 'Charged by channel',
    description: 'The amount charged per hour, at the rate of the moment.',
    unit: 'currencyUSD',
    isStacked: true,
    queries: [{ expr: `3600 * ${rate(CHARGED, 'channel')}`, legend: '{{channel}}' }],
  }),
  timeseries({
    title: 'Charged and upstream cost',
    description:
      'The charges and the cost per hour. Only channels with configured costs count on the side of the cost.',
    unit: 'currencyUSD',
    queries: [
      { expr: `3600 * ${rate(CHARGED)}`, legend: 'charged' },
      { expr: `3600 * ${rate(COST)}`, legend: 'upstream cost' },
    ],
  }),
  timeseries({
    title: 'Tokens by kind',
    description: 'Tokens per second that upstreams reported. The kinds do not overlap.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: rate(of('switchyard_tokens_total', ...CHOSEN), 'kind'), legend: '{{kind}}' }],
  }),
  timeseries({
    title: 'Tokens by model',
    description: 'Tokens per second of the ten models with the most.',
    unit: 'short',
    isStacked: true,
    queries: [{ expr: `topk(10, ${rate(of('switchyard_tokens_total', ...CHOSEN), 'model')})`, legend: '{{model}}' }],
  }),
  timeseries({
    title: 'Other billed units',
    description: 'Billed images, characters, clips and web searches per second.',
    unit: 'short',
    queries: [{ expr: rate(of('switchyard_billed_units_total', ...CHOSEN), 'unit'), legend: '{{unit}}' }],
  }),
];

const books = [
  timeseries({
    title: 'Refused for lack of money',
    description:
      'Requests per second that were refused, by what limits them. `account_balance_in_use`: the balance is sufficient, but it is leased or reserved for other requests.',
    unit: 'reqps',
    queries: [{ expr: rate(of('switchyard_money_refusals_total'), 'limit'), legend: '{{limit}}' }],
    alerts: ['SwitchyardLeaseStarvation'],
  }),
  timeseries({
    title: 'Leased money',
    description: 'Money that gateways have leased from balances, limits and budgets, by what it is used for.',
    unit: 'currencyUSD',
    isStacked: true,
    queries: [{ expr: `sum by (state) (${of('switchyard_leased_usd')})`, legend: '{{state}}' }],
    alerts: ['SwitchyardLeaseStarvation'],
  }),
  timeseries({
    title: 'Requests for leases',
    description: 'Requests for leases per second: `granted`, `refused` because too little is left, or `failed`.',
    unit: 'ops',
    queries: [{ expr: rate(of('switchyard_lease_requests_total'), 'outcome'), legend: '{{outcome}}' }],
    alerts: ['SwitchyardLeaseStarvation', 'SwitchyardLeasesFail'],
  }),
  timeseries({
    title: 'Pending charges',
    description: 'Charges that are not durable yet, by gateway.',
    unit: 'short',
    queries: [{ expr: `sum by (instance) (${of('switchyard_queue_length', OF_CHARGES)})`, legend: '{{instance}}' }],
    alerts: ['SwitchyardChargesLate'],
  }),
  timeseries({
    title: 'Charges outside the rules',
    description:
      'Per hour: `lost` could not be written and have to be entered by hand; `held` wait for an operator; `lost leases` counts gateways that did not renew their leases in time.',
    unit: 'short',
    queries: [
      { expr: increase(of('switchyard_lost_charges_total'), '1h'), legend: 'lost' },
      { expr: `${increase(of('switchyard_held_charges_total'), '1h')} or vector(0)`, legend: 'held' },
      { expr: increase(of('switchyard_lease_losses_total'), '1h'), legend: 'lost leases' },
    ],
    alerts: ['SwitchyardChargesLost', 'SwitchyardLeasesLost', 'SwitchyardChargesUncovered'],
  }),
  timeseries({
    title: 'Since the ledger was verified',
    description: 'The time since the latest `switchyard ledger verify`, which compares balances, entries and sums.',
    unit: 's',
    queries: [{ expr: `time() - ${shared(of('switchyard_ledger_verified_timestamp_seconds'))}`, legend: 'age' }],
    alerts: ['SwitchyardLedgerMismatch', 'SwitchyardLedgerNotVerified'],
  }),
];

export const money: DashboardSource = {
  name: 'money',
  title: 'Money',
  description: 'What was charged and what it cost, by model and channel; and whether the books are written in time.',
  variables: [MODEL, CHANNEL],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Amounts', panels: amounts },
    { title: 'Books', panels: books },
  ],
};
