import type { ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const textOnly = lacks(
  ['image-inline', 'image-url', 'video-inline', 'video-url'],
  'refused',
  'The pages of the compatible APIs: the M2 models accept only text.',
);

export const families: readonly ModelFamily[] = [
  { name: 'M2', models: /^M(?:iniMax-M)?2/, quirks: { 'openai-chat': textOnly, 'anthropic-messages': textOnly } },
  { name: 'M3 and later', models: /^MiniMax-M(?:[3-9]|\d\d)/, quirks: {} },
];
