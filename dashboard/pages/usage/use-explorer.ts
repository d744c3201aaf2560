import { useMemo } from 'react';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { type Bucket, bucketsOf } from '../shared/usage/buckets.ts';
import { type Group, isGroup, isPair } from '../shared/usage/groups.ts';
import { METRIC_NAMES, type Metric } from '../shared/usage/metrics.ts';
import { type PeriodInUse, usePeriod } from '../shared/usage/period.ts';
import { type UsageFiltersInUse, useUsageFilters } from '../shared/usage/usage-filters.ts';

const NAMES = ['metric', 'by', 'within', 'interval'] as const;

export interface Explorer {
  readonly metric: Metric;
  readonly by: Group;
  /** The second group; `null` for none. */
  readonly within: Group | null;
  /** The chosen interval; `null` for the one that suits the period. */
  readonly interval: Bucket | null;
  /** The intervals that the period can have. */
  readonly intervals: readonly Bucket[];
  readonly period: PeriodInUse;
  readonly filters: UsageFiltersInUse;
  /** The interval in use. */
  readonly bucket: Bucket;
  set(changes: Partial<Record<(typeof NAMES)[number], string>>): void;
}

/** Returns what the page shows, as it is in the address. Unknown values are those of a new page. */
export function useExplorer(): Explorer {
  const { accountId } = useScope();
  const { values, set } = useSearchState(NAMES);
  const period = usePeriod();
  const filters = useUsageFilters();
  return useMemo(() => {
    const metric = METRIC_NAMES.find((name) => name === values.metric) ?? 'spend';
    const usual: Group = accountId === null ? 'account' : 'model';
    const by = isGroup(values.by) ? values.by : usual;
    const within = isGroup(values.within) && isPair(by, values.within) ? values.within : null;
    const intervals = bucketsOf(period.range);
    const interval = intervals.find((bucket) => bucket === values.interval) ?? null;
    return { metric, by, within, interval, intervals, period, filters, bucket: interval ?? period.bucket, set };
  }, [values, set, accountId, period, filters]);
}
