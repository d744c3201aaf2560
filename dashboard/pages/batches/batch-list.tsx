import { Layers } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ManagedBatch } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Segmented } from '../../kit/choice.tsx';
import { CodeBlock } from '../../kit/copy.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Combobox, Select } from '../../kit/select.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { type SearchState, useSearchState } from '../../shell/search.ts';
import { useBaseUrls } from '../../shell/use-own-address.ts';
import { batchesText } from '../../text/batches.ts';
import { useText } from '../../text/text.tsx';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { AccountFilter } from './account-filter.tsx';
import { BatchSheet } from './batch-sheet.tsx';
import { BatchState } from './batch-state.tsx';
import { batchExample } from './example.ts';
import { doneIn } from './progress.ts';

const FILTERS = ['state', 'api', 'key', 'account'] as const;
const STATES = ['open', 'completed', 'failed', 'cancelled', 'expired'] as const;
const APIS = ['openai', 'anthropic'] as const;
const WHILE_OPEN_MS = 5_000;
const ELSE_MS = 20_000;
const ROW_HEIGHT = 60;

export function BatchList() {
  const text = useText(batchesText);
  const { query } = useScope();
  const { values, set } = useSearchState(['id', ...FILTERS]);
  const state = STATES.find((one) => one === values.state);
  const api = APIS.find((one) => one === values.api);
  const wanted = {
    ...(values.account !== '' && { account_id: values.account }),
    ...query,
    ...(api && { api }),
    ...(values.key !== '' && { key: values.key }),
    ...(state === 'open' ? { open: true } : state && { stage: state }),
  };
  const [hasOpen, setHasOpen] = useState(true);
  const batches = useList('listManagedBatches', { query: wanted }, { every: hasOpen ? WHILE_OPEN_MS : ELSE_MS });
  const isAnyOpen = batches.items.some(({ ended_at }) => ended_at === null);
  useEffect(() => setHasOpen(isAnyOpen), [isAnyOpen]);
  return (
    <>
      <FilterBar values={values} set={set} />
      <DataTable
        label={text.batches}
        columns={useColumns()}
        rows={batches}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        rowHeight={ROW_HEIGHT}
        empty={<None isFiltered={FILTERS.some((name) => values[name] !== '')} />}
      />
      <BatchSheet id={values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

type Filters = SearchState<'id' | (typeof FILTERS)[number]>;

function FilterBar({ values, set }: Pick<Filters, 'values' | 'set'>) {
  const text = useText(batchesText);
  const { accountId } = useScope();
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Segmented
        label={text.state}
        value={values.state === '' ? 'all' : values.state}
        onChange={(next) => set({ state: next === 'all' ? '' : next })}
        options={[{ value: 'all', label: text.all }, ...STATES.map((value) => ({ value, label: text.states[value] }))]}
      />
      <div className="w-36 max-sm:flex-1">
        <Select
          label={text.api}
          value={values.api === '' ? 'any' : values.api}
          onChange={(api) => set({ api: api === 'any' ? '' : api })}
          options={[
            { value: 'any', label: text.anyApi },
            ...APIS.map((value) => ({ value, label: text.names[value] })),
          ]}
        />
      </div>
      {accountId !== null && <KeyFilter value={values.key} onChange={(key) => set({ key })} />}
      <AccountFilter value={values.account} onChange={(account) => set({ account })} />
    </div>
  );
}

function KeyFilter({ value, onChange }: { readonly value: string; readonly onChange: (key: string) => void }) {
  const text = useText(batchesText);
  const names = useKeyNames();
  return (
    <Combobox
      className="w-48 max-sm:w-full"
      label={text.key}
      placeholder={text.anyKey}
      value={value === '' ? undefined : value}
      onChange={(key) => onChange(key ?? '')}
      options={[...names].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) }))}
      isFree
    />
  );
}

/** The columns fit the page beside the navigation at 1024 px. */
function useColumns(): readonly Column<ManagedBatch>[] {
  const text = useText(batchesText);
  const format = useFormat();
  const { accountId } = useScope();
  const asker: Column<ManagedBatch> =
    accountId === null
      ? {
          ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(5.5rem, 1.2fr)' },
          cell: ({ account, account_name: name }) => <Named name={name} id={account} />,
        }
      : {
          ...{ id: 'key', title: text.key, from: 'md', width: 'minmax(5.5rem, 1.2fr)' },
          cell: ({ key, key_name: name }) => <Named name={name} id={key} />,
        };
  return [
    {
      ...{ id: 'endpoint', title: text.endpoint, width: 'minmax(7rem, 2fr)' },
      cell: ({ endpoint, model, lines }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate">{model ?? (lines === 0 ? '–' : text.various)}</span>
          <code className="truncate font-mono text-soft text-xs">{endpoint}</code>
        </span>
      ),
    },
    asker,
    {
      ...{ id: 'lines', title: text.lines, from: 'sm', width: 'minmax(6rem, 1fr)', align: 'end' },
      cell: (batch) => text.linesOf(format.number(doneIn(batch)), format.number(batch.lines)),
    },
    {
      ...{ id: 'failed', title: text.counts.errored, from: 'lg', width: '5rem', align: 'end' },
      cell: ({ errored }) => format.number(errored),
    },
    {
      ...{ id: 'cost', title: text.cost, from: 'sm', width: '5.5rem', align: 'end' },
      cell: ({ cost_usd }) => <Money usd={cost_usd} />,
    },
    { id: 'state', title: text.state, width: '8rem', cell: (batch) => <BatchState batch={batch} /> },
    {
      ...{ id: 'created', title: text.created, from: 'md', width: '7.5rem' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
    {
      ...{ id: 'deadline', title: text.deadline, from: 'xl', width: '7.5rem' },
      cell: ({ deadline, ended_at }) => (ended_at === null ? <Time at={deadline} isRelative /> : '–'),
    },
  ];
}

/** An example for a batch that has none. */
function None({ isFiltered }: { readonly isFiltered: boolean }) {
  const text = useText(batchesText);
  const { openai } = useBaseUrls();
  if (isFiltered) return <Empty icon={Layers} title={text.noneSuch} />;
  return (
    <div className="pb-4">
      <Empty icon={Layers} title={text.none}>
        {text.noneText}
      </Empty>
      <div className="mx-auto max-w-3xl px-4">
        <CodeBlock language="shell" title={text.example} code={batchExample(openai, 'gpt-4o-mini')} />
      </div>
    </div>
  );
}
