import { ChartNoAxesColumn } from 'lucide-react';
import type { ReactNode } from 'react';
import type { UsageOverview } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import { LinkButton } from '../../../kit/button.tsx';
import { PeriodPicker } from '../../../kit/date.tsx';
import { useFormat } from '../../../kit/format.tsx';
import { PageHeader } from '../../../kit/page.tsx';
import { Empty, ErrorBox, Loading } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { ActiveAlerts } from './active-alerts.tsx';
import { Charts } from './charts.tsx';
import { type PeriodInUse, usePeriod } from './period.ts';
import { Tiles } from './tiles.tsx';

const TOP = 8;

interface OverviewViewProps {
  readonly title: string;
  /** The panels below the charts. */
  readonly panels: (overview: UsageOverview, period: PeriodInUse) => ReactNode;
  /** Shown even without any usage. */
  readonly state: ReactNode;
}

/** The usage of a period, of one account or of all: numbers, charts and rankings. */
export function OverviewView({ title, panels, state }: OverviewViewProps) {
  const { query } = useScope();
  const period = usePeriod();
  const { data, error, refetch } = useApi(
    'getUsageOverview',
    { query: { ...query, ...period.query, top: TOP } },
    { every: period.every, keepPrevious: true },
  );
  const isUsed = data !== undefined && (data.total.requests > 0 || Number(data.total.cost_usd) !== 0);
  return (
    <>
      <PageHeader title={title} actions={<PeriodPicker value={period.period} onChange={period.choose} />} />
      <div className="flex flex-col gap-4">
        <ActiveAlerts />
        {error && <ErrorBox error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Loading />}
        {data && (isUsed ? <Used overview={data} /> : <Unused wasIdle={data.previous.requests === 0} />)}
        <div className="grid gap-4 md:grid-cols-2">
          {isUsed && panels(data, period)}
          {state}
        </div>
      </div>
    </>
  );
}

function Used({ overview }: { readonly overview: UsageOverview }) {
  const text = useText(usageText);
  const format = useFormat();
  const { from, to } = overview.previous;
  return (
    <>
      <Tiles total={overview.total} previous={overview.previous} />
      <p className="-mt-2 text-soft text-xs">{text.comparedWith(format.minute(from), format.minute(to))}</p>
      <Charts overview={overview} />
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
