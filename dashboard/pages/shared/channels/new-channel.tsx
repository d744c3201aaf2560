import { useState } from 'react';
import { useChange, useWhole } from '../../../api/use-api.ts';
import { Sheet } from '../../../kit/dialog.tsx';
import { ErrorBox, Loading } from '../../../kit/status.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { ChannelFormView } from './channel-form.tsx';
import { creationOf, NEW_CHANNEL } from './form-values.ts';
import { TOUCHED } from './use-channel-actions.ts';

interface NewChannelSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewChannelSheet({ isOpen, onClose }: NewChannelSheetProps) {
  const text = useText(channelFormText);
  const { accountId } = useScope();
  const title = accountId === null ? text.newTitle : text.newOwnTitle;
  return (
    <Sheet title={title} description={text.newAbout} isOpen={isOpen} onClose={onClose} size="large" isSticky>
      {isOpen && <NewChannel onClose={onClose} />}
    </Sheet>
  );
}

/** Avoids `randomUUID`, which pages without TLS do not have. */
function randomId(): string {
  return `ch_${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function NewChannel({ onClose }: Pick<NewChannelSheetProps, 'onClose'>) {
  const text = useText(channelFormText);
  const toast = useToast();
  const { query, accountId, isOperator } = useScope();
  const providers = useWhole('listProviders', { query });
  const create = useChange('createChannel', { touches: TOUCHED });
  // A retry after a lost answer creates the same channel.
  const [id] = useState(randomId);
  if (providers.error) return <ErrorBox error={providers.error} onRetry={() => void providers.refetch()} />;
  if (providers.data === undefined) return <Loading />;
  // Only operators can offer the gateway's built-in providers.
  const offered = providers.data.filter(({ built_in }) => isOperator || !built_in);
  return (
    <ChannelFormView
      initial={NEW_CHANNEL}
      providers={offered}
      submitLabel={accountId === null ? text.create : text.createOwn}
      onCancel={onClose}
      send={async (values, provider) => {
        const body = creationOf({ ...values, name: values.name.trim() || (provider?.name ?? '') }, provider);
        const { name } = await create.mutateAsync({ query, body: { ...body, id: body.id ?? id } });
        onClose();
        toast.done(text.made(name));
      }}
    />
  );
}
