import type { ImageWire } from '../../images/wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { falModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure } from './response.ts';

/** Image models of many vendors at fal. Each is an endpoint with its own request body. */
export const falImages: ImageWire = {
  name: 'fal-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  // The number of steps is left out, because fal bills some models by compute time.
  harmlessOptions: ['guidance_scale', 'strength'],
  mostImages: (upstreamModel) => falModel(upstreamModel).mostImages,
  next: nextInFalQueue,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
