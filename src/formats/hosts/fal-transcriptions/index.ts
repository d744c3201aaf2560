import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TranscriptionWire } from '../../wire.ts';
import { nextInFalQueue } from '../shared/fal-queue.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Whisper and its kin at fal (fal.ai, "Wizper" and "Whisper"), over fal's queue. */
export const falTranscriptions: TranscriptionWire = {
  name: 'fal-transcriptions',
  operations: ['audio.transcriptions', 'audio.translations'],
  // It is priced by the time of computing, so what makes that longer (`batch_size`) is not among them.
  harmlessOptions: ['num_speakers'],
  encodeRequest,
  next: nextInFalQueue,
  decodeAnswer,
  decodeFailure,
};
