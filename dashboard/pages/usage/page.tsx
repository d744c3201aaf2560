import { Activity, ChartColumn, Download } from 'lucide-react';
import { addressOf } from '../../api/client.ts';
import { useApi } from '../../api/use-api.ts';
import { FileButton, LinkButton } from '../../kit/button.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Empty, ErrorBox, Skeleton } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { usageExplorerText } from '../../text/usage-explorer.ts';
import { BreakdownChart } from '../shared/usage/breakdown-chart.tsx';
import { useGroupTitle } from '../shared/usage/groups.ts';
import { UsageFilterBar } from '../shared/usage/usage-filter-bar.tsx';
import { statusOf } from '../shared/usage/usage-filters.ts';
import { useGroups } from '../shared/usage/use-groups.ts';
import { Controls } from './controls.tsx';
import { EndUsers } from './end-users.tsx';
import { UsageTable } from './table.tsx';
import { type Explorer, useExplorer } from './use-explorer.ts';

/** The number of groups in the table. With the most intervals of a chart, the answer is within its limit. */
const TOP = 40;
const TOP_WITHIN = 10;

/** Usage by one or two groups, over time and in numbers. */
export function Page() {
  const text = useText(usageExplorerText);
  const titles = useText(shellText).pages;
  const explorer = useExplorer();
  const { groups, tags, endUsers } = useGroups(explorer.period.range);
  const isByEndUser = explorer.by === 'end_user' || explorer.within === 'end_user';
  return (
    <>
      <PageHeader title={titles.usage} description={text.about} actions={<Actions explorer={explorer} />} />
      <div className="flex flex-col gap-4">
        <UsageFilterBar period={explorer.period} filters={explorer.filters} tags={tags} />
        <Controls explorer={explorer} groups={groups} />
        {isByEndUser && endUsers !== null && <EndUsers storage={endUsers} />}
        <Breakdown explorer={explorer} />
      </div>
    </>
  );
}

function Actions({ explorer }: { readonly explorer: Explorer }) {
  const text = useText(usageExplorerText);
  const { base, query } = useScope();
  const { by, within, period, filters, bucket } = explorer;
  const { bucket: _usual, ...range } = period.query;
  const groups = within === null ? by : `${by},${within}`;
  const asked = { ...query, ...range, ...statusOf(filters.query), group_by: groups };
  return (
    <>
      <LinkButton to={`${base}/requests`} search={{ ...filters.query, period: period.text } as never} icon={Activity}>
        {text.requests}
      </LinkButton>
      <FileButton href={addressOf('exportUsage', { query: asked })} icon={Download} title={text.csvHelp}>
        {text.csv}
      </FileButton>
      <FileButton
        href={addressOf('exportUsage', { query: { ...asked, bucket } })}
        icon={Download}
        title={text.csvOverTimeHelp}
      >
        {text.csvOverTime}
      </FileButton>
    </>
  );
}

function Breakdown({ explorer }: { readonly explorer: Explorer }) {
  const text = useText(usageExplorerText);
  const words = useText(usageText);
  const titleOf = useGroupTitle();
  const { query } = useScope();
  const { metric, by, within, period, filters, bucket } = explorer;
  const groups = within === null ? by : `${by},${within}`;
  const asked = { ...query, ...period.query, ...statusOf(filters.query), bucket, group_by: groups, metric };
  const { data, error, isPlaceholderData, refetch } = useApi(
    'getUsageBreakdown',
    { query: { ...asked, top: TOP, top_within: TOP_WITHIN } },
    { every: period.every, keepPrevious: true },
  );
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  // The answer for other groups has other names.
  const isOther = data !== undefined && isPlaceholderData && data.group_by.join() !== groups;
  if (data === undefined || isOther) return <Skeleton className="h-96 w-full" />;
  if (data.total.requests === 0 && Number(data.total.cost_usd) === 0) {
    return (
      <div className="rounded-lg border border-line bg-panel">
        <Empty icon={ChartColumn} title={text.empty}>
          {text.emptyText}
        </Empty>
      </div>
    );
  }
  const title = words.metricBy(words.metrics[data.metric], titleOf(by));
  return (
    <>
      <Panel title={title}>
        <BreakdownChart breakdown={data} group={by} label={title} height={260} />
      </Panel>
      <UsageTable explorer={{ ...explorer, metric: data.metric }} breakdown={data} top={TOP} />
    </>
  );
}
