import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { USUAL_OPERATIONS } from '../../../domain/catalog/model-operation.ts';

/** Returns a model as the shipped catalog may have it. */
export function catalogModel(changes: Partial<CatalogModel> = {}): CatalogModel {
  const category = changes.category ?? 'chat';
  return {
    provider: 'openai',
    id: 'gpt-4o-mini',
    name: 'GPT-4o mini',
    description: 'Small and quick.',
    ownedBy: 'openai',
    category,
    tags: ['fast'],
    releasedAtMs: Date.parse('2024-07-18'),
    listedAtMs: Date.parse('2026-11-21'),
    capabilities: {
      input: ['text', 'image'],
      output: ['text'],
      features: ['streaming', 'tools'],
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      dimensions: null,
    },
    operations: USUAL_OPERATIONS[category],
    parameters: {},
    pricing: { input_per_1m: '0.15', cached_input_per_1m: '0.075', output_per_1m: '0.60' },
    priceSource: { url: 'https://openai.com/api/pricing', date: '2026-08-01' },
    ...changes,
  };
}
