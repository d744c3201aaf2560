import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { decodeClientsAnswer } from '../../shared/media/openai-image-answer.ts';
import { asks, mostImages } from '../shared/openai-image-models.ts';
import { openStream } from '../shared/openai-image-stream.ts';
import type { ImageWire } from '../wire.ts';
import { encodeRequest } from './request.ts';

/** `POST /images/generations` (OpenAI's published document, `CreateImageRequest`), which the gateway's own clients speak. */
export const openaiImages: ImageWire = {
  name: 'openai-images',
  operations: ['images.generations'],
  isClients: true,
  mostImages,
  asks,
  encodeRequest,
  decodeAnswer: decodeClientsAnswer,
  openStream,
  decodeFailure,
};
