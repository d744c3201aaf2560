import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';

/** Inference profiles, where a model is to be had only through one (Bedrock user guide, "Supported inference profiles"). */
export const models: readonly ProviderModel[] = [
  ...modelsOf('chat', [
    'global.anthropic.claude-opus-5-5',
    'global.anthropic.claude-sonnet-5-5',
    'global.anthropic.claude-opus-5',
    'global.anthropic.claude-sonnet-5',
    'global.anthropic.claude-opus-4-8',
    'global.anthropic.claude-sonnet-4-6',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    'global.amazon.nova-2-lite-v1:0',
    'amazon.nova-pro-v1:0',
    'amazon.nova-lite-v1:0',
    'amazon.nova-micro-v1:0',
    'us.openai.gpt-5.6-sol',
    'openai.gpt-oss-120b-1:0',
    'openai.gpt-oss-20b-1:0',
    'us.deepseek.r1-v1:0',
  ]),
];
