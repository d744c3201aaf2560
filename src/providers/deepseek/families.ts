import type { ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const textOnly = (why: string) => lacks(['image-inline', 'image-url'], 'refused', why);

export const families: readonly ModelFamily[] = [
  {
    name: 'Pro models and the older names',
    models: /pro|chat|reasoner/,
    quirks: {
      'openai-chat': textOnly('Only the Flash models accept images; the others return a 400 that asks for text.'),
      'openai-responses': textOnly('The reference of `POST /responses`: only deepseek-flash accepts images.'),
      'anthropic-messages': textOnly('Only the Flash models accept images.'),
    },
  },
  { name: 'Flash models', models: /flash/, quirks: {} },
];
