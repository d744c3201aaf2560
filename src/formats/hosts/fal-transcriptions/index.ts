import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../../transcription/wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Whisper and its relatives at fal (fal.ai, "Wizper" and "Whisper"), over fal's queue. */
export const falTranscriptions: TranscriptionWire = {
  name: 'fal-transcriptions',
  operations: ['audio.transcriptions', 'audio.translations'],
  // Billed by compute time, so an option that increases it (`batch_size`) is left out.
  harmlessOptions: ['num_speakers'],
  encodeRequest,
  next: nextInFalQueue,
  decodeAnswer,
  decodeFailure,
};
