import type { Channel } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { ConfirmDialog } from '../../../kit/dialog.tsx';
import { Notice } from '../../../kit/status.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { TOUCHED } from './use-channel-actions.ts';

/** The number of names that are listed. */
const NAMED_MODELS = 12;

interface DeleteDialogProps {
  readonly channel: Channel | null;
  /** The other channels, to determine which models are lost. */
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function DeleteDialog({ channel, channels, onClose, onDone }: DeleteDialogProps) {
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
          <OnlyHere models={onlyIn(channel, channels)} />
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

function OnlyHere({ models }: { readonly models: readonly string[] }) {
  const text = useText(channelsText);
  if (models.length === 0) return <p>{text.servedElsewhere}</p>;
  const rest = models.length - NAMED_MODELS;
  return (
    <Notice tone="warn" title={text.onlyHere(models.length)}>
      {models.slice(0, NAMED_MODELS).join(', ')}
      {rest > 0 && ` ${text.andMore(rest)}`}
    </Notice>
  );
}

/** Returns the models that no other enabled channel serves. */
function onlyIn(channel: Channel, channels: readonly Channel[]): readonly string[] {
  const others = channels.filter(({ id, state }) => id !== channel.id && state !== 'disabled' && state !== 'blocked');
  const served = new Set(others.flatMap(({ models }) => models.map(({ id }) => id)));
  return channel.models.map(({ id }) => id).filter((id) => !served.has(id));
}
