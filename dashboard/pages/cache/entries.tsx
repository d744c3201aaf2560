import { Ban, DatabaseZap } from 'lucide-react';
import { useState } from 'react';
import type { CacheEntry } from '../../api/schema.ts';
import { useApi, useChange, useList } from '../../api/use-api.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { ConfirmDialog, Sheet } from '../../kit/dialog.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { Named, NamedInFull } from '../../kit/named.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Empty, ErrorBox, Loading } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { cacheText } from '../../text/cache.ts';
import { useText } from '../../text/text.tsx';
import { ReportCached } from '../shared/cache/report-cached.tsx';

/** The cached answers, without their content. */
export function Entries() {
  const text = useText(cacheText);
  const { query, accountId } = useScope();
  const { values, set } = useSearchState(['id']);
  const entries = useList('listCacheEntries', { query }, { every: 60_000 });
  const columns = useColumns();
  return (
    <>
      <DataTable
        label={text.entries}
        columns={accountId === null ? columns : columns.filter(({ id }) => id !== 'account')}
        rows={entries}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        empty={
          <Empty icon={DatabaseZap} title={text.noEntries}>
            {text.noEntriesText}
          </Empty>
        }
      />
      <Sheet
        title={text.entry}
        description={<CopyText text={values.id} label={text.copyId} />}
        isOpen={values.id !== ''}
        onClose={() => set({ id: '' })}
      >
        {values.id !== '' && <Entry key={values.id} id={values.id} onGone={() => set({ id: '' })} />}
      </Sheet>
    </>
  );
}

/** The columns fit the page beside the navigation at 1024 px. */
function useColumns(): readonly Column<CacheEntry>[] {
  const text = useText(cacheText);
  const format = useFormat();
  return [
    {
      id: 'model',
      title: text.model,
      width: 'minmax(7rem, 2fr)',
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    {
      ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(5.5rem, 1fr)' },
      cell: ({ account, account_name: name }) => <Named name={name} id={account} />,
    },
    {
      id: 'match',
      title: text.match,
      from: 'xl',
      width: 'minmax(9rem, 1fr)',
      cell: ({ semantic }) => (semantic ? text.semantic : text.exact),
    },
    {
      ...{ id: 'channel', title: text.channel, from: 'lg', width: 'minmax(5.5rem, 1fr)' },
      cell: ({ channel, channel_name: name }) => <Named name={name} id={channel} />,
    },
    {
      ...{ id: 'size', title: text.size, align: 'end', from: 'sm', width: '5.5rem' },
      cell: ({ bytes }) => (bytes === undefined ? '–' : format.bytes(bytes)),
    },
    {
      ...{ id: 'stored', title: text.stored, from: 'md', width: '7.5rem' },
      cell: ({ stored_at }) => <Time at={stored_at} isRelative />,
    },
    {
      ...{ id: 'expires', title: text.expires, width: '6.5rem' },
      cell: ({ expires_at }) => <Time at={expires_at} isRelative />,
    },
  ];
}

function Entry({ id, onGone }: { readonly id: string; readonly onGone: () => void }) {
  const text = useText(cacheText);
  const format = useFormat();
  const { base, query, mayWrite, accountId } = useScope();
  const { data, error, refetch } = useApi('getCacheEntry', { params: { id }, query });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const code = (value: string) => <code className="font-mono text-xs break-all">{value}</code>;
  return (
    <div className="flex flex-col items-start gap-4">
      <div className="w-full">
        <Definitions
          items={[
            { term: text.model, value: data.model },
            { term: text.upstreamModel, value: data.upstream_model },
            {
              term: text.account,
              value: (
                <>
                  <NamedInFull name={data.account_name} id={data.account} />
                  {data.shared && ` · ${text.shared}`}
                </>
              ),
            },
            {
              term: text.channel,
              value: (
                <>
                  <NamedInFull name={data.channel_name} id={data.channel} /> · {data.provider}
                </>
              ),
            },
            { term: text.match, value: data.semantic ? text.semantic : text.exact },
            { term: text.size, value: format.bytes(data.answer_bytes) },
            { term: text.stored, value: <Time at={data.stored_at} /> },
            { term: text.expires, value: <Time at={data.expires_at} /> },
            { term: text.cacheKey, value: code(data.key) },
            {
              term: text.reports,
              value:
                data.reports === 0 ? (
                  format.number(0)
                ) : (
                  <TextLink to={`${base}/cache`} search={{ tab: 'reports', entry: id } as never}>
                    {format.number(data.reports)}
                  </TextLink>
                ),
            },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <ReportCached entry={id} account={accountId ?? data.account} onGone={onGone} />
        {mayWrite && <TakeOut id={id} onGone={onGone} />}
      </div>
    </div>
  );
}

function TakeOut({ id, onGone }: { readonly id: string; readonly onGone: () => void }) {
  const text = useText(cacheText);
  const toast = useToast();
  const { query } = useScope();
  const [isAsking, setAsking] = useState(false);
  const takeOut = useChange('invalidateCacheEntry', {
    touches: ['listCacheEntries', 'listCacheReports'],
    onDone: () => {
      toast.done(text.takenOut);
      onGone();
    },
  });
  return (
    <>
      <Button size="small" variant="danger" icon={Ban} onClick={() => setAsking(true)}>
        {text.takeOut}
      </Button>
      <ConfirmDialog
        title={text.takeOutTitle}
        body={text.takeOutText}
        confirmLabel={text.takeOut}
        isDanger
        onConfirm={() => takeOut.mutateAsync({ params: { id }, query })}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
