import type { ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const textOnly = (why: string) => lacks(['image-inline', 'image-url'], 'refused', why);

export const families: readonly ModelFamily[] = [
  {
    name: 'Pro models and the older names',
    models: /pro|chat|reasoner/,
    quirks: {
      'openai-chat': textOnly('Images are for the Flash models; the others answer them with a 400 that expects text.'),
      'openai-responses': textOnly('The reference of `POST /responses`: images are for deepseek-flash.'),
      'anthropic-messages': textOnly('Images are for the Flash models.'),
    },
  },
  { name: 'Flash models', models: /flash/, quirks: {} },
];
