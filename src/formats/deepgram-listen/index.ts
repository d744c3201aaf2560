import { decodeFailure } from '../shared/upstream-failure.ts';
import type { TranscriptionWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Deepgram's `POST /v1/listen` (its published document): the recording is the body, and all else stands in the query. */
export const deepgramListen: TranscriptionWire = {
  name: 'deepgram-listen',
  operations: ['audio.transcriptions'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
