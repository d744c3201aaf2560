import type { Channel, UpstreamKey } from '../../../api/schema.ts';
import { Money, Time } from '../../../kit/format.tsx';
import { Dot } from '../../../kit/status.tsx';
import { DataTable } from '../../../kit/table.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { ChannelState } from './channel-state.tsx';

/** The upstream keys of a channel that has several, each with its state and its spending. */
export function ChannelKeys({ keys }: { readonly keys: NonNullable<Channel['api_keys']> }) {
  const text = useText(channelsText);
  return (
    <DataTable
      label={text.keys}
      keyOf={({ name }) => name}
      rows={{ items: keys }}
      empty={null}
      columns={[
        {
          id: 'name',
          title: text.keyName,
          width: 'minmax(8rem, 2fr)',
          cell: ({ name, key_preview: preview }) => <span title={preview ?? ''}>{name}</span>,
        },
        { id: 'state', title: text.state, width: 'minmax(8rem, 1fr)', cell: (key) => <KeyState upstreamKey={key} /> },
        {
          id: 'spent',
          title: text.keySpent,
          align: 'end',
          width: 'minmax(9rem, 1fr)',
          cell: (key) => <KeySpending upstreamKey={key} />,
        },
        { id: 'weight', title: text.keyWeight, align: 'end', width: '5rem', from: 'sm', cell: ({ weight }) => weight },
      ]}
    />
  );
}

function KeyState({ upstreamKey: { state, ...rest } }: { readonly upstreamKey: UpstreamKey }) {
  const text = useText(channelsText);
  if (state !== 'capped') return <ChannelState state={state} {...rest} />;
  return (
    <Dot tone="warn">
      <span>
        {text.capped} {rest.resets_at !== null && <Time at={rest.resets_at} isRelative />}
      </span>
    </Dot>
  );
}

function KeySpending({ upstreamKey: { spent_usd: spent, spend_cap: cap } }: { readonly upstreamKey: UpstreamKey }) {
  return (
    <span>
      <Money usd={spent} />
      {cap !== null && (
        <>
          {' / '}
          <Money usd={cap.usd} />
        </>
      )}
    </span>
  );
}
