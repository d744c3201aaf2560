import type { CatalogModel } from '../catalog-model.ts';
import { USUAL_OPERATIONS } from '../model-operation.ts';

export function sampleCatalogModel(fields: Partial<CatalogModel> = {}): CatalogModel {
  const category = fields.category ?? 'chat';
  return {
    provider: 'openai',
    id: 'gpt-4o-mini',
    name: 'GPT-4o mini',
    description: null,
    ownedBy: 'openai',
    category,
    tags: [],
    releasedAtMs: null,
    listedAtMs: null,
    capabilities: {
      input: ['text'],
      output: ['text'],
      features: ['streaming'],
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      dimensions: null,
    },
    operations: USUAL_OPERATIONS[category],
    parameters: {},
    pricing: null,
    priceSource: null,
    ...fields,
  };
}
