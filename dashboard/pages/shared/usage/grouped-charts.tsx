import { useApi } from '../../../api/use-api.ts';
import { Panel } from '../../../kit/panel.tsx';
import { ErrorBox, Skeleton } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { BreakdownChart } from './breakdown-chart.tsx';
import { type Group, useGroupTitle } from './groups.ts';
import type { Metric } from './metrics.ts';
import type { PeriodInUse } from './period.ts';
import { statusOf, type UsageFiltersInUse } from './usage-filters.ts';

const SHOWN: readonly Metric[] = ['spend', 'requests', 'latency_p95', 'error_rate'];
const TOP = 5;

interface GroupedChartsProps {
  readonly group: Group;
  readonly period: PeriodInUse;
  readonly filters: UsageFiltersInUse['query'];
}

/** The charts of a period by group. All have the same groups in the same order, so that a colour means the same in each. */
export function GroupedCharts(props: GroupedChartsProps) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {SHOWN.map((metric) => (
        <GroupedChart key={metric} metric={metric} {...props} />
      ))}
    </div>
  );
}

function GroupedChart({ metric, group, period, filters }: GroupedChartsProps & { readonly metric: Metric }) {
  const text = useText(usageText);
  const titleOf = useGroupTitle();
  const { query } = useScope();
  const asked = {
    ...query,
    ...period.query,
    ...statusOf(filters),
    group_by: group,
    metric,
    rank_by: 'spend' as const,
    top: TOP,
  };
  const { data, error, refetch } = useApi(
    'getUsageBreakdown',
    { query: asked },
    { every: period.every, keepPrevious: true },
  );
  // The answer for another group stays until the new one is there.
  const isRead = data !== undefined && data.group_by.join() === group;
  const title = text.metricBy(text.metrics[metric], titleOf(group));
  return (
    <Panel title={title}>
      {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {!error && !isRead && <Skeleton className="h-56 w-full" />}
      {!error && isRead && <BreakdownChart breakdown={data} group={group} label={title} />}
    </Panel>
  );
}
