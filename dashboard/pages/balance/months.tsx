import { CalendarDays } from 'lucide-react';
import type { Statement } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { type Formats, Money, useFormat } from '../../kit/format.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useGo } from '../../shell/link.tsx';
import { useScope } from '../../shell/scope.tsx';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';
import { monthName, sumOf } from '../shared/usage/amounts.ts';

/** The months with their opening and closing balances; each links to its statement. */
export function Months() {
  const text = useText(balanceText);
  const format = useFormat();
  const { query, base } = useScope();
  const go = useGo();
  const months = useList('listStatements', { query: { ...query, time_zone: format.timeZone } });
  return (
    <DataTable
      label={text.monthsLabel}
      columns={columnsOf(text, format)}
      rows={months}
      keyOf={({ month }) => month}
      onOpen={({ month }) => go(`${base}/balance`, { tab: 'months', month })}
      empty={
        <Empty icon={CalendarDays} title={text.noMonths}>
          {text.noMonthsText}
        </Empty>
      }
    />
  );
}

function columnsOf(text: (typeof balanceText)['en'], format: Formats): readonly Column<Statement>[] {
  return [
    { id: 'month', title: text.month, width: 'minmax(7rem, 1fr)', cell: ({ month }) => monthName(month, format) },
    {
      ...{ id: 'state', title: '', width: '7rem', from: 'sm' },
      cell: ({ is_final }) => !is_final && <Badge tone="accent">{text.running}</Badge>,
    },
    {
      ...{ id: 'opening', title: text.opening, align: 'end', from: 'md' },
      cell: ({ opening_usd }) => <Money usd={opening_usd} decimals={2} />,
    },
    {
      ...{ id: 'added', title: text.added, align: 'end', from: 'md' },
      cell: ({ grants_usd, refunds_usd, adjustments_usd }) => (
        <Money usd={sumOf([grants_usd, refunds_usd, adjustments_usd])} decimals={2} />
      ),
    },
    {
      ...{ id: 'charges', title: text.charges, align: 'end', from: 'sm' },
      cell: ({ charges_usd }) => <Money usd={charges_usd} decimals={2} />,
    },
    {
      ...{ id: 'closing', title: text.closing, align: 'end' },
      cell: ({ closing_usd }) => <Money usd={closing_usd} decimals={2} />,
    },
  ];
}
