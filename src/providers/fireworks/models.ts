import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'accounts/fireworks/models/kimi-k3',
    'accounts/fireworks/models/glm-5p3',
    'accounts/fireworks/models/qwen3p8-max',
    'accounts/fireworks/models/minimax-m3',
    'accounts/fireworks/models/deepseek-v4-flash-0731',
    'accounts/fireworks/models/gpt-oss-120b',
  ]),
];
