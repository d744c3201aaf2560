import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = modelsOf('chat', [
  'openai/gpt-4.1',
  'openai/gpt-4.1-mini',
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'meta/Llama-3.3-70B-Instruct',
  'mistral-ai/mistral-medium-2505',
  'deepseek/DeepSeek-V3-0324',
]);
