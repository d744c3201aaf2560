import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'glm-5.3',
    'glm-5.3-flash',
    'glm-5.3-flashx',
    'glm-5.2',
    'glm-5.1',
    'glm-4.7',
    'glm-4.7-flash',
    'glm-4.6',
    'glm-4.5-air',
  ]),
];
