import { useMemo } from 'react';
import type { UsageBreakdown } from '../../../api/schema.ts';
import { type Series, TimeSeries } from '../../../kit/charts/time-series.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { chartOf } from './chart-rows.ts';
import { type Group, isTagged, useGroupNames } from './groups.ts';
import { METRICS, useMetricFormat } from './metrics.ts';

/** More lines or colours are hard to tell apart; the others are one series. */
const MOST_SERIES = 5;

interface BreakdownChartProps {
  readonly breakdown: UsageBreakdown;
  readonly group: Group;
  readonly label: string;
  readonly height?: number;
}

/** The metric of a breakdown over time: one series per group, and one for the others if they add up. */
export function BreakdownChart({ breakdown, group, label, height = 200 }: BreakdownChartProps) {
  const text = useText(usageText);
  const nameOf = useGroupNames();
  const format = useMetricFormat();
  const { metric, data, series } = breakdown;
  const { unit, isSum } = METRICS[metric];
  const chart = useMemo(() => {
    // Requests without the tag are among the others of a series.
    const places = data.flatMap((row, place) => (isTagged(group) && row.tag === null ? [] : [place]));
    return chartOf(series, places.slice(0, MOST_SERIES), isSum);
  }, [data, series, group, isSum]);
  const names = namesOf(
    chart.places.map((place) => ({ name: nameOf(group, data[place] ?? {}), ids: data[place] ?? {} })),
    group,
  );
  const all: readonly Series[] = [
    ...names.map((name) => ({ name })),
    ...(chart.hasOthers ? [{ name: text.others, tone: 'neutral' as const }] : []),
  ];
  return (
    <TimeSeries
      {...{ label, height, unit, series: all }}
      kind={isSum ? 'bars' : 'line'}
      isStacked={isSum}
      rows={all.length === 0 ? [] : chart.rows}
      format={(value) => format(metric, value, true)}
    />
  );
}

/** Returns distinct names: a name that several groups have is followed by the id. */
function namesOf(
  groups: readonly { readonly name: string; readonly ids: Readonly<Record<string, unknown>> }[],
  group: Group,
) {
  const counts = Map.groupBy(groups, ({ name }) => name);
  return groups.map(({ name, ids }) =>
    (counts.get(name)?.length ?? 0) > 1 ? `${name} (${String(ids[group])})` : name,
  );
}
