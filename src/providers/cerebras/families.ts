import type { ModelFamily } from '../shared/model-families.ts';

const efforts = (values: readonly string[], why: string) =>
  ({ 'openai-chat': [{ kind: 'efforts', values, why }] }) as const;

export const families: readonly ModelFamily[] = [
  {
    name: 'gpt-oss',
    models: /gpt-oss/,
    quirks: efforts(['low', 'medium', 'high'], 'The page of the model: gpt-oss takes these three.'),
  },
  {
    name: 'Qwen',
    models: /qwen/,
    quirks: efforts(['none', 'low', 'medium', 'high'], 'The page of the model: Qwen 3.8 takes these four.'),
  },
];
