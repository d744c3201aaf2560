import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [...modelsOf('chat', ['gpt-oss-120b', 'qwen-3.8-27b'])];
