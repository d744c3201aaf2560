import type { Key } from '../../api/schema.ts';
import { type Item, useApi } from '../../api/use-api.ts';
import { useScope } from '../../shell/scope.tsx';
import type { StepId } from './steps.ts';

/** The built-in channels. */
const BUILT_IN: ReadonlySet<string> = new Set(['sandbox', 'local']);
const PLAYGROUND_KEY = 'playground';
/** The name of the key that the first start prints. */
const FIRST_KEY = 'First key';

export interface Progress {
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** Retries failed reads. */
  retry(): void;
  readonly channels: readonly Item<'listChannels'>[];
  /** The ids of the chat models that the account may use. */
  readonly models: readonly string[];
  /** Whether the models of a new provider are still being read, so that only the sandbox's are known. */
  readonly isReadingModels: boolean;
  /** The number of models of providers, without the sandbox. */
  readonly providerModels: number;
  /** The active keys, except the playground's. */
  readonly keys: readonly Key[];
  /** The key that the first start has printed, while it is unused. */
  readonly printedKey: Key | undefined;
  /** A key that a program has used. */
  readonly usedKey: Key | undefined;
  readonly done: Readonly<Record<StepId, boolean>>;
}

/** Returns which steps are done; polls while the page is visible, since steps may be completed elsewhere. */
export function useProgress(): Progress {
  const { query, isOperator, mayWrite } = useScope();
  // Operators create shared channels, which no single account's list contains.
  const listed = { query: { ...(isOperator ? {} : query), limit: 200 } };
  const channels = useApi('listChannels', listed, { enabled: mayWrite });
  const chat = { ...query, operation: 'chat.completions', status: 'public', limit: 1000 } as const;
  const models = useApi('listManagedModels', { query: chat });
  const keys = useApi('listKeys', { query: { ...query, limit: 200 } }, { every: 4_000 });
  const requests = useApi('listRequests', { query: { ...query, limit: 20 } });
  const connected = (channels.data?.data ?? []).filter(({ provider }) => !BUILT_IN.has(provider));
  const all = models.data?.data ?? [];
  const providerModels = all.filter(({ owned_by: owner }) => !BUILT_IN.has(owner)).length;
  const own = (keys.data?.data ?? []).filter(({ id, state }) => id !== PLAYGROUND_KEY && state === 'active');
  const printedKey = own.find(({ name, last_used_at: used }) => name === FIRST_KEY && used === null);
  const usedKey = own.find(({ last_used_at: used }) => used !== null);
  return {
    isLoading: models.isPending || keys.isPending || requests.isPending || (mayWrite && channels.isPending),
    error: models.error ?? keys.error ?? requests.error ?? channels.error,
    retry: () => {
      for (const one of [channels, models, keys, requests]) if (one.error) void one.refetch();
    },
    channels: connected,
    models: all.map(({ id }) => id),
    isReadingModels: models.isFetching && providerModels === 0,
    providerModels,
    keys: own,
    printedKey,
    usedKey,
    done: {
      provider: connected.length > 0 || providerModels > 0,
      key: own.some((key) => key !== printedKey),
      request: (requests.data?.data ?? []).some(({ status }) => status < 400),
      clients: usedKey !== undefined,
    },
  };
}
