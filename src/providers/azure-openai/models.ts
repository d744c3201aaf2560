import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

/** A deployment may have any name; these are the names that Azure proposes, those of the models. */
export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-luna',
    'gpt-5.5',
    'gpt-5.4-mini',
    'gpt-5-mini',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4o',
    'gpt-4o-mini',
  ]),
  ...modelsOf('embedding', ['text-embedding-3-small', 'text-embedding-3-large']),
];
