import { accountWith, channelTo, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { CacheClient } from './client.ts';
import { type CountingUpstream, startCountingUpstream } from './upstream.ts';

/** One gateway in front of one counting upstream, with accounts of each kind. */
export interface CacheBed {
  readonly upstream: CountingUpstream;
  readonly space: Workspace;
  readonly serving: Serving;
  /** Returns a client with the key of this name. */
  client(key?: string): CacheClient;
  readonly run: (...args: string[]) => ReturnType<Workspace['run']>;
  readonly stop: () => Promise<void>;
}

const PRICING = { input_per_1m: '1000', output_per_1m: '2000' };
const MODELS = ['plain', 'repeating', 'warm', 'other'];

export async function startCacheBed(cache: object): Promise<CacheBed> {
  const upstream = startCountingUpstream();
  const space = await Workspace.create();
  const stop = async () => {
    await space.remove();
    await upstream.stop();
  };
  const limits = { requests_per_minute: 1_000_000 };
  const account = (id: string, extra: object = {}, keys = [keyNamed(id)]) =>
    accountWith(id, keys, { ...limits, ...extra });
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      // Semantic hits have tests of their own.
      cache: { semantic: { embeddings: 'none' }, ...cache },
      channels: [
        channelTo(upstream, {
          formats: ['openai-completions', 'openai-chat'],
          breaker: { minimum_requests: 100_000 },
          models: Object.fromEntries(MODELS.map((id) => [id, id])),
        }),
        channelTo(upstream, { id: 'keeping', provider: 'openai', formats: ['openai-responses'], models: ['kept'] }),
        channelTo(upstream, { id: 'leaving', models: ['leaving'] }),
      ],
      models: [
        ...['plain', 'other', 'leaving'].map((id) => ({ id, pricing: PRICING })),
        { id: 'repeating', cache: { strategy: 'exact' } },
        { id: 'warm', cache: { max_temperature: 0.5 } },
      ],
      accounts: [
        account('main', {}, [
          keyNamed('main'),
          keyNamed('second'),
          keyNamed('narrow', { models: ['other'] }),
          keyNamed('brief'),
          keyNamed('third'),
        ]),
        account('globex'),
        account('none', { cache: { strategy: 'off' } }),
        account('asked', { cache: { strategy: 'asked' } }),
        account('exact', { cache: { strategy: 'exact' } }),
        account('together', { cache: { strategy: 'exact', coalesce: true } }),
        account('payer', { billing: 'prepaid', balance_usd: '1' }),
        account('poor', { billing: 'prepaid', balance_usd: '0.3' }),
      ],
    });
    const env = { SWITCHYARD_CONFIG };
    const serving = await space.serve({ env });
    return {
      ...{ upstream, space, serving, stop },
      client: (key = 'main') => new CacheClient(serving.origin, clientKey(key)),
      run: (...args) => space.run(args, { env }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
