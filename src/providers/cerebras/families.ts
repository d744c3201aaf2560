import type { ModelFamily } from '../shared/model-families.ts';

const efforts = (values: readonly string[], why: string) =>
  ({ 'openai-chat': [{ kind: 'efforts', values, why }] }) as const;

export const families: readonly ModelFamily[] = [
  {
    name: 'gpt-oss',
    models: /gpt-oss/,
    quirks: efforts(['low', 'medium', 'high'], 'The model’s page: gpt-oss accepts these three efforts.'),
  },
  {
    name: 'Qwen',
    models: /qwen/,
    quirks: efforts(['none', 'low', 'medium', 'high'], 'The model’s page: Qwen 3.8 accepts these four efforts.'),
  },
];
