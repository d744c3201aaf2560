import { useMemo, useState } from 'react';
import { call } from '../../../api/client.ts';
import type { Channel, ChannelImpact } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useSearchState } from '../../../shell/search.ts';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';

/** The operations that a change of a channel may affect. */
export const TOUCHED = [
  'listChannels',
  'getChannel',
  'getChannelImpact',
  'listReachableModels',
  'listManagedModels',
  'getManagedModel',
] as const;

export interface ChannelActions {
  readonly mayWrite: boolean;
  open(id: string): void;
  edit(id: string): void;
  test(id: string): void;
  remove(channel: Channel): void;
  /** Asks first if disabling it makes models unavailable. */
  setEnabled(channel: Channel, enabled: boolean): Promise<void>;
  reset(channel: Channel): Promise<void>;
}

export interface OpenChannelActions extends ChannelActions {
  /** The channel to be deleted after confirmation. */
  readonly leaving: Channel | null;
  stopRemoving(): void;
  /** The channel to be disabled after confirmation, and the models that lose their last channel. */
  readonly disabling: Disabling | null;
  stopDisabling(): void;
  /** Rejects if the channel could not be disabled. */
  disableAnyway(channel: Channel): Promise<void>;
}

interface Disabling {
  readonly channel: Channel;
  readonly impact: ChannelImpact;
}

/** Returns a channel's actions, for all places that show it. */
export function useChannelActions(): OpenChannelActions {
  const text = useText(channelsText);
  const toast = useToast();
  const { query, mayOwn } = useScope();
  const { set } = useSearchState(['id', 'edit', 'test', 'test_key']);
  const [leaving, setLeaving] = useState<Channel | null>(null);
  const [disabling, setDisabling] = useState<Disabling | null>(null);
  const enable = useChange('enableChannel', { touches: TOUCHED }).mutateAsync;
  const disable = useChange('disableChannel', { touches: TOUCHED }).mutateAsync;
  const resetNow = useChange('resetChannel', { touches: TOUCHED }).mutateAsync;
  return useMemo(() => {
    const turn = (id: string, enabled: boolean) => (enabled ? enable : disable)({ params: { id }, query });
    const turned = async ({ id, name }: Channel, enabled: boolean) => {
      await turn(id, enabled);
      toast.done(enabled ? text.enabled(name) : text.disabled(name), {
        label: text.undo,
        run: () => turn(id, !enabled),
      });
    };
    const disableIfSafe = async (channel: Channel) => {
      const impact = await call('getChannelImpact', { params: { id: channel.id }, query });
      if (impact.only_here_count === 0) await turned(channel, false);
      else setDisabling({ channel, impact });
    };
    const tried = async (deed: Promise<unknown>) => {
      try {
        await deed;
      } catch (error) {
        toast.failed(error instanceof Error ? error : new Error(String(error)));
      }
    };
    return {
      mayWrite: mayOwn,
      leaving,
      open: (id) => set({ id, edit: '', test: '' }, false),
      edit: (id) => set({ id, edit: '1', test: '' }, false),
      test: (id) => set({ test: id, test_key: '' }, false),
      remove: setLeaving,
      stopRemoving: () => setLeaving(null),
      disabling,
      stopDisabling: () => setDisabling(null),
      disableAnyway: (channel) => turned(channel, false),
      setEnabled: (channel, enabled) => tried(enabled ? turned(channel, true) : disableIfSafe(channel)),
      reset: ({ id }) => tried(resetNow({ params: { id }, query }).then(() => toast.done(text.wasReset))),
    };
  }, [text, toast, query, mayOwn, set, leaving, disabling, enable, disable, resetNow]);
}
