import { Building2, Plus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { ListedAccount } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { TextInput } from '../../kit/field.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { type SearchState, useSearchState } from '../../shell/search.ts';
import { accountsText } from '../../text/accounts.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { useSorting } from '../shared/use-sorting.ts';
import { ACCOUNT_ROLES, BILLINGS } from './account-fields.tsx';
import { AccountSheet, StateBadge } from './account-sheet.tsx';
import { NewAccount } from './new-account.tsx';

const FILTERS = ['id', 'q', 'role', 'billing', 'state'] as const;
const STATES = ['active', 'archived'] as const;
/** The orders of the API, each of which is a column. */
const SORTS = ['name', 'free', 'spent_30d', 'last_active_at'] as const;
/** The API's limit for counting keys. */
const MOST_KEYS = 1_000;

export function Page() {
  const text = useText(accountsText);
  const pages = useText(shellText).pages;
  const search = useSearchState(FILTERS);
  const { values, set } = search;
  const [isMaking, setMaking] = useState(false);
  const q = useDeferredValue(values.q.trim());
  const { sorting, onSort, query: order } = useSorting(SORTS);
  const filters = {
    ...(q !== '' && { q }),
    ...among('role', values.role, ACCOUNT_ROLES),
    ...among('billing', values.billing, BILLINGS),
    ...among('state', values.state, STATES),
  };
  const query = { figures: true, ...order, ...filters };
  const listed = useList('listAccounts', { query }, { limit: 50, every: 30_000, keepPrevious: true });
  const isFiltered = Object.keys(filters).length > 0;
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={pages.accounts} description={text.about} actions={create} />
      <Filters search={search} />
      <DataTable
        label={pages.accounts}
        columns={useColumns()}
        rows={listed}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        rowHeight={52}
        sorting={sorting}
        onSort={onSort}
        empty={
          isFiltered ? (
            <Empty icon={Building2} title={text.noneSuch}>
              {text.noneSuchText}
            </Empty>
          ) : (
            <Empty icon={Building2} title={text.none} action={create}>
              {text.noneText}
            </Empty>
          )
        }
      />
      <NewAccount isOpen={isMaking} onClose={() => setMaking(false)} onMade={(id) => set({ id }, false)} />
      <AccountSheet id={values.id === '' ? undefined : values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

/** Returns a filter from the address if its value is known. */
function among<Name extends string, Value extends string>(name: Name, value: string, known: readonly Value[]) {
  const found = known.find((one) => one === value);
  return (found === undefined ? {} : { [name]: found }) as { readonly [Of in Name]?: Value };
}

function Filters({ search: { values, set } }: { readonly search: SearchState<(typeof FILTERS)[number]> }) {
  const text = useText(accountsText);
  const any = (label: string) => ({ value: '', label });
  const roles = [any(text.anyRole), ...ACCOUNT_ROLES.map((value) => ({ value, label: value }))];
  const billings = [any(text.anyBilling), ...BILLINGS.map((value) => ({ value, label: text.billings[value] }))];
  const states = [any(text.anyState), ...STATES.map((value) => ({ value, label: text.states[value] }))];
  return (
    <search className="mb-3 grid gap-2 sm:grid-cols-[minmax(12rem,2fr)_repeat(3,minmax(8rem,1fr))]">
      <TextInput
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={values.q}
        maxLength={200}
        onChange={(event) => set({ q: event.currentTarget.value })}
      />
      <Select label={text.role} value={values.role} onChange={(role) => set({ role })} options={roles} />
      <Select label={text.billing} value={values.billing} onChange={(billing) => set({ billing })} options={billings} />
      <Select label={text.state} value={values.state} onChange={(state) => set({ state })} options={states} />
    </search>
  );
}

function useColumns(): readonly Column<ListedAccount>[] {
  const text = useText(accountsText);
  const format = useFormat();
  const keysOf = (count: number) => (count >= MOST_KEYS ? text.more(format.number(count)) : format.number(count));
  return [
    {
      ...{ id: 'name', title: text.account, width: 'minmax(9rem, 2.5fr)', sort: 'asc' },
      cell: ({ id, name, state }) => (
        <span title={`${name} (${id})`}>
          <span className="flex items-center gap-2">
            <span className="truncate">{name}</span>
            {state !== 'active' && <StateBadge state={state} />}
          </span>
          {name !== id && <span className="block truncate font-mono font-normal text-soft text-xs">{id}</span>}
        </span>
      ),
    },
    {
      ...{ id: 'free', title: text.free, align: 'end', width: '6rem', sort: 'desc' },
      cell: ({ free_usd }) => <Money usd={free_usd} decimals={2} />,
    },
    {
      ...{ id: 'spent_30d', title: text.spent, align: 'end', width: '7rem', from: 'md', sort: 'desc' },
      cell: ({ spent_30d_usd }) => <Money usd={spent_30d_usd} decimals={2} />,
    },
    {
      ...{ id: 'margin', title: text.margin, align: 'end', width: '6.5rem', from: 'lg' },
      cell: (account) => <Margin account={account} />,
    },
    {
      ...{ id: 'last_active_at', title: text.lastActive, width: 'minmax(6.5rem, 1fr)', from: 'md', sort: 'desc' },
      cell: ({ last_active_at: at }) =>
        at ? <Time at={at} isRelative /> : <span className="text-soft">{text.never}</span>,
    },
    { id: 'billing', title: text.billing, width: '6rem', from: 'xl', cell: ({ billing }) => text.billings[billing] },
    {
      ...{ id: 'keys', title: text.keys, align: 'end', width: '3.5rem', from: 'lg' },
      cell: ({ keys }) => (keys === undefined ? '–' : keysOf(keys)),
    },
    {
      ...{ id: 'members', title: text.members, align: 'end', width: '5rem', from: 'xl' },
      cell: ({ members }) => (members === undefined ? '–' : format.number(members)),
    },
  ];
}

/** Spending minus upstream cost; says so where the cost of a request is unknown. */
function Margin({ account }: { readonly account: ListedAccount }) {
  const text = useText(accountsText);
  const format = useFormat();
  const { margin_30d_usd: margin, upstream_cost_30d_usd: cost, uncosted_requests_30d: uncosted = 0 } = account;
  if (typeof margin === 'string' && typeof cost === 'string')
    return (
      <span title={text.marginOf(format.exactMoney(margin), format.exactMoney(cost))}>
        <Money usd={margin} decimals={2} />
      </span>
    );
  return (
    <span className="text-soft" title={text.marginUnknown(format.number(uncosted), uncosted === 1)}>
      {text.unknown}
    </span>
  );
}
