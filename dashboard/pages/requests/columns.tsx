import { useMemo } from 'react';
import type { Request } from '../../api/schema.ts';
import { type Formats, Money, useFormat } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge } from '../../kit/status.tsx';
import type { Column } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { StatusBadge } from './status-badge.tsx';
import { tokensOf } from './usage.ts';

type Words = (typeof requestsText)['en'];

/** Returns the log's columns; the account is shown only in the log of all accounts. */
export function useColumns(): readonly Column<Request>[] {
  const text = useText(requestsText);
  const format = useFormat();
  const { accountId } = useScope();
  return useMemo(() => {
    const isOfAll = accountId === null;
    const columns = [...whatColumns(text, format), ...whoseColumns(text), ...measureColumns(text, format, isOfAll)];
    // There is no room for both; a key alone is meaningless across all accounts.
    return columns.filter(({ id }) => id !== (isOfAll ? 'key' : 'account'));
  }, [text, format, accountId]);
}

/*
 * The least widths add up to what there is at 360, 640, 768, 1024 (where the navigation begins to take 240) and 1280 pixels, of which a scroll
 * bar may take 15.
 */

function whatColumns(text: Words, format: Formats): readonly Column<Request>[] {
  return [
    { id: 'time', title: text.time, width: '7.25rem', cell: ({ at }) => format.listTime(at) },
    {
      ...{ id: 'status', title: text.status, width: 'minmax(clamp(3rem, 11vw, 9rem), 1.5fr)' },
      cell: (row) => <Status row={row} />,
    },
    {
      ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(6rem, 1.7fr)' },
      cell: ({ account, account_name: name }) => named(account, name),
    },
    { id: 'model', title: text.model, width: 'minmax(6rem, 2.3fr)', cell: (row) => <Model row={row} /> },
  ];
}

function whoseColumns(text: Words): readonly Column<Request>[] {
  return [
    {
      ...{ id: 'key', title: text.key, from: 'xl', width: 'minmax(6rem, 2fr)' },
      cell: ({ key, key_name: name }) => named(key, name),
    },
    {
      ...{ id: 'channel', title: text.channel, from: 'xl', width: 'minmax(5rem, 1.5fr)' },
      cell: ({ channel, channel_name: name }) => named(channel, name),
    },
  ];
}

function measureColumns(text: Words, format: Formats, isOfAll: boolean): readonly Column<Request>[] {
  const tokens = ({ usage }: Request) => {
    const { input, output } = tokensOf(usage);
    if (input + output === 0) return NONE;
    return (
      <span title={`${format.number(input)} → ${format.number(output)}`}>
        {format.compact(input)} → {format.compact(output)}
      </span>
    );
  };
  const end = { align: 'end' } as const;
  return [
    { id: 'tokens', title: text.tokens, ...end, from: isOfAll ? 'xl' : 'md', width: '7rem', cell: tokens },
    {
      ...{ id: 'latency', title: text.latency, ...end, from: 'sm', width: '5rem' },
      cell: ({ latency_ms }) => format.duration(latency_ms),
    },
    {
      ...{ id: 'cost', title: text.cost, ...end, from: 'sm', width: '5.5rem' },
      cell: ({ cost_usd }) => <Money usd={cost_usd} decimals={6} />,
    },
  ];
}

const NONE = <span className="text-soft">–</span>;

function named(id: string | null, name: string | null) {
  return id === null ? NONE : <Named name={name} id={id} />;
}

/** The model; if there is no such model, what the client wrote. */
function Model({ row: { model, requested_model: requested } }: { readonly row: Request }) {
  if (model !== null) return <span title={model}>{model}</span>;
  if (requested === null) return NONE;
  return (
    <span className="text-soft" title={requested}>
      {requested}
    </span>
  );
}

/** The status with the reason of a failure, or with what is special about a success. */
function Status({ row }: { readonly row: Request }) {
  const text = useText(requestsText);
  const { error_code: code, error_message: message, client_gone: isGone, stream, cache } = row;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="shrink-0">
        <StatusBadge {...row} />
      </span>
      {code !== null && (
        <code className="min-w-0 truncate font-mono text-xs max-sm:hidden" title={message ?? code}>
          {code}
        </code>
      )}
      {code === null && (
        <span className="flex min-w-0 gap-1 max-sm:hidden">
          {isGone && (
            <span className="min-w-0" title={text.clientGone}>
              <Badge>{text.disconnected}</Badge>
            </span>
          )}
          {cache !== null && <Badge tone="good">{text.fromCache}</Badge>}
          {stream && cache === null && !isGone && (
            <span className="max-xl:hidden">
              <Badge>{text.streamed}</Badge>
            </span>
          )}
        </span>
      )}
    </span>
  );
}
