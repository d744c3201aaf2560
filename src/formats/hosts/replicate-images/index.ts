import type { ImageWire } from '../../images/wire.ts';
import { replicateModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure, nextPrediction } from './response.ts';

/** Image models at Replicate: predictions whose `input` differs by model, polled until they are done. */
export const replicateImages: ImageWire = {
  name: 'replicate-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  harmlessOptions: ['guidance', 'guidance_scale', 'prompt_strength', 'prompt_upsampling', 'raw'],
  mostImages: (upstreamModel) => replicateModel(upstreamModel).several?.most ?? 1,
  next: nextPrediction,
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
