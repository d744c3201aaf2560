import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { TranscriptEvents } from '../shared/transcript-reader.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';
import { OpenAIDialect } from './stream.ts';

/** OpenAI's `POST /audio/transcriptions` (its published document, `CreateTranscriptionRequest`), which most servers speak. */
export const openaiTranscriptions: TranscriptionWire = {
  name: 'openai-transcriptions',
  operations: ['audio.transcriptions'],
  isClients: true,
  encodeRequest,
  decodeAnswer,
  openStream: () => new TranscriptEvents(new OpenAIDialect()),
  decodeFailure,
};

/** OpenAI's `POST /audio/translations`: the same form, always into English, and without streams. */
export const openaiTranslations: TranscriptionWire = {
  name: 'openai-translations',
  operations: ['audio.translations'],
  isClients: true,
  encodeRequest: (request, target) => encodeRequest({ ...request, stream: false }, target),
  decodeAnswer,
  decodeFailure,
};

/** The same for a provider that assumes English unless it is told to detect the language. */
export const openaiTranscriptionsAuto: TranscriptionWire = {
  ...openaiTranscriptions,
  name: 'openai-transcriptions-auto',
  encodeRequest: (request, target) => encodeRequest({ ...request, language: request.language ?? 'auto' }, target),
};
