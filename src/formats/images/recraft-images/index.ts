import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure } from './response.ts';

/** Recraft's API: answers like OpenAI's, and requests with its own styles, controls and vectors. */
export const recraftImages: ImageWire = {
  name: 'recraft-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  harmlessOptions: ['controls', 'strength', 'text_layout', 'substyle'],
  mostImages: () => 6,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
