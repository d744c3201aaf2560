import type { ImageWire } from '../../images/wire.ts';
import { cancelPrediction } from '../shared/replicate-predictions.ts';
import { replicateModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer, decodeFailure, nextPrediction } from './response.ts';

const PREDICTION = /^\/predictions\/\w{1,64}$/;

/** Image models at Replicate: predictions whose `input` differs by model, polled until they are done. */
export const replicateImages: ImageWire = {
  name: 'replicate-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  harmlessOptions: ['guidance', 'guidance_scale', 'prompt_strength', 'prompt_upsampling', 'raw'],
  mostImages: (upstreamModel) => replicateModel(upstreamModel).several?.most ?? 1,
  next: nextPrediction,
  cancel: cancelPrediction(({ url = '' }) => (PREDICTION.test(url) ? url : null)),
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
