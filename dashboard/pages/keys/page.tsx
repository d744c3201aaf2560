import { KeyRound, Plus } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Key } from '../../api/schema.ts';
import { useApi, useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { TextInput } from '../../kit/field.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Empty, Meter } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { credentialsText } from '../../text/credentials.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { useCreatorName } from '../shared/creator.tsx';
import { SecretDialog, type ShownSecret, StateBadge, StateFilter } from '../shared/credentials/parts.tsx';
import { useSorting } from '../shared/use-sorting.ts';
import { KeySheet } from './key-sheet.tsx';
import { NewKey } from './new-key.tsx';

export function Page() {
  const text = useText(credentialsText);
  const pages = useText(shellText).pages;
  const { query, mayWrite } = useScope();
  const { values, set } = useSearchState(['id', 'state', 'q']);
  const { sorting, onSort, query: order } = useSorting(SORTS);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const q = useDeferredValue(values.q.trim());
  const state = STATES.find((one) => one === values.state) ?? 'active';
  const wanted = { ...query, ...order, ...(q !== '' && { q }), ...(state !== 'all' && { state }) };
  const listed = useList('listKeys', { query: wanted }, { every: 30_000, keepPrevious: true });
  // Says whether the account has no keys at all, or none that are wanted.
  const any = useApi('listKeys', { query: { ...query, limit: 1 } });
  return (
    <>
      <PageHeader
        title={pages.keys}
        description={text.keysAbout}
        actions={
          mayWrite && (
            <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
              {text.newKey}
            </Button>
          )
        }
      />
      <search className="mb-3 flex flex-wrap items-center gap-2">
        <TextInput
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={values.q}
          maxLength={200}
          onChange={(event) => set({ q: event.currentTarget.value })}
          className="max-w-72"
        />
        <StateFilter value={state} onChange={(next) => set({ state: next === 'active' ? '' : next })} />
      </search>
      <DataTable
        label={pages.keys}
        columns={useColumns()}
        rows={listed}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        rowHeight={52}
        sorting={sorting}
        onSort={onSort}
        empty={
          <None
            isAny={(any.data?.data.length ?? 0) > 0}
            isSearched={q !== ''}
            mayWrite={mayWrite}
            onMake={() => setMaking(true)}
          />
        }
      />
      <NewKey isOpen={isMaking} onClose={() => setMaking(false)} onMade={setSecret} />
      <KeySheet id={values.id === '' ? undefined : values.id} onClose={() => set({ id: '' })} onSecret={setSecret} />
      <SecretDialog
        shown={secret}
        title={text.secretTitle(text.aKey)}
        what={text.aKey}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

/** The orders of the API, each of which is a column. */
const SORTS = ['name', 'spent_7d', 'spent', 'last_used_at', 'created_at', 'expires_at'] as const;
const STATES = ['active', 'expired', 'revoked', 'all'] as const;

interface NoneProps {
  /** Whether there are other keys than those that were searched. */
  readonly isAny: boolean;
  readonly isSearched: boolean;
  readonly mayWrite: boolean;
  readonly onMake: () => void;
}

function None({ isAny, isSearched, mayWrite, onMake }: NoneProps) {
  const text = useText(credentialsText);
  if (isAny)
    return (
      <Empty icon={KeyRound} title={text.noneSuch}>
        {isSearched ? text.noneFoundText : text.noneSuchText}
      </Empty>
    );
  const action = mayWrite && (
    <Button variant="primary" icon={Plus} onClick={onMake}>
      {text.newKey}
    </Button>
  );
  return (
    <Empty icon={KeyRound} title={text.noKeys} action={action}>
      {text.noKeysText}
    </Empty>
  );
}

function useColumns(): readonly Column<Key>[] {
  const text = useText(credentialsText);
  const nameOf = useCreatorName();
  return useMemo(
    () => [
      { id: 'name', title: text.name, width: 'minmax(7rem, 2fr)', sort: 'asc', cell: ({ name }) => name },
      {
        ...{ id: 'secret', title: text.secret.key, from: 'xl', width: '7.5rem' },
        cell: ({ preview }) => <code className="font-mono text-sm">{preview}</code>,
      },
      {
        ...{ id: 'created_by', title: text.createdBy, from: 'xl', width: 'minmax(6rem, 1.4fr)' },
        cell: ({ created_by: creator }) => <span title={creator?.id ?? undefined}>{nameOf(creator)}</span>,
      },
      {
        id: 'state',
        title: text.state,
        from: 'sm',
        width: '5.5rem',
        cell: ({ state }) => <StateBadge state={state} />,
      },
      {
        ...{ id: 'spent_7d', title: text.spentWeek, from: 'md', width: '6.5rem', align: 'end', sort: 'desc' },
        cell: ({ spent_7d_usd }) => <Money usd={spent_7d_usd} />,
      },
      {
        ...{ id: 'spent', title: text.spent, width: 'minmax(7rem, 1.2fr)', align: 'end', sort: 'desc' },
        cell: (item) => <Spent item={item} />,
      },
      {
        ...{ id: 'last_used_at', title: text.lastUsed, from: 'md', width: 'minmax(6.5rem, 1fr)', sort: 'desc' },
        cell: ({ last_used_at: at }) =>
          at === null ? <span className="text-soft">{text.neverUsed}</span> : <Time at={at} isRelative />,
      },
      {
        ...{ id: 'expires_at', title: text.expires, from: 'lg', width: 'minmax(6rem, 1fr)', sort: 'asc' },
        cell: ({ expires_at: at }) =>
          at === null ? <span className="text-soft">{text.never}</span> : <Time at={at} isRelative />,
      },
    ],
    [text, nameOf],
  );
}

/** The lifetime spending of a key, with a bar if it is limited. */
function Spent({ item: { spent_usd: spent, limit_usd: limit } }: { readonly item: Key }) {
  const text = useText(credentialsText);
  const format = useFormat();
  if (limit === null) return <Money usd={spent} />;
  return (
    <Meter
      label={<Money usd={spent} />}
      value={Number(spent)}
      max={Number(limit)}
      text={text.spentOf(format.money(limit))}
    />
  );
}
