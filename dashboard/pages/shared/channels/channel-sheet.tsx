import { FlaskConical, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import type { Channel } from '../../../api/schema.ts';
import { useTagged } from '../../../api/use-api.ts';
import { Button } from '../../../kit/button.tsx';
import { Sheet } from '../../../kit/dialog.tsx';
import { ErrorBox, Loading } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { EditChannel } from './edit-channel.tsx';
import type { ChannelActions } from './use-channel-actions.ts';
import type { TrafficOf } from './use-traffic.ts';

interface ChannelSheetProps {
  /** '' while closed. */
  readonly id: string;
  readonly isEdited: boolean;
  readonly channels: readonly Channel[];
  readonly providerName: (id: string) => string;
  readonly traffic: TrafficOf | undefined;
  readonly actions: ChannelActions;
  readonly onClose: () => void;
}

/** One channel beside the list: its details, or the form that changes it. */
export function ChannelSheet({ id, isEdited, channels, providerName, traffic, actions, onClose }: ChannelSheetProps) {
  const text = useText(channelsText);
  const { query } = useScope();
  const one = useTagged(
    'getChannel',
    { params: { id }, query },
    { enabled: id !== '', every: isEdited ? undefined : 15_000 },
  );
  const channel = one.data?.value ?? channels.find((listed) => listed.id === id);
  const name = channel?.name ?? id;
  return (
    <Sheet
      title={isEdited ? text.editTitle(name) : name}
      isOpen={id !== ''}
      onClose={onClose}
      size="large"
      isSticky={isEdited}
      footer={
        isEdited || channel === undefined || !actions.mayWrite ? undefined : (
          <TaskActions channel={channel} actions={actions} />
        )
      }
    >
      {one.error ? (
        <ErrorBox error={one.error} onRetry={() => void one.refetch()} />
      ) : one.data === undefined ? (
        <Loading />
      ) : isEdited ? (
        <EditChannel key={id} tagged={one.data} onDone={() => actions.open(id)} />
      ) : (
        <ChannelDetails
          channel={one.data.value}
          providerName={providerName(one.data.value.provider)}
          traffic={traffic?.(id)}
        />
      )}
    </Sheet>
  );
}

function TaskActions({ channel, actions }: { readonly channel: Channel; readonly actions: ChannelActions }) {
  const text = useText(channelsText);
  return (
    <>
      {channel.managed_by === 'api' && (
        <Button icon={Trash2} className="mr-auto" onClick={() => actions.remove(channel)}>
          {text.delete}
        </Button>
      )}
      <Button icon={RotateCcw} onClick={() => void actions.reset(channel)}>
        {text.reset}
      </Button>
      <Button icon={FlaskConical} onClick={() => actions.test(channel.id)}>
        {text.test}
      </Button>
      {channel.managed_by !== 'file' && (
        <Button variant="primary" icon={Pencil} onClick={() => actions.edit(channel.id)}>
          {text.edit}
        </Button>
      )}
    </>
  );
}
