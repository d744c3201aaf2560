import type { ProviderManifest } from '../../../providers/manifest.ts';
import { RoutingMemory } from '../../health/routing-memory.ts';
import type { ServingRows } from '../../ports/directory-store.ts';
import { Directory } from '../directory.ts';

/** A provider that speaks one format and knows no model, for tests of what is known of models. */
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

/** A directory of these rows, whose channels nobody has asked yet. */
export function sampleDirectory(
  rows: Partial<ServingRows>,
  providers: readonly ProviderManifest[] = [sampleProvider()],
): Directory {
  const all: ServingRows = { models: [], syncedModels: [], channels: [], ...rows };
  const memory = new RoutingMemory({ nowMs: () => 0, monotonicMs: () => 0 }, () => 0);
  return new Directory(all, new Map(providers.map((provider) => [provider.name, provider])), memory, false);
}
