import { useMemo, useState } from 'react';
import type { Channel } from '../../../api/schema.ts';
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
  setEnabled(channel: Channel, enabled: boolean): Promise<void>;
  reset(channel: Channel): Promise<void>;
}

export interface OpenChannelActions extends ChannelActions {
  /** The channel to be deleted after confirmation. */
  readonly leaving: Channel | null;
  stopRemoving(): void;
}

/** Returns a channel's actions, for all places that show it. */
export function useChannelActions(): OpenChannelActions {
  const text = useText(channelsText);
  const toast = useToast();
  const { query, mayOwn } = useScope();
  const { set } = useSearchState(['id', 'edit', 'test']);
  const [leaving, setLeaving] = useState<Channel | null>(null);
  const enable = useChange('enableChannel', { touches: TOUCHED }).mutateAsync;
  const disable = useChange('disableChannel', { touches: TOUCHED }).mutateAsync;
  const resetNow = useChange('resetChannel', { touches: TOUCHED }).mutateAsync;
  return useMemo(() => {
    const turn = (id: string, enabled: boolean) => (enabled ? enable : disable)({ params: { id }, query });
    const tried = async (deed: Promise<unknown>, done: () => void) => {
      try {
        await deed;
        done();
      } catch (error) {
        toast.failed(error instanceof Error ? error : new Error(String(error)));
      }
    };
    return {
      mayWrite: mayOwn,
      leaving,
      open: (id) => set({ id, edit: '', test: '' }, false),
      edit: (id) => set({ id, edit: '1', test: '' }, false),
      test: (id) => set({ test: id }, false),
      remove: setLeaving,
      stopRemoving: () => setLeaving(null),
      setEnabled: ({ id, name }, enabled) =>
        tried(turn(id, enabled), () =>
          toast.done(enabled ? text.enabled(name) : text.disabled(name), {
            label: text.undo,
            run: () => turn(id, !enabled),
          }),
        ),
      reset: ({ id }) => tried(resetNow({ params: { id }, query }), () => toast.done(text.wasReset)),
    };
  }, [text, toast, query, mayOwn, set, leaving, enable, disable, resetNow]);
}
