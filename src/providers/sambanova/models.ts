import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'Meta-Llama-3.3-70B-Instruct',
    'gpt-oss-120b',
    'DeepSeek-V3.1',
    'DeepSeek-V3.2',
    'MiniMax-M2.7',
    'MiniMax-M3',
    'gemma-4-31B-it',
  ]),
];
