import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Gemini has no transcription endpoint (ai.google.dev, "Audio understanding"): its models get the recording with an instruction
 * to transcribe it.
 */
export const geminiTranscriptions: TranscriptionWire = {
  name: 'gemini-transcriptions',
  operations: ['audio.transcriptions', 'audio.translations'],
  harmlessOptions: ['safetySettings'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
