import { useState } from 'react';
import { call } from '../../../api/client.ts';
import type { Channel, ChannelImpact, UpstreamKey } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useSearchState } from '../../../shell/search.ts';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { TOUCHED } from './use-channel-actions.ts';

/** A key whose change must be confirmed: its name and, if it is disabled, the models that lose their last channel. */
interface Asked {
  readonly name: string;
  readonly impact: ChannelImpact | null;
}

export interface KeyActions {
  readonly mayWrite: boolean;
  test(name: string): void;
  /** Asks first if disabling the last enabled key makes models unavailable. */
  setEnabled(key: UpstreamKey, enabled: boolean): Promise<void>;
  reset(name: string): Promise<void>;
  /** Asks first. */
  resetSpending(name: string): void;
  /** The question to confirm; `null` for none. */
  readonly asked: Asked | null;
  stopAsking(): void;
  /** Does it after the confirmation. Rejects if it failed. */
  confirm(asked: Asked): Promise<void>;
}

/** Returns the actions on the keys of a channel that has several. */
export function useKeyActions({ id, api_keys: keys }: Channel): KeyActions {
  const text = useText(channelsText);
  const toast = useToast();
  const { query, mayOwn } = useScope();
  const { set } = useSearchState(['test', 'test_key']);
  const [asked, setAsked] = useState<Asked | null>(null);
  const enable = useChange('enableUpstreamKey', { touches: TOUCHED }).mutateAsync;
  const disable = useChange('disableUpstreamKey', { touches: TOUCHED }).mutateAsync;
  const resetNow = useChange('resetUpstreamKey', { touches: TOUCHED }).mutateAsync;
  const turn = (name: string, enabled: boolean) => (enabled ? enable : disable)({ params: { id, key: name }, query });
  const turned = async (name: string, enabled: boolean) => {
    await turn(name, enabled);
    toast.done(enabled ? text.enabled(name) : text.disabled(name), {
      label: text.undo,
      run: () => turn(name, !enabled),
    });
  };
  const disableIfSafe = async (name: string) => {
    const isLast = (keys ?? []).every((key) => key.name === name || !key.enabled);
    const impact = isLast ? await call('getChannelImpact', { params: { id }, query }) : null;
    if (impact === null || impact.only_here_count === 0) await turned(name, false);
    else setAsked({ name, impact });
  };
  const tried = async (deed: Promise<unknown>) => {
    try {
      await deed;
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const cleared = async (name: string) => {
    await resetNow({ params: { id, key: name }, query, body: { spending: true } });
    toast.done(text.spendingReset(name));
  };
  return {
    mayWrite: mayOwn,
    test: (name) => set({ test: id, test_key: name }, false),
    setEnabled: ({ name }, enabled) => tried(enabled ? turned(name, true) : disableIfSafe(name)),
    reset: (name) =>
      tried(resetNow({ params: { id, key: name }, query, body: undefined }).then(() => toast.done(text.wasReset))),
    resetSpending: (name) => setAsked({ name, impact: null }),
    asked,
    stopAsking: () => setAsked(null),
    confirm: ({ name, impact }) => (impact === null ? cleared(name) : turned(name, false)),
  };
}
