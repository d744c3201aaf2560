import { useMemo } from 'react';
import type { Operations } from '../../api/schema.ts';
import { type Period, periodOfText, periodText, rangeOf } from '../../kit/period.ts';
import { useSearchState } from '../../shell/search.ts';

/** The names in the address. */
export const FILTERS = [
  'period',
  'key',
  'model',
  'channel',
  'upstream_key',
  'batch',
  'status',
  'error_code',
  'stream',
  'cached',
  'tag',
  'client_request_id',
  'trace_id',
  'min_latency_ms',
  'min_cost_usd',
] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Record<Filter, string>>;

export type RequestQuery = Operations['listRequests']['query'];

/** The usual retention of log lines. */
const USUAL_PERIOD: Period = { preset: 'month' };

export interface FiltersInUse {
  readonly filters: Filters;
  readonly period: Period;
  /** The query for lists, live views and exports. */
  readonly query: NonNullable<RequestQuery>;
  /** Whether the filters include future requests. */
  readonly isOpenEnded: boolean;
  /** The number of active filters besides the period. */
  readonly count: number;
  set(changes: Partial<Record<Filter, string>>): void;
  choosePeriod(period: Period): void;
  clear(): void;
}

/** Returns the filters in the address, and the API's query. Invalid values are left for the API to report. */
export function useFilters(scope: { readonly account_id?: string }): FiltersInUse {
  const { values, set } = useSearchState(FILTERS);
  const account = scope.account_id;
  return useMemo(() => {
    const { period: written, stream, cached, min_latency_ms: latency, ...texts } = values;
    const period = periodOfText(written) ?? USUAL_PERIOD;
    const isOpenEnded = 'preset' in period && period.preset !== 'last-month';
    const { from, to } = rangeOf(period);
    const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
    const query = {
      ...given,
      ...(account !== undefined && { account_id: account }),
      ...(stream !== '' && { stream: stream === 'true' }),
      ...(cached !== '' && { cached: cached === 'true' }),
      ...(latency !== '' && { min_latency_ms: Number(latency) }),
      from,
      ...(!isOpenEnded && { to }),
    };
    const count = FILTERS.filter((name) => name !== 'period' && values[name] !== '').length;
    return {
      ...{ filters: values, period, query, isOpenEnded, count, set },
      choosePeriod: (next) => set({ period: periodText(next) === periodText(USUAL_PERIOD) ? '' : periodText(next) }),
      clear: () => set(Object.fromEntries(FILTERS.filter((name) => name !== 'period').map((name) => [name, '']))),
    };
  }, [values, set, account]);
}
