import type { Channel } from '../../../domain/catalog/channel.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { RoutingMemory } from '../../health/routing-memory.ts';
import type { ServingRows } from '../../ports/directory-store.ts';
import { ChannelGroup } from '../channel-group.ts';
import { RULES_OF_PROVIDERS } from '../channel-in-use.ts';
import { Directory } from '../directory.ts';
import { ModelCatalog } from '../model-facts.ts';
import { RecentRoutes } from '../routes.ts';

/** Makes a provider that speaks one format and knows no model, for tests of model facts. */
export function sampleProvider(fields: Partial<ProviderManifest> = {}): ProviderManifest {
  return {
    name: 'openai',
    label: 'OpenAI',
    baseUrl: 'http://openai.example/v1',
    keyVariables: [],
    keyRequired: false,
    formats: [{ format: 'openai-chat', path: '/chat/completions' }],
    ...fields,
  };
}

/** Makes a directory of these rows, whose channels have not been asked yet. */
export function sampleDirectory(
  rows: Partial<ServingRows>,
  providers: readonly ProviderManifest[] = [sampleProvider()],
): Directory {
  const { models = [], syncedModels = [], channels = [], guards = [] } = rows;
  const memory = new RoutingMemory({ nowMs: () => 0, monotonicMs: () => 0 }, () => 0);
  const ports = {
    providers: new Map(providers.map((provider) => [provider.name, provider])),
    memory,
    servers: RULES_OF_PROVIDERS,
    recent: new RecentRoutes(),
  };
  const isInUse = ({ enabled, provider }: Channel) => enabled && ports.providers.has(provider);
  const byOwner = Map.groupBy(channels, ({ owner }) => owner);
  memory.adopt(new Map([...byOwner].map(([owner, own]) => [owner, own.filter(isInUse)])), {
    hasSeveralAccounts: false,
  });
  const catalog = new ModelCatalog(ports.providers, { models, syncedModels, guards });
  const group = (owner: string | null) => new ChannelGroup(owner, byOwner.get(owner) ?? [], catalog, ports);
  const accounts = [...byOwner.keys()].filter((owner) => owner !== null);
  return new Directory({
    ...{ catalog, providers: ports.providers },
    shared: group(null),
    own: new Map(accounts.map((account) => [account, group(account)])),
  });
}
