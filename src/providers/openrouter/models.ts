import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'openrouter/auto',
    'openai/gpt-5.5',
    'openai/gpt-5.4-mini',
    'openai/gpt-4o-mini',
    'openai/gpt-oss-120b',
    'anthropic/claude-sonnet-5.5',
    'anthropic/claude-opus-4.8',
    'anthropic/claude-haiku-4.5',
    'google/gemini-2.5-flash',
    'meta-llama/llama-3.3-70b-instruct',
  ]),
];
