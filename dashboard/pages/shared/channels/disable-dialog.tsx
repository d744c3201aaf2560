import { ConfirmDialog } from '../../../kit/dialog.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { LostModels } from './lost-models.tsx';
import type { OpenChannelActions } from './use-channel-actions.ts';

/** Asks before a channel is disabled that is the last one of some models. */
export function DisableDialog({ actions }: { readonly actions: OpenChannelActions }) {
  const text = useText(channelsText);
  const { disabling } = actions;
  if (disabling === null) return null;
  return (
    <ConfirmDialog
      title={text.disableTitle(disabling.channel.name)}
      body={
        <div className="flex flex-col gap-3">
          <p>{text.disableAbout}</p>
          <LostModels impact={disabling.impact} />
        </div>
      }
      confirmLabel={text.disable}
      isDanger
      isOpen
      onClose={actions.stopDisabling}
      onConfirm={() => actions.disableAnyway(disabling.channel)}
    />
  );
}
