import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'mistral-large-latest',
    'mistral-medium-latest',
    'mistral-small-latest',
    'magistral-medium-latest',
    'codestral-latest',
    'devstral-medium-latest',
    'ministral-8b-2512',
    'ministral-3b-2512',
  ]),
  ...modelsOf('embedding', ['mistral-embed', 'codestral-embed']),
];
