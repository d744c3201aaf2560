import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { ImageWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Gemini's `generateContent` for image models (its published document, `ImageConfig`), which generates and edits. */
export const geminiImages: ImageWire = {
  name: 'gemini-images',
  operations: ['images.generations', 'images.edits'],
  mostImages: () => 1,
  harmlessOptions: ['safetySettings', 'systemInstruction'],
  asks,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
