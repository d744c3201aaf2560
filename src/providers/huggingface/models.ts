import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'moonshotai/Kimi-K3',
    'zai-org/GLM-5.3',
    'deepseek-ai/DeepSeek-V4.1-Flash',
    'Qwen/Qwen3.5-397B-A17B',
    'openai/gpt-oss-120b',
    'meta-llama/Llama-3.3-70B-Instruct',
    'meta-llama/Llama-3.1-8B-Instruct',
  ]),
];
