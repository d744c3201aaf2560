import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { decodeClientsAnswer } from '../../shared/media/openai-image-answer.ts';
import { asks, mostImages } from '../shared/openai-image-models.ts';
import { openStream } from '../shared/openai-image-stream.ts';
import type { ImageWire } from '../wire.ts';
import { encodeRequest } from './request.ts';

/** `POST /images/edits` as a form (OpenAI's published document, `CreateImageEditRequest`). */
export const openaiImageEdits: ImageWire = {
  name: 'openai-image-edits',
  operations: ['images.edits'],
  isClients: true,
  mostImages,
  asks,
  encodeRequest,
  decodeAnswer: decodeClientsAnswer,
  openStream,
  decodeFailure,
};
