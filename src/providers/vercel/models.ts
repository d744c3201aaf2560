import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'openai/gpt-6.1-sol',
    'openai/gpt-5.4-mini',
    'openai/gpt-4o-mini',
    'anthropic/claude-opus-5.5',
    'anthropic/claude-sonnet-5.5',
    'anthropic/claude-haiku-4.5',
    'google/gemini-3.8-flash',
    'google/gemini-2.5-flash',
    'spacexai/grok-4.7',
    'mistral/mistral-large-4',
    'deepseek/deepseek-v4.1-flash',
  ]),
  ...modelsOf('embedding', ['openai/text-embedding-3-small']),
];
