import { Flag } from 'lucide-react';
import type { CacheReport } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { cacheText } from '../../text/cache.ts';
import { useText } from '../../text/text.tsx';

/** Clients' reports on cached answers. */
export function Reports() {
  const text = useText(cacheText);
  const { query, accountId } = useScope();
  const { values, set } = useSearchState(['entry']);
  const { entry } = values;
  const reports = useList(
    'listCacheReports',
    { query: { ...query, ...(entry !== '' && { entry }) } },
    { every: 30_000 },
  );
  const columns = useColumns();
  return (
    <div className="flex flex-col gap-2">
      {entry !== '' && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          {text.ofEntry} <code className="font-mono text-xs break-all">{entry}</code>
          <Button size="small" variant="quiet" onClick={() => set({ entry: '' })}>
            {text.showAll}
          </Button>
        </p>
      )}
      <DataTable
        label={text.reports}
        columns={accountId === null ? columns : columns.filter(({ id }) => id !== 'account')}
        rows={reports}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={Flag} title={text.noReports}>
            {text.noReportsText}
          </Empty>
        }
      />
    </div>
  );
}

function useColumns(): readonly Column<CacheReport>[] {
  const text = useText(cacheText);
  return [
    { id: 'type', title: text.report, width: '6.5rem', cell: ({ type }) => text.types[type] },
    {
      ...{ id: 'words', title: text.description, width: 'minmax(5rem, 3fr)' },
      cell: ({ description }) => (description === '' ? '–' : <span title={description}>{description}</span>),
    },
    {
      id: 'model',
      title: text.model,
      from: 'md',
      width: 'minmax(6rem, 1.5fr)',
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    {
      ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(5.5rem, 1fr)' },
      cell: ({ account, account_name: name }) => <Named name={name} id={account} />,
    },
    {
      ...{ id: 'key', title: text.reporter, from: 'xl', width: 'minmax(6rem, 1fr)' },
      cell: ({ key, key_name: name }) => (key === null ? text.dashboard : <Named name={name} id={key} />),
    },
    {
      ...{ id: 'at', title: text.reported, from: 'sm', width: '7.5rem' },
      cell: ({ reported_at }) => <Time at={reported_at} isRelative />,
    },
    {
      ...{ id: 'state', title: text.state, width: '6rem' },
      cell: ({ invalidated_at }) =>
        invalidated_at === null ? <Badge>{text.inUse}</Badge> : <Badge tone="warn">{text.outOfUse}</Badge>,
    },
  ];
}
