import { useMemo } from 'react';
import type { UsageOverview } from '../../../api/schema.ts';
import { type SeriesRow, TimeSeries } from '../../../kit/charts/time-series.tsx';
import { useFormat } from '../../../kit/format.tsx';
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
  const { from, to, series, total } = overview;
  const parts = useMemo(() => filled(series, { from, to }, bucketOf({ from, to })), [series, from, to]);
  const rows = (valuesOf: (part: Part | undefined) => readonly (number | null)[]): readonly SeriesRow[] =>
    parts.map(({ at, part }) => ({ at, values: valuesOf(part) }));
  const tokens = TOKEN_PARTS.filter((part) => total[part] > 0);
  const money = (value: number) => format.money(String(value));
  const most = Math.max(0, ...parts.map(({ part }) => Number(part?.cost_usd ?? 0)));
  const decimals = most >= 0.2 ? 2 : most >= 0.002 ? 4 : 6;
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
          format={money}
          formatTick={(value) => format.money(String(value), decimals)}
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
      <Panel title={text.tokensChart}>
        <TimeSeries
          {...common}
          label={text.tokensChart}
          rows={tokens.length === 0 ? [] : rows((part) => tokens.map((name) => part?.[name] ?? 0))}
          series={tokens.map((name) => ({ name: text.parts[name] }))}
          format={count}
        />
      </Panel>
      <Panel title={text.timesChart}>
        <TimeSeries
          {...{ kind: 'line', height: 200, label: text.timesChart }}
          rows={rows((part) => [part?.latency_ms ?? null, part?.first_byte_ms ?? null])}
          series={[{ name: text.latencyShort }, { name: text.firstByteShort }]}
          format={(value) => format.duration(value)}
        />
      </Panel>
    </div>
  );
}
