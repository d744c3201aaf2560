import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'moonshotai/Kimi-K3',
    'zai-org/GLM-5.3',
    'deepseek-ai/DeepSeek-V4.1-Flash',
    'Qwen/Qwen3.7-Max',
    'google/gemma-4-31B-it',
    'openai/gpt-oss-120b',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  ]),
];
