import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure, nextResult } from './response.ts';

/** FLUX at Black Forest Labs: one endpoint per model, and a job that is polled until it is done. */
export const bflImages: ImageWire = {
  name: 'bfl-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  urlsExpireSoon: true,
  harmlessOptions: ['prompt_upsampling', 'disable_pup', 'raw', 'guidance', 'steps', 'image_prompt_strength'],
  mostImages: () => 1,
  next: nextResult,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
