import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', ['deepseek-flash', 'deepseek-v4-flash', 'deepseek-v4-pro']),
];
