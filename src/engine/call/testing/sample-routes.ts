import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import type { GovernedMember } from '../../../providers/shared/governed-member.ts';
import type { Directory } from '../../directory/directory.ts';
import type { TextTarget } from '../../directory/target.ts';
import { sampleDirectory, sampleProvider } from '../../directory/testing/sample-directory.ts';
import { sampleChannel, sampleModel } from '../../ports/testing/samples.ts';

/** The public model of these tests. Its upstream id is `up`. */
export const MODEL = 'public-model';
export const UPSTREAM_MODEL = 'up';

const OWNERS_OWN: GovernedMember = {
  member: 'deployment',
  effect: { kind: 'owners-own' },
  why: 'It is kept at the provider.',
};

/**
 * Providers of different formats. One stores answers, can compact conversations and has a second format; one has
 * moderations. The Messages provider has no seed (dropped) and no `n` (refused); it can count tokens, and its requests
 * can name a `deployment` that belongs to the channel's owner.
 */
export const PROVIDERS: readonly ProviderManifest[] = [
  provider('chatting', [{ format: 'openai-chat', path: '/chat/completions' }]),
  provider('messaging', [
    {
      ...{ format: 'anthropic-messages', path: '/messages', countTokens: '/messages/count_tokens' },
      governs: [OWNERS_OWN],
    },
  ]),
  provider('keeping', [
    { format: 'openai-responses', path: '/responses', stores: true, compact: '/responses/compact' },
    { format: 'openai-chat', path: '/chat/completions' },
  ]),
  provider('moderating', [{ format: 'openai-chat', path: '/chat/completions' }], {
    wires: [{ wire: 'openai-moderations', path: '/moderations' }],
  }),
];

function provider(
  name: string,
  formats: ProviderManifest['formats'],
  more: Partial<ProviderManifest> = {},
): ProviderManifest {
  return sampleProvider({ name, label: name, baseUrl: `http://${name}.example/v1`, formats, ...more });
}

/** Makes a channel whose host name is its own id. */
export function channelOf(id: string, provider: string, fields: Partial<Channel> = {}): Channel {
  const own = { id, name: id, provider, baseUrl: `http://${id}.example/v1`, apiKey: `key-of-${id}` };
  return sampleChannel({ ...own, models: { [MODEL]: UPSTREAM_MODEL }, ...fields });
}

export function directoryOf(
  channels: readonly Channel[],
  model: Partial<DeclaredModel> = {},
  others: readonly Partial<DeclaredModel>[] = [],
): Directory {
  const models = [{ id: MODEL, ...model }, ...others].map((one) => sampleModel(one));
  return sampleDirectory({ channels, models }, PROVIDERS);
}

/** Returns the routes to the model, in the order of the channels. */
export function targetsOf(
  channels: readonly Channel[],
  clientFormat = 'openai-chat',
  accountId = 'acme',
): readonly TextTarget[] {
  return directoryOf(channels).routesTo(MODEL, accountId, clientFormat)?.targets ?? [];
}

/** Returns the route over one channel. */
export function targetOf(channel: Channel, clientFormat = 'openai-chat'): TextTarget {
  const [target] = targetsOf([channel], clientFormat);
  if (target === undefined) throw new Error(`the channel ${channel.id} has no way to the model`);
  return target;
}
