import { useState } from 'react';
import { call, callTagged, type Tagged } from '../../../api/client.ts';
import type { Channel } from '../../../api/schema.ts';
import { useApi, useChange, useWhole } from '../../../api/use-api.ts';
import { ErrorBox, Loading } from '../../../kit/status.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { useChangeOfShown } from '../changed-meanwhile.ts';
import { ChannelFormView, type Probed } from './channel-form.tsx';
import { changesOf, valuesOf } from './form-values.ts';
import { TOUCHED } from './use-channel-actions.ts';

interface EditChannelProps {
  readonly tagged: Tagged<Channel>;
  readonly onDone: () => void;
}

/** Changes what was shown when the form was opened; members without a field stay unchanged. */
export function EditChannel({ tagged, onDone }: EditChannelProps) {
  const text = useText(channelFormText);
  const toast = useToast();
  const { query } = useScope();
  const [shown, setShown] = useState(tagged);
  const impact = useApi('getChannelImpact', { params: { id: shown.value.id }, query }, { isStill: true });
  const providers = useWhole('listProviders', { query });
  const update = useChange('updateChannel', { touches: TOUCHED });
  const changeOfShown = useChangeOfShown();
  if (providers.error) return <ErrorBox error={providers.error} onRetry={() => void providers.refetch()} />;
  if (providers.data === undefined) return <Loading />;
  const { value: channel, etag: ifMatch } = shown;
  const at = { params: { id: channel.id }, query };
  const provider = providers.data.find(({ id }) => id === channel.provider);
  const initial = valuesOf(channel, provider);
  return (
    <ChannelFormView
      // After another person's change the form is reset.
      key={ifMatch}
      initial={initial}
      providers={providers.data}
      keyPreview={channel.api_key_preview}
      onlyHere={impact.data?.only_here ?? []}
      submitLabel={text.save}
      onCancel={onDone}
      reachable={async () => reachableOf(await call('listReachableModels', at))}
      send={async (values, chosen) => {
        const body = changesOf(initial, values, chosen);
        if (Object.keys(body).length === 0) return onDone();
        if (await changeOfShown(update.mutateAsync({ ...at, body, ifMatch }), TOUCHED)) {
          toast.done(text.saved(values.name));
          onDone();
        } else setShown(await callTagged('getChannel', at));
      }}
    />
  );
}

function reachableOf({ ok, error, listed, models, models_cut }: Omit<Probed, 'latency_ms'>): Probed {
  return { ok, error, listed, models, models_cut, latency_ms: 0 };
}
