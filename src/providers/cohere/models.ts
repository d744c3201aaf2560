import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'command-a-plus-05-2026',
    'command-a-03-2025',
    'command-a-reasoning-08-2025',
    'command-a-vision-07-2025',
    'command-a-translate-08-2025',
    'command-r7b-12-2024',
    'command-r-plus-08-2024',
    'command-r-08-2024',
  ]),
  ...modelsOf('embedding', ['embed-v4.0']),
];
