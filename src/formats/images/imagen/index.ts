import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { ImageWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Imagen's `predict` (Google Cloud, "Generate images with Imagen"). Google retired these models in August 2026, but other servers
 * with this API still serve other models.
 */
export const imagen: ImageWire = {
  name: 'imagen',
  operations: ['images.generations'],
  mostImages: () => 4,
  harmlessOptions: ['personGeneration', 'safetySetting', 'language', 'enhancePrompt'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
