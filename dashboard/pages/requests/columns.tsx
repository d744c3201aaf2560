import { DatabaseZap, Radio } from 'lucide-react';
import { useMemo } from 'react';
import type { Request } from '../../api/schema.ts';
import { type Formats, Money, useFormat } from '../../kit/format.tsx';
import type { Column } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { StatusBadge } from './status-badge.tsx';
import { tokensOf } from './usage.ts';

type Words = (typeof requestsText)['en'];

/** Returns the log's columns; the account is shown only in the log of all accounts. */
export function useColumns(): readonly Column<Request>[] {
  const text = useText(requestsText);
  const format = useFormat();
  const { accountId } = useScope();
  const keyNames = useKeyNames();
  return useMemo(() => {
    const isOfAll = accountId === null;
    const columns = [...whatColumns(text, format), ...whoseColumns(text, keyNames), ...measureColumns(text, format)];
    // There is no room for both; a key alone is meaningless across all accounts.
    return columns.filter(({ id }) => id !== (isOfAll ? 'key' : 'account'));
  }, [text, format, accountId, keyNames]);
}

function whatColumns(text: Words, format: Formats): readonly Column<Request>[] {
  return [
    { id: 'time', title: text.time, width: 'clamp(6.75rem, 10vw, 7.75rem)', cell: ({ at }) => format.listTime(at) },
    { id: 'status', title: text.status, width: 'clamp(3rem, 5vw, 3.5rem)', cell: (row) => <StatusBadge {...row} /> },
    { id: 'account', title: text.account, from: 'md', cell: ({ account }) => name(account) },
    { id: 'model', title: text.model, width: 'minmax(6rem, 2.5fr)', cell: ({ model }) => name(model) },
  ];
}

function whoseColumns(text: Words, keyNames: ReadonlyMap<string, string>): readonly Column<Request>[] {
  return [
    {
      id: 'key',
      title: text.key,
      from: 'lg',
      width: 'minmax(6rem, 1.6fr)',
      cell: ({ key }) => name(key === null ? null : (keyNames.get(key) ?? key)),
    },
    {
      id: 'channel',
      title: text.channel,
      from: 'xl',
      width: 'minmax(5rem, 0.9fr)',
      cell: ({ channel }) => name(channel),
    },
    { id: 'marks', title: text.kind, from: 'lg', width: '2.75rem', cell: (row) => <Marks row={row} /> },
  ];
}

function measureColumns(text: Words, format: Formats): readonly Column<Request>[] {
  const number = new Intl.NumberFormat(format.locale);
  const tokens = ({ usage }: Request) => {
    const { input, output } = tokensOf(usage);
    return input + output === 0 ? NONE : `${number.format(input)} → ${number.format(output)}`;
  };
  const end = { align: 'end' } as const;
  return [
    { id: 'tokens', title: text.tokens, ...end, from: 'md', width: '8rem', cell: tokens },
    {
      ...{ id: 'latency', title: text.latency, ...end, from: 'sm', width: 'minmax(4.75rem, 6rem)' },
      cell: ({ latency_ms }) => format.duration(latency_ms),
    },
    {
      ...{ id: 'cost', title: text.cost, ...end, from: 'sm', width: '5.5rem' },
      cell: ({ cost_usd }) => <Money usd={cost_usd} decimals={6} />,
    },
  ];
}

const NONE = <span className="text-soft">–</span>;

function name(text: string | null) {
  return text === null ? NONE : <span title={text}>{text}</span>;
}

function Marks({ row: { stream, cache } }: { readonly row: Request }) {
  const text = useText(requestsText);
  return (
    <span className="inline-flex items-center gap-1 align-middle text-soft">
      {stream && <Radio aria-label={text.streamed} size={15} role="img" />}
      {cache !== null && <DatabaseZap aria-label={text.fromCache} size={15} role="img" className="text-good" />}
    </span>
  );
}
