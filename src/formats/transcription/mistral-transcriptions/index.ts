import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { TranscriptEvents } from '../shared/transcript-reader.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';
import { MistralDialect } from './stream.ts';

/** Mistral's `POST /v1/audio/transcriptions` (its published document, `AudioTranscriptionRequest`). */
export const mistralTranscriptions: TranscriptionWire = {
  name: 'mistral-transcriptions',
  operations: ['audio.transcriptions'],
  encodeRequest,
  decodeAnswer,
  openStream: (request) => new TranscriptEvents(new MistralDialect(request)),
  decodeFailure,
};
