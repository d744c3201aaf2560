import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { type ObjectUpstream, startObjectUpstream } from './object-upstream.ts';

export const ACME = clientKey('acme');
export const BETA = clientKey('beta');
/** An account without a channel of its own. */
export const NOBODY = clientKey('nobody');
/** A key of Acme's account that may use one model. */
export const NARROW = clientKey('narrow');

const MOST_BYTES = 8 * 1024 * 1024;

/**
 * A provider with stored objects, two accounts with their own channels to it, and one that has only the
 * platform's.
 */
export interface RelayedBed {
  readonly serving: Serving;
  readonly upstream: ObjectUpstream;
  readonly space: Workspace;
  readonly mostBytes: number;
  readonly stop: () => Promise<void>;
}

export async function startRelayedBed(extra: object = {}): Promise<RelayedBed> {
  const upstream = startObjectUpstream();
  const space = await Workspace.create();
  const channel = (id: string, provider: string, owner: string | null, models: object, priority = 0) => ({
    ...{ id, provider, api_key: `key-of-${id}`, models, priority, timeouts: { first_byte_ms: 20_000 } },
    base_url: `${upstream.origin}/${provider === 'google' ? 'v1beta' : 'v1'}`,
    ...(owner === null ? {} : { owner }),
  });
  const gpt = { 'gpt-4.1-mini': 'gpt-4.1-mini', 'my-realtime': 'gpt-realtime' };
  const file = {
    server: { max_upload_bytes: MOST_BYTES },
    channels: [
      channel('platform', 'openai', null, gpt),
      channel('acme-openai', 'openai', 'acme', { ...gpt }),
      channel('acme-second', 'openai', 'acme', { 'second-model': 'gpt-4.1' }, 5),
      channel('acme-anthropic', 'anthropic', 'acme', { 'claude-haiku-4-5': 'claude-haiku-4-5' }),
      channel('acme-google', 'google', 'acme', { 'my-gemini': 'gemini-2.5-flash' }),
      channel('beta-openai', 'openai', 'beta', gpt),
      channel('beta-anthropic', 'anthropic', 'beta', { 'claude-haiku-4-5': 'claude-haiku-4-5' }),
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme'), keyNamed('narrow', { models: ['gpt-4.1-mini'] })], {
        requests_per_minute: 1_000_000,
      }),
      accountWith('beta', [keyNamed('beta')]),
      accountWith('nobody', [keyNamed('nobody')]),
    ],
    ...extra,
  };
  const stop = async () => {
    await space.remove();
    await upstream.stop();
  };
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', file);
    return { serving: await space.serve({ env: { SWITCHYARD_CONFIG } }), upstream, space, mostBytes: MOST_BYTES, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
