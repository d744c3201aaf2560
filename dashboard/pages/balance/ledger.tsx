import { FileDown, ReceiptText } from 'lucide-react';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import type { LedgerEntry } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { FileButton, TextLink } from '../../kit/button.tsx';
import { PeriodPicker } from '../../kit/date.tsx';
import { ListTime, Money } from '../../kit/format.tsx';
import { periodOfText, periodText, rangeOf } from '../../kit/period.ts';
import { Combobox, Select } from '../../kit/select.tsx';
import { Badge, Empty, type Tone } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';
import { decimalsOf } from '../shared/usage/amounts.ts';
import { useKeyNames } from '../shared/usage/key-names.ts';

const KINDS = ['grant', 'charge', 'refund', 'adjustment'] as const;
const TONES: Readonly<Record<LedgerEntry['kind'], Tone>> = {
  grant: 'good',
  charge: 'neutral',
  refund: 'accent',
  adjustment: 'warn',
};
const USUAL = { preset: 'month' } as const;

interface Filters {
  readonly kind?: LedgerEntry['kind'];
  readonly key?: string;
  readonly from: string;
  readonly to?: string;
}

/** Returns the filters in the address. A period up to now has no end, so that new entries are included. */
function useFilters() {
  const { values, set } = useSearchState(['kind', 'key', 'period']);
  const period = useMemo(() => periodOfText(values.period) ?? USUAL, [values.period]);
  const filters = useMemo((): Filters => {
    const { from, to } = rangeOf(period);
    const kind = KINDS.find((one) => one === values.kind);
    const isOver = !('preset' in period) || period.preset === 'last-month';
    return { ...(kind && { kind }), ...(values.key !== '' && { key: values.key }), from, ...(isOver && { to }) };
  }, [period, values.kind, values.key]);
  return { filters, period, set };
}

export function Ledger() {
  const text = useText(balanceText);
  const { query } = useScope();
  const { filters, period, set } = useFilters();
  const keyNames = useKeyNames();
  const entries = useList('listLedger', { query: { ...query, ...filters } });
  const decimals = decimalsOf(entries.items.map(({ amount_usd }) => amount_usd));
  // The balance after an entry follows from all earlier ones, so a filtered list has none.
  const columns = useColumns(keyNames, { decimals, hasBalances: !filters.kind && !filters.key });
  const file = (format: 'csv' | 'jsonl') => addressOf('exportLedger', { query: { ...query, ...filters, format } });
  const kinds = [
    { value: 'all', label: text.allKinds },
    ...KINDS.map((kind) => ({ value: kind, label: text.kinds[kind] })),
  ];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-2">
        <PeriodPicker
          value={period}
          onChange={(next) => set({ period: 'preset' in next && next.preset === USUAL.preset ? '' : periodText(next) })}
        />
        <div className="w-40">
          <Select
            label={text.kind}
            value={filters.kind ?? 'all'}
            onChange={(kind) => set({ kind: kind === 'all' ? '' : kind })}
            options={kinds}
          />
        </div>
        <Combobox
          label={text.key}
          className="w-56"
          placeholder={text.allKeys}
          value={filters.key}
          onChange={(key) => set({ key: key ?? '' })}
          options={[...keyNames].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) }))}
        />
        <div className="ml-auto flex flex-wrap gap-2">
          <FileButton icon={FileDown} href={file('csv')}>
            {text.exportCsv}
          </FileButton>
          <FileButton icon={FileDown} href={file('jsonl')}>
            {text.exportJson}
          </FileButton>
        </div>
      </div>
      <DataTable
        label={text.ledgerLabel}
        columns={columns}
        rows={entries}
        keyOf={({ id }) => String(id)}
        empty={
          <Empty icon={ReceiptText} title={text.noEntries}>
            {text.noEntriesText}
          </Empty>
        }
      />
    </div>
  );
}

/** Returns the end of a request's id: those of neighbours begin alike, since ids begin with the time. */
function endOf(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

function useColumns(
  keyNames: ReadonlyMap<string, string>,
  { decimals, hasBalances }: { readonly decimals: number; readonly hasBalances: boolean },
): readonly Column<LedgerEntry>[] {
  const text = useText(balanceText);
  const { base } = useScope();
  return useMemo(
    () => [
      {
        ...{ id: 'time', title: text.time, width: 'minmax(7rem, 13.5rem)' },
        cell: ({ at }) => <ListTime at={at} longFrom="xl" />,
      },
      {
        ...{ id: 'kind', title: text.kind, width: '6.5rem', from: 'sm' },
        cell: ({ kind }) => <Badge tone={TONES[kind]}>{text.kinds[kind]}</Badge>,
      },
      {
        ...{ id: 'amount', title: text.amount, width: '7.5rem', align: 'end' },
        cell: ({ amount_usd }) => <Money usd={amount_usd} isExact decimals={decimals} />,
      },
      ...(hasBalances
        ? [
            {
              ...({ id: 'balance', title: text.balanceAfter, width: '7.5rem', align: 'end', from: 'md' } as const),
              cell: ({ balance_usd }: LedgerEntry) => (
                <Money usd={balance_usd ?? undefined} isExact decimals={decimals} />
              ),
            },
          ]
        : []),
      {
        ...{ id: 'key', title: text.key, from: hasBalances ? 'lg' : 'md', width: 'minmax(5rem, 1.5fr)' },
        cell: ({ key }) => key !== null && <span title={key}>{keyNames.get(key) ?? key}</span>,
      },
      { id: 'note', title: text.note, from: 'xl', cell: ({ note }) => note && <span title={note}>{note}</span> },
      {
        ...{ id: 'request', title: text.request, from: 'md', width: '7rem' },
        cell: ({ request }) =>
          request !== null && (
            <TextLink to={`${base}/requests`} search={{ id: request } as never} title={request}>
              {endOf(request)}
            </TextLink>
          ),
      },
    ],
    [text, base, keyNames, decimals, hasBalances],
  );
}
