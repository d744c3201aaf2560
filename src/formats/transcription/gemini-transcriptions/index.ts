import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Gemini has no endpoint for transcripts (ai.google.dev, "Audio understanding"): its models are given the recording and an
 * instruction to write it down.
 */
export const geminiTranscriptions: TranscriptionWire = {
  name: 'gemini-transcriptions',
  operations: ['audio.transcriptions', 'audio.translations'],
  harmlessOptions: ['safetySettings'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
