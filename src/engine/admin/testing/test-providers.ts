import { z } from 'zod';
import { sampleCatalogModel } from '../../../domain/catalog/testing/sample-catalog-model.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';

const FORMATS = [
  { format: 'openai-responses', path: '/responses' },
  { format: 'openai-chat', path: '/chat/completions' },
];

const manifest = (name: string, change: Partial<ProviderManifest> = {}): ProviderManifest => ({
  name,
  label: name,
  baseUrl: `https://${name}.example/v1`,
  keyVariables: [`${name.toUpperCase()}_API_KEY`],
  keyRequired: true,
  formats: FORMATS,
  ...change,
});

/** Providers for tests, one of each kind that a configuration distinguishes. */
export const testProviders: ReadonlyMap<string, ProviderManifest> = new Map(
  [
    manifest('openai', {
      models: () => [
        sampleCatalogModel({ id: 'gpt-4o-mini' }),
        sampleCatalogModel({ id: 'text-embedding-3-small', category: 'embedding' }),
      ],
    }),
    manifest('azure', {
      baseUrl: null,
      settings: z.strictObject({ api_version: z.string(), region: z.string().default('eastus') }),
    }),
    manifest('easel', { formats: [], wires: [{ wire: 'fal-images', path: '' }] }),
    manifest('ollama', { baseUrl: 'http://127.0.0.1:11434/v1', keyRequired: false, keyVariables: [] }),
    manifest('sandbox', {
      baseUrl: null,
      keyRequired: false,
      keyVariables: [],
      models: () => [sampleCatalogModel({ provider: 'sandbox', id: 'sandbox-chat' })],
      local: async () => new Response(),
    }),
  ].map((entry) => [entry.name, entry]),
);
