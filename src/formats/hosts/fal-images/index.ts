import type { ImageWire } from '../../wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { falModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure } from './response.ts';

/** Image models of many makers at fal, each an endpoint of its own with a body of its own. */
export const falImages: ImageWire = {
  name: 'fal-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  // Not the number of steps: fal bills some models by the time that they compute.
  harmlessOptions: ['guidance_scale', 'strength'],
  mostImages: (upstreamModel) => falModel(upstreamModel).mostImages,
  next: nextInFalQueue,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
