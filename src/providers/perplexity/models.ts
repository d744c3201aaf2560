import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research']),
];
