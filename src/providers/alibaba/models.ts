import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'qwen3.8-max',
    'qwen3-max',
    'qwen-plus',
    'qwen-flash',
    'qwen-max',
    'qwen3-coder-plus',
    'qwen3-coder-flash',
    'qwen3-vl-flash',
  ]),
  ...modelsOf('embedding', ['text-embedding-v4']),
];
