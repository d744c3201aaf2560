import type { ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

export const families: readonly ModelFamily[] = [
  {
    name: 'Mistral Small, Medium, and Large from 4 on',
    models: /^mistral-(?:small|medium|large-[4-9](?!\d))/,
    quirks: {
      'openai-chat': [
        {
          kind: 'efforts',
          values: ['none', 'high'],
          why: 'The OpenAPI document lists `high` and `none` for `reasoning_effort`.',
        },
      ],
    },
  },
  {
    name: 'Models that always think, or never',
    models: /^(?:mistral-large-(?:latest|2\d{3})|magistral|codestral|devstral|ministral|pixtral|voxtral|open-)/,
    quirks: {
      'openai-chat': lacks(
        ['reasoning-effort', 'reasoning-budget'],
        'dropped',
        'Magistral always reasons and the other families never do; both reject `reasoning_effort`.',
      ),
    },
  },
  { name: 'Models from other vendors', models: /^(?:zai|deepseek)-/, quirks: {} },
];
