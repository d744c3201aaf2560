import { Eraser } from 'lucide-react';
import { useState } from 'react';
import type { UsageOverview } from '../../api/schema.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { TimeSeries } from '../../kit/charts/time-series.tsx';
import { PeriodPicker } from '../../kit/date.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Panel, Stat, StatRow } from '../../kit/panel.tsx';
import { ErrorBox, Meter, Skeleton } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { useAccountName } from '../../shell/sidebar.tsx';
import { cacheText } from '../../text/cache.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { type Bucket, filled } from '../shared/usage/buckets.ts';
import { usePeriod } from '../shared/usage/period.ts';
import { Entries } from './entries.tsx';
import { Reports } from './reports.tsx';

export function Page() {
  const text = useText(cacheText);
  const pages = useText(shellText).pages;
  const { accountId, isOperator, mayOwn } = useScope();
  const { values, set } = useSearchState(['tab']);
  return (
    <>
      <PageHeader title={pages.cache} description={text.about} actions={mayOwn && <Clear />} />
      <div className="flex flex-col gap-4">
        <Savings />
        {isOperator && accountId === null && <Fullness />}
        <Tabs
          label={pages.cache}
          value={values.tab === 'reports' ? 'reports' : 'entries'}
          onChange={(tab) => set({ tab: tab === 'entries' ? '' : tab })}
          tabs={[
            { value: 'entries', label: text.entries, content: <Entries /> },
            { value: 'reports', label: text.reports, content: <Reports /> },
          ]}
        />
      </div>
    </>
  );
}

/** How often the cache has answered, and how much it has saved. */
function Savings() {
  const text = useText(cacheText);
  const { query } = useScope();
  const { period, choose, every, ...asked } = usePeriod();
  const usage = useApi(
    'getUsageOverview',
    { query: { ...query, ...asked.query, top: 1 } },
    { every, keepPrevious: true },
  );
  if (usage.error) return <ErrorBox error={usage.error} onRetry={() => void usage.refetch()} />;
  return (
    <Panel title={text.hitsOverTime} actions={<PeriodPicker value={period} onChange={choose} />}>
      {usage.data === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <Hits overview={usage.data} bucket={asked.bucket} />
      )}
    </Panel>
  );
}

interface HitsProps {
  readonly overview: UsageOverview;
  readonly bucket: Bucket;
}

function Hits({ overview: { total, series, from, to }, bucket }: HitsProps) {
  const text = useText(cacheText);
  const format = useFormat();
  const share = total.requests === 0 ? null : total.cache_hits / total.requests;
  const rows = filled(series, { from, to }, bucket).map(({ at, part }) => ({ at, values: [part?.cache_hits ?? 0] }));
  return (
    <div className="flex flex-col gap-4">
      <StatRow>
        <Stat label={text.hits} value={format.number(total.cache_hits)} />
        <Stat label={text.hitRate} value={share === null ? '–' : format.percent(share)} />
        <Stat label={text.saved} value={<Money usd={total.saved_usd} />} hint={text.savedHint} />
      </StatRow>
      <TimeSeries
        label={text.hitsOverTime}
        kind="bars"
        height={160}
        rows={total.cache_hits === 0 ? [] : rows}
        series={[{ name: text.hits }]}
        format={(value) => format.compact(value)}
      />
    </div>
  );
}

/** The cache's usage, for all accounts together. */
function Fullness() {
  const text = useText(cacheText);
  const format = useFormat();
  const { data, error, refetch } = useApi('getCacheStatistics', {}, { every: 15_000 });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { memory, beyond } = data;
  return (
    <Panel title={text.fullness}>
      <div className="flex flex-col gap-3">
        <p className="text-sm">{text.inMemory(format.number(memory.entries), format.bytes(memory.bytes))}</p>
        {beyond !== null && (
          <Meter
            label={text.beyond[beyond.kind](format.number(beyond.entries))}
            value={beyond.bytes}
            max={beyond.most_bytes}
            text={text.of(format.bytes(beyond.bytes), format.bytes(beyond.most_bytes))}
          />
        )}
      </div>
    </Panel>
  );
}

/** Clears the cache of the account, or of all accounts for operators. */
function Clear() {
  const text = useText(cacheText);
  const format = useFormat();
  const toast = useToast();
  const scope = useScope();
  const { query, accountId } = scope;
  const name = useAccountName(accountId === null ? null : scope);
  const [isAsking, setAsking] = useState(false);
  const clear = useChange('clearCache', {
    touches: ['listCacheEntries', 'getCacheStatistics'],
    onDone: ({ removed }) => toast.done(text.cleared(format.number(removed))),
  });
  return (
    <>
      <Button icon={Eraser} onClick={() => setAsking(true)}>
        {text.clear}
      </Button>
      <ConfirmDialog
        title={accountId === null ? text.clearAllTitle : text.clearTitle(name)}
        body={text.clearText}
        confirmLabel={text.clear}
        isDanger
        typeToConfirm={accountId ?? text.everything}
        onConfirm={() => clear.mutateAsync({ query })}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
