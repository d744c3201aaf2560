import type { ImageWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure } from './response.ts';

/** Stability's `/v2beta/stable-image` (platform.stability.ai/docs/api-reference): forms, and one image as JSON. */
export const stabilityImages: ImageWire = {
  name: 'stability-images',
  operations: ['images.generations', 'images.edits'],
  harmlessOptions: ['strength', 'cfg_scale', 'style_preset', 'grow_mask'],
  mostImages: () => 1,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
