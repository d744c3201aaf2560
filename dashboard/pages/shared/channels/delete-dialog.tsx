import type { Channel } from '../../../api/schema.ts';
import { useApi, useChange } from '../../../api/use-api.ts';
import { ConfirmDialog } from '../../../kit/dialog.tsx';
import { ErrorBox, Loading } from '../../../kit/status.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { LostModels } from './lost-models.tsx';
import { TOUCHED } from './use-channel-actions.ts';

interface DeleteDialogProps {
  readonly channel: Channel | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DeleteDialog({ channel, onClose, onDone }: DeleteDialogProps) {
  const text = useText(channelsText);
  const toast = useToast();
  const { query } = useScope();
  const remove = useChange('deleteChannel', { touches: TOUCHED });
  if (channel === null) return null;
  return (
    <ConfirmDialog
      title={text.deleteTitle(channel.name)}
      body={
        <div className="flex flex-col gap-3">
          <p>{text.deleteAbout}</p>
          <Impact id={channel.id} />
        </div>
      }
      confirmLabel={text.delete}
      isDanger
      typeToConfirm={channel.name}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: channel.id }, query });
        onDone();
        toast.done(text.deleted(channel.name));
      }}
    />
  );
}

/** The models that the channel's deletion makes unavailable, as the gateway finds them. */
function Impact({ id }: { readonly id: string }) {
  const text = useText(channelsText);
  const { query } = useScope();
  const impact = useApi('getChannelImpact', { params: { id }, query }, { isStill: true });
  if (impact.error) return <ErrorBox error={impact.error} onRetry={() => void impact.refetch()} />;
  if (impact.data === undefined) return <Loading />;
  return impact.data.only_here_count === 0 ? <p>{text.servedElsewhere}</p> : <LostModels impact={impact.data} />;
}
