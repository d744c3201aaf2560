import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { ImageWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * OpenRouter's `POST /images` (its published document, `createImages`), which generates and edits. Many of the providers behind
 * it make one image at a time and refuse requests for more.
 */
export const openrouterImages: ImageWire = {
  name: 'openrouter-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 1,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
