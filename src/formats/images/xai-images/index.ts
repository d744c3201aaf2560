import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * xAI's `/images/generations` and `/images/edits` (docs.x.ai, "Image Generation", "Multi-Image Editing"). They resemble OpenAI's,
 * but use ratios instead of sizes, and take an edit as JSON.
 */
export const xaiImages: ImageWire = {
  name: 'xai-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 10,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
