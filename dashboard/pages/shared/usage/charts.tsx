import { useMemo } from 'react';
import type { UsageOverview } from '../../../api/schema.ts';
import { type SeriesRow, TimeSeries } from '../../../kit/charts/time-series.tsx';
import { useFormat, useMoney } from '../../../kit/format.tsx';
import { costOf } from '../../../kit/money.ts';
import { Panel } from '../../../kit/panel.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { bucketOf, filled } from './buckets.ts';
import { TOKEN_PARTS } from './sums.ts';

type Part = UsageOverview['series'][number];

/** Returns `null` if nothing had a price. */
function spendIn(part: Part): number | null {
  const cost = costOf(part);
  return cost === null ? null : Number(cost);
}

/** The charts of a period. */
export function Charts({ overview }: { readonly overview: UsageOverview }) {
  const text = useText(usageText);
  const format = useFormat();
  const money = useMoney();
  const { from, to, series, total } = overview;
  const parts = useMemo(() => filled(series, { from, to }, bucketOf({ from, to })), [series, from, to]);
  const rows = (valuesOf: (part: Part | undefined) => readonly (number | null)[]): readonly SeriesRow[] =>
    parts.map(({ at, part }) => ({ at, values: valuesOf(part) }));
  const tokens = TOKEN_PARTS.filter((part) => total[part] > 0);
  const count = (value: number) => format.compact(value);
  const common = { kind: 'bars', isStacked: true, height: 200 } as const;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title={text.spendChart}>
        <TimeSeries
          {...common}
          label={text.spendChart}
          rows={rows((part) => [part === undefined ? 0 : spendIn(part)])}
          series={[{ name: text.spend }]}
          unit="usd"
          format={(value) => money(String(value))}
        />
      </Panel>
      <Panel title={text.requestsChart}>
        <TimeSeries
          {...common}
          label={text.requestsChart}
          rows={rows((part) => [(part?.requests ?? 0) - (part?.errors ?? 0), part?.errors ?? 0])}
          series={[{ name: text.succeeded }, { name: text.failed, tone: 'bad' }]}
          format={count}
        />
      </Panel>
      <Panel title={text.timesChart}>
        <Latencies parts={parts} total={total} />
      </Panel>
      <Panel title={text.tokensChart}>
        <TimeSeries
          {...common}
          label={text.tokensChart}
          rows={tokens.length === 0 ? [] : rows((part) => tokens.map((name) => part?.[name] ?? 0))}
          series={tokens.map((name) => ({ name: text.parts[name] }))}
          format={count}
        />
      </Panel>
    </div>
  );
}

interface LatenciesProps {
  readonly parts: readonly { readonly at: number; readonly part: Part | undefined }[];
  readonly total: UsageOverview['total'];
}

/** The percentiles of the latency; averages for a period from before these were counted. */
function Latencies({ parts, total }: LatenciesProps) {
  const text = useText(usageText);
  const format = useFormat();
  const hasPercentiles = total.latency_p50_ms !== null || total.latency_ms === null;
  const names = hasPercentiles ? [text.p50, text.p95Short, text.p99] : [text.latency];
  const valuesOf = (part: Part | undefined) =>
    hasPercentiles
      ? [part?.latency_p50_ms ?? null, part?.latency_p95_ms ?? null, part?.latency_p99_ms ?? null]
      : [part?.latency_ms ?? null];
  return (
    <TimeSeries
      {...{ kind: 'line', height: 200, unit: 'ms', label: text.timesChart }}
      rows={parts.map(({ at, part }) => ({ at, values: valuesOf(part) }))}
      series={names.map((name) => ({ name }))}
      format={(value) => format.duration(value)}
    />
  );
}
