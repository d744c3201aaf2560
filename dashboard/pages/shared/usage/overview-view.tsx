import { ChartNoAxesColumn } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UsageOverview } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import { LinkButton } from '../../../kit/button.tsx';
import { useFormat } from '../../../kit/format.tsx';
import { PageHeader } from '../../../kit/page.tsx';
import { Select } from '../../../kit/select.tsx';
import { Empty, ErrorBox, Loading } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useSearchState } from '../../../shell/search.ts';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { ActiveAlerts } from './active-alerts.tsx';
import { Charts } from './charts.tsx';
import { GroupedCharts } from './grouped-charts.tsx';
import { type Group, isGroup, useGroupTitle } from './groups.ts';
import { usePeriod } from './period.ts';
import { Tiles } from './tiles.tsx';
import { UsageFilterBar } from './usage-filter-bar.tsx';
import { statusOf, useUsageFilters } from './usage-filters.ts';
import { useGroups } from './use-groups.ts';

const TOP = 8;

/** The period and the filters of the overview, for links to other pages. */
export type OverviewSearch = Readonly<Record<string, string>>;

interface OverviewViewProps {
  readonly title: string;
  /** The panels below the charts. */
  readonly panels: (overview: UsageOverview, search: OverviewSearch) => ReactNode;
  /** Shown even without any usage. */
  readonly state: ReactNode;
}

/** The usage of a period, of one account or of all: numbers, charts and rankings. */
export function OverviewView({ title, panels, state }: OverviewViewProps) {
  const { query } = useScope();
  const period = usePeriod();
  const filters = useUsageFilters();
  const { groups, tags } = useGroups(period.range);
  const { values, set } = useSearchState(['by']);
  const group = isGroup(values.by) ? values.by : null;
  const { data, error, refetch } = useApi(
    'getUsageOverview',
    { query: { ...query, ...period.query, ...statusOf(filters.query), top: TOP } },
    { every: period.every, keepPrevious: true },
  );
  const isUsed = data !== undefined && (data.total.requests > 0 || Number(data.total.cost_usd) !== 0);
  const isFiltered = Object.keys(filters.query).length > 0;
  return (
    <>
      <PageHeader title={title} />
      <div className="flex flex-col gap-4">
        <ActiveAlerts />
        <UsageFilterBar period={period} filters={filters} tags={tags}>
          <GroupBy groups={groups} group={group} onChange={(by) => set({ by: by ?? '' })} />
        </UsageFilterBar>
        {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Loading />}
        {data && isUsed && <Numbers overview={data} />}
        {data && isUsed && group === null && <Charts overview={data} />}
        {data && isUsed && group !== null && <GroupedCharts group={group} period={period} filters={filters.query} />}
        {data && !isUsed && <Unused wasIdle={data.previous.requests === 0 && !isFiltered} />}
        <div className="grid gap-4 md:grid-cols-2">
          {isUsed && panels(data, { ...filters.query, period: period.text })}
          {state}
        </div>
      </div>
    </>
  );
}

interface GroupByProps {
  readonly groups: readonly Group[];
  readonly group: Group | null;
  readonly onChange: (group: Group | null) => void;
}

function GroupBy({ groups, group, onChange }: GroupByProps) {
  const text = useText(usageText);
  const titleOf = useGroupTitle();
  const all = group === null || groups.includes(group) ? groups : [...groups, group];
  return (
    <div className="w-44 max-sm:min-w-34 max-sm:flex-1">
      <Select
        label={text.groupBy}
        value={group ?? 'none'}
        onChange={(chosen) => onChange(isGroup(chosen) ? chosen : null)}
        options={[
          { value: 'none', label: text.noGroup },
          ...all.map((one) => ({ value: one as string, label: text.byGroup(titleOf(one)) })),
        ]}
      />
    </div>
  );
}

function Numbers({ overview }: { readonly overview: UsageOverview }) {
  const text = useText(usageText);
  const format = useFormat();
  const { from, to } = overview.previous;
  return (
    <>
      <Tiles total={overview.total} previous={overview.previous} />
      <p className="-mt-2 text-soft text-xs">{text.comparedWith(format.minute(from), format.minute(to))}</p>
    </>
  );
}

/** Shows that there is no usage. Only the log reveals whether there has never been a request. */
function Unused({ wasIdle }: { readonly wasIdle: boolean }) {
  const text = useText(usageText);
  const { accountId, base, mayWrite, query } = useScope();
  const log = useApi('listRequests', { query: { ...query, limit: 1 } }, { enabled: wasIdle });
  if (wasIdle && log.isPending) return <Loading />;
  const isNew = wasIdle && log.data?.data.length === 0;
  const actions = accountId !== null && mayWrite && (
    <>
      <LinkButton to={`${base}/first-steps`} variant="primary">
        {text.firstSteps}
      </LinkButton>
      <LinkButton to={`${base}/playground`}>{text.playground}</LinkButton>
    </>
  );
  return (
    <div className="rounded-lg border border-line bg-panel">
      <Empty icon={ChartNoAxesColumn} title={isNew ? text.nothingEver : text.nothing} action={actions}>
        {isNew ? text.nothingEverText : text.nothingText}
      </Empty>
    </div>
  );
}
