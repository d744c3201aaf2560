import type { FamilyQuirk, ModelFamily } from '../shared/model-families.ts';
import { takesReasoningBack } from '../shared/quirks.ts';

const EFFORTS: FamilyQuirk = {
  kind: 'efforts',
  values: ['low', 'medium', 'high'],
  why: 'The OpenAPI document: gpt-oss accepts these three efforts.',
};

const REASONING: readonly FamilyQuirk[] = takesReasoningBack(
  'reasoning',
  'The OpenAPI document: an assistant message has `reasoning`; `reasoning_content` is a 400.',
);

export const families: readonly ModelFamily[] = [
  {
    name: 'gpt-oss',
    models: /gpt-oss/,
    quirks: { 'openai-chat': [EFFORTS, ...REASONING], 'openai-responses': [EFFORTS] },
  },
  {
    name: 'Qwen and DeepSeek',
    models: /qwen|deepseek/,
    quirks: {
      'openai-chat': [
        {
          kind: 'set',
          field: 'reasoning_format',
          value: 'parsed',
          unless: 'include_reasoning',
          why: 'Without it, reasoning of these models is between `<think>` tags in the response; with it, it is separate.',
        },
        {
          kind: 'efforts',
          values: ['none', 'default'],
          why: 'The OpenAPI document: Qwen accepts `none` and `default`; with `default` the model decides how much to reason.',
        },
        ...REASONING,
      ],
    },
  },
  {
    name: 'Models that do not think',
    models: /^(?!.*(?:gpt-oss|qwen|deepseek))/,
    quirks: {
      'openai-chat': [
        {
          kind: 'reasoning-input',
          field: 'none',
          why: 'Groq returns a 400 for earlier reasoning, "reasoning is not supported with this model".',
        },
      ],
    },
  },
];
