import { increase, of, quantile, rate, share } from '../promql.ts';
import { type DashboardSource, MODEL } from './dashboard.ts';
import { stat, timeseries } from './panels.ts';

const OF_MODEL = 'model=~"$model"';
const HITS = of('switchyard_cache_hits_total', OF_MODEL);
const MISSES = of('switchyard_cache_misses_total', OF_MODEL);
const SAVED_TOKENS = of('switchyard_cache_saved_tokens_total', OF_MODEL);
const BYTES = of('switchyard_cache_bytes');
const ENTRIES = of('switchyard_cache_entries');

const now = [
  stat({
    title: 'Hit ratio',
    description: 'The share of looked-up requests that were answered from the cache.',
    unit: 'percentunit',
    queries: [{ expr: share(rate(HITS), `(${rate(HITS)} + ${rate(MISSES)})`) }],
  }),
  stat({
    title: 'Hits in an hour',
    description: 'Requests of the last hour that were answered from the cache.',
    unit: 'short',
    decimals: 0,
    queries: [{ expr: increase(HITS, '1h') }],
  }),
  stat({
    title: 'Tokens saved in an hour',
    description: 'Tokens of the last hour’s cached responses, which no upstream had to generate again.',
    unit: 'short',
    decimals: 0,
    queries: [{ expr: increase(SAVED_TOKENS, '1h') }],
  }),
  stat({
    title: 'Entries',
    description:
      'Entries in the cache. Every gateway on the same Redis reports all of its entries, so the largest number counts there.',
    unit: 'short',
    queries: [
      {
        expr: `sum(max by (place) (${of('switchyard_cache_entries', 'place="redis"')}) or sum by (place) (${of('switchyard_cache_entries', 'place!="redis"')}))`,
      },
    ],
  }),
  stat({
    title: 'Hit, 95 %',
    description: 'The time from the arrival of a request to the end of its cached response.',
    unit: 's',
    queries: [{ expr: quantile(0.95, of('switchyard_cache_hit_duration_seconds_bucket')) }],
  }),
  stat({
    title: 'Reports in a day',
    description: 'Reports of clients about wrong cached responses in the last day.',
    unit: 'short',
    decimals: 0,
    limits: { orange: 1, red: 10 },
    queries: [{ expr: increase(of('switchyard_cache_reports_total'), '1d') }],
    alerts: ['SwitchyardUnsafeCachedResponse'],
  }),
];

const lookups = [
  timeseries({
    title: 'Hits by match',
    description:
      'By an equal request (`exact`), an equivalent question (`semantic`), or an equal request in flight (`coalesced`).',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: rate(HITS, 'match'), legend: '{{match}}' }],
  }),
  timeseries({
    title: 'Hit ratio by model',
    description: 'The share of looked-up requests for each model that were answered from the cache.',
    unit: 'percentunit',
    max: 1,
    queries: [
      { expr: share(rate(HITS, 'model'), `(${rate(HITS, 'model')} + ${rate(MISSES, 'model')})`), legend: '{{model}}' },
    ],
  }),
  timeseries({
    title: 'Not looked up',
    description:
      'Requests that bypassed the cache, because of the account, model or settings (`policy`), `cache_control` (`client`), or a request whose response cannot be reused (`request`).',
    unit: 'reqps',
    isStacked: true,
    queries: [{ expr: rate(of('switchyard_cache_skipped_total'), 'reason'), legend: '{{reason}}' }],
  }),
  timeseries({
    title: 'Duration of hits',
    description: 'The time from the arrival of a request to the end of its cached response, by match.',
    unit: 's',
    hasExemplars: true,
    queries: [
      { expr: quantile(0.95, of('switchyard_cache_hit_duration_seconds_bucket'), 'match'), legend: '{{match}}, 95 %' },
    ],
  }),
];

const content = [
  timeseries({
    title: 'Stored responses',
    description: 'Responses that could be stored, by what became of them (docs/metrics.md lists the outcomes).',
    unit: 'ops',
    queries: [{ expr: rate(of('switchyard_cache_stores_total'), 'outcome'), legend: '{{outcome}}' }],
  }),
  timeseries({
    title: 'Saved tokens',
    description: 'Tokens of cached responses when an upstream generated them, per second and by kind.',
    unit: 'short',
    queries: [{ expr: rate(SAVED_TOKENS, 'kind'), legend: '{{kind}}' }],
  }),
  timeseries({
    title: 'Entries',
    description: 'Entries in the memory of each gateway, on its disk, or in Redis.',
    unit: 'short',
    queries: [{ expr: `max by (instance, place) (${ENTRIES})`, legend: '{{instance}}: {{place}}' }],
  }),
  timeseries({
    title: 'Size',
    description: 'The size of these entries.',
    unit: 'bytes',
    queries: [{ expr: `max by (instance, place) (${BYTES})`, legend: '{{instance}}: {{place}}' }],
  }),
  timeseries({
    title: 'Reports of clients',
    description: 'Reports per hour of wrong cached responses, by type.',
    unit: 'short',
    queries: [{ expr: increase(of('switchyard_cache_reports_total'), '1h', 'type'), legend: '{{type}}' }],
    alerts: ['SwitchyardUnsafeCachedResponse'],
  }),
  timeseries({
    title: 'Invalidated entries',
    description: 'Entries per hour that were invalidated by reports (`feedback`) or an operator (`operator`).',
    unit: 'short',
    queries: [{ expr: increase(of('switchyard_cache_invalidations_total'), '1h', 'by'), legend: '{{by}}' }],
  }),
];

export const cache: DashboardSource = {
  name: 'cache',
  title: 'Cache',
  description: 'What the response cache saves: hits, misses, size, and what clients reported about it.',
  variables: [MODEL],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Look-ups', panels: lookups },
    { title: 'Content', panels: content },
  ],
};
