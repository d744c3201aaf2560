import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure } from './response.ts';

/** Ideogram's API, version 1 (developer.ideogram.ai): its models are endpoints, and its speeds have different prices. */
export const ideogramImages: ImageWire = {
  name: 'ideogram-images',
  operations: ['images.generations', 'images.edits'],
  harmlessOptions: [
    'magic_prompt',
    'magic_prompt_option',
    'style_preset',
    'style_codes',
    'color_palette',
    'image_weight',
  ],
  mostImages: (upstreamModel) => (upstreamModel === 'ideogram-v4' ? 1 : 8),
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
