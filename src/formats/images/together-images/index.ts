import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { decodeAnswer } from '../../shared/media/openai-image-answer.ts';
import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';

/** Together's `POST /images/generations` (its published document), which generates and edits. */
export const togetherImages: ImageWire = {
  name: 'together-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  mostImages: () => 4,
  // `steps` is left out because it has a price, and `image_loras` because it loads a model.
  harmlessOptions: ['guidance_scale'],
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
