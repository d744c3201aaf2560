import { Network, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel } from '../../../api/schema.ts';
import { useWhole } from '../../../api/use-api.ts';
import { Button } from '../../../kit/button.tsx';
import { PageHeader } from '../../../kit/page.tsx';
import { Empty, ErrorBox, Loading } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useSearchState } from '../../../shell/search.ts';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { OrderedList, PlainList } from './channel-list.tsx';
import { ChannelSheet } from './channel-sheet.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { NewChannelSheet } from './new-channel.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useChannelActions } from './use-channel-actions.ts';
import { useTraffic } from './use-traffic.ts';

interface ChannelsViewProps {
  readonly title: string;
  readonly about: string;
  /** The channels that operators see; an account only has its own. */
  readonly kind?: 'platform' | 'private';
  /** Shown above the list. */
  readonly filter?: ReactNode;
  /** The text of an empty list. */
  readonly empty: { readonly title: string; readonly about: string };
}

/** Channels in the order in which they are tried, with all actions. */
export function ChannelsView({ title, about, kind, filter, empty }: ChannelsViewProps) {
  const text = useText(channelsText);
  const { query } = useScope();
  const { values, set } = useSearchState(['id', 'edit', 'new', 'test', 'test_key']);
  const list = useWhole('listChannels', { query: { ...query, ...(kind && { scope: kind }) } }, { every: 15_000 });
  const providers = useWhole('listProviders', { query });
  const traffic = useTraffic(kind);
  const actions = useChannelActions();
  const channels = list.data ?? [];
  const providerName = (id: string) => providers.data?.find((one) => one.id === id)?.name ?? id;
  const mayMake = actions.mayWrite && kind !== 'private';
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => set({ new: '1' }, false)}>
      {kind === undefined ? text.addOwn : text.add}
    </Button>
  );
  const shown = { channels, providerName, traffic, actions };
  const close = () => set({ id: '', edit: '', new: '', test: '', test_key: '' });
  return (
    <>
      <PageHeader title={title} description={about} actions={mayMake && add} />
      <div className="flex flex-col gap-4">
        {filter}
        {list.isPending ? (
          <Loading />
        ) : list.error ? (
          <ErrorBox error={list.error} onRetry={() => void list.refetch()} />
        ) : channels.length === 0 ? (
          <Empty icon={Network} title={empty.title} action={mayMake && add}>
            {empty.about}
          </Empty>
        ) : actions.mayWrite && kind !== 'private' ? (
          <OrderedList {...shown} />
        ) : (
          <PlainList {...shown} />
        )}
      </div>
      <ChannelSheet {...shown} id={values.id} isEdited={values.edit !== '' && actions.mayWrite} onClose={close} />
      {mayMake && <NewChannelSheet isOpen={values.new !== ''} onClose={close} />}
      <TestDialog
        channel={find(channels, values.test)}
        keyName={values.test_key}
        onClose={() => set({ test: '', test_key: '' })}
      />
      <DeleteDialog channel={actions.leaving} onClose={actions.stopRemoving} onDone={close} />
      <DisableDialog actions={actions} />
    </>
  );
}

function find(channels: readonly Channel[], id: string): Channel | undefined {
  return channels.find((channel) => channel.id === id);
}
